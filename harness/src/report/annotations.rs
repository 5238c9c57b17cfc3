//! Workflow commands of GitHub: at most ten, the gravest first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::points::message;
use super::summary::{Headline, Summary, colour, parts};
use crate::results::VerdictRecord;
use crate::shown;
use crate::verdict::{Verdict, spelled};

/// GitHub shows no more of a step.
const MOST: usize = 10;

/// The annotations: one for each type and kind, and the last of them says how many are left.
pub fn annotations(summary: &Summary<'_>) -> String {
    let mut found: Vec<&VerdictRecord> =
        summary.findings.iter().copied().filter(|found| !found.expected_failure).collect();
    found.sort_by_key(|found| (Reverse(colour(found)), gravity(found.verdict), found.origin == "derived"));
    let mut kinds = BTreeSet::new();
    found.retain(|found| {
        let (dialect, layout, op) = parts(&found.ask);
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

fn annotation(found: &VerdictRecord) -> String {
    let level = if colour(found) == crate::verdict::Colour::Red { "error" } else { "warning" };
    let place = found.detail.as_ref().and_then(|detail| detail.place.rsplit_once(':'));
    let place =
        place.map(|(file, line)| format!("file={},line={},", property(file), property(line))).unwrap_or_default();
    let title = format!("{}: {}", spelled(found.verdict, found.reason), shown::short(&found.ask, 120));
    format!("::{level} {place}title={}::{}\n", property(&title), data(&message(found)))
}

/// What tells most about an implementation comes first.
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
