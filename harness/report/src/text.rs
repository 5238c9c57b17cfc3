//! The report that a terminal shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use anstyle::{AnsiColor, Style};
use indexmap::IndexMap;
use similar::{Change, ChangeTag, TextDiff};

use super::repeat::repeat;
use variant_corpus::FRAMING;
use variant_corpus::verdict::{Severity, Verdict, spelled};
use variant_runner::results::{DialectPlan, Plan, Refused, TestResult};
use variant_runner::status::{CellStatus, severity};
use variant_runner::summary::{Cell, Counts, Ids, OF_ALL, Summary, parts};
use variant_wire::sanitize::{counted, line as escaped, short};

/// How much of a record the report shows.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// At most this many findings are shown in full.
    pub full: usize,
    /// At most this many lines name further findings.
    pub named: usize,
    /// At most this many lines of each diff are shown.
    pub lines: usize,
}

impl Default for Extent {
    fn default() -> Self {
        Self { full: 10, named: 40, lines: 60 }
    }
}

/// At most this many findings of one type, operation, verdict and reason are shown in full.
const MOST_OF_A_KIND: usize = 2;

pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const AMBER: Style = AnsiColor::Yellow.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();

/// The report, with ANSI styles: strip them if the output has no colours.
pub fn render(summary: &Summary<'_>, extent: Extent) -> String {
    let mut page = Page { text: String::new(), summary, extent };
    let plan = summary.plan;
    page.head(plan);
    for dialect in plan.dialects.iter().filter(|dialect| summary.touches(&dialect.name)) {
        page.dialect(dialect);
    }
    page.findings(plan);
    page.totals(plan);
    page.text
}

/// One finding in full, without styles.
pub fn finding(plan: &Plan, finding: &TestResult) -> String {
    let mut text = String::new();
    Lines { text: &mut text, most: Extent::default().lines }.finding(finding, plan);
    anstream::adapter::strip_str(text.trim_start()).to_string()
}

struct Page<'a> {
    text: String,
    summary: &'a Summary<'a>,
    extent: Extent,
}

