//! A page for each implementation, from its record; the list of them; and the matrix.

use crate::groups::{Group, groups};
use crate::matrix::Card;
use crate::text;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_runner::record::RunRecord;
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;
use variant_values::sanitize;

use crate::site::content::{Site, TestedImplementation};
use crate::site::findings::views;
use crate::site::links::LINKED;
use crate::site::pages::Pages;
use crate::site::{interop, links};

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let cards: Vec<Card<'_>> = site.matrix.ran().map(|(row, ran)| Card { row, ran }).collect();
    let list = [
        "implementations/index.html",
        "implementations.html",
        "Implementations: who reads and writes what",
        "Every tested implementation, and its known failures",
    ];
    pages.render(list, context! { cards => Value::from(Serde(&cards)) })?;
    let matrix = [
        "matrix.html",
        "matrix.html",
        "Matrix: every implementation, type by type",
        "Which implementation reads and writes which type, byte for byte",
    ];
    pages.render(matrix, context! { tables => Value::from(Serde(&site.matrix.tables())) })?;
    site.inputs.implementations.iter().zip(&cards).try_for_each(|(of, card)| {
        let interop = interop::page_of(site, &of.row.name);
        implementation(pages, of, card, interop.as_deref())
    })
}

fn implementation(
    pages: &mut Pages,
    of: &TestedImplementation<'_>,
    card: &Card<'_>,
    interop: Option<&str>,
) -> Result<(), Error> {
    let summary = Summary::of(of.record);
    let causes: Value = groups(&summary).all().map(|group| cause(of.record, group)).collect();
    let plan = &of.record.plan;
    let page: [&str; 4] = [
        of.row.page.as_deref().unwrap_or_default(),
        "implementation.html",
        &sanitize::short(&format!("{}: {}", card.row.name, card.ran.said), 160),
        "Which types it reads and writes, and its known failures",
    ];
    pages.render(
        page,
        context! {
            card => Value::from(Serde(card)),
            intro => of.findings.intro.as_str(),
            notes => of.findings.notes.as_str(),
            findings => views(&of.findings, of.record),
            causes => causes,
            interop => interop,
            record_corpus => Value::from(Serde(&plan.corpus)),
            record_conform => plan.conform.as_str(),
            lossy => Value::from(Serde(&plan.handshake.lossy)),
            limits => Value::from(Serde(&plan.handshake.limits)),
        },
    )
}

/// A cause of failures, with its smallest test.
fn cause(record: &RunRecord, group: &Group<'_>) -> Value {
    let test = group.smallest;
    let sent = test.detail.as_deref().map_or("", |detail| &detail.sent);
    let is_no_rule = |line: &&str| !line.starts_with("  rule: ");
    let is_packet = !sent.is_empty() && sent.len() <= 2 * LINKED && hex::decode(sent).is_ok();
    context! {
        headline => sanitize::short(&group.headline, 300),
        count => group.tests.len(),
        id => group.id.as_str(),
        test => test.test.as_str(),
        erratum => test.erratum.as_deref(),
        mark => Value::from(Serde(&CellStatus::of(test))),
        verdict => test.verdict.to_string(),
        hex => is_packet.then_some(sent),
        rule => test.detail.as_deref().map_or("", |detail| &detail.rule),
        section => links::format(test.id().dialect, test.id().layout),
        text => text::finding(&record.plan, test).lines().filter(is_no_rule).collect::<Vec<_>>().join("\n"),
    }
}
