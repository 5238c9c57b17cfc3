//! A summary as Markdown, for the summary of a step or a comment: within a mebibyte, whatever was found.

use std::fmt::Write;

use super::points::message;
use super::recorded::Recorded;
use super::summary::{Cell, Headline, Mark, OF_ALL, Summary, ask_mark, colour, label};
use super::text;
use crate::results::{CorpusId, DialectPlan, VerdictRecord};
use crate::shown::{self, counted};
use crate::verdict::spelled;

/// GitHub refuses summaries of more than 1 MiB.
pub const STEP: usize = 1024 * 1024;
/// And comments of more than 65,536 letters.
pub const COMMENT: usize = 65_000;

/// So many findings are shown in full.
const FULL: usize = 10;
/// So many more are named.
const NAMED: usize = 100;

/// The summary of a run, at most so many bytes of it.
pub fn markdown(recorded: &Recorded, summary: &Summary<'_>, most: usize) -> String {
    let mut page = Page::new(most);
    let headline = Headline::of(summary);
    let plan = &recorded.plan;
    let name = format!("{} {}", plan.hello.name, plan.hello.version);
    page.put(&format!("## conform: {}\n\n{} **{}**\n\n", code(name.trim_end()), sign(headline.mark), headline.text));
    let CorpusId { version, digest } = &plan.corpus;
    // A corpus of one's own need not have a version.
    let corpus = if version.is_empty() { digest } else { version };
    page.put(&format!(
        "Corpus {}, reading {}, {} as written. Every number is counted from `results.jsonl`.\n\n",
        code(corpus),
        code(&plan.reading),
        counted(plan.texts, "case")
    ));
    for dialect in &plan.dialects {
        page.put(&table(summary, dialect));
    }
    if !recorded.end.stale.is_empty() {
        page.put("### No longer true\n\n");
        for sentence in &recorded.end.stale {
            page.put(&format!("- {}\n", code(sentence)));
        }
        page.put("\n");
    }
    findings(&mut page, recorded, summary);
    page.text
}

/// A text of at most so many bytes.
pub(super) struct Page {
    pub(super) text: String,
    most: usize,
}

impl Page {
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), most }
    }

    /// Adds a part, whole or not at all; says once that something is left out.
    pub(super) fn put(&mut self, part: &str) -> bool {
        const CUT: &str = "\n… cut: all of it is in `results.jsonl`.\n";
        if self.text.ends_with(CUT) {
            return false;
        }
        let fits = self.text.len() + part.len() + CUT.len() <= self.most;
        self.text.push_str(if fits { part } else { CUT });
        fits
    }
}

/// The types of a dialect that are not green in both directions.
fn table(summary: &Summary<'_>, dialect: &DialectPlan) -> String {
    let ids = summary.ids_of(dialect);
    let mut table = format!(
        "### {} {}\n\n{} of {} type ids green in both directions.\n\n",
        sign(summary.mark_of(dialect)),
        code(&dialect.name),
        ids.both,
        ids.all
    );
    let mut rows = String::new();
    let types = dialect.types.iter().enumerate().map(|(id, layout)| (id.to_string(), layout.as_str()));
    for (id, layout) in types.chain(OF_ALL.map(|(layout, _)| (String::new(), layout))) {
        let decode = summary.cell(&dialect.name, layout, "decode");
        let encode = summary.cell(&dialect.name, layout, "encode");
        let dull = |mark: Mark| matches!(mark, Mark::Green | Mark::Empty | Mark::NotClaimed);
        if dull(decode.mark(true)) && dull(encode.mark(false)) {
            continue;
        }
        let (passed, judged) =
            (decode.derived_passed + encode.derived_passed, decode.derived_judged + encode.derived_judged);
        // Writing to a String cannot fail.
        let _ = writeln!(
            rows,
            "| {id} | {} | {} | {} | {passed}/{judged} |",
            code(label(layout)).replace('|', "\\|"),
            cell(decode, true),
            cell(encode, false)
        );
    }
    if !rows.is_empty() {
        table.push_str("| id | type | decode | encode | derived |\n|--:|---|---|---|--:|\n");
        table.push_str(&rows);
        table.push('\n');
    }
    table
}

fn cell(cell: Cell, decode: bool) -> String {
    let mark = cell.mark(decode);
    let counts = if cell.judged > 0 { format!(" {}/{}", cell.passed, cell.judged) } else { String::new() };
    format!("{} {}{counts}", sign(mark), mark.word())
}

fn findings(page: &mut Page, recorded: &Recorded, summary: &Summary<'_>) {
    let mut found: Vec<&VerdictRecord> =
        summary.findings.iter().copied().filter(|found| !found.expected_failure).collect();
    found.sort_by_key(|found| (std::cmp::Reverse(colour(found)), found.origin == "derived"));
    if found.is_empty() {
        return;
    }
    page.put("### Findings\n\n");
    for finding in found.iter().take(FULL) {
        page.put(&format!(
            "<details><summary>{} <b>{}</b> <code>{}</code></summary>\n\n{}\n</details>\n\n",
            sign(ask_mark(finding)),
            spelled(finding.verdict, finding.reason),
            html(&finding.ask),
            fenced(&text::finding(&recorded.plan, finding))
        ));
    }
    for finding in found.iter().skip(FULL).take(NAMED) {
        let word = spelled(finding.verdict, finding.reason);
        page.put(&format!(
            "- {} **{word}** {}: {}\n",
            sign(ask_mark(finding)),
            code(&finding.ask),
            code(&message(finding))
        ));
    }
    if found.len() > FULL + NAMED {
        page.put(&format!("\n… and {} more.\n", found.len() - FULL - NAMED));
    }
}

/// Colour and shape.
pub(crate) fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::Green => "✅",
        Mark::Amber | Mark::RedWithin => "🔶",
        Mark::Known => "🔺",
        Mark::Red => "❌",
        Mark::NotClaimed | Mark::Open | Mark::Empty => "▫️",
        Mark::NotRun => "⏹️",
    }
}

/// A block in which nothing has a meaning: its fence is longer than any within.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}diff\n{}\n{fence}\n", text.trim_end())
}

/// A span in which nothing has a meaning, be it a tag, a table, a mention or a number of an issue.
pub(crate) fn code(text: &str) -> String {
    let text = shown::line(text);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

pub(super) fn html(text: &str) -> String {
    shown::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
        let mut page = Page::new(60);
        assert!(page.put("1234567890\n"));
        assert!(!page.put(&"x".repeat(60)));
        assert!(!page.put("y"));
        assert!(page.text.len() <= 60 && page.text.ends_with("`results.jsonl`.\n"), "{}", page.text);
    }
}
