//! The page of the matrix: every implementation, type by type, in both directions.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::render;
use crate::matrix::{Attempt, CellRow, DialectRow, Matrix, Ran, Row, TypeRow};
use variant_corpus::CorpusId;
use variant_runner::summary::{Mark, label};
use variant_wire::sanitize;

/// The page.
///
/// # Errors
/// Where a template of this program is wrong.
pub fn matrix_page(matrix: &Matrix) -> Result<String, String> {
    let view = View::of(matrix);
    render(
        "matrix.html",
        &format!("Matrix: {}", view.headline),
        "Which implementation of the Godot-family binary format reads and writes which type, byte for byte",
        view.mark_name,
        "",
        context! {
            kind => "matrix",
            skip_to => "dialects",
            skip_text => "to the tables",
            ..Value::from(Serde(&view))
        },
    )
}

#[derive(Debug, Serialize)]
struct View<'a> {
    corpus: &'a CorpusId,
    mark_name: &'static str,
    headline: String,
    implementations: Vec<CardView>,
    dialects: Vec<DialectView>,
    legend: Vec<Legend>,
}

/// An implementation, by itself.
#[derive(Debug, Serialize)]
struct CardView {
    name: String,
    version: String,
    language: String,
    about: String,
    home: String,
    findings: String,
    mark: &'static str,
    said: String,
    dialects: Vec<Share>,
}

#[derive(Debug, Serialize)]
struct Share {
    name: String,
    mark: &'static str,
    green: usize,
    of: usize,
}

/// A table: a line for each type, a column for each implementation.
#[derive(Debug, Serialize)]
struct DialectView {
    name: String,
    columns: Vec<String>,
    rows: Vec<RowView>,
}

#[derive(Debug, Serialize)]
struct RowView {
    id: String,
    label: String,
    cells: Vec<Option<[CellView; 2]>>,
}

#[derive(Debug, Serialize)]
struct CellView {
    way: &'static str,
    mark: &'static str,
    word: &'static str,
    counts: String,
}

#[derive(Debug, Serialize)]
struct Legend {
    mark: &'static str,
    word: &'static str,
    means: &'static str,
}

impl<'a> View<'a> {
    fn of(matrix: &'a Matrix) -> Self {
        let all = matrix.implementations.len();
        let odd = matrix.ran().filter(|(_, ran)| !ran.is_as_expected()).count();
        let not_run = all - matrix.ran().count();
        let (mark, said) = match (odd, not_run) {
            (0, 0) => (Mark::Green, "each as its list of known failures says".to_owned()),
            (0, _) => (Mark::Amber, format!("{not_run} of them not run")),
            (_, _) => (Mark::Red, format!("{odd} of them not as expected")),
        };
        let mut names: Vec<&str> =
            matrix.ran().flat_map(|(_, ran)| &ran.dialects).map(|dialect| dialect.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        Self {
            corpus: &matrix.corpus,
            mark_name: mark.name(),
            headline: format!("{all} implementations, {said}"),
            implementations: matrix.implementations.iter().map(CardView::of).collect(),
            dialects: names.into_iter().map(|name| DialectView::of(matrix, name)).collect(),
            legend: Mark::ALL.map(|mark| Legend { mark: mark.name(), word: mark.word(), means: mark.means() }).into(),
        }
    }
}

impl CardView {
    fn of(row: &Row) -> Self {
        // A link to anything but a page of the web is none.
        let home = if row.home.starts_with("https://") { sanitize::short(&row.home, 200) } else { String::new() };
        let card = Self {
            name: sanitize::short(&row.name, 100),
            version: String::new(),
            language: String::new(),
            about: sanitize::short(&row.about, 300),
            home,
            findings: row.findings.clone().unwrap_or_default(),
            mark: Mark::NotRun.name(),
            said: String::new(),
            dialects: Vec::new(),
        };
        match &row.attempt {
            Attempt::NotRun { why } => Self { said: format!("not run: {}", sanitize::short(why, 300)), ..card },
            Attempt::Run(ran) => {
                let (mark, said) = standing(ran);
                Self {
                    version: sanitize::short(&ran.version, 60),
                    language: sanitize::short(&ran.language, 60),
                    mark: mark.name(),
                    said,
                    dialects: ran.dialects.iter().map(Share::of).collect(),
                    ..card
                }
            }
        }
    }
}

fn standing(ran: &Ran) -> (Mark, String) {
    let (green, ids) = ran.dialects.iter().fold((0, 0), |sum, of| (sum.0 + of.green, sum.1 + of.ids));
    if let Some(what) = ran.unexpected() {
        return (Mark::Red, what);
    }
    match ran.known {
        0 if green == ids => (Mark::Green, "conforms".to_owned()),
        0 => (Mark::Amber, "no failure in what it claims".to_owned()),
        1 => (Mark::Known, "1 known failure".to_owned()),
        known => (Mark::Known, format!("{known} known failures")),
    }
}

impl Share {
    fn of(dialect: &DialectRow) -> Self {
        Self { name: sanitize::line(&dialect.name), mark: dialect.mark, green: dialect.green, of: dialect.ids }
    }
}

impl DialectView {
    fn of(matrix: &Matrix, name: &str) -> Self {
        let spoken = matrix.ran().filter_map(|(row, ran)| Some((row, ran.dialects.iter().find(|of| of.name == name)?)));
        let spoken: Vec<(&Row, &DialectRow)> = spoken.collect();
        let types = spoken.first().map(|(_, dialect)| dialect.types.as_slice()).unwrap_or_default();
        let row = |of: &TypeRow| {
            let same = |other: &&TypeRow| other.layout == of.layout;
            let cell = |(_, dialect): &(&Row, &DialectRow)| {
                let of = dialect.types.iter().find(same)?;
                let cells = [CellView::of("decode", &of.decode), CellView::of("encode", &of.encode)];
                cells.iter().any(|cell| cell.mark != Mark::Empty.name()).then_some(cells)
            };
            RowView {
                id: of.id.map_or(String::new(), |id| id.to_string()),
                label: label(&of.layout).to_owned(),
                cells: spoken.iter().map(cell).collect(),
            }
        };
        let rows = types.iter().map(row).filter(|row| row.cells.iter().any(Option::is_some));
        Self {
            name: sanitize::line(name),
            columns: spoken.iter().map(|(row, _)| sanitize::short(&row.name, 60)).collect(),
            rows: rows.collect(),
        }
    }
}

impl CellView {
    fn of(way: &'static str, cell: &CellRow) -> Self {
        let counts = if cell.judged > 0 { format!("{}/{}", cell.passed, cell.judged) } else { String::new() };
        Self { way, mark: cell.mark, word: cell.word, counts }
    }
}
