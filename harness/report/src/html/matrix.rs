//! The matrix page: every implementation, type by type.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;

use super::{encoded, render};
use crate::matrix::{ImplementationRow, Matrix, MatrixTable, TypeRow};
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
    let cards: Vec<MatrixCard<'_>> = matrix.implementations.iter().map(MatrixCard::of).collect();
    let of_name: BTreeMap<&str, &ImplementationRow> =
        matrix.implementations.iter().map(|row| (row.name.as_str(), row)).collect();
    let tables: Vec<MatrixView<'_>> =
        matrix.tables().into_iter().map(|table| MatrixView::of(table, &of_name)).collect();
    render(
        "matrix.html",
        &format!("Matrix: {headline}"),
        "Which implementation reads and writes which type of Godot's binary Variant format, byte for byte",
        mark,
        "",
        context! {
            kind => "matrix",
            skip_to => "dialects",
            skip_text => "to the tables",
            headline => headline,
            corpus => Value::from(Serde(&matrix.corpus)),
            cards => Value::from(Serde(&cards)),
            tables => Value::from(Serde(&tables)),
        },
    )
}

/// A table, with the ways to findings and runs.
#[derive(Debug, Serialize)]
struct MatrixView<'a> {
    title: &'a str,
    columns: Vec<&'a str>,
    rows: Vec<(&'a TypeRow, Vec<Option<LinkedRow<'a>>>)>,
}

/// A type of an implementation.
#[derive(Debug, Serialize)]
struct LinkedRow<'a> {
    #[serde(flatten)]
    row: &'a TypeRow,
    /// The first finding that explains it, or its cases in the report of the run.
    link: Option<String>,
}

impl<'a> MatrixView<'a> {
    fn of(table: MatrixTable<'a>, rows: &BTreeMap<&str, &ImplementationRow>) -> Self {
        let MatrixTable { name, title, columns, rows: types } = table;
        let linked = |(row, column): (Option<&'a TypeRow>, &&str)| {
            let pages = rows.get(column).map(|row| &row.pages);
            row.map(|row| LinkedRow { row, link: link(row, pages, name) })
        };
        let row = |(of, cells): (&'a TypeRow, Vec<Option<&'a TypeRow>>)| {
            (of, cells.into_iter().zip(&columns).map(linked).collect())
        };
        let rows = types.into_iter().map(row).collect();
        Self { title, columns, rows }
    }
}

fn link(row: &TypeRow, pages: Option<&[Option<String>; 2]>, dialect: &str) -> Option<String> {
    let id = row.findings.first().and_then(|page| Some(page.rsplit_once('#')?.1));
    pages.and_then(|[findings, report]| match (id, findings, report) {
        (Some(id), Some(page), _) => Some(format!("{page}#{}", encoded(id))),
        (_, _, Some(page)) => Some(format!("{page}#{dialect}/{}", row.layout)),
        (_, _, None) => None,
    })
}

/// An implementation, and its status in a few words.
#[derive(Debug, Serialize)]
struct MatrixCard<'a> {
    #[serde(flatten)]
    row: &'a ImplementationRow,
    pages: &'a [Option<String>; 2],
    mark: CellStatus,
    said: String,
}

impl<'a> MatrixCard<'a> {
    fn of(row: &'a ImplementationRow) -> Self {
        let (mark, said) = row.status();
        Self { row, pages: &row.pages, mark, said }
    }
}
