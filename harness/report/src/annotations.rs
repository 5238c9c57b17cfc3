//! Workflow commands of GitHub: at most ten, the gravest first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::points::message;
use variant_corpus::verdict::{Severity, Verdict, spelled};
use variant_runner::results::TestResult;
use variant_runner::status::severity;
use variant_runner::summary::{Headline, Summary, parts};
use variant_wire::sanitize;

/// GitHub shows at most this many annotations of a step.
const MOST: usize = 10;

/// The annotations: one for each type and kind; the last gives the number of those left out.
pub fn annotations(summary: &Summary<'_>) -> String {
    let mut found: Vec<&TestResult> =
        summary.findings.iter().copied().filter(|found| !found.expected_failure).collect();
    found.sort_by_key(|found| (Reverse(severity(found)), gravity(found.verdict), found.is_derived()));
    let mut kinds = BTreeSet::new();
    found.retain(|found| {
        let (dialect, layout, op) = parts(&found.test);
        kinds.insert((dialect, layout, op, found.verdict, found.reason))
    });
    let room = if found.len() > MOST { MOST - 1 } else { MOST };
    let mut text: String = found.iter().take(room).map(|found| annotation(found)).collect();
    if found.len() > room {
        let more = format!("{} more kinds: {}", found.len() - room, Headline::of(summary).text);
        text.push_str(&format!("::error title=conform::{}\n", data(&more)));
    }
    text
}

fn annotation(found: &TestResult) -> String {
    let level = if severity(found) == Severity::Red { "error" } else { "warning" };
    let place = found
        .place()
        .map(|(file, line)| format!("file={},line={line},", property(&sanitize::line(file))))
        .unwrap_or_default();
    let title = format!("{}: {}", spelled(found.verdict, found.reason), sanitize::short(&found.test, 120));
    format!("::{level} {place}title={}::{}\n", property(&title), data(&message(found)))
}

/// The sort key of a verdict: the lower, the graver.
fn gravity(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Crashed => 0,
        Verdict::TimedOut => 1,
        Verdict::Garbled => 2,
        Verdict::OrderDependent => 3,
        Verdict::Fail => 4,
        Verdict::NonCanonical => 5,
        Verdict::Nondeterministic | Verdict::Resource => 6,
        Verdict::Relaxed => 7,
        Verdict::Pass | Verdict::Open | Verdict::NotClaimed | Verdict::NotRun => 8,
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
