//! What is wrong, group by group: a cause of failures, or a finding of the list of known ones.

use indexmap::IndexSet;
use serde::Serialize;
use serde_json::Value;

use super::{clean, encoded};
use crate::groups::{Group, groups};
use variant_corpus::verdict::Severity;
use variant_runner::results::{FindingRecord, TestResult};
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;

/// A group, as the page shows it.
#[derive(Debug, Serialize)]
struct GroupView<'a> {
    id: &'a str,
    mark: CellStatus,
    headline: &'a str,
    /// The ids of its tests.
    tests: Vec<&'a str>,
    types: Vec<&'a str>,
    /// Why it matters, in a word.
    weight: &'a str,
    /// The test that shows it with the fewest bytes.
    smallest: &'a str,
    /// Where a page describes it, which only a finding has.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// The causes of a record in the order of every report, then what is known; `findings` is the way to the page of findings.
pub(super) fn groups_of(summary: &Summary<'_>, findings: Option<&str>) -> Value {
    let causes = groups(summary);
    let (declared, unexpected): (Vec<_>, Vec<_>) =
        causes.iter().filter(|group| !group.known).partition(|group| group.is_declared());
    let [declared, unexpected] = [declared, unexpected].map(|groups| groups.into_iter().map(GroupView::of_cause));
    let known = summary.known_findings.iter().filter_map(|known| GroupView::of_finding(known, summary, findings));
    clean(&unexpected.chain(known).chain(declared).collect::<Vec<_>>())
}

impl<'a> GroupView<'a> {
    fn of_cause(group: &'a Group<'_>) -> Self {
        Self {
            id: &group.id,
            mark: if group.severity() == Severity::Failure { CellStatus::Fail } else { CellStatus::Warning },
            headline: &group.headline,
            tests: group.tests.iter().map(|test| test.test.as_str()).collect(),
            types: group.types.iter().map(String::as_str).collect(),
            weight: group.weight.name(),
            smallest: &group.smallest.test,
            page: None,
        }
    }

    fn of_finding(finding: &'a FindingRecord, summary: &'a Summary<'_>, page: Option<&str>) -> Option<Self> {
        let tests = summary.findings.iter().copied().filter(|test| test.finding.as_deref() == Some(&finding.id));
        let tests: Vec<&TestResult> = tests.collect();
        let names: IndexSet<&str> = tests.iter().map(|test| summary.type_name(test.id().layout)).collect();
        Some(Self {
            id: &finding.id,
            mark: CellStatus::Known,
            headline: finding.finding.trim(),
            tests: tests.iter().map(|test| test.test.as_str()).collect(),
            types: names.into_iter().collect(),
            weight: finding.severity.as_deref().unwrap_or("known"),
            smallest: &tests.iter().min_by_key(|test| test.size())?.test,
            page: page.map(|page| format!("{page}#{}", encoded(&finding.id))),
        })
    }
}
