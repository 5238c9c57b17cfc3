//! What is wrong, group by group: a cause of failures, or a finding of the list of known ones.

use indexmap::IndexSet;
use serde::Serialize;

use super::encoded;
use crate::groups::{Group, groups};
use variant_corpus::verdict::Severity;
use variant_runner::results::{FindingRecord, TestResult};
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;
use variant_values::sanitize;

/// A group, as the page shows it.
#[derive(Debug, Serialize)]
pub(super) struct GroupView {
    id: String,
    mark: CellStatus,
    headline: String,
    /// The ids of its tests.
    tests: Vec<String>,
    types: Vec<String>,
    /// Why it matters, in a word.
    weight: String,
    /// The test that shows it with the fewest bytes.
    smallest: String,
    /// Where a page describes it, which only a finding has.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

/// The groups of a record, in the order of every report; `findings` is the way to the page of findings.
pub(super) fn groups_of(summary: &Summary<'_>, findings: Option<&str>) -> Vec<GroupView> {
    let causes = groups(summary);
    let in_no_list = |group: &&Group<'_>| group.known && group.tests.iter().all(|test| test.finding.is_none());
    // What is declared counts as right, and is last.
    let of = |declared| causes.iter().filter(move |group| !group.known && group.is_declared() == declared);
    let (unexpected, declared) = (of(false).map(GroupView::of_cause), of(true).map(GroupView::of_cause));
    let known = summary.known_findings.iter().filter_map(|known| GroupView::of_finding(known, summary, findings));
    unexpected.chain(known).chain(causes.iter().filter(in_no_list).map(GroupView::of_cause)).chain(declared).collect()
}

impl GroupView {
    fn of_cause(group: &Group<'_>) -> Self {
        let mark = match group.severity() {
            _ if group.known => CellStatus::Known,
            Severity::Failure => CellStatus::Fail,
            Severity::Warning | Severity::Right | Severity::Neutral => CellStatus::Warning,
        };
        let names = group.names.iter().map(|name| sanitize::line(name)).collect();
        Self {
            types: names,
            weight: group.weight.name().to_owned(),
            ..Self::new(mark, &group.id, &group.headline, &group.tests, group.smallest)
        }
    }

    fn of_finding(finding: &FindingRecord, summary: &Summary<'_>, page: Option<&str>) -> Option<Self> {
        let tests = summary.findings.iter().copied().filter(|test| test.finding.as_deref() == Some(&finding.id));
        let tests: Vec<&TestResult> = tests.collect();
        let smallest = tests.iter().copied().min_by_key(|test| test.size())?;
        let page = page.map(|page| format!("{page}#{}", encoded(&finding.id)));
        let names: IndexSet<&str> = tests.iter().map(|test| summary.type_name(test.id().layout)).collect();
        let types = names.into_iter().map(sanitize::line).collect();
        let weight = finding.severity.as_deref().map_or_else(|| "known".to_owned(), sanitize::line);
        Some(Self {
            page,
            types,
            weight,
            ..Self::new(CellStatus::Known, &finding.id, finding.finding.trim(), &tests, smallest)
        })
    }

    fn new(mark: CellStatus, id: &str, headline: &str, tests: &[&TestResult], smallest: &TestResult) -> Self {
        Self {
            id: sanitize::line(id),
            mark,
            headline: sanitize::line(headline),
            tests: tests.iter().map(|test| sanitize::lines(&test.test)).collect(),
            types: Vec::new(),
            weight: String::new(),
            smallest: sanitize::lines(&smallest.test),
            page: None,
        }
    }
}