/// Findings, line by line.
struct Lines<'a> {
    text: &'a mut String,
    /// At most this many lines of each diff are written.
    most: usize,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn head(&mut self, plan: &Plan) {
        let handshake = &plan.handshake;
        let language =
            if handshake.language.is_empty() { String::new() } else { format!(" ({})", escaped(&handshake.language)) };
        self.line(&format!("{BOLD}{} {}{BOLD:#}{language}", escaped(&handshake.name), escaped(&handshake.version)));
        let digest = escaped(&plan.corpus.digest.chars().take(19).collect::<String>());
        self.line(&format!(
            "{FAINT}conform {}, corpus{} {digest}, reading {}{FAINT:#}",
            escaped(&plan.conform),
            escaped(&plan.corpus.spaced_version()),
            escaped(&plan.reading)
        ));
    }

    fn dialect(&mut self, dialect: &DialectPlan) {
        self.line("");
        self.line(&format!(
            "{BOLD}{:<24}{:>13}{:>13}{:>21}{BOLD:#}",
            escaped(&dialect.name),
            "decode",
            "encode",
            "derived"
        ));
        // If only a selection was run, only the types that it has tests for.
        let selected = self.summary.plan.selection.only.is_some();
        for (id, layout) in dialect.types.iter().enumerate() {
            let decode = self.summary.cell(&dialect.name, layout, "decode");
            let encode = self.summary.cell(&dialect.name, layout, "encode");
            if selected && [decode.mark(true), encode.mark(false)] == [CellStatus::None; 2] {
                continue;
            }
            self.row(&format!("{id:>3} {:<20}", escaped(layout)), decode, encode);
        }
        for (layout, name) in OF_ALL {
            let decode = self.summary.cell(&dialect.name, layout, "decode");
            if decode.judged.authored + decode.not_claimed > 0 {
                let encode = self.summary.cell(&dialect.name, layout, "encode");
                let encode = if layout == FRAMING { encode } else { Cell::default() };
                self.row(&format!("{:>3} {name:<20}", ""), decode, encode);
            }
        }
        let Ids { all, tested, supported, both } = self.summary.ids_of(dialect);
        let types = if tested == all { "types" } else { "tested types" };
        let one_way =
            if supported > both { format!("; {supported} pass every direction they support") } else { String::new() };
        self.line(&format!("{:>3} {both} of {tested} {types} pass both ways{one_way}", ""));
    }

    fn row(&mut self, name: &str, decode: Cell, encode: Cell) {
        let judged = decode.judged.derived + encode.judged.derived;
        let passed = decode.passed.derived + encode.passed.derived;
        let (word, style) = if decode.red.derived + encode.red.derived > 0 { ("FAIL ", RED) } else { ("", FAINT) };
        let derived = if judged == 0 { "-".to_owned() } else { format!("{word}{passed}/{judged}") };
        self.line(&format!("{name}{}{}{style}{derived:>21}{style:#}", cell(decode, true), cell(encode, false)));
    }

    fn findings(&mut self, plan: &Plan) {
        let findings = &self.summary.findings;
        let (expected, unexpected): (Vec<&TestResult>, Vec<&TestResult>) =
            findings.iter().copied().partition(|finding| finding.expected_failure);
        let mut unexpected = unexpected;
        unexpected.sort_by_key(|finding| rank(finding));
        let (full, rest) = first_of_each_kind(&unexpected, self.extent);
        for finding in &full {
            Lines { text: &mut self.text, most: self.extent.lines }.finding(finding, plan);
        }
        if !rest.is_empty() {
            self.line("");
            self.line(&format!(
                "{BOLD}{} more{BOLD:#}, each in full with `conform report --full` and the record",
                rest.len()
            ));
        }
        let lines = folded(&rest);
        for line in lines.iter().take(self.extent.named) {
            self.line(&format!("  {line}"));
        }
        if lines.len() > self.extent.named {
            self.line(&format!("  … and {} lines like these", lines.len() - self.extent.named));
        }
        if !expected.is_empty() {
            self.line("");
            self.line(&format!("{} expected failures, as listed", expected.len()));
        }
        self.open();
        self.refused();
        for sentence in &self.summary.end.stale {
            self.line(&format!("{RED}no longer true{RED:#}: {}", escaped(sentence)));
        }
    }

    /// Open tests, for which no source says what is right, each with the engines that reply the same.
    fn open(&mut self) {
        let authored: Vec<_> = self.summary.open.iter().filter(|record| !record.is_derived()).collect();
        if authored.is_empty() {
            return;
        }
        self.line("");
        self.line(&format!("{}, which cannot fail", counted(authored.len(), "open test")));
        for record in authored.iter().take(self.extent.named) {
            let like = like(record).unwrap_or_default();
            self.line(&format!("  {FAINT}{}  {like}{FAINT:#}", escaped(&record.test)));
        }
        if authored.len() > self.extent.named {
            self.line(&format!("  … and {} more, with `conform report --full`", authored.len() - self.extent.named));
        }
    }

    /// The implementation's reasons for refusals, beside ours. The two need not agree: any refusal passes.
    fn refused(&mut self) {
        let refused = &self.summary.refused;
        if refused.is_empty() {
            return;
        }
        self.line("");
        if self.extent.full < usize::MAX {
            self.line(&format!(
                "reasons given for refusals: {}; with `conform report --full`, beside ours",
                refused.len()
            ));
            return;
        }
        self.line(&format!("reasons given for refusals, which need not be ours: {}", refused.len()));
        for record in refused {
            let Some(Refused { ours, theirs }) = &record.refusal else { continue };
            self.line(&format!(
                "  {FAINT}{}{FAINT:#}  {}; reported: {}",
                escaped(&record.test),
                escaped(ours),
                short(theirs, 160)
            ));
        }
    }

    fn totals(&mut self, plan: &Plan) {
        let summary = self.summary;
        self.line("");
        self.line(&format!("{} as written", counted(plan.texts, "case")));
        let mut total = |name: &str, of: fn(&Counts) -> usize| {
            let given = summary.verdicts.iter().filter(|(_, counts)| of(counts) > 0);
            let words: Vec<_> = given.map(|(verdict, counts)| format!("{} {}", of(counts), verdict.name())).collect();
            let all: usize = summary.verdicts.values().map(of).sum();
            self.line(&format!("{all:>7} {name:<15} {}", words.join(", ")));
        };
        total("authored tests:", |counts| counts.authored);
        total("derived tests:", |counts| counts.derived);
        if summary.length_not_told > 0 {
            self.line(&format!(
                "consumed length not reported in {} replies, and not judged there",
                summary.length_not_told
            ));
        }
        if !summary.end.complete {
            let why = summary.incomplete.as_deref().unwrap_or("not every test ran");
            self.line(&format!("{RED}incomplete{RED:#}: {why}"));
        }
        let (red, amber) = (summary.red(), summary.amber());
        let stale = summary.end.stale.len();
        let style = if red + stale > 0 { RED } else { GREEN };
        let claims = if stale > 0 { format!(", {stale} claims no longer true") } else { String::new() };
        self.line(&format!("{style}{red} red{style:#}, {amber} amber{claims}"));
    }
}

