//! The report that a terminal shows.

mod extent;
mod layout;
mod one;
mod style;
mod table;

use self::one::{FindingLines, like};
use self::table::tables;
use super::groups::{Group, NAMED as TYPES, groups};
use super::headline::Headline;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::results::{CampaignSettings, FindingRecord, Plan, TestResult};
use variant_runner::status::severity;
use variant_runner::summary::{Counts, Summary, Total};
use variant_values::sanitize::{counted, line as escaped, short};

pub use self::extent::Extent;
pub use self::layout::laid_out;
pub(crate) use self::one::{change_line, message, strs};
pub(crate) use self::style::{AMBER, BOLD, FAINT, GREEN, RED, style_of};

/// Lines of a diff that are shown for a single finding.
const DIFF: usize = 60;
/// Lines of a diff that are shown of a cause.
const DIFF_OF_CAUSE: usize = 18;
/// Characters of a line.
const WIDTH: usize = 150;
/// Findings, undecided tests and the like are named in at most this many lines each.
const NAMED: usize = 12;
/// This many causes are shown with their smallest test in full, and as many others in one line each.
const FULL: usize = 5;
const IN_A_LINE: usize = 60;

/// The report, with ANSI styles: strip them if the output has no colours.
pub fn render(summary: &Summary<'_>, extent: Extent<'_>) -> String {
    if let Some(test) = alone(summary) {
        return laid_out(&one_test(summary, test), extent.width);
    }
    let page = TerminalReport { summary, extent, all_in_full: false };
    let groups = groups(summary);
    let declared = groups.declared.iter().flat_map(|group| page.declared(group)).collect();
    let parts = [
        page.head(),
        tables(summary, extent),
        page.causes(&groups.unexpected),
        page.known(),
        declared,
        page.undecided(),
        page.totals(),
    ];
    laid_out(&parts.concat().join("\n"), extent.width)
}

/// One cause with all of its tests, by its id; `None` if the record has no such cause.
pub fn render_cause(summary: &Summary<'_>, id: &str, width: usize) -> Option<String> {
    let page = TerminalReport { summary, extent: Extent { full: true, ..Extent::default() }, all_in_full: true };
    let groups = groups(summary);
    let group = groups.all().find(|group| group.id == id)?;
    Some(laid_out(page.block(group).join("\n").trim_start(), width))
}

/// The ids of the causes of a record, in the order of the report.
pub fn cause_ids(summary: &Summary<'_>) -> Vec<String> {
    groups(summary).all().map(|group| group.id.clone()).collect()
}

/// The only test of a run, where exactly one was chosen.
fn alone<'a>(summary: &Summary<'a>) -> Option<&'a TestResult> {
    let chosen = summary.plan.selection.only.as_deref()?;
    let all = [&summary.findings, &summary.undecided, &summary.passed];
    all.into_iter().flatten().copied().find(|test| test.test == chosen)
}

/// What became of one test.
fn one_test(summary: &Summary<'_>, test: &TestResult) -> String {
    let mut lines = FindingLines::new(DIFF);
    let name = escaped(&test.test);
    match severity(test) {
        Severity::Right => lines.line(&format!("{GREEN}passed{GREEN:#}  {BOLD}{name}{BOLD:#}")),
        Severity::Neutral => lines.line(&format!("{}  {BOLD}{name}{BOLD:#}", test.verdict)),
        Severity::Warning | Severity::Failure => lines.finding(test, summary.plan),
    }
    let known = |finding: &&&FindingRecord| test.finding.as_deref() == Some(&finding.id);
    if let Some(finding) = summary.known_findings.iter().find(known) {
        lines.line(&format!("  known: {} ({})", escaped(finding.finding.trim()), escaped(&finding.place())));
    }
    for other in summary.findings.iter().filter(|other| other.test != test.test) {
        lines.line("");
        lines.finding(other, summary.plan);
    }
    if let Some(why) = summary.incomplete.as_deref().filter(|_| !summary.end.complete) {
        lines.line(&format!("{RED}incomplete{RED:#}: {why}"));
    }
    for sentence in &summary.end.stale {
        lines.line(&format!("{RED}no longer true{RED:#}: {}", escaped(sentence)));
    }
    lines.text
}

