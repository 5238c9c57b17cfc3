//! The matrix page: every implementation, type by type.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};

use super::render;
use crate::matrix::{Card, Matrix};
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
        (0, 0) => (CellStatus::Ok, "all as expected".to_owned()),
        (0, _) => (CellStatus::Warning, format!("{not_run} of them not run")),
        (_, _) => (CellStatus::Fail, format!("{unexpected} of them not as expected")),
    };
    let headline = format!("{all} implementations, {said}");
    let cards: Vec<Card<'_>> = matrix.implementations.iter().map(Card::of).collect();
    render(
        "matrix.html",
        &format!("Matrix: {headline}"),
        "Which implementation reads and writes which type of Godot's binary Variant format, byte for byte",
        mark,
        "",
        context! {
            kind => "matrix",
            is_site => true,
            headline => headline,
            corpus => Value::from(Serde(&matrix.corpus)),
            cards => Value::from(Serde(&cards)),
            tables => Value::from(Serde(&matrix.tables())),
        },
    )
}
