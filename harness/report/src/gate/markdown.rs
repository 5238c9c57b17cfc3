//! What changed, as Markdown, for a step summary or a comment.

use super::change::word;
use super::text::{between, plain};
use super::{CaseChange, ChangeKind, Gate};
use crate::markdown::{LimitedText, code, fenced, html, sign};
use variant_runner::status::CellStatus;
use variant_values::sanitize::counted;

/// At most this many cases are shown in full, and this many more named.
const FULL: usize = 10;
const NAMED: usize = 100;

/// The summary, in at most `most` bytes; empty if nothing changed.
pub fn markdown(gate: &Gate<'_>, most: usize) -> String {
    let mut page = LimitedText::new(most);
    if gate.is_silent() {
        return page.text;
    }
    let sign = sign(if gate.is_green() { CellStatus::Ok } else { CellStatus::Fail });
    page.put(&format!("## conform: {}\n\n{sign} **{}**\n\n", code(&between(gate)), gate.headline()));
    for line in gate.abilities() {
        page.put(&format!("- {}\n", html(&line)));
    }
    page.put("\n");
    if let Some(why) = &gate.incomplete {
        page.put(&format!("incomplete: {}\n\n", html(why)));
    }
    for (count, cause) in gate.causes() {
        let types = cause.types.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", ");
        page.put(&format!("- {}: {} ({})\n", html(&cause.headline), counted(count, "test"), html(&types)));
    }
    page.put("\n");
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
        page.put(&format!("\n… and {} more cases.\n", gate.cases.len() - FULL - NAMED));
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
        _ if first.gates => CellStatus::Fail,
        ChangeKind::Fixed => CellStatus::Ok,
        ChangeKind::Broken | ChangeKind::Lost | ChangeKind::Changed | ChangeKind::Added => CellStatus::Warning,
    };
    format!(
        "{} <b>{}</b> <code>{}</code> {} → {}",
        sign(mark),
        first.kind.name(),
        html(first.test),
        word(first.before),
        word(first.now)
    )
}
