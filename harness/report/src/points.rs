//! A record as a list of points, for formats of test reports: one for each test of a case, one for each case, rule and
//! operation of the variants that did not pass, and one for all that passed by a rule; also one for each claim that
//! is no longer true, and one if the run is incomplete.

use std::collections::{BTreeMap, HashMap};

use super::text;
use variant_corpus::test::{TestParts, family};
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::incomplete::incomplete;
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_runner::status::{CellStatus, is_unanswered, severity};
use variant_values::sanitize;

/// One entry of a test report.
#[derive(Debug)]
pub struct Point<'a> {
    /// Dialect and layout: `godot-3/vector2`.
    pub suite: String,
    /// The rest of the test's id, unique in the suite.
    pub name: String,
    /// What its worst test shows.
    pub mark: CellStatus,
    /// The verdict, as reports write it.
    pub word: String,
    /// The result in one line.
    pub message: String,
    /// The recorded tests, the worst first; none for variants that passed.
    pub tests: Vec<&'a TestResult>,
}

/// The points of a record, suites in the order of the plan.
pub fn points(recorded: &RunRecord) -> Vec<Point<'_>> {
    let mut points: Vec<Point<'_>> = Vec::with_capacity(recorded.verdicts.len());
    let mut groups: HashMap<String, usize> = HashMap::new();
    for record in &recorded.verdicts {
        let TestParts { dialect, layout, .. } = record.id();
        let suite = sanitize::line(&format!("{dialect}/{layout}"));
        let name = sanitize::line(&name(record.id()));
        match groups.get(&format!("{suite}/{name}")).and_then(|place| points.get_mut(*place)) {
            Some(point) => point.take(record),
            None => {
                groups.insert(format!("{suite}/{name}"), points.len());
                points.push(Point::of(record, suite, name));
            }
        }
    }
    // A record may count the tests of one rule in several lines.
    let mut passed: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for tally in &recorded.tallies {
        *passed.entry((&tally.of, &tally.rule, tally.op.name())).or_default() += tally.pass;
    }
    for ((of, rule, op), count) in passed {
        points.push(Point {
            suite: sanitize::line(of),
            name: sanitize::line(&format!("~{rule}:{op}")),
            mark: CellStatus::Ok,
            word: Verdict::Pass.name().to_owned(),
            message: format!("{count} variants passed"),
            tests: Vec::new(),
        });
    }
    for claim in &recorded.end.stale {
        points.push(Point::of_run("findings", "stale", sanitize::line(claim), sanitize::line(claim)));
    }
    // Tests that did not run have points of their own.
    let all_ran = recorded.verdicts.iter().all(|record| record.verdict != Verdict::NotRun);
    if let Some(why) = incomplete(recorded).filter(|_| all_ran) {
        points.push(Point::of_run("end", Verdict::NotRun.name(), "complete".to_owned(), sanitize::line(&why)));
    }
    let place = |suite: &str| {
        let (dialect, layout) = suite.split_once('/').unwrap_or((suite, ""));
        let dialects = &recorded.plan.dialects;
        let at = dialects.iter().position(|known| known.name == dialect).unwrap_or(dialects.len());
        let types = dialects.get(at).map(|known| known.types.as_slice()).unwrap_or_default();
        (at, types.iter().position(|known| known == layout).unwrap_or(types.len()))
    };
    points.sort_by_cached_key(|point| (place(&point.suite), point.suite.clone()));
    points
}

/// `case:op`, or `case~rule:op` without the numbers that distinguish tests by one rule.
fn name(TestParts { name, rule, op, .. }: TestParts<'_>) -> String {
    let rule = rule.map(|rule| format!("~{}", family(rule))).unwrap_or_default();
    format!("{name}{rule}:{}", op.name())
}

impl<'a> Point<'a> {
    fn of(record: &'a TestResult, suite: String, name: String) -> Self {
        Self {
            suite,
            name,
            mark: CellStatus::of(record),
            word: record.verdict.to_string(),
            message: message(record),
            tests: vec![record],
        }
    }

    /// What is wrong with the run as a whole.
    fn of_run(suite: &str, word: &str, name: String, message: String) -> Self {
        let (suite, word) = (format!("run/{suite}"), word.to_owned());
        Self { suite, name, mark: CellStatus::Fail, word, message, tests: Vec::new() }
    }

    /// Adds a test of the same rule.
    fn take(&mut self, record: &'a TestResult) {
        if self.tests.first().is_some_and(|worst| gravity(record) > gravity(worst)) {
            let word = record.verdict.to_string();
            (self.mark, self.word, self.message) = (CellStatus::of(record), word, message(record));
            self.tests.insert(0, record);
        } else {
            self.tests.push(record);
        }
    }

    /// Whether it is a failure that no list expects, or did not run.
    pub fn fails(&self) -> bool {
        self.mark == CellStatus::Fail || self.verdict() == Some(Verdict::NotRun)
    }

    /// The verdict of its worst test.
    pub fn verdict(&self) -> Option<Verdict> {
        self.tests.first().map(|test| test.verdict)
    }

    /// The file and line of the case; `None` if they are not recorded.
    pub fn place(&self) -> Option<(&str, usize)> {
        self.tests.first()?.place()
    }

    /// What a person needs to fix it, in at most `most` bytes; empty if it passed.
    pub fn body(&self, recorded: &RunRecord, most: usize) -> String {
        let Some(first) = self.tests.first().filter(|first| first.detail.is_some()) else { return String::new() };
        let mut body = text::finding(&recorded.plan, first);
        if self.tests.len() > 1 {
            let others: Vec<String> = self.tests[1..].iter().map(|other| sanitize::line(&other.test)).collect();
            body.push_str(&format!("and {} more by this rule: {}\n", others.len(), others.join(" ")));
        }
        if body.len() > most {
            let end = (0..=most).rev().find(|end| body.is_char_boundary(*end)).unwrap_or(0);
            body.truncate(end);
            body.push_str("\n… truncated: results.jsonl has everything\n");
        }
        body
    }
}

/// By this, the worst of several tests comes last.
fn gravity(record: &TestResult) -> (bool, Severity, bool) {
    let severity = severity(record);
    let counts = severity == Severity::Failure && !record.expected_failure || record.verdict == Verdict::NotRun;
    (counts, severity, is_unanswered(record.verdict))
}

/// The one line that says what is wrong.
pub fn message(record: &TestResult) -> String {
    let mut message = record.verdict.means().to_owned();
    if let Some(detail) = record.detail.as_ref().filter(|detail| !detail.note.is_empty()) {
        message = sanitize::short(&detail.note, 300);
    } else if let Some(field) = &record.field {
        let at = record.at.map(|at| format!(" at byte {at}")).unwrap_or_default();
        message = format!("first differs{at}, {}", sanitize::short(field, 100));
    }
    match &record.erratum {
        Some(erratum) => format!("{message} (documentation error {})", sanitize::line(erratum)),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::name;
    use variant_corpus::test::TestId;

    #[rstest]
    #[case("d/int/case:decode", "case:decode")]
    #[case("d/int/case~truncated-at-12:decode", "case~truncated-at:decode")]
    #[case("d/int/case~count-minus-1-at-4:decode", "case~count:decode")]
    #[case("d/int/case~in-array:encode", "case~in-array:encode")]
    fn tests_of_one_rule_have_one_name(#[case] test: &str, #[case] expected: &str) {
        assert_eq!(name(test.parse::<TestId>().unwrap().parts()), expected);
    }
}
