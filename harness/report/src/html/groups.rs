//! What is wrong, group by group: a cause of failures, or a finding of the list of known ones.

use indexmap::IndexSet;
use serde_json::{Value, json};

use super::address::encoded;
use super::data::clean;
use crate::groups::{Group, groups, lesser_types};
use variant_corpus::verdict::Severity;
use variant_runner::results::{FindingRecord, TestResult};
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;

/// The causes of a record in the order of every report, then what is known; `findings` is the way to the page of findings.
pub(super) fn groups_of(summary: &Summary<'_>, findings: Option<&str>) -> Value {
    let groups = groups(summary);
    let [declared, unexpected] = [&groups.declared, &groups.unexpected].map(|groups| groups.iter().map(of_cause));
    let known = summary.known_findings.iter().filter_map(|known| of_finding(known, summary, findings));
    clean(&unexpected.chain(known).chain(declared).collect::<Vec<_>>())
}

fn of_cause(group: &Group<'_>) -> Value {
    json!({
        "id": group.id,
        "mark": if group.severity() == Severity::Failure { CellStatus::Fail } else { CellStatus::Warning },
        "headline": group.headline,
        "tests": group.tests.iter().map(|test| test.test.as_str()).collect::<Vec<_>>(),
        "alone": group.alone(),
        "types": group.types,
        "lesser": lesser_types(&group.lesser),
        "weight": group.why(),
        "proof": group.proof,
        "smallest": group.smallest.test.as_str(),
    })
}

fn of_finding(finding: &FindingRecord, summary: &Summary<'_>, page: Option<&str>) -> Option<Value> {
    let tests = summary.findings.iter().copied().filter(|test| test.finding.as_deref() == Some(&finding.id));
    let tests: Vec<&TestResult> = tests.collect();
    let names: IndexSet<&str> = tests.iter().map(|test| summary.type_name(test.id().layout)).collect();
    Some(json!({
        "id": finding.id,
        "mark": CellStatus::Known,
        "headline": finding.finding.trim(),
        "tests": tests.iter().map(|test| test.test.as_str()).collect::<Vec<_>>(),
        "types": names.into_iter().collect::<Vec<_>>(),
        "weight": finding.severity.map_or_else(|| "known".to_owned(), |severity| severity.to_string()),
        "smallest": tests.iter().min_by_key(|test| (test.rarity, test.size()))?.test.as_str(),
        "page": page.map(|page| format!("{page}#{}", encoded(&finding.id))),
    }))
}
