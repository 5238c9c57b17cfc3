//! `FINDINGS.md`, as it is generated from `findings.yaml`.

use std::collections::BTreeMap;

use super::{Finding, Findings, Severity};

/// The page of some findings: a table by severity, and a section for each.
pub fn page(list: &Findings) -> String {
    let mut findings: Vec<&Finding> = list.findings.iter().collect();
    findings.sort_by_key(|finding| finding.severity);
    let mut page = format!("# Findings: {}\n\n", list.implementation);
    page.push_str("<!-- Generated from findings.yaml by `conform findings --write`; edit that. -->\n\n");
    page.push_str(&block(&list.intro));
    if !findings.is_empty() {
        page.push_str("| severity | finding | |\n|---|---|---|\n");
    }
    for Finding { id, title, severity, finding, .. } in &findings {
        let cell = flat(finding).replace('|', "\\|");
        page.push_str(&format!("| {} | [{title}](#{id}) | {cell} |\n", severity_of(*severity)));
    }
    page.push('\n');
    findings.iter().for_each(|finding| page.push_str(&section(finding)));
    if !list.notes.trim().is_empty() {
        page.push_str(&format!("## Seen beside the corpus\n\n{}", block(&list.notes)));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn section(finding: &Finding) -> String {
    let Finding { title, severity, finding: sentence, packet, value, expected, actual, consequence, .. } = finding;
    let mut text = format!("## {title}\n\n{}\n\n", flat(sentence));
    let mut item = |name: &str, what: &str| text.push_str(&format!("- **{name}**: {}\n", flat(what)));
    packet.iter().for_each(|packet| item("Packet", packet));
    value.iter().for_each(|value| item("Value", value));
    item("Expected", expected);
    item("Actual", actual);
    item(&format!("Severity {}", severity_of(*severity)), consequence);
    finding.versions.iter().for_each(|versions| item("Versions", versions));
    let erratum = |id: &String| item("Erratum", &format!("[{id}](../../specs/errata.yaml)"));
    finding.erratum.iter().for_each(erratum);
    item("Shown by", &shown_by(finding));
    text.push('\n');
    text.push_str(&finding.notes.as_deref().map(block).unwrap_or_default());
    text
}

/// How many rows have which verdict.
fn shown_by(finding: &Finding) -> String {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    finding.tests.iter().for_each(|row| *verdicts.entry(&row.verdict).or_default() += 1);
    let number = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let rows = verdicts.iter().map(|(verdict, rows)| format!("{} of tests with `{verdict}`", number(*rows, "row")));
    let patterns = finding.diff.len();
    let patterns = (patterns > 0).then(|| format!("{} of `conform diff`", number(patterns, "pattern")));
    rows.chain(patterns).collect::<Vec<_>>().join(", ")
}

fn severity_of(severity: Option<Severity>) -> String {
    severity.map(|severity| severity.to_string()).unwrap_or_default()
}

/// In one line: where a paragraph is wrapped in the list means nothing.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn block(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{}\n\n", text.trim_end()) }
}
