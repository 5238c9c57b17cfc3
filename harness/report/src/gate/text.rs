//! What changed, for a terminal.

use anstyle::Style;
use similar::TextDiff;

use super::change::{result, side};
use super::{ChangeGroup, ChangeKind, Gate, TestChange};
use crate::repeat::{again, repeat};
use crate::text::{AMBER, BOLD, FAINT, GREEN, RED, change_line, message, strs, style_of};
use variant_corpus::BUILT_IN;
use variant_corpus::verdict::Severity;
use variant_runner::record::{RunRecord, TestRecord};
use variant_runner::results::{DetailSide, RecordedReply};
use variant_runner::status::severity;
use variant_values::sanitize::{counted, line as escaped, short};

/// At most this many causes are shown with a test in full, and this many more named.
const FULL: usize = 20;
const NAMED: usize = 200;
/// At most this many other tests of a cause are named.
const WITH: usize = 5;
/// At most this many lines of a diff.
const LINES: usize = 60;
/// This many equal lines are shown before and after one that differs.
const AROUND: usize = 3;
/// At most this many characters of a reply, and this many of them before the first that differs.
const REPLY: usize = 100;
const BEFORE: usize = 30;

/// The changes as text with ANSI styles; if nothing changed, how many tests were compared.
pub fn render(gate: &Gate<'_>) -> String {
    if gate.is_silent() {
        return format!("{BOLD}{}{BOLD:#}: {GREEN}{}{GREEN:#}\n", between(gate), gate.headline());
    }
    let groups = gate.groups();
    let style = style_of(gate.mark());
    let mut lines = vec![format!("{BOLD}{}{BOLD:#}: {style}{}{style:#}", between(gate), gate.headline())];
    lines.extend(gate.abilities());
    lines.extend(gate.incomplete.iter().map(|why| format!("{RED}incomplete{RED:#}: {why}")));
    for group in groups.iter().take(FULL) {
        lines.push(String::new());
        lines.push(heading(group));
        lines.push(format!("  {}", escaped(&group.extent)));
        lines.extend(sample(gate, group));
    }
    let rest = groups.iter().skip(FULL);
    if rest.len() > 0 {
        lines.push(String::new());
    }
    lines.extend(rest.clone().take(NAMED).map(heading));
    if rest.len() > NAMED {
        lines.push(format!("… and {} more causes", rest.len() - NAMED));
    }
    lines.extend(gate.stale.iter().map(|claim| format!("{RED}no longer true{RED:#}: {}", escaped(claim))));
    lines.extend(gate.advice().map(|advice| format!("\n{advice}")));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The two records that are compared: name and version of each, and the version of its corpus if that differs.
pub(super) fn between(gate: &Gate<'_>) -> String {
    let name = |of: &RunRecord| {
        let handshake = &of.plan.handshake;
        // Version and the beginning of the digest.
        let named: String = of.plan.corpus.named().chars().take(28).collect();
        let corpus = if gate.other_corpus { format!(", corpus {named}") } else { String::new() };
        format!("{}{corpus}", format!("{} {}", handshake.name, handshake.version).trim_end())
    };
    let (before, now) = (name(gate.base), name(gate.head));
    escaped(&if before == now { now } else { format!("{before} → {now}") })
}

/// What changed and why, in a line: `broken  string: the length of a text counts characters, when written`.
fn heading(group: &ChangeGroup<'_>) -> String {
    let style = style_of(group.mark());
    format!("{style}{}{style:#}  {BOLD}{}{BOLD:#}", group.kind, escaped(&group.headline))
}

/// The simplest of its tests in full, without styles.
pub(super) fn plain(gate: &Gate<'_>, group: &ChangeGroup<'_>) -> String {
    let text: Vec<String> = sample(gate, group).iter().map(|line| line.trim_end().to_owned()).collect();
    anstream::adapter::strip_str(&text.join("\n")).to_string()
}

fn sample(gate: &Gate<'_>, group: &ChangeGroup<'_>) -> Vec<String> {
    let ChangeGroup { sample: first, others, .. } = group;
    let mut lines = vec![format!("  {BOLD}{}{BOLD:#}  {}", escaped(first.test), first.verdicts())];
    // Of what is right now there is nothing to say.
    if let Some(record) = result(first.now).filter(|record| severity(record) > Severity::Right) {
        lines.push(format!("  {}", message(record)));
        if let Some(detail) = &record.detail {
            // Of what is built in there is no file to look into.
            let given = [("rule", &detail.rule), ("case", &detail.place)];
            let given = given.into_iter().filter(|(_, text)| !text.is_empty() && !text.starts_with(BUILT_IN));
            lines.extend(given.map(|(name, text)| format!("  {name}: {}", escaped(text))));
        }
    }
    lines.extend(diff(first));
    if first.kind != ChangeKind::Lost {
        let plan = &gate.head.plan;
        let again = result(first.now).map_or_else(|| repeat(plan, first.test), |now| again(plan, now));
        lines.push(format!("  again: {}", escaped(&again)));
    }
    if !others.is_empty() {
        let more: Vec<String> = others.iter().take(WITH).map(|change| escaped(change.test)).collect();
        let left = others.len() - more.len();
        let left = if left > 0 { format!(" and {left} more") } else { String::new() };
        lines.push(format!("  {FAINT}with it: {}{left}{FAINT:#}", more.join(" ")));
    }
    lines
}

/// The listings before and now, as a diff. If they are the same, as where a long one is cut, what else differs.
fn diff(change: &TestChange<'_>) -> Vec<String> {
    let none = DetailSide::default();
    let sides = [side(change.before, change.now), side(change.now, change.before)];
    let [before, now] = DetailSide::aligned(sides.map(|side| side.unwrap_or(&none)));
    if before == now {
        return remarks(change);
    }
    let (old, new) = (strs(&before), strs(&now));
    let mut text = vec![format!("  {FAINT}- before{FAINT:#}  {AMBER}+ now{AMBER:#}")];
    let diff = TextDiff::from_slices(&old, &new);
    for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if index > 0 {
            text.push(format!("  {FAINT}  …{FAINT:#}"));
        }
        text.extend(
            group.iter().flat_map(|op| diff.iter_changes(op)).map(|change| change_line(&change, [FAINT, AMBER])),
        );
    }
    if text.len() > LINES {
        let more = text.len() - LINES;
        text.truncate(LINES);
        text.push(format!("  … {} in both records", counted(more, "more line")));
    }
    text
}

