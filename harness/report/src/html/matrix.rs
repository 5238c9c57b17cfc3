//! The matrix page: every implementation, type by type, in both directions.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;

use super::render;
use crate::matrix::{Attempt, Matrix, Row};
use variant_runner::status::CellStatus;

/// The matrix page as HTML, with a table for each dialect.
///
/// # Errors
/// If a template of this program cannot be rendered, which is a bug.
pub fn matrix_page(matrix: &Matrix) -> Result<String, Error> {
    let all = matrix.implementations.len();
    let not_run = all - matrix.ran().count();
    let unexpected = matrix.ran().filter(|(_, ran)| !ran.is_as_expected()).count();
    let (mark, said) = match (unexpected, not_run) {
        (0, 0) => (CellStatus::Ok, "each as its list of known failures says".to_owned()),
        (0, _) => (CellStatus::Part, format!("{not_run} of them not run")),
        (_, _) => (CellStatus::Fail, format!("{unexpected} of them not as expected")),
    };
    let headline = format!("{all} implementations, {said}");
    let cards: Vec<Card<'_>> = matrix.implementations.iter().map(Card::of).collect();
    render(
        "matrix.html",
        &format!("Matrix: {headline}"),
        "Which implementation of the Godot-family binary format reads and writes which type, byte for byte",
        mark,
        "",
        context! {
            kind => "matrix",
            skip_to => "dialects",
            skip_text => "to the tables",
            headline => headline,
            corpus => Value::from(Serde(&matrix.corpus)),
            cards => Value::from(Serde(&cards)),
            tables => Value::from(Serde(&matrix.tables())),
        },
    )
}

/// An implementation, and its status in a few words.
#[derive(Debug, Serialize)]
struct Card<'a> {
    #[serde(flatten)]
    row: &'a Row,
    mark: CellStatus,
    said: String,
}

impl<'a> Card<'a> {
    fn of(row: &'a Row) -> Self {
        let (mark, said) = match &row.attempt {
            Attempt::NotRun { why } => (CellStatus::NotRun, format!("not run: {why}")),
            Attempt::Run(ran) => ran.status(),
        };
        Self { row, mark, said }
    }
}
