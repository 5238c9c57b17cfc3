//! The report that a terminal shows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};
use indexmap::IndexMap;
use similar::{Change, ChangeTag, TextDiff};

use super::groups::{Group, groups};
use super::repeat::repeat;
use variant_corpus::verdict::{Severity, spelled};
use variant_runner::results::{DialectPlan, Plan, Refused, TestResult};
use variant_runner::status::{CellStatus, severity};
use variant_runner::summary::{Cell, Counts, OF_ALL, Summary, parts};
use variant_wire::sanitize::{counted, line as escaped, short};

/// How much of a record the report shows.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// At most this many lines; `usize::MAX` for everything.
    pub lines: usize,
}

impl Extent {
    /// Everything.
    pub const FULL: Self = Self { lines: usize::MAX };

    fn is_full(self) -> bool {
        self.lines == usize::MAX
    }
}

impl Default for Extent {
    fn default() -> Self {
        Self { lines: 120 }
    }
}

/// Lines of a diff that are shown where a finding stands alone.
const DIFF: usize = 60;
/// Lines of a diff that are shown of a cause.
const DIFF_OF_CAUSE: usize = 18;
/// Characters of a line.
const WIDTH: usize = 150;
/// Findings, open tests and the like are named in at most this many lines each.
const NAMED: usize = 12;

pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const AMBER: Style = AnsiColor::Yellow.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();

/// The report, with ANSI styles: strip them if the output has no colours.
pub fn render(summary: &Summary<'_>, extent: Extent) -> String {
    if let Some(test) = alone(summary) {
        return one_test(summary, test);
    }
    let page = Page { summary, extent };
    let (head, tail) = (page.head(), [page.known(), page.open(), page.refused(), page.totals()].concat());
    let groups = groups(summary);
    let unexpected: Vec<&Group<'_>> = groups.iter().filter(|group| !group.known).collect();
    let least = head.len() + tail.len() + unexpected.len().min(40) + 24;
    let tables = page.tables(extent.lines.saturating_sub(least));
    let left = extent.lines.saturating_sub(head.len() + tables.len() + tail.len());
    let lines = [head, tables, page.causes(&unexpected, left), tail].concat();
    lines.iter().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// The only test of a run, where exactly one was chosen.
fn alone<'a>(summary: &Summary<'a>) -> Option<&'a TestResult> {
    let chosen = summary.plan.selection.only.as_deref()?;
    let all = [&summary.findings, &summary.open, &summary.passed];
    all.into_iter().flatten().copied().find(|test| test.test == chosen)
}

/// What became of one test.
fn one_test(summary: &Summary<'_>, test: &TestResult) -> String {
    let mut text = String::new();
    let mut lines = Lines { text: &mut text, most: DIFF };
    let name = escaped(&test.test);
    match severity(test) {
        Severity::Green => lines.line(&format!("{GREEN}passed{GREEN:#}  {BOLD}{name}{BOLD:#}")),
        Severity::Neutral => lines.line(&format!("{}  {BOLD}{name}{BOLD:#}", spelled(test.verdict, test.reason))),
        Severity::Amber | Severity::Red => lines.finding(test, summary.plan),
    }
    for other in summary.findings.iter().filter(|other| other.test != test.test) {
        lines.finding(other, summary.plan);
    }
    if let Some(why) = summary.incomplete.as_deref().filter(|_| !summary.end.complete) {
        lines.line(&format!("{RED}incomplete{RED:#}: {why}"));
    }
    for sentence in &summary.end.stale {
        lines.line(&format!("{RED}no longer true{RED:#}: {}", escaped(sentence)));
    }
    text.trim_start().to_owned()
}

/// One finding in full, without styles.
pub fn finding(plan: &Plan, finding: &TestResult) -> String {
    let mut text = String::new();
    Lines { text: &mut text, most: DIFF }.finding(finding, plan);
    anstream::adapter::strip_str(text.trim_start()).to_string()
}