impl Lines<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn finding(&mut self, finding: &TestResult, plan: &Plan) {
        self.line("");
        self.line(&format!("{}  {BOLD}{}{BOLD:#}", painted(finding), escaped(&finding.test)));
        let Some(detail) = &finding.detail else { return };
        if let (Some(at), Some(field)) = (finding.at, &finding.field) {
            self.line(&format!("  first differs at byte {at}, {}", escaped(field)));
        } else if let Some(field) = &finding.field {
            self.line(&format!("  first differs in {}", escaped(field)));
        } else if let Some(at) = finding.at {
            self.line(&format!("  first differs at byte {at}"));
        }
        if !detail.note.is_empty() {
            self.line(&format!("  {}", escaped(&detail.note)));
        }
        self.line(&format!("  rule: {}", escaped(&detail.rule)));
        if let Some(like) = like(finding) {
            self.line(&format!("  replies {like}"));
        }
        self.line(&format!("  case: {}", escaped(&detail.place)));
        self.line(&format!("  sent: {}", short(&detail.sent, 160)));
        self.diff(&detail.expected.lines(), &detail.actual.lines());
        for said in detail.noise.lines().take(8) {
            self.line(&format!("  {FAINT}output: {}{FAINT:#}", escaped(said)));
        }
        self.line(&format!("  again: {}", escaped(&repeat(plan, &finding.test))));
    }

    fn diff(&mut self, expected: &[String], actual: &[String]) {
        self.line(&format!("  {RED}- expected{RED:#}  {GREEN}+ actual{GREEN:#}"));
        let (expected, actual) = (strs(expected), strs(actual));
        let diff = TextDiff::from_slices(&expected, &actual);
        let changes: Vec<_> = diff.iter_all_changes().collect();
        // Up to half of the lines are kept for the reply, however long the expectation is.
        let is_actual = |tag| tag == ChangeTag::Insert;
        let actual = changes.iter().filter(|change| is_actual(change.tag())).count();
        let mut room = [self.most.saturating_sub(actual.min(self.most / 2)), self.most / 2];
        let fits = |change: &&Change<&str>| {
            let room = &mut room[usize::from(is_actual(change.tag()))];
            let fits = *room > 0;
            *room = room.saturating_sub(1);
            fits
        };
        let shown: Vec<_> = changes.iter().filter(fits).collect();
        for change in &shown {
            self.line(&change_line(change));
        }
        if changes.len() > shown.len() {
            let more = changes.len() - shown.len();
            self.line(&format!("  … {more} more lines, with `conform report --full` and the record"));
        }
    }
}

/// A line of a diff: `- expected`, `+ actual`.
pub(crate) fn change_line(change: &Change<&str>) -> String {
    let (sign, style) = match change.tag() {
        ChangeTag::Delete => ('-', RED),
        ChangeTag::Insert => ('+', GREEN),
        ChangeTag::Equal => (' ', FAINT),
    };
    format!("  {style}{sign} {}{style:#}", escaped(change.value()))
}

