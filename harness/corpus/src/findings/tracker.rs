//! Compares known findings with the results of a run.

use super::matcher::{MatchedTest, Matcher, is_of_version};
use super::{Finding, Findings};
use crate::Class;
use crate::test::TestId;
use crate::verdict::{Reason, Severity, Verdict, spelled};

/// The findings that hold for a version of an implementation, and what a run shows of them.
#[derive(Debug, Default)]
pub struct Tracker {
    pub(super) list: Findings,
    pub(super) rows: Vec<TrackedRow>,
    /// The results that were seen, if they are to be remembered.
    pub(super) seen: Option<Vec<Seen>>,
    /// The dialects that are tested; `None` if all are.
    dialects: Option<Vec<String>>,
}

/// A test, and its result.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) test: TestId,
    pub(super) verdict: String,
    /// Whether it makes the run red and no row covers it.
    pub(super) unexplained: bool,
}

/// The result of a test, as far as findings need it.
#[derive(Debug, Clone, Copy)]
pub struct JudgedTest<'a> {
    /// The test's id: `godot-3/vector2/negative-zero-keeps-its-sign:decode`.
    pub test: &'a TestId,
    /// The field that makes its packet one to refuse, where it is known: [`crate::test::Test::field`].
    pub field: Option<&'a str>,
    /// The class of what it expects.
    pub class: Class,
    /// The test's verdict, like [`Verdict::Fail`].
    pub verdict: Verdict,
    /// The reason of a failure; `None` for other verdicts.
    pub reason: Option<Reason>,
    /// How much the verdict matters for this test.
    pub severity: Severity,
}

/// A row of a finding, and the results of the tests that it matches.
#[derive(Debug)]
pub(super) struct TrackedRow {
    pub(super) finding: usize,
    pub(super) row: usize,
    matcher: Matcher,
    verdicts: Vec<String>,
    flaky: bool,
    matched: usize,
    /// The first test that it matches but that has another verdict: its id, and the verdict.
    contradicted: Option<(String, Verdict)>,
}

impl Tracker {
    /// Tracks the findings that hold for the adapters of the list and this version.
    pub fn new(list: Findings, version: &str) -> Self {
        let holds = |finding: &Finding| {
            finding.versions.as_deref().is_none_or(|range| is_of_version(range, version).unwrap_or(false))
        };
        let mut rows = Vec::new();
        for (number, finding) in list.held().filter(|(_, finding)| holds(finding)) {
            let written = finding.tests.iter().enumerate().filter(|(_, row)| list.holds(&row.adapters));
            // What cannot be matched was refused when the list was read.
            rows.extend(written.filter_map(|(row, written)| {
                let (matcher, verdicts, flaky) = (Matcher::new(written).ok()?, written.verdict.clone(), written.flaky);
                Some(TrackedRow { finding: number, row, matcher, verdicts, flaky, matched: 0, contradicted: None })
            }));
        }
        Self { list, rows, seen: None, dialects: None }
    }

    /// The list of findings that it tracks.
    pub fn list(&self) -> &Findings {
        &self.list
    }

    /// Also remembers the results that it sees, for [`Tracker::blessed`].
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { seen: Some(Vec::new()), ..self }
    }

    /// Only these dialects are tested: rows about others are not stale.
    pub fn limit_to(&mut self, dialects: &[String]) {
        self.dialects = Some(dialects.to_vec());
    }

    /// Whether tests that the row may be about are run.
    fn is_tested(&self, row: &TrackedRow) -> bool {
        self.dialects.as_ref().is_none_or(|dialects| dialects.iter().any(|dialect| row.matcher.is_about(dialect)))
    }

    /// Whether no test shows the row any more.
    pub(super) fn is_dead(&self, row: &TrackedRow) -> bool {
        row.matched == 0 && row.contradicted.is_none() && self.is_tested(row)
    }

    /// Takes a result, and returns whether a row covers it.
    pub fn covers(&mut self, result: JudgedTest<'_>) -> bool {
        let JudgedTest { test: id, verdict, reason, severity, .. } = result;
        let (test, actual) = (result.matched(), spelled(verdict, reason));
        let mut covered = false;
        for row in self.rows.iter_mut().filter(|row| row.matcher.is_match(test)) {
            if row.covers(verdict, &actual) {
                row.matched += 1;
                covered = true;
            } else if verdict == Verdict::Skipped || (row.flaky && verdict == Verdict::Pass) {
                // Others of its kind died, or it passed by chance: it may still be as the row says.
                row.matched += 1;
            } else if !says_nothing(verdict) && row.contradicted.is_none() {
                row.contradicted = Some((format!("{id} is {actual}"), verdict));
            }
        }
        let unexplained = !covered && severity == Severity::Red;
        if let Some(seen) = self.seen.as_mut().filter(|_| !says_nothing(verdict)) {
            seen.push(Seen { test: id.clone(), verdict: actual, unexplained });
        }
        covered
    }

    /// The ids of the findings that cover a result.
    pub fn covering<'a>(&'a self, result: JudgedTest<'a>) -> impl Iterator<Item = &'a str> {
        let actual = spelled(result.verdict, result.reason);
        let test = result.matched();
        let covers = move |row: &&TrackedRow| row.covers(result.verdict, &actual) && row.matcher.is_match(test);
        self.rows.iter().filter(covers).filter_map(|row| self.finding(row)).map(|finding| finding.id.as_str())
    }

    /// What a finding says, by its id, and the page that describes it; empty if there is none.
    pub fn says(&self, id: &str) -> Option<(&Finding, &str)> {
        let finding = self.list.findings.iter().find(|finding| finding.id == id)?;
        Some((finding, &self.list.page))
    }

    /// For each row that is not true: a sentence that says what to do.
    pub fn stale(&self) -> Vec<String> {
        self.rows.iter().filter_map(|row| self.why_stale(row, 0)).collect()
    }

    /// What is not true of a row, and what to do; `None` if it is true. `up`: how many lines above it were deleted.
    pub(super) fn why_stale(&self, row: &TrackedRow, up: usize) -> Option<String> {
        let what = match (&row.contradicted, row.matched) {
            (None, 1..) => return None,
            (None, 0) if !self.is_tested(row) => return None,
            (None, 0) => " matches no test of this run: delete the row, or the whole finding if it is fixed".to_owned(),
            (Some((seen, _)), 0) => format!(", but {seen}: delete the row if it is fixed, or change its verdict"),
            (Some((seen, _)), 1..) => format!(", but {seen}: narrow the row, or add the test to its `except`"),
        };
        let passed = row.contradicted.as_ref().is_some_and(|(_, verdict)| *verdict == Verdict::Pass);
        let chance = if passed { "; if it passes by chance, add `flaky: true`" } else { "" };
        let shared = if self.list.is_shared { "; or name in `adapters` those that still show it" } else { "" };
        let line = self.list.places.row(row.finding, row.row).start + 1 - up;
        let Finding { id, .. } = self.finding(row)?;
        Some(format!(
            "{}:{line}: the row of `{id}` with {}{what}{chance}{shared}",
            super::FILE,
            row.verdicts.join(" or ")
        ))
    }

    fn finding(&self, row: &TrackedRow) -> Option<&Finding> {
        self.list.findings.get(row.finding)
    }
}

