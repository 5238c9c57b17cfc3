//! What is wrong, group by group: a cause of failures, or a finding of the list of known ones.

use std::collections::HashMap;

use indexmap::IndexSet;
use serde::Serialize;

use super::encoded;
use crate::groups::{Group, groups};
use variant_corpus::verdict::Severity;
use variant_runner::results::{FindingRecord, TestResult};
use variant_runner::status::CellStatus;
use variant_runner::summary::{Summary, label};
use variant_values::sanitize;

/// The groups of a record, in the order of every report.
#[derive(Debug, Default)]
pub(super) struct Groups<'a> {
    pub(super) all: Vec<GroupView>,
    /// The place of a test's group.
    places: HashMap<&'a str, usize>,
}

/// A group, as the page shows it.
#[derive(Debug, Serialize)]
pub(super) struct GroupView {
    id: String,
    mark: CellStatus,
    headline: String,
    /// How many tests it has.
    tests: usize,
    types: Vec<String>,
    /// The test that shows it with the fewest bytes.
    smallest: String,
    /// Where a page describes it, which only a finding has.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

impl<'a> Groups<'a> {
    /// `findings`: the way to the page of findings.
    pub(super) fn of(summary: &Summary<'a>, findings: Option<&str>) -> Self {
        let mut all = Self::default();
        let causes = groups(summary);
        for group in causes.iter().filter(|group| !group.known) {
            all.cause(group);
        }
        for finding in &summary.known_findings {
            all.finding(finding, summary, findings);
        }
        // A list that names no finding.
        for group in causes.iter().filter(|group| group.known && group.tests.iter().all(|test| test.finding.is_none()))
        {
            all.cause(group);
        }
        all
    }

    pub(super) fn place(&self, test: &str) -> Option<usize> {
        self.places.get(test).copied()
    }

    fn cause(&mut self, group: &Group<'a>) {
        let mark = match group.severity() {
            _ if group.known => CellStatus::Known,
            Severity::Red => CellStatus::Fail,
            Severity::Amber | Severity::Green | Severity::Neutral => CellStatus::Part,
        };
        self.add(mark, &group.id, &group.headline, &group.tests, group.smallest, None);
    }

    fn finding(&mut self, finding: &FindingRecord, summary: &Summary<'a>, page: Option<&str>) {
        let tests = summary.findings.iter().copied().filter(|test| test.finding.as_deref() == Some(&finding.id));
        let tests: Vec<&TestResult> = tests.collect();
        let Some(smallest) = tests.iter().copied().min_by_key(|test| test.size()) else { return };
        let page = page.map(|page| format!("{page}#{}", encoded(&finding.id)));
        self.add(CellStatus::Known, &finding.id, finding.finding.trim(), &tests, smallest, page);
    }

    fn add(
        &mut self,
        mark: CellStatus,
        id: &str,
        headline: &str,
        tests: &[&'a TestResult],
        smallest: &TestResult,
        page: Option<String>,
    ) {
        let types: IndexSet<&str> = tests.iter().map(|test| label(test.id().layout)).collect();
        for test in tests {
            self.places.insert(&test.test, self.all.len());
        }
        self.all.push(GroupView {
            id: sanitize::line(id),
            mark,
            headline: sanitize::line(headline),
            tests: tests.len(),
            types: types.into_iter().map(sanitize::line).collect(),
            smallest: sanitize::line(&smallest.test),
            page,
        });
    }
}
