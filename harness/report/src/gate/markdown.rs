//! What changed, as Markdown: for the summary of a step, or a comment.

use super::text::{between, plain};
use super::{CaseChange, ChangeKind, Gate};
use crate::markdown::{Page, code, fenced, html};
use variant_runner::summary::Mark;

/// So many cases are shown in full, and so many more named.
const FULL: usize = 10;
const NAMED: usize = 100;

/// The summary, at most so many bytes of it; nothing where nothing changed.
pub fn markdown(gate: &Gate<'_>, most: usize) -> String {
    let mut page = Page::new(most);
    if gate.is_silent() {
        return page.text;
    }
    let sign = super::super::markdown::sign(if gate.is_green() { Mark::Green } else { Mark::Red });
    page.put(&format!("## conform: {}\n\n{sign} **{}**\n\n", code(&between(gate)), gate.headline()));
    if let Some(why) = &gate.incomplete {
        page.put(&format!("incomplete: {}\n\n", html(why)));
    }
    for case in gate.cases.iter().take(FULL) {
        page.put(&format!(
            "<details><summary>{}</summary>\n\n{}\n</details>\n\n",
            head(case),
            fenced(&plain(gate, case))
        ));
    }
    for case in gate.cases.iter().skip(FULL).take(NAMED) {
        page.put(&format!("- {}\n", head(case)));
    }
    if gate.cases.len() > FULL + NAMED {
        page.put(&format!("\n… and {} cases more.\n", gate.cases.len() - FULL - NAMED));
    }
    for claim in &gate.stale {
        page.put(&format!("- no longer true: {}\n", code(claim)));
    }
    if let Some(advice) = gate.advice() {
        page.put(&format!("\n{advice}.\n"));
    }
    page.text
}

fn head(case: &CaseChange<'_>) -> String {
    let Some(first) = case.tests.first() else { return String::new() };
    let mark = match first.kind {
        _ if first.gates => Mark::Red,
        ChangeKind::Mended => Mark::Green,
        ChangeKind::Broken | ChangeKind::Lost | ChangeKind::Changed | ChangeKind::Added => Mark::Amber,
    };
    format!(
        "{} <b>{}</b> <code>{}</code> {} → {}",
        super::super::markdown::sign(mark),
        first.kind.name(),
        html(first.test),
        first.before.word(),
        first.now.word()
    )
}
