//! The coverage page: the rows of each document, the cases that cover them, and how each implementation scores on each type.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};

use super::render;
use crate::matrix::TypeRow;
use variant_corpus::CorpusId;
use variant_corpus::coverage::{Coverage, DialectCoverage};
use variant_runner::status::CellStatus;
use variant_runner::type_score::Scores;

/// The coverage page as HTML, with a score for each of these implementations.
///
/// # Errors
/// If a template of this program cannot be rendered, which is a bug.
pub fn coverage_page(coverage: &Coverage, corpus: &CorpusId, scores: &[Scores<'_>]) -> Result<String, Error> {
    let uncovered: Vec<&String> = coverage.uncovered().collect();
    let headline = match uncovered.len() {
        0 if coverage.documents.is_empty() => "No document covers this: each dialect names its basis below".to_owned(),
        0 => format!("Every row of {} documents is covered by a case", coverage.documents.len()),
        1 => "1 row is not covered by a case".to_owned(),
        missing => format!("{missing} rows are not covered by a case"),
    };
    let of_types: Vec<_> = coverage.dialects.iter().map(|dialect| of_types(dialect, scores)).collect();
    render(
        "coverage.html",
        &format!("Coverage of corpus {}: {headline}", corpus.version),
        "Which rows of which document are covered, and by which cases",
        if uncovered.is_empty() { CellStatus::Ok } else { CellStatus::Fail },
        "",
        context! {
            kind => "coverage",
            is_site => true,
            headline => headline,
            corpus => Value::from(Serde(corpus)),
            documents => Value::from(Serde(&coverage.documents)),
            uncovered => Value::from(Serde(&uncovered)),
            implementations => scores.iter().map(|score| score.name.clone()).collect::<Vec<_>>(),
            dialects => Value::from(Serde(&coverage.dialects)),
            by_type => Value::from(Serde(&of_types)),
        },
    )
}

/// For each type, what can be said of it in each implementation; `None` where it was not tested in this dialect.
fn of_types(dialect: &DialectCoverage, scores: &[Scores<'_>]) -> Vec<Vec<Option<TypeRow>>> {
    let of =
        |layout: &str, scores: &Scores<'_>| Some(TypeRow::of(None, layout, layout, &scores.at(&dialect.name, layout)?));
    let types = dialect.types.iter();
    types.map(|entry| scores.iter().map(|scores| of(&entry.layout, scores)).collect()).collect()
}
