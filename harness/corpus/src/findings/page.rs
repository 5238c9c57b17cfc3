//! `FINDINGS.md`, as it is generated from `findings.yaml`.

use super::{Finding, FindingSeverity, Findings};

/// The page of some findings: a table by severity, and a section for each.
pub fn page(list: &Findings) -> String {
    let findings = list.by_severity();
    let title = format!("# Findings: {}", list.implementation);
    let mut page = format!("{}\n\n", title.trim_end_matches(": "));
    page.push_str("<!-- Generated from findings.yaml by `conform run --bless`; edit that. -->\n\n");
    page.push_str(&block(&list.intro));
    // A list of several adapters says of which each finding is true.
    let shared = findings.iter().any(|finding| !finding.adapters.is_empty());
    if !findings.is_empty() {
        let (only, line) = if shared { (" only in |", "---|") } else { ("", "") };
        page.push_str(&format!("| severity | finding | what it does |{only}\n|---|---|---|{line}\n"));
    }
    for known in &findings {
        let Finding { id, severity, finding, adapters, .. } = known;
        let cell = flat(finding).replace('|', "\\|");
        let only = if shared { format!(" {} |", adapters.join(", ")) } else { String::new() };
        page.push_str(&format!("| {} | [{}](#{id}) | {cell} |{only}\n", severity_of(*severity), known.heading()));
    }
    page.push('\n');
    findings.iter().for_each(|finding| page.push_str(&section(finding)));
    if !list.notes.trim().is_empty() {
        page.push_str(&format!("## Other observations\n\n{}", block(&list.notes)));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn section(finding: &Finding) -> String {
    let Finding { severity, finding: sentence, packet, value, expected, actual, consequence, .. } = finding;
    let mut text = format!("## {}\n\n{}\n\n", finding.heading(), flat(sentence));
    let mut item = |name: &str, what: &str| text.push_str(&format!("- **{name}**: {}\n", flat(what)));
    packet.iter().for_each(|packet| item("Packet", packet));
    value.iter().for_each(|value| item("Value", value));
    item("Expected", expected);
    item("Actual", actual);
    item(&format!("Severity {}", severity_of(*severity)), consequence);
    if !finding.adapters.is_empty() {
        item("Only in", &finding.adapters.join(", "));
    }
    let erratum = |id: &String| item("Documentation error", &format!("[{id}](../../specs/errata.yaml)"));
    finding.erratum.iter().for_each(erratum);
    text.push_str(&finding.notes.as_deref().map(block).unwrap_or_default());
    if finding.notes.is_none() {
        text.push('\n');
    }
    text.push_str(&format!("Shown by {}.\n\n", shown_by(finding)));
    text
}

/// Its causes and globs.
fn shown_by(finding: &Finding) -> String {
    let named = |what: &str, names: &[String]| {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("{what} {names}"))
    };
    [named("the causes", &finding.causes), named("the tests", &finding.tests)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" and ")
}

fn severity_of(severity: Option<FindingSeverity>) -> String {
    severity.map(|severity| severity.to_string()).unwrap_or_default()
}

/// The text in one line, because line breaks within a paragraph mean nothing.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn block(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{}\n\n", text.trim_end()) }
}
