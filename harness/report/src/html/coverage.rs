//! The coverage page: dialect × type × row, and how each implementation scores on each type.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;

use super::{Stat, render};
use crate::matrix::TypeRow;
use variant_corpus::CorpusId;
use variant_corpus::coverage::{
    ClassCounts, Coverage, CoverageRow, CoveredCount, DialectCoverage, DocumentCoverage, TypeCoverage,
};
use variant_runner::status::CellStatus;
use variant_runner::type_score::Scores;

const SCRIPT: &str = include_str!("../pages/coverage.js");

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
    let dialects: Vec<_> = coverage.dialects.iter().map(|dialect| CoverageView::of(dialect, scores)).collect();
    render(
        "coverage.html",
        &format!("Coverage of corpus {}: {headline}", corpus.version),
        "Which rows of which document are covered, and by which cases",
        if uncovered.is_empty() { CellStatus::Ok } else { CellStatus::Fail },
        SCRIPT,
        context! {
            kind => "coverage",
            skip_to => "rows",
            skip_text => "to the rows",
            headline => headline,
            corpus => Value::from(Serde(corpus)),
            documents => Value::from(Serde(&coverage.documents)),
            stats => Value::from(Serde(&stats(coverage))),
            uncovered => Value::from(Serde(&uncovered)),
            implementations => scores.iter().map(|score| score.name.clone()).collect::<Vec<_>>(),
            dialects => Value::from(Serde(&dialects)),
        },
    )
}

#[derive(Debug, Serialize)]
struct CoverageView<'a> {
    name: &'a str,
    basis: Option<&'a str>,
    rows: CoveredCount,
    types: Vec<TypeView<'a>>,
    about_all: Vec<&'a CoverageRow>,
}

#[derive(Debug, Serialize)]
struct TypeView<'a> {
    #[serde(flatten)]
    of: &'a TypeCoverage,
    share: String,
    all_rows: Vec<&'a CoverageRow>,
    tags: [(&'static str, BTreeMap<&'a str, usize>); 5],
    scores: Vec<(&'a str, TypeRow)>,
}

fn stats(coverage: &Coverage) -> Vec<Stat> {
    let share = |label, of: fn(&DocumentCoverage) -> CoveredCount| {
        let (total, covered) =
            coverage.documents.iter().map(of).fold((0, 0), |sum, share| (sum.0 + share.total, sum.1 + share.covered));
        let mark = if covered == total { CellStatus::Ok } else { CellStatus::Fail };
        Stat { mark, label, value: covered, of: Some(total) }
    };
    let count = |label, of: fn(&ClassCounts) -> usize| {
        let cases = |dialect: &DialectCoverage| {
            dialect.types.iter().map(|entry| of(&entry.cases)).sum::<usize>() + of(&dialect.packet_cases)
        };
        Stat { mark: CellStatus::None, label, value: coverage.dialects.iter().map(cases).sum(), of: None }
    };
    vec![
        share("rows of tables of types", |document| document.type_rows),
        share("rows of tables of fields", |document| document.field_rows),
        share("requirements outside tables", |document| document.notes),
        count("canonical cases × dialects", |cases| cases.canonical),
        count("readable", |cases| cases.readable),
        count("invalid", |cases| cases.invalid),
        count("undecided", |cases| cases.undecided),
    ]
}

impl<'a> CoverageView<'a> {
    fn of(dialect: &'a DialectCoverage, scores: &'a [Scores<'_>]) -> Self {
        let types: Vec<_> = dialect.types.iter().map(|entry| TypeView::of(entry, &dialect.name, scores)).collect();
        let about_all: Vec<&CoverageRow> = dialect.packet.iter().chain([&dialect.max]).collect();
        let rows = || types.iter().flat_map(|entry| &entry.all_rows).chain(&about_all);
        let rows = CoveredCount { total: rows().count(), covered: rows().filter(|row| row.covered).count() };
        Self { name: &dialect.name, basis: dialect.basis.as_deref(), rows, types, about_all }
    }
}

impl<'a> TypeView<'a> {
    fn of(entry: &'a TypeCoverage, dialect: &str, scores: &'a [Scores<'_>]) -> Self {
        fn tags(counts: &BTreeMap<String, usize>) -> BTreeMap<&str, usize> {
            counts.iter().map(|(name, count)| (name.as_str(), *count)).collect()
        }
        let score = |score: &'a Scores<'_>| {
            let of_type = score.at(dialect, &entry.layout)?;
            Some((score.name.as_str(), TypeRow::of(None, &entry.layout, &entry.layout, &of_type)))
        };
        let share = entry.count();
        Self {
            of: entry,
            share: if share.total == 0 { String::new() } else { share.to_string() },
            all_rows: [&entry.row].into_iter().chain(&entry.rows).chain(&entry.notes).collect(),
            tags: [
                ("fields", tags(&entry.fields)),
                ("boundaries", entry.boundaries.clone()),
                ("header flags", tags(&entry.header_flags)),
                ("tags", tags(&entry.tags)),
                ("documentation errors", entry.errata.iter().map(|erratum| (erratum.as_str(), 0)).collect()),
            ],
            scores: scores.iter().filter_map(score).collect(),
        }
    }
}