struct Page<'a> {
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
    fn head(&self) -> Vec<String> {
        let plan = self.summary.plan;
        let handshake = &plan.handshake;
        let language =
            if handshake.language.is_empty() { String::new() } else { format!(" ({})", escaped(&handshake.language)) };
        let digest = escaped(&plan.corpus.digest.chars().take(19).collect::<String>());
        vec![
            format!("{BOLD}{} {}{BOLD:#}{language}", escaped(&handshake.name), escaped(&handshake.version)),
            format!(
                "{FAINT}conform {}, corpus{} {digest}, reading {}{FAINT:#}",
                escaped(&plan.conform),
                escaped(&plan.corpus.spaced_version()),
                escaped(&plan.reading)
            ),
        ]
    }

    /// A table for each dialect, in at most so many lines: types that have the same status share a line if they must.
    fn tables(&self, most: usize) -> Vec<String> {
        let dialects: Vec<&DialectPlan> =
            self.summary.plan.dialects.iter().filter(|dialect| self.summary.touches(&dialect.name)).collect();
        let of_form = |form: TableForm| -> Vec<String> {
            dialects.iter().flat_map(|dialect| self.dialect(dialect, form)).collect()
        };
        let forms = [TableForm::Each, TableForm::Folded, TableForm::Words];
        let last = forms.len() - 1;
        let fits = forms[..last].iter().map(|form| of_form(*form)).find(|lines| lines.len() <= most);
        fits.unwrap_or_else(|| of_form(forms[last]))
    }

    fn dialect(&self, dialect: &DialectPlan, form: TableForm) -> Vec<String> {
        let mut lines = vec![
            String::new(),
            format!("{BOLD}{:<24}{:>13}{:>13}{:>21}{BOLD:#}", escaped(&dialect.name), "decode", "encode", "derived"),
        ];
        // If only a selection was run, only the types that it has tests for.
        let selected = self.summary.plan.selection.only.is_some();
        let mut rows: Vec<(String, &str, Cell, Cell)> = Vec::new();
        for (id, layout) in dialect.types.iter().enumerate() {
            let decode = self.summary.cell(&dialect.name, layout, "decode");
            let encode = self.summary.cell(&dialect.name, layout, "encode");
            if !selected || [decode.mark(true), encode.mark(false)] != [CellStatus::None; 2] {
                rows.push((format!("{id:>3} {:<20}", escaped(layout)), layout, decode, encode));
            }
        }
        for (layout, name) in OF_ALL {
            let decode = self.summary.cell(&dialect.name, layout, "decode");
            if decode.judged.authored + decode.not_claimed > 0 {
                let encode = self.summary.cell(&dialect.name, layout, "encode");
                rows.push((format!("{:>3} {name:<20}", ""), name, decode, encode));
            }
        }
        let mut folded: IndexMap<String, Vec<String>> = IndexMap::new();
        for (name, layout, decode, encode) in rows {
            let fold = match form {
                TableForm::Each => None,
                TableForm::Folded => {
                    let fine = |mark: CellStatus| mark == CellStatus::Ok || mark.is_untested();
                    let fine = fine(decode.mark(true)) && fine(encode.mark(false)) && decode.red.sum() == 0;
                    fine.then(|| words(decode, encode))
                }
                TableForm::Words => Some(words(decode, encode)),
            };
            match fold {
                None => lines.push(row(&name, decode, encode)),
                Some(words) => folded.entry(words).or_default().push(escaped(layout)),
            }
        }
        for (words, names) in folded {
            lines.extend(wrapped(&format!("    {words}: "), &names, usize::MAX));
        }
        lines.push(format!("{:>3} {}", "", self.summary.ids_of(dialect).sentence()));
        lines
    }

    /// The causes: the first ones with the smallest test in full, a line for each of the rest.
    fn causes(&self, groups: &[&Group<'_>], room: usize) -> Vec<String> {
        if groups.is_empty() {
            return Vec::new();
        }
        let tests: usize = groups.iter().map(|group| group.tests.len()).sum();
        let mut lines = vec![
            String::new(),
            format!(
                "{BOLD}{} of {}{BOLD:#}, the most tests first",
                counted(groups.len(), "probable cause"),
                counted(tests, "failure")
            ),
        ];
        let most = if self.extent.is_full() { usize::MAX } else { DIFF_OF_CAUSE };
        let full: Vec<Vec<String>> = groups.iter().map(|group| self.cause(group, most)).collect();
        // Each cause has a line, whatever else is shown; what is left is for the first ones in full.
        let mut left = room.saturating_sub(lines.len() + 2 + groups.len());
        let mut shown: Vec<bool> = vec![false; groups.len()];
        // A crash does not push out a wrong value.
        let (unanswered, answered): (Vec<usize>, Vec<usize>) =
            (0..groups.len()).partition(|place| groups[*place].is_unanswered());
        for place in answered.into_iter().chain(unanswered) {
            let more = full[place].len().saturating_sub(1);
            if more > left {
                break;
            }
            left -= more;
            shown[place] = true;
        }
        lines.extend(full.iter().zip(&shown).filter(|(_, shown)| **shown).flat_map(|(lines, _)| lines.clone()));
        let rest: Vec<&Group<'_>> =
            groups.iter().zip(&shown).filter(|(_, shown)| !**shown).map(|(group, _)| *group).collect();
        if rest.is_empty() {
            return lines;
        }
        lines.push(String::new());
        let all = rest.len() == groups.len();
        lines.push(format!(
            "{BOLD}{}{BOLD:#}, each in full with `conform report --full` and the record",
            if all { "They are".to_owned() } else { format!("{} more", rest.len()) }
        ));
        let room = room.saturating_sub(lines.len());
        let named = if rest.len() <= room { rest.len() } else { room.saturating_sub(room / 3 + 1) };
        lines.extend(rest[..named].iter().map(|group| one_line(group)));
        let ids: Vec<String> =
            rest[named..].iter().map(|group| format!("{} ({})", escaped(&group.id), group.tests.len())).collect();
        lines.extend(wrapped("  and ", &ids, room.saturating_sub(named)));
        lines
    }

    /// A cause, with its smallest test in full; all of its tests if everything is shown.
    fn cause(&self, group: &Group<'_>, most: usize) -> Vec<String> {
        let mut text = String::new();
        let mut lines = Lines { text: &mut text, most };
        lines.line("");
        lines.line(&format!("{BOLD}{}{BOLD:#}", escaped(&group.headline)));
        lines.line(&format!("  {}  {FAINT}{}{FAINT:#}", escaped(&group.extent()), escaped(&group.id)));
        if self.extent.is_full() {
            lines.finding(group.smallest, self.summary.plan);
            for test in group.tests.iter().filter(|test| test.test != group.smallest.test) {
                lines.finding(test, self.summary.plan);
            }
        } else {
            lines.smallest(group.smallest, self.summary.plan);
        }
        text.lines().map(str::to_owned).collect()
    }

    /// What the list expects: a line for each finding.
    fn known(&self) -> Vec<String> {
        let expected = self.summary.known();
        if expected == 0 {
            return Vec::new();
        }
        let mut lines = vec![String::new(), format!("{BOLD}{}{BOLD:#}, as listed", counted(expected, "known failure"))];
        let findings = self.summary.known_findings;
        let shown = if self.extent.is_full() { findings.len() } else { NAMED.max(24) };
        for finding in findings.iter().take(shown) {
            let page = if finding.page.is_empty() { String::new() } else { format!("{}#", escaped(&finding.page)) };
            lines.push(short_coloured(&format!(
                "{:>5}  {}: {}",
                finding.tests,
                escaped(&finding.id),
                escaped(finding.finding.trim())
            )));
            if self.extent.is_full() {
                lines.push(format!("       {FAINT}{page}{}{FAINT:#}", escaped(&finding.id)));
            }
        }
        if findings.len() > shown {
            let ids: Vec<String> = findings[shown..].iter().map(|finding| escaped(&finding.id)).collect();
            lines.extend(wrapped("  and ", &ids, 4));
        }
        if let Some(page) = findings.first().map(|finding| &finding.page).filter(|page| !page.is_empty()) {
            lines.push(format!("       {FAINT}each is explained in {}#ID{FAINT:#}", escaped(page)));
        }
        lines
    }

    /// Open tests, for which no source says what is right, each with the engines that reply the same.
    fn open(&self) -> Vec<String> {
        let authored: Vec<_> = self.summary.open.iter().filter(|record| !record.is_derived()).collect();
        if authored.is_empty() {
            return Vec::new();
        }
        let count = counted(authored.len(), "open test");
        if !self.extent.is_full() {
            return vec![String::new(), format!("{count}, which cannot fail; each with `conform report --full`")];
        }
        let mut lines = vec![String::new(), format!("{count}, which cannot fail")];
        for record in authored {
            let like = like(record).unwrap_or_default();
            lines.push(format!("  {FAINT}{}  {like}{FAINT:#}", escaped(&record.test)));
        }
        lines
    }

    /// The implementation's reasons for refusals, beside ours. The two need not agree: any refusal passes.
    fn refused(&self) -> Vec<String> {
        let refused = &self.summary.refused;
        if refused.is_empty() {
            return Vec::new();
        }
        if !self.extent.is_full() {
            let count = refused.len();
            return vec![
                String::new(),
                format!("reasons given for refusals: {count}; with `conform report --full`, beside ours"),
            ];
        }
        let mut lines =
            vec![String::new(), format!("reasons given for refusals, which need not be ours: {}", refused.len())];
        for record in refused {
            let Some(Refused { ours, theirs }) = &record.refusal else { continue };
            lines.push(format!(
                "  {FAINT}{}{FAINT:#}  {}; reported: {}",
                escaped(&record.test),
                escaped(ours),
                short(theirs, 160)
            ));
        }
        lines
    }

    /// How many tests were skipped, by type and direction; `None` if none was.
    fn skipped(&self) -> Option<String> {
        let mut of_cells: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for test in &self.summary.skipped {
            let (_, layout, op) = parts(test);
            *of_cells.entry((op, layout)).or_default() += 1;
        }
        let mut cells: Vec<_> = of_cells.into_iter().collect();
        cells.sort_by_key(|(_, count)| Reverse(*count));
        let shown: Vec<_> =
            cells.iter().take(6).map(|((op, layout), count)| format!("{op} {layout} {count}")).collect();
        let more = if cells.len() > 6 { format!(", and {} more", cells.len() - 6) } else { String::new() };
        let (all, shown) = (counted(self.summary.skipped.len(), "test"), escaped(&shown.join(", ")));
        let why = "because others like it crashed or timed out";
        (!cells.is_empty()).then(|| format!("{AMBER}{all} skipped{AMBER:#}, {why}: {shown}{more}"))
    }

    fn totals(&self) -> Vec<String> {
        let summary = self.summary;
        let mut lines = vec![String::new(), format!("{} as written", counted(summary.plan.texts, "case"))];
        let total = |name: &str, of: fn(&Counts) -> usize| {
            let given = summary.verdicts.iter().filter(|(_, counts)| of(counts) > 0);
            let words: Vec<_> = given.map(|(verdict, counts)| format!("{} {}", of(counts), verdict.name())).collect();
            let all: usize = summary.verdicts.values().map(of).sum();
            format!("{all:>7} {name:<15} {}", words.join(", "))
        };
        lines.push(total("authored tests:", |counts| counts.authored));
        lines.push(total("derived tests:", |counts| counts.derived));
        if summary.length_not_told > 0 {
            lines.push(format!(
                "consumed length not reported in {} replies, and not judged there",
                summary.length_not_told
            ));
        }
        lines.extend(self.skipped());
        if !summary.end.complete {
            let why = summary.incomplete.as_deref().unwrap_or("not every test ran");
            lines.push(format!("{RED}incomplete{RED:#}: {why}"));
        }
        let shown = if self.extent.is_full() { usize::MAX } else { NAMED };
        for sentence in summary.end.stale.iter().take(shown) {
            lines.push(format!("{RED}no longer true{RED:#}: {}", escaped(sentence)));
        }
        if summary.end.stale.len() > shown {
            lines.push(format!("  … and {} more, with `conform report --full`", summary.end.stale.len() - shown));
        }
        let (red, amber) = (summary.red(), summary.amber());
        let stale = summary.end.stale.len();
        let style = if red + stale > 0 { RED } else { GREEN };
        let claims = if stale > 0 { format!(", {stale} claims no longer true") } else { String::new() };
        lines.push(format!("{style}{red} red{style:#}, {amber} amber{claims}"));
        lines
    }
}

