//! The start page: what this is, who conforms in small, and how to test your own.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_runner::status::CellStatus;
use variant_runner::summary::DialectScore;
use variant_specs::{Dialect, newest_first};

use crate::matrix::Attempt;
use serde::Serialize;

use crate::site::pages::{Pages, SitePage};
use crate::site::{Site, format};

#[derive(Debug, Serialize)]
struct Small<'a> {
    name: &'a str,
    page: &'a str,
    mark: CellStatus,
    said: String,
    /// For each dialect, how many types have each ability.
    cells: Vec<Option<SmallCell>>,
}

#[derive(Debug, Serialize)]
struct SmallCell {
    mark: CellStatus,
    said: String,
    #[serde(flatten)]
    score: DialectScore,
}

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let tested = tested(site);
    let dialects: Vec<&str> = tested.iter().map(|dialect| dialect.name.as_str()).collect();
    let titles: Vec<String> = tested.iter().map(|dialect| dialect.engines().unwrap_or_default()).collect();
    let small: Vec<Small<'_>> = site
        .matrix
        .implementations
        .iter()
        .zip(&site.inputs.implementations)
        .map(|(row, of)| {
            let (mark, said) = row.status();
            let cell = |name: &&str| match &row.attempt {
                Attempt::NotRun { .. } => None,
                Attempt::Run(ran) => {
                    let dialect = ran.dialects.iter().find(|dialect| dialect.name == **name)?;
                    Some(SmallCell { mark: dialect.mark, said: dialect.said.clone(), score: dialect.score })
                }
            };
            Small { name: &row.name, page: &of.page, mark, said, cells: dialects.iter().map(cell).collect() }
        })
        .collect();
    let (_, cases) = site.inputs.corpus.written();
    pages.render(
        &SitePage {
            path: "index.html",
            template: "start.html",
            part: "Start",
            title: "conform: Godot's binary Variant format, byte by byte",
            description: "The binary serialization format of Godot and its forks: documented, tested, explained",
        },
        context! {
            dialects => Value::from(Serde(&dialects)),
            titles => Value::from(Serde(&titles)),
            small => Value::from(Serde(&small)),
            types => Value::from(Serde(&format::index(site))),
            cases => cases,
            errata => site.inputs.specs.errata.len(),
        },
    )
}

/// The dialects that somebody was tested in, the newest first.
fn tested<'a>(site: &'a Site<'_>) -> Vec<&'a Dialect> {
    let is_tested = |dialect: &&Dialect| {
        site.matrix.ran().any(|(_, ran)| ran.dialects.iter().any(|tested| tested.name == dialect.name))
    };
    newest_first(site.dialects.iter().copied()).into_iter().filter(is_tested).collect()
}
