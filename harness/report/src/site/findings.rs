//! What is known about an implementation, finding by finding: a part of its page in the site, and a page of its own.

use crate::html::render;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_corpus::findings::{Finding, Findings};
use variant_runner::record::RunRecord;
use variant_runner::status::CellStatus;
use variant_values::sanitize;

/// At most so many tests of a finding are named.
const NAMED: usize = 8;

/// The findings of a list that a record of the implementation shows, as a page that needs no other file.
pub fn findings_page(list: &Findings, record: &RunRecord) -> Result<String, Error> {
    let name = list.implementation.as_str();
    render(
        "findings.html",
        &format!("Findings: {}", sanitize::short(name, 100)),
        "What it does wrong, finding by finding",
        CellStatus::Known,
        "",
        context! {
            kind => "findings",
            is_site => true,
            skip_to => "findings",
            skip_text => "to the findings",
            name => name,
            findings => views(list, record),
            intro => list.intro.as_str(),
            notes => list.notes.as_str(),
        },
    )
}

/// The findings of a list that a record shows, each with its tests.
pub(crate) fn views(list: &Findings, record: &RunRecord) -> Vec<Value> {
    let view = |finding: &Finding| {
        // A finding that this record does not show is of another version.
        let shown = record.findings.iter().find(|shown| shown.id == finding.id && shown.tests > 0)?;
        let tests = record.verdicts.iter().filter(|test| test.finding.as_deref() == Some(&finding.id));
        Some(context! {
            heading => finding.heading(),
            hex => finding.packet.as_deref().and_then(first_hex),
            count => shown.tests,
            shown => tests.take(NAMED).map(|test| test.test.to_string()).collect::<Vec<_>>(),
            ..Value::from(Serde(finding))
        })
    };
    list.by_severity().into_iter().filter_map(view).collect()
}

/// The first code in a Markdown text that is hex.
fn first_hex(text: &str) -> Option<String> {
    let hex = |code: &str| {
        let digits: String = code.split_whitespace().collect();
        (digits.len() >= 8 && hex::decode(&digits).is_ok()).then_some(digits)
    };
    text.split('`').skip(1).step_by(2).find_map(hex)
}
