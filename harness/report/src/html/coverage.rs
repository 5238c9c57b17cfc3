//! The page of coverage: dialect × type id × row, and how implementations do there.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::render;
use variant_corpus::CorpusId;
use variant_corpus::coverage::{
    ClassCounts, Coverage, CoverageRow, CoveredCount, DialectCoverage, DocumentCoverage, TypeCoverage,
};
use variant_runner::standing::Standing;
use variant_runner::summary::{Cell, Mark};

const SCRIPT: &str = include_str!("../pages/coverage.js");

/// The page.
///
/// # Errors
/// Where a template of this program is wrong.
pub fn coverage_page(coverage: &Coverage, corpus: &CorpusId, standings: &[Standing<'_>]) -> Result<String, String> {
    let missing: usize = coverage.documents.iter().map(|document| document.uncovered.len()).sum();
    let mark = if missing == 0 { Mark::Green } else { Mark::Red };
    let headline = match missing {
        0 if coverage.documents.is_empty() => "No document describes this: whose word counts stands below".to_owned(),
        0 => format!("Every row of {} documents is shown by a case", coverage.documents.len()),
        1 => "1 row is shown by no case".to_owned(),
        _ => format!("{missing} rows are shown by no case"),
    };
    let view = View {
        corpus,
        mark_name: mark.name(),
        stats: stats(coverage),
        documents: coverage.documents.iter().map(DocumentView::of).collect(),
        uncovered: coverage.documents.iter().flat_map(|document| &document.uncovered).collect(),
        implementations: standings.iter().map(|standing| standing.name.as_str()).collect(),
        dialects: coverage.dialects.iter().map(|dialect| DialectView::of(dialect, standings)).collect(),
        headline,
    };
    render(
        "coverage.html",
        &format!("Coverage of corpus {}: {}", corpus.version, view.headline),
        "Which rows of which document the corpus shows, and by which cases",
        mark.name(),
        SCRIPT,
        context! {
            kind => "coverage",
            skip_to => "rows",
            skip_text => "to the rows",
            ..Value::from(Serde(&view))
        },
    )
}

#[derive(Debug, Serialize)]
struct View<'a> {
    corpus: &'a CorpusId,
    mark_name: &'static str,
    headline: String,
    stats: Vec<Stat>,
    documents: Vec<DocumentView<'a>>,
    uncovered: Vec<&'a String>,
    implementations: Vec<&'a str>,
    dialects: Vec<DialectView<'a>>,
}

#[derive(Debug, Serialize)]
struct Stat {
    mark: &'static str,
    label: &'static str,
    value: usize,
    of: Option<usize>,
}

#[derive(Debug, Serialize)]
struct DocumentView<'a> {
    name: &'a str,
    title: &'a str,
    dialect: &'a str,
    mark: &'static str,
    shares: [String; 3],
}

#[derive(Debug, Serialize)]
struct DialectView<'a> {
    name: &'a str,
    basis: Option<&'a str>,
    mark: &'static str,
    covered: usize,
    total: usize,
    types: Vec<TypeView<'a>>,
    about_all: Vec<RowView<'a>>,
    columns: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct TypeView<'a> {
    id: u32,
    layout: &'a str,
    section: &'a str,
    mark: &'static str,
    share: String,
    counts: [usize; 4],
    rows: Vec<RowView<'a>>,
    tags: Vec<Tags<'a>>,
    implementations: Vec<StandingView<'a>>,
}

#[derive(Debug, Serialize)]
struct RowView<'a> {
    id: &'a str,
    mark: &'static str,
    cases: &'a [String],
}

/// What stands in cases, and in how many.
#[derive(Debug, Serialize)]
struct Tags<'a> {
    label: &'static str,
    tags: Vec<(&'a str, usize)>,
}

#[derive(Debug, Serialize)]
struct StandingView<'a> {
    name: &'a str,
    decode: CellView,
    encode: CellView,
}

#[derive(Debug, Serialize)]
struct CellView {
    mark: &'static str,
    word: &'static str,
    counts: String,
}

fn stats(coverage: &Coverage) -> Vec<Stat> {
    let sum = |of: fn(&DocumentCoverage) -> CoveredCount| {
        let shares = coverage.documents.iter().map(of);
        shares.fold(CoveredCount::default(), |sum, share| CoveredCount {
            total: sum.total + share.total,
            covered: sum.covered + share.covered,
        })
    };
    let share = |label, share: CoveredCount| Stat {
        mark: row_mark(share.covered == share.total).name(),
        label,
        value: share.covered,
        of: Some(share.total),
    };
    let cases = |of: fn(&ClassCounts) -> usize| {
        let of_dialect = |dialect: &DialectCoverage| {
            dialect.types.iter().map(|entry| of(&entry.cases)).sum::<usize>() + of(&dialect.packet_cases)
        };
        coverage.dialects.iter().map(of_dialect).sum()
    };
    let count = |label, value| Stat { mark: Mark::Empty.name(), label, value, of: None };
    vec![
        share("rows of tables of types", sum(|document| document.type_rows)),
        share("rows of tables of fields", sum(|document| document.field_rows)),
        share("sentences that bind", sum(|document| document.notes)),
        count("canonical cases × dialects", cases(|cases| cases.canonical)),
        count("readable", cases(|cases| cases.readable)),
        count("invalid", cases(|cases| cases.invalid)),
        count("open", cases(|cases| cases.open)),
    ]
}