/// The first of these that differs, from a little before the difference: the note, the reply, the declared losses.
fn remarks(change: &TestChange<'_>) -> Vec<String> {
    let (before, now) = (remarks_of(change.before), remarks_of(change.now));
    let Some((before, now)) = before.iter().zip(&now).find(|(before, now)| before != now) else { return Vec::new() };
    let same = before.chars().zip(now.chars()).take_while(|(before, now)| before == now).count();
    let from = same.saturating_sub(BEFORE);
    let line = |style: Style, sign: char, text: &str| {
        let cut = if from > 0 { "…" } else { "" };
        let shown: String = text.chars().skip(from).collect();
        (!text.is_empty()).then(|| format!("  {style}{sign}{style:#} {cut}{}", short(&shown, REPLY)))
    };
    [line(FAINT, '-', before), line(AMBER, '+', now)].into_iter().flatten().collect()
}

fn remarks_of(recorded: TestRecord<'_>) -> [String; 3] {
    let Some(record) = result(recorded) else { return Default::default() };
    let note = record.detail.as_ref().map_or_else(String::new, |detail| detail.note.clone());
    let reply = record.reply.as_ref().map(RecordedReply::text).or_else(|| record.answer.clone());
    let losses: Vec<&str> = record.losses.iter().map(|loss| loss.name()).collect();
    let losses = if losses.is_empty() { String::new() } else { format!("declared loss: {}", losses.join(", ")) };
    [note, reply.unwrap_or_default(), losses]
}
