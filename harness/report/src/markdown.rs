//! A summary as Markdown, for a step summary or a comment, within the size that GitHub accepts.

use std::fmt::Write;

use super::groups::{Group, Groups, groups};
use super::headline::Headline;
use super::text;
use variant_corpus::CorpusId;
use variant_runner::ability::word;
use variant_runner::results::DialectPlan;
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;
use variant_values::sanitize;
use variant_values::sanitize::counted;

/// The most bytes of a step summary: GitHub refuses more than 1 MiB.
const STEP: usize = 1024 * 1024;
/// The most bytes of a comment: GitHub refuses more than 65,536 characters.
pub(crate) const COMMENT: usize = 65_000;

/// At most this many causes are shown in full.
const FULL: usize = 10;

/// The summary of a run.
pub fn markdown(summary: &Summary<'_>) -> String {
    let mut page = LimitedText::new(STEP);
    let headline = Headline::of(summary);
    let plan = summary.plan;
    let name = format!("{} {}", plan.handshake.name, plan.handshake.version);
    page.put(&format!("## conform: {}\n\n{} **{}**\n\n", code(name.trim_end()), sign(headline.mark), headline.text));
    let CorpusId { version, digest } = &plan.corpus;
    // A corpus of one's own need not have a version.
    let corpus = if version.is_empty() { digest } else { version };
    let sent = match plan.campaign {
        Some(_) => counted(summary.end.executed, "generated request"),
        None => format!("{} written by hand", counted(plan.texts, "case")),
    };
    page.put(&format!(
        "Corpus {}, judged by {}, {}. Every number is counted from `results.jsonl`.\n\n",
        code(corpus),
        code(plan.judged_by.name()),
        sent
    ));
    // A campaign sends what it makes, which says nothing of a type as a whole.
    for dialect in plan.dialects.iter().filter(|_| plan.campaign.is_none()) {
        page.put(&table(summary, dialect));
    }
    if !summary.end.stale.is_empty() {
        page.put("### No longer true\n\n");
        for sentence in &summary.end.stale {
            page.put(&format!("- {}\n", code(sentence)));
        }
        page.put("\n");
    }
    findings(&mut page, summary);
    page.text
}

/// A text of a limited number of bytes.
pub(super) struct LimitedText {
    pub(super) text: String,
    most: usize,
}

impl LimitedText {
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), most }
    }

    /// Adds a text if all of it fits; if not, says once that something is left out. Returns whether it fits.
    pub(super) fn put(&mut self, part: &str) -> bool {
        const CUT: &str = "\n… truncated: `results.jsonl` has everything.\n";
        if self.text.ends_with(CUT) {
            return false;
        }
        let fits = self.text.len() + part.len() + CUT.len() <= self.most;
        self.text.push_str(if fits { part } else { CUT });
        fits
    }
}

/// The types of a dialect of which something is wrong.
fn table(summary: &Summary<'_>, dialect: &DialectPlan) -> String {
    let (sign, score) = (sign(summary.mark_of(dialect)), summary.score_of(dialect));
    let mut table = format!("### {sign} {}\n\n{}.\n\n", html(&dialect.title()), score.sentence());
    let mut rows = String::new();
    for (id, layout, score) in summary.rows(dialect).filter(|(_, _, score)| !score.is_fine()) {
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        let name = html(dialect.type_name(layout)).replace('|', "\\|");
        let cells: String = score.marks().iter().map(|mark| format!(" {} |", cell(*mark))).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(rows, "| {id} | {name} |{cells}");
    }
    if !rows.is_empty() {
        table.push_str("| id | type | reads | writes | exact | safe |\n|--:|---|---|---|---|---|\n");
        table.push_str(&rows);
        table.push('\n');
    }
    table
}

fn cell(mark: CellStatus) -> String {
    format!("{} {}", sign(mark), word(mark))
}

fn findings(page: &mut LimitedText, summary: &Summary<'_>) {
    let Groups { unexpected, declared, known } = groups(summary);
    if !unexpected.is_empty() {
        page.put("### Causes, what ordinary programs exchange first\n\n");
    }
    unexpected.iter().take(FULL).for_each(|group| in_full(page, summary, group));
    for group in unexpected.iter().skip(FULL) {
        let sign = sign(CellStatus::of(group.smallest));
        page.put(&format!("- {sign} {}: {}\n", code(&group.headline), html(&group.extent(usize::MAX))));
    }
    if !known.is_empty() || !summary.known_findings.is_empty() {
        page.put("### Known bugs\n\n");
    }
    for finding in &summary.known_findings {
        let id = if finding.page.is_empty() {
            code(&finding.id)
        } else {
            format!("[{}]({}#{})", code(&finding.id), link(&finding.page), link(&finding.id))
        };
        let tests = counted(finding.tests, "test");
        let severity = finding.severity.map(|severity| format!(", {severity}")).unwrap_or_default();
        page.put(&format!("- {id}{severity}, {tests}: {}\n", code(finding.finding.trim())));
    }
    if !declared.is_empty() {
        page.put("\n### Declared losses, which count as right\n\n");
    }
    declared.iter().for_each(|group| in_full(page, summary, group));
}

/// A cause, with its simplest test to be opened.
fn in_full(page: &mut LimitedText, summary: &Summary<'_>, group: &Group<'_>) {
    page.put(&format!(
        "<details><summary>{} <b>{}</b> {}</summary>\n\n{}\n</details>\n\n",
        sign(CellStatus::of(group.smallest)),
        html(&group.headline),
        html(&group.extent(usize::MAX)),
        fenced(&text::finding(summary.plan, group.smallest))
    ));
}

/// A path or an anchor in which no character is special.
fn link(text: &str) -> String {
    let plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_./+".contains(*letter);
    sanitize::line(text).chars().filter(plain).collect()
}

/// The sign of a status: its colour and shape.
pub(crate) fn sign(mark: CellStatus) -> &'static str {
    match mark {
        CellStatus::Ok => "✅",
        CellStatus::Warning => "🔶",
        CellStatus::Known => "🔺",
        CellStatus::Fail => "❌",
        CellStatus::NotSupported | CellStatus::Undecided | CellStatus::None => "▫️",
        CellStatus::NotRun => "⏹️",
    }
}

/// A code block, in which no character is special: its fence is longer than any within.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}diff\n{}\n{fence}\n", unindented(text.trim_end()))
}

/// Lines of a diff begin with their sign: only then are they coloured.
fn unindented(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("  ") {
        Some(diff) if diff.starts_with(['-', '+', ' ']) => format!("{diff}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect::<String>().trim_end().to_owned()
}

/// A code span, in which tags, mentions and issue numbers are plain text.
pub(crate) fn code(text: &str) -> String {
    let text = sanitize::line(text);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

pub(super) fn html(text: &str) -> String {
    sanitize::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_within() {
        assert!(fenced("a ```` b").starts_with("`````diff\n"));
        assert_eq!(code("a`b"), "`` a`b ``");
    }

    #[test]
    fn a_page_is_cut_between_its_parts() {
        let mut page = LimitedText::new(60);
        assert!(page.put("1234567890\n"));
        assert!(!page.put(&"x".repeat(60)));
        assert!(!page.put("y"));
        assert!(page.text.len() <= 60 && page.text.ends_with("has everything.\n"), "{}", page.text);
    }
}