impl<'a> DocumentView<'a> {
    fn of(document: &'a DocumentCoverage) -> Self {
        Self {
            name: &document.name,
            title: &document.title,
            dialect: &document.dialect,
            mark: row_mark(document.uncovered.is_empty()).name(),
            shares: [document.type_rows, document.field_rows, document.notes].map(share),
        }
    }
}

impl<'a> DialectView<'a> {
    fn of(dialect: &'a DialectCoverage, standings: &'a [Standing<'_>]) -> Self {
        let types: Vec<TypeView<'a>> =
            dialect.types.iter().map(|entry| TypeView::of(entry, &dialect.name, standings)).collect();
        let about_all: Vec<RowView<'a>> = dialect.packet.iter().chain([&dialect.max]).map(RowView::of).collect();
        let rows = || types.iter().flat_map(|entry| &entry.rows).chain(&about_all);
        let covered = rows().filter(|row| row.mark == Mark::Green.name()).count();
        let columns = standings.iter().filter(|standing| standing.at(&dialect.name, "").is_some());
        Self {
            name: &dialect.name,
            basis: dialect.basis.as_deref(),
            mark: row_mark(covered == rows().count()).name(),
            covered,
            total: rows().count(),
            columns: columns.map(|standing| standing.name.as_str()).collect(),
            types,
            about_all,
        }
    }
}

impl<'a> TypeView<'a> {
    fn of(entry: &'a TypeCoverage, dialect: &str, standings: &'a [Standing<'_>]) -> Self {
        let cases = &entry.cases;
        let rows: Vec<RowView<'a>> =
            [&entry.row].into_iter().chain(&entry.rows).chain(&entry.notes).map(RowView::of).collect();
        let covered = rows.iter().all(|row| row.mark == Mark::Green.name());
        let boundaries = entry.boundaries.iter().map(|(name, count)| (*name, *count)).collect();
        let errata = entry.errata.iter().map(|erratum| (erratum.as_str(), 0)).collect();
        let tags = [
            Tags { label: "fields", tags: counted(&entry.fields) },
            Tags { label: "boundaries", tags: boundaries },
            Tags { label: "header flags", tags: counted(&entry.header_flags) },
            Tags { label: "subjects", tags: counted(&entry.flags) },
            Tags { label: "errata", tags: errata },
        ];
        Self {
            id: entry.id,
            layout: &entry.layout,
            section: &entry.section,
            mark: row_mark(covered).name(),
            share: share(entry.count()),
            counts: [cases.canonical, cases.readable, cases.invalid, cases.open],
            rows,
            tags: tags.into_iter().filter(|tags| !tags.tags.is_empty()).collect(),
            implementations: standings
                .iter()
                .filter_map(|standing| StandingView::of(standing, dialect, &entry.layout))
                .collect(),
        }
    }
}

impl<'a> RowView<'a> {
    fn of(row: &'a CoverageRow) -> Self {
        Self { id: &row.id, mark: row_mark(row.covered).name(), cases: &row.cases }
    }
}

impl<'a> StandingView<'a> {
    fn of(standing: &'a Standing<'_>, dialect: &str, layout: &str) -> Option<Self> {
        let of_type = standing.at(dialect, layout)?;
        let [decode, encode] = of_type.marks();
        Some(Self {
            name: &standing.name,
            decode: CellView::of(decode, of_type.decode),
            encode: CellView::of(encode, of_type.encode),
        })
    }
}

impl CellView {
    fn of(mark: Mark, cell: Cell) -> Self {
        let counts = if cell.judged > 0 { format!("{}/{}", cell.passed, cell.judged) } else { String::new() };
        Self { mark: mark.name(), word: mark.word(), counts }
    }
}

fn counted(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    counts.iter().map(|(name, count)| (name.as_str(), *count)).collect()
}

fn row_mark(covered: bool) -> Mark {
    if covered { Mark::Green } else { Mark::Red }
}

fn share(share: CoveredCount) -> String {
    if share.total == 0 { String::new() } else { format!("{}/{}", share.covered, share.total) }
}
