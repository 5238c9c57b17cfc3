//! One finding, line by line: what was sent, the rule, expected and actual.

use anstyle::Style;
use similar::{Change, ChangeTag, TextDiff};

use super::style::{AMBER, BOLD, FAINT, GREEN, RED};
use crate::repeat::again;
use variant_corpus::BUILT_IN;
use variant_corpus::verdict::Severity;
use variant_runner::results::{Detail, DetailSide, Plan, TestResult};
use variant_runner::status::severity;
use variant_values::sanitize::{counted, line as escaped, short};

/// Characters of a line of a diff.
const LONG: usize = 240;

/// Characters of a packet.
const SENT: usize = 160;

/// Lines of the diff of what has one line for a reply.
const UNREAD: usize = 8;

/// So many lines that both have stand before and behind those that differ.
const AROUND: usize = 3;

pub(super) struct FindingLines {
    pub(super) text: String,
    /// At most this many lines of each diff are written.
    most: usize,
}

/// What is wrong, in one line.
pub(crate) fn message(finding: &TestResult) -> String {
    let mut message = finding.verdict.means().to_owned();
    if let Some(detail) = finding.detail.as_ref().filter(|detail| !detail.note.is_empty()) {
        message = short(&detail.note, 300);
    } else if let Some(field) = &finding.field {
        let at = finding.at.map(|at| format!(" at byte {at}")).unwrap_or_default();
        message = format!("first differs{at}, {}", short(field, 100));
    }
    match &finding.erratum {
        Some(erratum) => format!("{message} (documentation error {})", escaped(erratum)),
        None => message,
    }
}

/// The file and line of the case, if the reader has it: those of the program are in no folder.
fn place(detail: &Detail) -> Option<String> {
    let is_there = !detail.place.is_empty() && !detail.place.starts_with(BUILT_IN);
    is_there.then(|| escaped(&detail.place))
}

impl FindingLines {
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), most }
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    pub(super) fn finding(&mut self, finding: &TestResult, plan: &Plan) {
        self.line(&format!("{}  {BOLD}{}{BOLD:#}", painted(finding), escaped(&finding.test)));
        let Some(detail) = &finding.detail else { return };
        match (finding.at, &finding.field) {
            (Some(at), Some(field)) => self.line(&format!("  first differs at byte {at}, {}", escaped(field))),
            (None, Some(field)) => self.line(&format!("  first differs in {}", escaped(field))),
            (Some(at), None) => self.line(&format!("  first differs at byte {at}")),
            (None, None) => {}
        }
        if !detail.note.is_empty() {
            self.line(&format!("  {}", escaped(&detail.note)));
        }
        self.line(&format!("  rule: {}", escaped(&detail.rule)));
        // In an overview, the words are enough.
        if let Some(address) = detail.document.as_ref().filter(|_| self.most == usize::MAX) {
            self.line(&format!("  document: {}", escaped(address)));
        }
        if let Some(like) = like(finding) {
            self.line(&format!("  replies {like}"));
        }
        if let Some(place) = place(detail) {
            self.line(&format!("  case: {place}"));
        }
        let objects = if detail.objects { ", with objects allowed" } else { "" };
        self.line(&format!("  sent{objects}: {}", short(&detail.sent, SENT)));
        self.diff(detail);
        for said in detail.noise.lines().take(8) {
            self.line(&format!("  {FAINT}output: {}{FAINT:#}", escaped(&short(said, SENT))));
        }
        self.line(&format!("  again: {}", escaped(&again(plan, finding))));
    }

    /// A finding in one line: the verdict, the test, where it differs first.
    pub(super) fn in_one_line(&mut self, finding: &TestResult) {
        let at = finding.at.map(|at| format!(" at byte {at}")).unwrap_or_default();
        let field = finding.field.as_ref().map(|field| format!(" in {}", escaped(field))).unwrap_or_default();
        self.line(&format!("  {}  {}{FAINT}{at}{field}{FAINT:#}", painted(finding), escaped(&finding.test)));
    }

    fn diff(&mut self, detail: &Detail) {
        self.line(&format!("  {GREEN}- expected{GREEN:#}  {RED}+ actual{RED:#}"));
        let [expected, actual] = DetailSide::aligned([&detail.expected, &detail.actual]);
        let (expected, actual) = (strs(&expected), strs(&actual));
        let diff = TextDiff::from_slices(&expected, &actual);
        let changes: Vec<_> = diff.iter_all_changes().collect();
        // Up to half of the lines are kept for the reply, however long the expectation is.
        let is_actual = |tag| tag == ChangeTag::Insert;
        let actual = changes.iter().filter(|change| is_actual(change.tag())).count();
        // Of a value that was not read or written at all, the first lines say enough.
        let is_unread = actual == 1 && changes.iter().all(|change| change.tag() != ChangeTag::Equal);
        let most = if is_unread { self.most.min(UNREAD) } else { self.most };
        let mut room = [most.saturating_sub(actual.min(most / 2)), most / 2];
        let mut fits = |change: &Change<&str>| {
            let room = &mut room[usize::from(is_actual(change.tag()))];
            let fits = *room > 0;
            *room = room.saturating_sub(1);
            fits
        };
        // Of many lines, those around what differs.
        let groups = if changes.len() > most { diff.grouped_ops(AROUND) } else { vec![diff.ops().to_vec()] };
        let mut shown = 0;
        for (place, group) in groups.iter().enumerate() {
            let group: Vec<_> = group.iter().flat_map(|op| diff.iter_changes(op)).filter(&mut fits).collect();
            if place > 0 && !group.is_empty() {
                self.line("  …");
            }
            for change in &group {
                self.line(&change_line(change, [GREEN, RED]));
            }
            shown += group.len();
        }
        if changes.len() > shown {
            let more = changes.len() - shown;
            self.line(&format!("  … {}; the page of the run shows them all", counted(more, "more line")));
        }
    }
}

/// A line of a diff, with the styles of `- expected` and `+ actual`: what is wrong is not green.
pub(crate) fn change_line(change: &Change<&str>, [left, right]: [Style; 2]) -> String {
    let (sign, style) = match change.tag() {
        ChangeTag::Delete => ('-', left),
        ChangeTag::Insert => ('+', right),
        ChangeTag::Equal => (' ', FAINT),
    };
    format!("  {style}{sign} {}{style:#}", short(change.value(), LONG))
}

pub(crate) fn strs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// The engines that reply the same to an undecided or readable case; `None` if none does.
pub(super) fn like(record: &TestResult) -> Option<String> {
    let like = record.like.as_ref().filter(|like| !like.is_empty())?;
    Some(format!("like {}", short(&like.join(", "), 160)))
}

fn painted(finding: &TestResult) -> String {
    let style = if severity(finding) == Severity::Failure { RED } else { AMBER };
    format!("{style}{}{style:#}", finding.verdict)
}
