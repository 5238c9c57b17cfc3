//! CTRF JSON (ctrf.io): the tests of a record as one list.

use serde_json::{Value, json};

use super::points::{Point, points};
use variant_runner::record::RunRecord;
use variant_runner::status::TestStatus;

/// A trace has at most this many bytes.
const TRACE: usize = 4 * 1024;

/// The record as CTRF JSON. A record has no times, so all are 0.
pub fn ctrf(recorded: &RunRecord) -> Value {
    let points = points(recorded);
    let count = |wanted: &str| points.iter().filter(|point| status(point.status) == wanted).count();
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
                "extra": {"corpus": plan.corpus, "reading": plan.reading.name()},
            },
            "tests": points.iter().map(|point| test(point, recorded)).collect::<Vec<_>>(),
        },
    })
}

fn test(point: &Point<'_>, recorded: &RunRecord) -> Value {
    let (dialect, layout) = point.suite.split_once('/').unwrap_or((&point.suite, "packet"));
    let mut test = json!({
        "name": format!("{}/{}", point.suite, point.name),
        "status": status(point.status),
        "duration": 0,
        "suite": [dialect, layout],
        "rawStatus": point.word,
        "type": "conformance",
    });
    if point.status != TestStatus::Passed {
        test["message"] = json!(point.message);
    }
    let trace = point.body(recorded, TRACE);
    if !trace.is_empty() {
        test["trace"] = json!(trace);
    }
    if let Some((file, line)) = point.place() {
        test["filePath"] = json!(file);
        test["line"] = json!(line);
    }
    test
}

fn status(status: TestStatus) -> &'static str {
    match status {
        TestStatus::Passed => "passed",
        TestStatus::Failed | TestStatus::NotRun | TestStatus::Broken => "failed",
        TestStatus::NotClaimed | TestStatus::Open | TestStatus::Skipped => "skipped",
        TestStatus::Doubtful | TestStatus::Known => "other",
    }
}