/// One finding in full, without styles.
pub fn finding(plan: &Plan, finding: &TestResult) -> String {
    let mut lines = FindingLines::new(DIFF);
    lines.finding(finding, plan);
    anstream::adapter::strip_str(&lines.text).to_string()
}

struct TerminalReport<'a> {
    summary: &'a Summary<'a>,
    extent: Extent<'a>,
    /// Whether each test of a cause is shown in full: otherwise all but the simplest have one line.
    all_in_full: bool,
}

impl TerminalReport<'_> {
    fn head(&self) -> Vec<String> {
        let plan = self.summary.plan;
        let handshake = &plan.handshake;
        let language =
            if handshake.language.is_empty() { String::new() } else { format!(" ({})", escaped(&handshake.language)) };
        let digest = escaped(&plan.corpus.digest.chars().take(19).collect::<String>());
        let headline = Headline::of(self.summary);
        let style = style_of(headline.mark);
        vec![
            format!("{BOLD}{} {}{BOLD:#}{language}", escaped(&handshake.name), escaped(&handshake.version)),
            format!("{style}{}{style:#}", escaped(&headline.text)),
            format!(
                "{FAINT}conform {}, corpus{} {digest}, judged by {}{FAINT:#}",
                escaped(&plan.conform),
                escaped(&plan.corpus.spaced_version()),
                plan.judged_by.name()
            ),
        ]
    }

    /// The causes: the first with their smallest test in full, the others in one line each.
    fn causes(&self, groups: &[Group<'_>]) -> Vec<String> {
        if groups.is_empty() {
            return Vec::new();
        }
        let tests = || groups.iter().flat_map(|group| &group.tests).filter(|test| !self.summary.is_again(test));
        let of = |wanted| tests().filter(|test| severity(test) == wanted).count();
        let counts = [(of(Severity::Failure), "failure"), (of(Severity::Warning), "warning")];
        let counts: Vec<String> =
            counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, of)| counted(count, of)).collect();
        // As the headline counts them.
        let warnings = groups.iter().filter(|group| group.severity() < Severity::Failure).count();
        let of = match counts.as_slice() {
            [failed, warned] if warnings > 0 => {
                let (failures, warnings) = (counted(groups.len() - warnings, "cause"), counted(warnings, "cause"));
                format!("{failures} of {failed}, {warnings} of {warned}")
            }
            _ => format!("{} of {}", counted(groups.len(), "cause"), counts.join(" and ")),
        };
        let mut lines = vec![String::new(), format!("{BOLD}{of}{BOLD:#}, what ordinary programs exchange first")];
        let (first, rest) = groups.split_at(if self.extent.full { groups.len() } else { FULL.min(groups.len()) });
        lines.extend(first.iter().flat_map(|group| self.block(group)));
        if let Some(next) = rest.first() {
            let more = self.extent.more(&format!("--cause {}", next.id), "shows the first of these in full");
            lines.extend([String::new(), format!("{BOLD}{} more{BOLD:#}{more}", rest.len())]);
            lines.extend(rest.iter().take(IN_A_LINE).map(one_line));
        }
        if rest.len() > IN_A_LINE {
            let more = self.extent.more("--full", "lists them");
            lines.push(format!("  … and {} more{more}", rest.len() - IN_A_LINE));
        }
        lines
    }

    /// What the handshake declares as lost, in a line: it counts as right.
    fn declared(&self, group: &Group<'_>) -> Vec<String> {
        let mut words: Vec<&str> = group.tests.iter().flat_map(|test| &test.losses).map(|word| word.name()).collect();
        words.sort_unstable();
        words.dedup();
        let (words, tests) = (words.join(", "), counted(group.tests.len(), "test"));
        let more = self.extent.more(&format!("--cause {}", group.id), "lists them");
        vec![String::new(), format!("declared losses, which count as right: {words} ({tests}){more}")]
    }

    /// A cause with its smallest test in full; if everything is shown, with its other tests too.
    fn block(&self, group: &Group<'_>) -> Vec<String> {
        let (plan, full) = (self.summary.plan, self.extent.full);
        let mut lines = FindingLines::new(match full {
            _ if self.all_in_full => usize::MAX,
            true => DIFF,
            false => DIFF_OF_CAUSE,
        });
        lines.line("");
        lines.line(&format!("{BOLD}{}{BOLD:#}", escaped(&group.headline)));
        let extent = group.extent(if full { usize::MAX } else { TYPES });
        lines.line(&format!("  {}  {FAINT}{}{FAINT:#}", escaped(&extent), escaped(&group.id)));
        lines.finding(group.smallest, plan);
        for test in group.tests.iter().filter(|test| full && test.test != group.smallest.test) {
            if self.all_in_full {
                lines.line("");
                lines.finding(test, plan);
            } else {
                lines.in_one_line(test);
            }
        }
        lines.text.lines().map(str::to_owned).collect()
    }

    /// What the list expects: a line for each finding.
    fn known(&self) -> Vec<String> {
        let expected = self.summary.known();
        if expected == 0 {
            return Vec::new();
        }
        let findings = &self.summary.known_findings;
        let (bugs, tests) = (counted(findings.len(), "known bug"), counted(expected, "test"));
        let mut lines = vec![String::new(), format!("{BOLD}{bugs}{BOLD:#}, as listed; {tests}")];
        let shown = if self.extent.full { findings.len() } else { NAMED.max(24) };
        for finding in findings.iter().take(shown) {
            let (id, sentence) = (escaped(&finding.id), escaped(finding.finding.trim()));
            let severity = finding.severity.map(|severity| format!("{severity}, "));
            let severity = severity.unwrap_or_default();
            lines.push(short(&format!("{:>5}  {severity}{id}: {sentence}", finding.tests), WIDTH));
            if self.extent.full {
                lines.push(format!("       {FAINT}{}{FAINT:#}", escaped(&finding.place())));
            }
        }
        if findings.len() > shown {
            let ids: Vec<String> = findings[shown..].iter().map(|finding| escaped(&finding.id)).collect();
            lines.push(format!("  and {}", ids.join(", ")));
        }
        if let Some(page) = findings.first().map(|finding| &finding.page).filter(|page| !page.is_empty()) {
            lines.push(format!("       {FAINT}each is explained in {}#ID{FAINT:#}", escaped(page)));
        }
        lines
    }

    /// Undecided tests, for which no source says what is right, each with the engines that reply the same.
    fn undecided(&self) -> Vec<String> {
        let of_cases: Vec<_> = self.summary.undecided.iter().filter(|record| !record.is_variant()).collect();
        if of_cases.is_empty() {
            return Vec::new();
        }
        let count = counted(of_cases.len(), "undecided test");
        if !self.extent.full {
            return vec![
                String::new(),
                format!("{count}, which cannot fail{}", self.extent.more("--full", "lists them")),
            ];
        }
        let mut lines = vec![String::new(), format!("{count}, which cannot fail")];
        for record in of_cases {
            let like = like(record).unwrap_or_default();
            lines.push(format!("  {FAINT}{}  {like}{FAINT:#}", escaped(&record.test)));
        }
        lines
    }

    fn totals(&self) -> Vec<String> {
        let summary = self.summary;
        let mut lines = vec![String::new()];
        let total = |name: &str, of: fn(&Counts) -> usize| {
            let given = summary.totals().into_iter().filter(|total| of(&total.counts) > 0);
            let words: Vec<_> = given
                .map(|Total { verdict, counts, known }| match of(&known) {
                    0 => format!("{} {}", of(&counts), verdict.name()),
                    known => format!("{} {} ({known} of them known)", of(&counts), verdict.name()),
                })
                .collect();
            let all: usize = summary.verdicts.values().map(of).sum();
            // With `--quick` there are no variants.
            (all > 0).then(|| format!("{all:>7} {name:<15} {}", words.join(", ")))
        };
        if let Some(CampaignSettings { seed, sides, .. }) = &summary.plan.campaign {
            let (sent, same) = (summary.end.executed, summary.count(Verdict::Pass).variants);
            let dialects: Vec<&str> = summary.plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
            let sides = escaped(&sides.join(" against "));
            lines.push(format!("{sides}: {}", escaped(&dialects.join(", "))));
            let others = "; others are findings, or replies that may differ: undecided, or an allowed divergence";
            let others = if same < sent { others } else { "" };
            lines.push(format!("{} from seed {seed}; {same} with the same reply{others}", counted(sent, "request")));
        } else {
            lines.push(format!("{} written by hand", counted(summary.plan.texts, "case")));
            // Dialects are never summed.
            if summary.plan.dialects.len() == 1 {
                lines.extend(total("tests of cases:", |counts| counts.of_cases));
                lines.extend(total("variants:", |counts| counts.variants));
            }
        }
        if summary.plan.campaign.is_none() && !summary.plan.selection.variants && summary.failures() > 0 {
            lines.push(
                "with --quick, nothing is sent again: what depends on earlier requests looks like any failure"
                    .to_owned(),
            );
        }
        if summary.length_not_told > 0 {
            lines.push(format!(
                "{} replies do not report the consumed length (`used`), so it is not checked there",
                summary.length_not_told
            ));
        }
        if summary.count(Verdict::NotSupported).sum() > 0 {
            let lacks = summary.plan.handshake.lacks().join(", ");
            lines.push(format!("not supported is what the handshake does not name: {lacks}"));
        }
        let skipped = summary.count(Verdict::Skipped).sum();
        if skipped > 0 {
            let skipped = counted(skipped, "test");
            lines.push(format!("{AMBER}{skipped} skipped{AMBER:#}, because similar tests crashed or timed out"));
        }
        if summary.end.late > 0 {
            let requests = counted(summary.end.late, "request");
            lines.push(format!("{AMBER}{requests} timed out once{AMBER:#}, and got a reply when asked again alone"));
        }
        if !summary.end.complete {
            let why = summary.incomplete.as_deref().unwrap_or("not every test ran");
            lines.push(format!("{RED}incomplete{RED:#}: {why}"));
        }
        let shown = if self.extent.full { usize::MAX } else { NAMED };
        for sentence in summary.end.stale.iter().take(shown) {
            lines.push(format!("{RED}no longer true{RED:#}: {}", escaped(sentence)));
        }
        if summary.end.stale.len() > shown {
            let more = summary.end.stale.len() - shown;
            lines.push(format!("  … and {more} more{}", self.extent.more("--full", "lists them")));
        }
        let (failures, warnings) = (summary.failures(), summary.warnings());
        let style = if failures + summary.end.stale.len() > 0 { RED } else { GREEN };
        let stale = match summary.end.stale.len() {
            0 => String::new(),
            stale => format!(", {} no longer true", counted(stale, "expectation")),
        };
        let known = summary.known();
        let (is_new, known) =
            if known > 0 { (" that no list has", format!("; {known} known")) } else { ("", String::new()) };
        let (failures, warnings) = (counted(failures, "failure"), counted(warnings, "warning"));
        lines.push(format!("{style}{failures}{style:#}, {warnings}{is_new}{stale}{known}"));
        lines
    }
}

/// A cause in one line.
fn one_line(group: &Group<'_>) -> String {
    let style = if group.severity() == Severity::Failure { RED } else { AMBER };
    let (count, weight) = (group.tests.len(), group.weight.name());
    let headline = escaped(&group.headline);
    format!("{style}{count:>5}{style:#}  {weight}: {headline}  {FAINT}{}{FAINT:#}", escaped(&group.id))
}
