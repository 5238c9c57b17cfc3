//! What changed, for a terminal.

use similar::TextDiff;

use super::change::{lines, word};
use super::{CaseChange, ChangeKind, Gate, TestChange};
use crate::points::message;
use crate::repeat::repeat;
use crate::text::{AMBER, BOLD, FAINT, GREEN, RED, change_line, strs};
use variant_runner::record::{Recorded, RunRecord};
use variant_wire::sanitize::line as escaped;

/// At most this many cases are shown in full, and this many more named.
const FULL: usize = 20;
const NAMED: usize = 200;
/// At most this many lines of a diff.
const LINES: usize = 60;
/// This many equal lines are shown before and after one that differs.
const AROUND: usize = 3;

/// The changes as text with ANSI styles; empty if nothing changed.
pub fn render(gate: &Gate<'_>) -> String {
    if gate.is_silent() {
        return String::new();
    }
    let style = if gate.is_green() { GREEN } else { RED };
    let mut lines = vec![format!("{BOLD}{}{BOLD:#}: {style}{}{style:#}", between(gate), gate.headline())];
    lines.extend(gate.incomplete.iter().map(|why| format!("{RED}incomplete{RED:#}: {why}")));
    for case in gate.cases.iter().take(FULL) {
        lines.push(String::new());
        lines.extend(case_lines(gate, case));
    }
    let rest = gate.cases.iter().skip(FULL);
    if rest.len() > 0 {
        lines.push(String::new());
    }
    lines.extend(rest.clone().take(NAMED).filter_map(|case| case.tests.first()).map(head));
    if rest.len() > NAMED {
        lines.push(format!("… and {} more cases", rest.len() - NAMED));
    }
    lines.extend(gate.stale.iter().map(|claim| format!("{RED}no longer true{RED:#}: {}", escaped(claim))));
    lines.extend(gate.advice().map(|advice| format!("\n{advice}")));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The two records that are compared: name and version of each, and the version of its corpus if that differs.
pub(super) fn between(gate: &Gate<'_>) -> String {
    let name = |of: &RunRecord| {
        let handshake = &of.plan.handshake;
        let corpus = if gate.newer { format!(", corpus {}", of.plan.corpus.version) } else { String::new() };
        format!("{}{corpus}", format!("{} {}", handshake.name, handshake.version).trim_end())
    };
    let (before, now) = (name(gate.base), name(gate.head));
    escaped(&if before == now { now } else { format!("{before} → {now}") })
}

/// A case in full, without styles.
pub(super) fn plain(gate: &Gate<'_>, case: &CaseChange<'_>) -> String {
    let text: Vec<String> = case_lines(gate, case).iter().map(|line| line.trim_end().to_owned()).collect();
    anstream::adapter::strip_str(&text.join("\n")).to_string()
}

fn case_lines(gate: &Gate<'_>, case: &CaseChange<'_>) -> Vec<String> {
    let Some(first) = case.tests.first() else { return Vec::new() };
    let mut lines = vec![head(first)];
    if let Recorded::Result(record) = first.now {
        lines.push(format!("  {}", message(record)));
        if let Some(detail) = &record.detail {
            lines.push(format!("  rule: {}", escaped(&detail.rule)));
            lines.push(format!("  case: {}", escaped(&detail.place)));
        }
    }
    lines.extend(diff(first));
    if first.kind != ChangeKind::Lost {
        lines.push(format!("  again: {}", escaped(&repeat(&gate.head.plan, first.test))));
    }
    if case.tests.len() > 1 {
        let more: Vec<String> = case.tests[1..].iter().take(8).map(|test| tail(test.test, case.id)).collect();
        let left = case.tests.len() - 1 - more.len();
        let left = if left > 0 { format!(" and {left} more") } else { String::new() };
        lines.push(format!("  {FAINT}with it: {}{left}{FAINT:#}", more.join(" ")));
    }
    lines
}

/// The first line of a change: `broken  godot-3/vector2/…:encode  pass → fail/wrong-bytes`.
fn head(change: &TestChange<'_>) -> String {
    let style = match change.kind {
        _ if change.gates => RED,
        ChangeKind::Fixed => GREEN,
        ChangeKind::Broken | ChangeKind::Lost | ChangeKind::Changed | ChangeKind::Added => AMBER,
    };
    let (before, now) = (word(change.before), word(change.now));
    let verdict = if before == now { format!("{now}, with another reply") } else { format!("{before} → {now}") };
    format!("{style}{}{style:#}  {BOLD}{}{BOLD:#}  {verdict}", change.kind.name(), escaped(change.test))
}

/// The listings before and now, as a diff.
fn diff(change: &TestChange<'_>) -> Vec<String> {
    let (before, now) = (lines(change.before, change.now), lines(change.now, change.before));
    if before.is_empty() && now.is_empty() {
        return Vec::new();
    }
    let (old, new) = (strs(&before), strs(&now));
    let mut text = vec![format!("  {RED}- before{RED:#}  {GREEN}+ now{GREEN:#}")];
    let diff = TextDiff::from_slices(&old, &new);
    for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if index > 0 {
            text.push(format!("  {FAINT}  …{FAINT:#}"));
        }
        text.extend(group.iter().flat_map(|op| diff.iter_changes(op)).map(|change| change_line(&change)));
    }
    if text.len() > LINES {
        let more = text.len() - LINES;
        text.truncate(LINES);
        text.push(format!("  … {more} more lines: both records have them"));
    }
    text
}

/// The rest of a test's id, after the id of its case.
fn tail(test: &str, case: &str) -> String {
    escaped(test.strip_prefix(case).unwrap_or(test))
}
