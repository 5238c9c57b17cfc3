//! The result of a run in one line.

use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;
use variant_values::sanitize::counted;

use crate::groups::{Group, groups};

/// The line that a person reads first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The status of the whole run, shown as a colour and a shape.
    pub mark: CellStatus,
    /// One sentence without a period: `reads 16 of 39 types, writes 6; 5 causes (1 crash)`.
    pub text: String,
}

impl Headline {
    /// The line of a run. It counts the types of its newest dialect, because those of several are never summed.
    pub fn of(summary: &Summary<'_>) -> Self {
        let groups = groups(summary);
        let mut parts = Vec::new();
        parts.extend(incomplete(summary));
        parts.extend(types(summary, groups.all().next().is_none()));
        let of_failures =
            |groups: &[Group<'_>]| groups.iter().filter(|group| group.severity() == Severity::Failure).count();
        let failures = of_failures(&groups.unexpected);
        parts.extend(causes(failures, "cause", &groups.unexpected));
        // What is known has a list, in which one finding may be several causes.
        let listed = summary.known_findings.len();
        let listed = if listed > 0 { listed } else { of_failures(&groups.known) };
        parts.extend(causes(listed, "known bug", &groups.known));
        let warnings = groups.unexpected.len() - failures;
        parts.extend((warnings > 0).then(|| format!("{} of warnings", counted(warnings, "cause"))));
        let stale = summary.end.stale.len();
        if stale > 0 {
            parts.push(format!("{} no longer true", counted(stale, "expectation")));
        }
        if parts.is_empty() {
            parts.push("no difference".to_owned());
        }
        Self { mark: mark(summary), text: parts.join("; ") }
    }
}

/// What is read and written; all four abilities where there is nothing else to say.
fn types(summary: &Summary<'_>, is_all: bool) -> Option<String> {
    if summary.plan.campaign.is_some() {
        return None;
    }
    let (dialect, score) = summary.newest()?;
    let said = if is_all { score.sentence() } else { score.short() };
    let is_one = summary.plan.dialects.len() == 1;
    Some(if is_one { said } else { format!("{}: {said}", dialect.title()) })
}

/// How many causes of failures there are, and which of them nobody survives: `5 causes (1 crash)`.
fn causes(count: usize, what: &str, groups: &[Group<'_>]) -> Option<String> {
    let of = |verdict| groups.iter().filter(|group| group.tests.iter().any(|test| test.verdict == verdict)).count();
    let crashes = match of(Verdict::Crashed) {
        0 => None,
        1 => Some("1 crash".to_owned()),
        count => Some(format!("{count} crashes")),
    };
    let hangs = Some(of(Verdict::TimedOut)).filter(|count| *count > 0).map(|count| counted(count, "hang"));
    let deadly: Vec<String> = crashes.into_iter().chain(hangs).collect();
    let deadly = if deadly.is_empty() { String::new() } else { format!(" ({})", deadly.join(", ")) };
    (count > 0).then(|| format!("{}{deadly}", counted(count, what)))
}

fn incomplete(summary: &Summary<'_>) -> Option<String> {
    let not_run = summary.count(Verdict::NotRun).sum();
    match summary.cut {
        Some((recorded, planned)) => Some(format!("incomplete: {recorded} of {}", counted(planned, "test"))),
        None if not_run > 0 => Some(format!("incomplete: {} not run", counted(not_run, "test"))),
        // How many a campaign would have had, nobody knows.
        None => (!summary.end.complete).then(|| "incomplete".to_owned()),
    }
}

fn mark(summary: &Summary<'_>) -> CellStatus {
    let wrong = summary.failures() + summary.end.stale.len();
    if incomplete(summary).is_some() || wrong > 0 {
        return CellStatus::Fail;
    }
    if summary.known() > 0 {
        return CellStatus::Known;
    }
    let mut of_dialects = summary.plan.dialects.iter().filter(|dialect| summary.touches(&dialect.name)).peekable();
    // A campaign says nothing of a type as a whole.
    let is_campaign = summary.plan.campaign.is_some();
    let is_whole = is_campaign
        || of_dialects.peek().is_some() && of_dialects.all(|dialect| summary.mark_of(dialect) == CellStatus::Ok);
    if is_whole && summary.warnings() + summary.declared() == 0 { CellStatus::Ok } else { CellStatus::Warning }
}
