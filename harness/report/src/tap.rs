//! TAP 14, the Test Anything Protocol.

use super::points::{Point, points};
use variant_runner::record::RunRecord;
use variant_runner::status::TestStatus;

/// A diagnostic has at most this many bytes.
const DIAGNOSTIC: usize = 4 * 1024;

/// The record as TAP. An expected failure is a TODO; a test that is open or not claimed is a SKIP.
pub fn tap(recorded: &RunRecord) -> String {
    let points = points(recorded);
    let mut text = format!("TAP version 14\n1..{}\n", points.len());
    for (number, point) in (1..).zip(&points) {
        text.push_str(&line(number, point));
        let body = point.body(recorded, DIAGNOSTIC);
        if point.status >= TestStatus::Known {
            text.push_str(&diagnostic(point, &body));
        }
    }
    text
}

fn line(number: usize, point: &Point<'_>) -> String {
    let name = description(&format!("{}/{}", point.suite, point.name));
    let why = || description(&format!("{}: {}", point.word, point.message));
    match point.status {
        TestStatus::Passed => format!("ok {number} - {name}\n"),
        TestStatus::Doubtful => format!("ok {number} - {name} ({})\n", why()),
        TestStatus::Failed | TestStatus::NotRun | TestStatus::Broken => format!("not ok {number} - {name}\n"),
        TestStatus::Known => format!("not ok {number} - {name} # TODO {}\n", why()),
        TestStatus::NotClaimed | TestStatus::Open | TestStatus::Skipped => {
            format!("ok {number} - {name} # SKIP {}\n", why())
        }
    }
}

/// A block of YAML. Its texts are literal blocks, in which no character is special.
fn diagnostic(point: &Point<'_>, body: &str) -> String {
    let mut yaml = format!("  ---\n  verdict: \"{}\"\n  message: |-\n    {}\n", point.word, point.message);
    if !body.is_empty() {
        // The 2 is the indentation. Without it, a first line that begins with a space would be taken to set it.
        yaml.push_str("  finding: |2-\n");
        for line in body.trim_end().lines() {
            yaml.push_str(&format!("    {line}\n"));
        }
    }
    yaml.push_str("  ...\n");
    yaml
}

/// Escapes a description, which would end at a `#`, and keeps it in one line.
fn description(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#").replace('\n', " ")
}