pub(crate) fn strs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// The engines that reply the same to an `open` or `readable` case; `None` if no engine's reply was recorded.
fn like(record: &TestResult) -> Option<String> {
    let like = record.like.as_ref()?;
    Some(if like.is_empty() {
        "like no known engine".to_owned()
    } else {
        format!("like {}", short(&like.join(", "), 160))
    })
}

/// The findings to show in full, and the rest. Types take turns, and few findings of one operation and kind are shown,
/// so that different faults are seen side by side.
fn first_of_each_kind<'a>(findings: &[&'a TestResult], extent: Extent) -> (Vec<&'a TestResult>, Vec<&'a TestResult>) {
    if extent.full == usize::MAX {
        return (findings.to_vec(), Vec::new());
    }
    let (mut kinds, mut layouts) = (BTreeMap::new(), BTreeMap::new());
    let mut candidates = Vec::new();
    for (place, finding) in findings.iter().enumerate() {
        let (_, layout, op) = parts(&finding.test);
        let of_kind: &mut usize = kinds.entry((layout, op, finding.verdict, finding.reason)).or_default();
        *of_kind += 1;
        if *of_kind <= MOST_OF_A_KIND {
            let turn: &mut usize = layouts.entry((*of_kind, layout)).or_default();
            *turn += 1;
            candidates.push((rank(finding), *of_kind, *turn, place));
        }
    }
    candidates.sort_unstable();
    let shown: BTreeSet<usize> = candidates.into_iter().take(extent.full).map(|(.., place)| place).collect();
    let (full, rest): (Vec<_>, Vec<_>) = findings.iter().enumerate().partition(|(place, _)| shown.contains(place));
    let findings = |of: Vec<(usize, &&'a TestResult)>| of.into_iter().map(|(_, finding)| *finding).collect();
    (findings(full), findings(rest))
}

/// The sort key: a missing reply before a wrong one, authored before derived, red before amber.
fn rank(finding: &TestResult) -> (bool, bool, Reverse<Severity>) {
    let is_reply = !matches!(finding.verdict, Verdict::Crashed | Verdict::TimedOut | Verdict::Garbled);
    (is_reply, finding.is_derived(), Reverse(severity(finding)))
}

/// One line for each case, operation and kind. It also names or counts the failures derived from the case.
fn folded(findings: &[&TestResult]) -> Vec<String> {
    let mut lines: IndexMap<String, Vec<&str>> = IndexMap::new();
    for finding in findings {
        let (case, rule) =
            finding.test.split_once('~').unwrap_or((finding.test.rsplit_once(':').map_or("", |(case, _)| case), ""));
        let op = parts(&finding.test).2;
        let erratum =
            finding.erratum.as_ref().map(|erratum| format!("  erratum {}", escaped(erratum))).unwrap_or_default();
        let head = format!("{}  {}:{op}{erratum}", painted(finding), escaped(case));
        lines.entry(head).or_default().push(rule);
    }
    let line = |(head, rules): (String, Vec<&str>)| {
        let derived: Vec<&str> = rules.into_iter().filter(|rule| !rule.is_empty()).collect();
        let names: Vec<String> = derived
            .iter()
            .take(3)
            .map(|rule| format!("~{}", escaped(rule.rsplit_once(':').map_or(*rule, |(rule, _)| rule))))
            .collect();
        let more = derived.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{head}  {}{more}", names.join(" ")).trim_end().to_owned()
    };
    lines.into_iter().map(line).collect()
}

/// A cell of the grid: a word, and how many of the judged tests passed.
fn cell(cell: Cell, decode: bool) -> String {
    let mark = cell.mark(decode);
    let word = mark.word();
    let style = match mark {
        CellStatus::Ok => GREEN,
        CellStatus::Part | CellStatus::Known | CellStatus::Within => AMBER,
        CellStatus::Fail | CellStatus::NotRun => RED,
        CellStatus::Unclaimed | CellStatus::Open | CellStatus::None => FAINT,
    };
    let text = format!("{word} {}", cell.counts());
    format!("{style}{:>13}{style:#}", text.trim_end())
}

fn painted(finding: &TestResult) -> String {
    let style = if severity(finding) == Severity::Red { RED } else { AMBER };
    format!("{style}{}{style:#}", spelled(finding.verdict, finding.reason))
}
