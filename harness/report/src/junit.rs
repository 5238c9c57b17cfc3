//! JUnit XML, as GitLab and Jenkins read it: a suite a type, names unique in the whole file, bodies bounded.

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::points::{Point, State, points};
use variant_runner::record::RunRecord;
use variant_wire::sanitize;

/// A body has at most so many bytes…
const BODY: usize = 4 * 1024;
/// …and all bodies together so many: GitLab refuses files of more than 30 MB.
const BODIES: usize = 20 * 1024 * 1024;

/// The record as JUnit XML.
///
/// # Errors
/// Where it cannot be written as XML.
pub fn junit(recorded: &RunRecord) -> Result<String, String> {
    let mut report = Report::new(format!("conform: {}", sanitize::short(&recorded.plan.handshake.name, 100)));
    let mut left = BODIES;
    for points in points(recorded).chunk_by(|one, next| one.suite == next.suite) {
        let mut suite = TestSuite::new(points.first().map(|point| point.suite.as_str()).unwrap_or_default());
        for (name, value) in properties(recorded) {
            suite.add_property(Property::new(name, sanitize::line(&value)));
        }
        suite.add_test_cases(points.iter().map(|point| case(point, recorded, &mut left)));
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|error| error.to_string())
}

fn properties(recorded: &RunRecord) -> [(&'static str, String); 4] {
    let plan = &recorded.plan;
    [
        ("implementation", format!("{} {}", plan.handshake.name, plan.handshake.version)),
        ("corpus", plan.corpus.named()),
        ("reading", plan.reading.clone()),
        ("conform", plan.conform.clone()),
    ]
}

fn case(point: &Point<'_>, recorded: &RunRecord, left: &mut usize) -> TestCase {
    let mut case = TestCase::new(point.name.as_str(), status(point));
    case.set_classname(point.suite.replace('/', "."));
    if let Some(place) = point.place() {
        // GitLab links to it.
        case.extra.insert(XmlString::new("file"), XmlString::new(place.file));
    }
    if point.state == State::Doubtful {
        case.set_system_out(format!("{}: {}", point.word, point.message));
    }
    let body = point.body(recorded, BODY.min(*left));
    *left = left.saturating_sub(body.len());
    if !body.is_empty() && matches!(point.state, State::Failed | State::Broken) {
        case.status.set_description(body);
    } else if !body.is_empty() && point.state == State::Known {
        case.set_system_out(body);
    }
    case
}

fn status(point: &Point<'_>) -> TestCaseStatus {
    let message = format!("{}: {}", point.word, point.message);
    let mut status = match point.state {
        State::Passed | State::Doubtful => return TestCaseStatus::success(),
        State::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        State::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
        State::Known | State::Skipped => TestCaseStatus::skipped(),
    };
    if point.state == State::Known {
        status.set_message(format!("expected failure: {message}"));
    } else {
        status.set_message(message);
    }
    if !matches!(point.state, State::Known | State::Skipped) {
        status.set_type(point.word.as_str());
    }
    status
}
