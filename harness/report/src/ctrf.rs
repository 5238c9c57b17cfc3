//! CTRF JSON (ctrf.io): the tests of a record as one list.

use serde_json::{Value, json};

use super::points::{Point, State, points};
use variant_runner::record::RunRecord;

/// A trace has at most so many bytes.
const TRACE: usize = 4 * 1024;

/// The record as CTRF JSON. It has no clock: times are 0.
pub fn ctrf(recorded: &RunRecord) -> Value {
    let points = points(recorded);
    let count = |status: &str| points.iter().filter(|point| status_of(point.state) == status).count();
    let mut suites: Vec<&str> = points.iter().map(|point| point.suite.as_str()).collect();
    suites.dedup();
    let plan = &recorded.plan;
    json!({
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "generatedBy": format!("conform {}", plan.conform),
        "results": {
            "tool": {"name": "conform", "version": plan.conform},
            "summary": {
                "tests": points.len(),
                "passed": count("passed"),
                "failed": count("failed"),
                "skipped": count("skipped"),
                "pending": 0,
                "other": count("other"),
                "suites": suites.len(),
                "start": 0,
                "stop": 0,
            },
            "environment": {
                "appName": plan.handshake.name,
                "appVersion": plan.handshake.version,
                "extra": {"corpus": plan.corpus, "reading": plan.reading},
            },
            "tests": points.iter().map(|point| test(point, recorded)).collect::<Vec<_>>(),
        },
    })
}

fn test(point: &Point<'_>, recorded: &RunRecord) -> Value {
    let (dialect, layout) = point.suite.split_once('/').unwrap_or((&point.suite, "packet"));
    let mut test = json!({
        "name": format!("{}/{}", point.suite, point.name),
        "status": status_of(point.state),
        "duration": 0,
        "suite": [dialect, layout],
        "rawStatus": point.word,
        "type": "conformance",
    });
    if point.state != State::Passed {
        test["message"] = json!(point.message);
    }
    let trace = point.body(recorded, TRACE);
    if !trace.is_empty() {
        test["trace"] = json!(trace);
    }
    if let Some(place) = point.place() {
        test["filePath"] = json!(place.file);
        test["line"] = json!(place.line);
    }
    test
}

fn status_of(state: State) -> &'static str {
    match state {
        State::Passed => "passed",
        State::Failed | State::Broken => "failed",
        State::Skipped => "skipped",
        State::Doubtful | State::Known => "other",
    }
}
