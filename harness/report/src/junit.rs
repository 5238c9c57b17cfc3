//! JUnit XML, as GitLab and Jenkins read it: one suite for each type, names unique in the file, bodies of limited size.

use quick_junit::{NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::headline::Headline;
use super::points::{Point, points};
use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_runner::status::{CellStatus, is_unanswered};
use variant_runner::summary::Summary;
use variant_values::sanitize;

/// A body has at most this many bytes.
const BODY: usize = 4 * 1024;
/// All bodies together have at most this many bytes: GitLab refuses files of more than 30 MB.
const BODIES: usize = 20 * 1024 * 1024;

/// The record as JUnit XML.
///
/// # Errors
/// If the record cannot be written as XML.
pub fn junit(recorded: &RunRecord) -> Result<String, SerializeError> {
    let mut report = Report::new(format!("conform: {}", sanitize::short(&recorded.plan.handshake.name, 100)));
    let mut left = BODIES;
    let summary = Summary::of(recorded);
    for points in points(recorded).chunk_by(|one, next| one.suite == next.suite) {
        let mut suite = TestSuite::new(points.first().map(|point| point.suite.as_str()).unwrap_or_default());
        for (name, value) in properties(recorded, &summary) {
            suite.add_property(Property::new(name, sanitize::line(&value)));
        }
        suite.add_test_cases(points.iter().map(|point| case(point, recorded, &mut left)));
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

fn case(point: &Point<'_>, recorded: &RunRecord, left: &mut usize) -> TestCase {
    let mut case = TestCase::new(point.name.as_str(), status(point));
    case.set_classname(point.suite.replace('/', "."));
    let first = point.tests.first();
    for (name, id) in [
        ("cause", first.and_then(|test| test.cause.as_ref())),
        ("finding", first.and_then(|test| test.finding.as_ref())),
    ] {
        if let Some(id) = id {
            case.add_property(Property::new(name, sanitize::line(id)));
        }
    }
    if let Some(place) = point.place() {
        // GitLab links to it.
        case.extra.insert(XmlString::new("file"), XmlString::new(sanitize::line(place.0)));
    }
    if point.mark == CellStatus::Warning {
        case.set_system_out(format!("{}: {}", point.word, point.message));
    }
    let body = point.body(recorded, BODY.min(*left));
    *left = left.saturating_sub(body.len());
    if !body.is_empty() && point.fails() {
        case.status.set_description(body);
    } else if !body.is_empty() && point.mark == CellStatus::Known {
        case.set_system_out(body);
    }
    case
}

fn status(point: &Point<'_>) -> TestCaseStatus {
    let message = format!("{}: {}", point.word, point.message);
    let unanswered = point.verdict().is_some_and(|verdict| is_unanswered(verdict) || verdict == Verdict::NotRun);
    let kind = if unanswered { NonSuccessKind::Error } else { NonSuccessKind::Failure };
    if matches!(point.mark, CellStatus::Ok | CellStatus::Warning) {
        return TestCaseStatus::success();
    }
    let mut status = if point.fails() { TestCaseStatus::non_success(kind) } else { TestCaseStatus::skipped() };
    if point.mark == CellStatus::Known {
        status.set_message(format!("expected failure: {message}"));
    } else {
        status.set_message(message);
    }
    if point.fails() {
        status.set_type(point.word.as_str());
    }
    status
}