/// How the types of a dialect are shown.
#[derive(Debug, Clone, Copy)]
enum TableForm {
    /// A row for each.
    Each,
    /// Those that are fine in a line, a row for each of the others.
    Folded,
    /// A line for all that have the same status.
    Words,
}

/// The row of a type.
fn row(name: &str, decode: Cell, encode: Cell) -> String {
    let judged = decode.judged.derived + encode.judged.derived;
    let passed = decode.passed.derived + encode.passed.derived;
    let (word, style) = if decode.red.derived + encode.red.derived > 0 { ("FAIL ", RED) } else { ("", FAINT) };
    let derived = if judged == 0 { "-".to_owned() } else { format!("{word}{passed}/{judged}") };
    format!("{name}{}{}{style}{derived:>21}{style:#}", cell(decode, true), cell(encode, false))
}

/// The status of a type in words: `decode ok, encode FAIL`.
fn words(decode: Cell, encode: Cell) -> String {
    match (decode.mark(true), encode.mark(false)) {
        (both, other) if both == other => format!("{} both ways", both.word()),
        (decode, encode) => format!("decode {}, encode {}", decode.word(), encode.word()),
    }
}

/// Names after a heading, in lines of a readable width, or wider ones if there is room for only so many.
fn wrapped(heading: &str, names: &[String], most: usize) -> Vec<String> {
    let all: usize = names.iter().map(|name| name.chars().count() + 2).sum();
    let width = WIDTH.max(heading.len() + all.div_ceil(most.max(1)) + 60);
    let indent = " ".repeat(heading.chars().count().min(8));
    let mut lines: Vec<String> = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let comma = if place + 1 < names.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + name.chars().count() < width => {
                line.push(' ');
                line.push_str(name);
                line.push_str(comma);
            }
            Some(_) => lines.push(format!("{indent}{name}{comma}")),
            None => lines.push(format!("{heading}{name}{comma}")),
        }
    }
    lines
}

/// A cause in one line.
fn one_line(group: &Group<'_>) -> String {
    let style = if group.severity() == Severity::Red { RED } else { AMBER };
    let count = group.tests.len();
    let headline = short(&group.headline, WIDTH - 50);
    format!("{style}{count:>5}{style:#}  {headline}  {FAINT}{}{FAINT:#}", escaped(&group.id))
}

/// A line of at most a readable width.
fn short_coloured(line: &str) -> String {
    if line.chars().count() <= WIDTH { line.to_owned() } else { line.chars().take(WIDTH - 1).chain(['…']).collect() }
}

impl Lines<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn finding(&mut self, finding: &TestResult, plan: &Plan) {
        self.line("");
        self.smallest(finding, plan);
    }

    /// A finding, without a line before it.
    fn smallest(&mut self, finding: &TestResult, plan: &Plan) {
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
