//! What changed, as Markdown, for a step summary or a comment.

use super::text::{between, plain};
use super::{ChangeGroup, Gate};
use crate::markdown::{COMMENT, LimitedText, code, fenced, html, sign};

/// At most this many causes are shown in full, and this many more named.
const FULL: usize = 10;
const NAMED: usize = 100;

/// The summary; empty if nothing changed: then no comment is wanted.
pub fn markdown(gate: &Gate<'_>) -> String {
    let mut page = LimitedText::new(COMMENT);
    if gate.is_silent() {
        return page.text;
    }
    let groups = gate.groups();
    let (sign, headline) = (sign(gate.mark()), gate.headline());
    page.put(&format!("## conform: {}\n\n{sign} **{headline}**\n\n", code(&between(gate))));
    for line in gate.abilities() {
        page.put(&format!("- {}\n", html(&line)));
    }
    page.put("\n");
    if let Some(why) = &gate.incomplete {
        page.put(&format!("incomplete: {}\n\n", html(why)));
    }
    for group in groups.iter().take(FULL) {
        let (head, extent) = (head(group), html(&group.extent));
        let sample = fenced(&plain(gate, group));
        page.put(&format!("<details><summary>{head}: {extent}</summary>\n\n{sample}\n</details>\n\n"));
    }
    for group in groups.iter().skip(FULL).take(NAMED) {
        page.put(&format!("- {}: {}\n", head(group), html(&group.extent)));
    }
    if groups.len() > FULL + NAMED {
        page.put(&format!("\n… and {} more causes.\n", groups.len() - FULL - NAMED));
    }
    for claim in &gate.stale {
        page.put(&format!("- no longer true: {}\n", code(claim)));
    }
    if let Some(advice) = gate.advice() {
        page.put(&format!("\n{advice}.\n"));
    }
    page.text
}

fn head(group: &ChangeGroup<'_>) -> String {
    format!("{} {}: <b>{}</b>", sign(group.mark()), group.kind, html(&group.headline))
}
