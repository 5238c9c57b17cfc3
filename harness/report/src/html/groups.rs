//! What is wrong, group by group: a cause of failures, or a finding of the list of known ones.

use std::collections::HashMap;
use std::path::{Component, Path, absolute};

use indexmap::IndexSet;
use serde::Serialize;

use crate::groups::{Group, groups};
use variant_corpus::verdict::Severity;
use variant_runner::results::{FindingRecord, TestResult};
use variant_runner::status::CellStatus;
use variant_runner::summary::{Summary, label, parts};
use variant_wire::sanitize;

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
    /// `folder`: where the page will be.
    pub(super) fn of(summary: &Summary<'a>, folder: Option<&Path>) -> Self {
        let mut all = Self::default();
        let causes = groups(summary);
        for group in causes.iter().filter(|group| !group.known) {
            all.cause(group);
        }
        for finding in summary.known_findings {
            all.finding(finding, summary, folder);
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

    fn finding(&mut self, finding: &FindingRecord, summary: &Summary<'a>, folder: Option<&Path>) {
        let tests = summary.findings.iter().copied().filter(|test| test.finding.as_deref() == Some(&finding.id));
        let tests: Vec<&TestResult> = tests.collect();
        let size = |test: &&&TestResult| test.detail.as_ref().map_or(0, |detail| detail.sent.len());
        let Some(smallest) = tests.iter().min_by_key(|test| (test.is_derived(), size(test))).copied() else { return };
        let page =
            folder.filter(|_| !finding.page.is_empty()).and_then(|folder| link(folder, Path::new(&finding.page)));
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
        let types: IndexSet<&str> = tests.iter().map(|test| label(parts(&test.test).1)).collect();
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

/// The way from a folder to a file, as a link: never one with a scheme.
fn link(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (absolute(folder).ok()?, absolute(file).ok()?);
    let alike = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(alike).map(|_| "..".to_owned());
    let down = file.components().skip(alike).map(|part| match part {
        Component::Normal(name) => encoded(&name.to_string_lossy()),
        Component::ParentDir => "..".to_owned(),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => ".".to_owned(),
    });
    let parts: Vec<String> = [".".to_owned()].into_iter().chain(up).chain(down).collect();
    Some(parts.join("/"))
}

/// A part of an address: all but plain letters as `%` and two digits.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+@".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_way_between_files() {
        let link = |folder, file| link(Path::new(folder), Path::new(file)).unwrap();
        assert_eq!(link("/p/reports/runs/x", "/p/adapters/a b/FINDINGS.md"), "./../../../adapters/a%20b/FINDINGS.md");
        assert_eq!(link("/p", "/p/javascript:alert(1)"), "./javascript%3Aalert%281%29");
    }
}
