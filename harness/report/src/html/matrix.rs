//! The matrix page: every implementation, type by type, in both directions.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;

use super::{encoded, render};
use crate::matrix::{CellRow, ImplementationRow, Matrix, MatrixTable, TypeRow};
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
        (0, _) => (CellStatus::Part, format!("{not_run} of them not run")),
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
    name: &'a str,
    columns: Vec<&'a str>,
    rows: Vec<(&'a TypeRow, Vec<Option<PairView<'a>>>)>,
}

/// A type of an implementation, both ways.
#[derive(Debug, Serialize)]
struct PairView<'a> {
    decode: HalfView<'a>,
    encode: HalfView<'a>,
}

#[derive(Debug, Serialize)]
struct HalfView<'a> {
    #[serde(flatten)]
    cell: &'a CellRow,
    /// The first finding that explains it, or its cases in the report of the run.
    link: Option<String>,
    /// The ids of all findings that explain it.
    ids: Vec<&'a str>,
}

impl<'a> MatrixView<'a> {
    fn of(table: MatrixTable<'a>, rows: &BTreeMap<&str, &ImplementationRow>) -> Self {
        let MatrixTable { name, columns, rows: types } = table;
        let pair = |(row, column): (Option<&'a TypeRow>, &&str)| {
            let pages = rows.get(column).map(|row| &row.pages);
            row.map(|row| {
                let half = |cell, op| HalfView::of(cell, pages, &format!("{name}/{}:{op}", row.layout));
                PairView { decode: half(&row.decode, "decode"), encode: half(&row.encode, "encode") }
            })
        };
        let row = |(of, cells): (&'a TypeRow, Vec<Option<&'a TypeRow>>)| {
            (of, cells.into_iter().zip(&columns).map(pair).collect())
        };
        let rows = types.into_iter().map(row).collect();
        Self { name, columns, rows }
    }
}

impl<'a> HalfView<'a> {
    fn of(cell: &'a CellRow, pages: Option<&[Option<String>; 2]>, place: &str) -> Self {
        let ids: Vec<&str> = cell.findings.iter().filter_map(|page| Some(page.rsplit_once('#')?.1)).collect();
        let link = pages.and_then(|[findings, report]| match (ids.first(), findings, report) {
            (Some(id), Some(page), _) => Some(format!("{page}#{}", encoded(id))),
            (_, _, Some(page)) => Some(format!("{page}#{place}")),
            (_, _, None) => None,
        });
        Self { cell, link, ids }
    }
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
