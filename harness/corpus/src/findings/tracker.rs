//! Findings held against what a run sees.

use super::matcher::{Matcher, Test, is_of_version};
use super::{Finding, Findings};
use crate::Class;
use crate::verdict::{Reason, Severity, Verdict, spelled};

/// The findings that hold for a version of an implementation, and what a run shows of them.
#[derive(Debug, Default)]
pub struct Tracker {
    pub(super) list: Findings,
    pub(super) rows: Vec<TrackedRow>,
    /// What was seen, where a list is made to fit it.
    pub(super) seen: Option<Vec<Seen>>,
}

/// A test, and its result.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) test: String,
    pub(super) verdict: String,
    /// Whether it makes the run red, and no row says so.
    pub(super) unexplained: bool,
}

/// What came of a test.
#[derive(Debug, Clone, Copy)]
pub struct JudgedTest<'a> {
    /// Its id.
    pub test: &'a str,
    /// The class of what it expects, as records write it.
    pub class: &'a str,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason of a failure.
    pub reason: Option<Reason>,
    /// How the verdict weighs.
    pub severity: Severity,
}

/// A row of a finding, and what came of the tests that it matches.
#[derive(Debug)]
pub(super) struct TrackedRow {
    pub(super) finding: usize,
    pub(super) row: usize,
    matcher: Matcher,
    verdict: String,
    matched: usize,
    /// The first test that it matches and that has another verdict: its id, and the verdict.
    contradicted: Option<String>,
}

impl Tracker {
    /// Tracks the findings that hold for this version.
    pub fn new(list: Findings, version: &str) -> Self {
        let holds = |finding: &Finding| {
            finding.versions.as_deref().is_none_or(|range| is_of_version(range, version).unwrap_or(false))
        };
        let mut rows = Vec::new();
        for (number, finding) in list.findings.iter().enumerate().filter(|(_, finding)| holds(finding)) {
            // What cannot be matched was refused when the list was read.
            rows.extend(finding.tests.iter().enumerate().filter_map(|(row, written)| {
                let (matcher, verdict) = (Matcher::new(written).ok()?, written.verdict.clone());
                Some(TrackedRow { finding: number, row, matcher, verdict, matched: 0, contradicted: None })
            }));
        }
        Self { list, rows, seen: None }
    }

    /// Remembers what it sees too, for [`Tracker::blessed`].
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { seen: Some(Vec::new()), ..self }
    }

    /// Whether a result is a known finding; notes what it sees.
    pub fn covers(&mut self, result: JudgedTest<'_>) -> bool {
        let JudgedTest { test: id, class, verdict, reason, severity } = result;
        let (test, actual) = (Test::new(id), spelled(verdict, reason));
        let invalid = class == Class::Invalid.name();
        let mut covered = false;
        for row in self.rows.iter_mut().filter(|row| row.matcher.is_match(test, invalid)) {
            if row.verdict == actual {
                row.matched += 1;
                covered = true;
            } else if !says_nothing(verdict) && row.contradicted.is_none() {
                row.contradicted = Some(format!("{id} is {actual}"));
            }
        }
        let unexplained = !covered && severity == Severity::Red;
        if let Some(seen) = self.seen.as_mut().filter(|_| !says_nothing(verdict)) {
            seen.push(Seen { test: id.to_owned(), verdict: actual, unexplained });
        }
        covered
    }

    /// The ids of the findings that cover a result.
    pub fn covering<'a>(&'a self, result: JudgedTest<'a>) -> impl Iterator<Item = &'a str> {
        let actual = spelled(result.verdict, result.reason);
        let (test, invalid) = (Test::new(result.test), result.class == Class::Invalid.name());
        let covers = move |row: &&TrackedRow| row.verdict == actual && row.matcher.is_match(test, invalid);
        self.rows.iter().filter(covers).filter_map(|row| self.finding(row)).map(|finding| finding.id.as_str())
    }

    /// Rows that were not true: for each a sentence that says what to do.
    pub fn stale(&self) -> Vec<String> {
        self.rows.iter().filter_map(|row| self.why_stale(row, 0)).collect()
    }

    /// What is not true of a row, and what to do; its line is so many lines further up than it was when it was read.
    pub(super) fn why_stale(&self, row: &TrackedRow, up: usize) -> Option<String> {
        let what = match (&row.contradicted, row.matched) {
            (None, 1..) => return None,
            (None, 0) => " matches no test of this run: delete the row, or the finding where it is fixed".to_owned(),
            (Some(seen), 0) => format!(", but {seen}: delete the row where it is fixed, or change its verdict"),
            (Some(seen), 1..) => format!(", but {seen}: narrow the row, or add the test to its `except`"),
        };
        let line = self.list.places.row(row.finding, row.row).start + 1 - up;
        let Finding { id, .. } = self.finding(row)?;
        Some(format!("{}:{line}: the row of `{id}` with {}{what}", super::FILE, row.verdict))
    }

    fn finding(&self, row: &TrackedRow) -> Option<&Finding> {
        self.list.findings.get(row.finding)
    }
}

impl TrackedRow {
    /// Whether no test shows it any more.
    pub(super) fn is_dead(&self) -> bool {
        self.matched == 0 && self.contradicted.is_none()
    }
}

/// Whether a verdict is neither for nor against what a list says.
fn says_nothing(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NotClaimed | Verdict::NotRun | Verdict::Open)
}
