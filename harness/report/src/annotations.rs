//! Workflow commands of GitHub: at most ten, the causes of the most failures first. They name the test: its case is in no file of
//! the workflow's repository.

use super::groups::{Group, NAMED, groups};
use super::headline::Headline;
use super::text::message;
use variant_corpus::verdict::Severity;
use variant_runner::summary::Summary;
use variant_values::sanitize;

/// GitHub shows at most this many annotations of a step.
const MOST: usize = 10;

/// The annotations: one for each cause, with its smallest case; then the number of those left out, and that of claims that
/// are no longer true.
pub fn annotations(summary: &Summary<'_>) -> String {
    let found = groups(summary).unexpected;
    let stale = &summary.end.stale;
    let most = MOST - usize::from(!stale.is_empty());
    let room = if found.len() > most { most - 1 } else { most };
    let mut text: String = found.iter().take(room).map(annotation).collect();
    if found.len() > room {
        let more = format!("{} more causes: {}", found.len() - room, Headline::of(summary).text);
        text.push_str(&format!("::error title=conform::{}\n", data(&more)));
    }
    if let Some(first) = stale.first() {
        let claims = format!(
            "{} no longer true: {}",
            sanitize::counted(stale.len(), "expectation"),
            sanitize::short(first, 300)
        );
        text.push_str(&format!("::error title=conform::{}\n", data(&claims)));
    }
    text
}

fn annotation(group: &Group<'_>) -> String {
    let found = group.smallest;
    let level = if group.severity() == Severity::Failure { "error" } else { "warning" };
    let title = sanitize::short(&group.headline, 120);
    let test = sanitize::short(&found.test, 120);
    let word = found.verdict;
    let text = format!("{}; {word} {test}: {}", sanitize::short(&group.extent(NAMED), 200), message(found));
    format!("::{level} title={}::{}\n", property(&title), data(&text))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