impl<'a> JudgedTest<'a> {
    fn matched(self) -> MatchedTest<'a> {
        let Self { test, field, class, .. } = self;
        MatchedTest { id: test.parts(), field, invalid: class == Class::Invalid }
    }
}

impl TrackedRow {
    /// Whether it explains a verdict of a test that it matches. `actual` is the verdict as reports write it.
    fn covers(&self, verdict: Verdict, actual: &str) -> bool {
        self.verdicts.iter().any(|verdict| verdict == actual) || (self.flaky && verdict == Verdict::Nondeterministic)
    }
}

/// Whether a verdict neither confirms nor contradicts a row.
fn says_nothing(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NotClaimed | Verdict::NotRun | Verdict::Skipped | Verdict::Open)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rstest::rstest;

    use super::{Findings, JudgedTest, Tracker};
    use crate::Class;
    use crate::verdict::{Reason, Severity, Verdict};

    const WRONG: (Verdict, Option<Reason>) = (Verdict::Fail, Some(Reason::WrongValue));
    const REFUSED: (Verdict, Option<Reason>) = (Verdict::Fail, Some(Reason::RefusedValid));
    const PASS: (Verdict, Option<Reason>) = (Verdict::Pass, None);
    const UNSTABLE: (Verdict, Option<Reason>) = (Verdict::Nondeterministic, None);

    /// Whether a row covers a test with a verdict, and whether it is stale then.
    fn tracked(fields: &str, (verdict, reason): (Verdict, Option<Reason>), verdicts: &str) -> (bool, bool) {
        let text = format!("findings:\n- id: a\n  tests:\n  - {{verdict: {verdicts}, op: decode{fields}}}\n");
        let list = Findings::parse(&text, Path::new("findings.yaml")).unwrap();
        let mut tracker = Tracker::new(list, "1.0");
        let test = &"a/b/c:decode".parse().unwrap();
        let result =
            JudgedTest { test, field: None, class: Class::Canonical, verdict, reason, severity: Severity::Red };
        let covered = tracker.covers(result);
        assert_eq!(tracker.covering(result).next(), covered.then_some("a"));
        (covered, !tracker.stale().is_empty())
    }

    #[rstest]
    #[case("fail/refused-valid", WRONG, false)]
    #[case("[fail/refused-valid, fail/wrong-value]", WRONG, true)]
    #[case("[fail/refused-valid, fail/wrong-value]", PASS, false)]
    fn each_test_has_one_of_the_verdicts(
        #[case] verdicts: &str,
        #[case] seen: (Verdict, Option<Reason>),
        #[case] covered: bool,
    ) {
        assert_eq!(tracked("", seen, verdicts), (covered, !covered));
    }

    #[rstest]
    #[case("", WRONG, true, false)]
    #[case("", PASS, false, true)]
    #[case("", UNSTABLE, false, true)]
    #[case(", flaky: true", WRONG, true, false)]
    #[case(", flaky: true", PASS, false, false)]
    #[case(", flaky: true", UNSTABLE, true, false)]
    #[case(", flaky: true", REFUSED, false, true)]
    #[case(", flaky: true, type: [d]", WRONG, false, true)]
    #[case(", field: [count]", WRONG, false, true)]
    fn a_flaky_row_may_also_pass(
        #[case] fields: &str,
        #[case] seen: (Verdict, Option<Reason>),
        #[case] covered: bool,
        #[case] stale: bool,
    ) {
        assert_eq!(tracked(fields, seen, "fail/wrong-value"), (covered, stale));
    }
}
