//! JUnit XML, as GitLab and Jenkins read it: a suite for each type, with a case for each test of a case of the corpus, for
//! the variants by one rule that did not pass, and for all that passed by a rule. Bodies have a limited size.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::headline::Headline;
use super::text::{self, message};
use variant_corpus::test::{Rule, TestParts, family};
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::incomplete::incomplete;
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_runner::status::{CellStatus, severity};
use variant_runner::summary::Summary;
use variant_values::sanitize;

/// A body has at most this many bytes.
const BODY: usize = 4 * 1024;
/// All bodies together have at most this many bytes: GitLab refuses files of more than 30 MB.
const BODIES: usize = 20 * 1024 * 1024;

/// The record as JUnit XML.
pub fn junit(recorded: &RunRecord) -> Result<String, SerializeError> {
    let mut report = Report::new(format!("conform: {}", sanitize::short(&recorded.plan.handshake.name, 100)));
    let summary = Summary::of(recorded);
    let mut cases = cases(recorded);
    cases.sort_by_cached_key(|(suite, _)| (place(recorded, suite), suite.clone()));
    for cases in cases.chunk_by(|(one, _), (next, _)| one == next) {
        let mut suite = TestSuite::new(cases.first().map(|(suite, _)| suite.as_str()).unwrap_or_default());
        for (name, value) in properties(recorded, &summary) {
            suite.add_property(Property::new(name, sanitize::line(&value)));
        }
        suite.add_test_cases(cases.iter().map(|(_, case)| case.clone()));
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn properties(recorded: &RunRecord, summary: &Summary<'_>) -> [(&'static str, String); 5] {
    let plan = &recorded.plan;
    [
        ("result", Headline::of(summary).text),
        ("implementation", format!("{} {}", plan.handshake.name, plan.handshake.version)),
        ("corpus", plan.corpus.named()),
        ("judged by", plan.judged_by.name().to_owned()),
        ("conform", plan.conform.clone()),
    ]
}

/// Dialects and types in the order of the plan.
fn place(recorded: &RunRecord, suite: &str) -> (usize, usize) {
    let (dialect, layout) = suite.split_once('/').unwrap_or((suite, ""));
    let dialects = &recorded.plan.dialects;
    let at = dialects.iter().position(|known| known.name == dialect).unwrap_or(dialects.len());
    let types = dialects.get(at).map(|known| known.types.as_slice()).unwrap_or_default();
    (at, types.iter().position(|known| known == layout).unwrap_or(types.len()))
}

/// Every case, with the name of its suite: dialect and layout.
fn cases(recorded: &RunRecord) -> Vec<(String, TestCase)> {
    let mut named: IndexMap<(String, String), Vec<&TestResult>> = IndexMap::new();
    for record in &recorded.verdicts {
        let TestParts { dialect, layout, .. } = record.id();
        let suite = sanitize::line(&format!("{dialect}/{layout}"));
        named.entry((suite, sanitize::line(&name(record.id())))).or_default().push(record);
    }
    let mut left = BODIES;
    let mut cases = Vec::new();
    for ((suite, name), tests) in &named {
        cases.push((suite.clone(), of_tests(suite, name, tests, recorded, &mut left)));
    }
    // A record may count the tests of one rule in several lines.
    let passed: BTreeSet<_> = recorded
        .tallies
        .iter()
        .map(|tally| (&tally.of, tally.rule.map_or("generated", Rule::name), tally.op.name()))
        .collect();
    for (of, rule, op) in passed {
        let (suite, name) = (sanitize::line(of), sanitize::line(&format!("~{rule}:{op}")));
        let case = case(&suite, &name, TestCaseStatus::success());
        cases.push((suite, case));
    }
    for claim in &recorded.end.stale {
        cases.push(of_run("findings", &sanitize::line(claim), "stale", &sanitize::line(claim)));
    }
    // Tests that did not run have cases of their own.
    let all_ran = recorded.verdicts.iter().all(|record| record.verdict != Verdict::NotRun);
    if let Some(why) = incomplete(recorded).filter(|_| all_ran) {
        cases.push(of_run("end", "complete", Verdict::NotRun.name(), &sanitize::line(&why)));
    }
    cases
}

/// `case:op`, or `case~rule:op` without the numbers that distinguish tests by one rule.
fn name(TestParts { name, rule, op, .. }: TestParts<'_>) -> String {
    let rule = rule.map(|rule| format!("~{}", family(rule))).unwrap_or_default();
    format!("{name}{rule}:{}", op.name())
}

fn case(suite: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(suite.replace('/', "."));
    case
}

/// What is wrong with the run as a whole.
fn of_run(part: &str, name: &str, word: &str, message: &str) -> (String, TestCase) {
    let suite = format!("run/{part}");
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(format!("{word}: {message}")).set_type(word);
    let case = case(&suite, name, status);
    (suite, case)
}

/// The tests of one name, as the worst of them is.
fn of_tests(suite: &str, name: &str, tests: &[&TestResult], recorded: &RunRecord, left: &mut usize) -> TestCase {
    let Some(worst) = tests.iter().rev().copied().max_by_key(|test| gravity(test)) else {
        return case(suite, name, TestCaseStatus::success());
    };
    let body = body(worst, tests, recorded, BODY.min(*left));
    *left = left.saturating_sub(body.len());
    let mark = CellStatus::of(worst);
    let message = format!("{}: {}", worst.verdict, message(worst));
    let mut out = None;
    let mut status = TestCaseStatus::success();
    if mark == CellStatus::Fail || worst.verdict == Verdict::NotRun {
        let unanswered = worst.verdict.is_unanswered() || worst.verdict == Verdict::NotRun;
        let kind = if unanswered { NonSuccessKind::Error } else { NonSuccessKind::Failure };
        status = TestCaseStatus::non_success(kind);
        status.set_message(message).set_type(worst.verdict.to_string());
        if !body.is_empty() {
            status.set_description(body);
        }
    } else if mark == CellStatus::Warning {
        out = Some(message);
    } else if mark == CellStatus::Known {
        status = TestCaseStatus::skipped();
        status.set_message(format!("fails (known): {message}"));
        out = Some(body).filter(|body| !body.is_empty());
    } else if mark != CellStatus::Ok {
        status = TestCaseStatus::skipped();
        status.set_message(message);
    }
    let mut case = case(suite, name, status);
    for (name, id) in [("cause", &worst.cause), ("finding", &worst.finding)] {
        if let Some(id) = id {
            case.add_property(Property::new(name, sanitize::line(id)));
        }
    }
    if let Some(out) = out {
        case.set_system_out(out);
    }
    case
}

/// What a person needs to fix it, in at most `most` bytes; empty if it passed.
fn body(worst: &TestResult, tests: &[&TestResult], recorded: &RunRecord, most: usize) -> String {
    if worst.detail.is_none() {
        return String::new();
    }
    let mut body = text::finding(&recorded.plan, worst);
    let others = tests.iter().filter(|other| other.test != worst.test);
    let others: Vec<String> = others.map(|other| sanitize::line(&other.test)).collect();
    if !others.is_empty() {
        body.push_str(&format!("and {} more by this rule: {}\n", others.len(), others.join(" ")));
    }
    if body.len() > most {
        let end = (0..=most).rev().find(|end| body.is_char_boundary(*end)).unwrap_or(0);
        body.truncate(end);
        body.push_str("\n… truncated: results.jsonl has everything\n");
    }
    body
}

/// By this, the worst of several tests comes last.
fn gravity(record: &TestResult) -> (bool, Severity, bool) {
    let severity = severity(record);
    let counts = severity == Severity::Failure && !record.expected_failure || record.verdict == Verdict::NotRun;
    (counts, severity, record.verdict.is_unanswered())
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
