//! `conform run --bless`: adds the causes of new failures to the list of known findings.

use std::collections::BTreeSet;
use std::path::Path;

use variant_corpus::findings::{Findings, PAGE, page, places};
use variant_corpus::verdict::Severity;
use variant_report::known_as;
use variant_runner::record::RunRecord;
use variant_runner::results::TestResult;
use variant_runner::run::claims_nothing;
use variant_runner::status::severity;
use variant_values::input;
use variant_values::sanitize::counted;

use crate::failure::{Exit, Failure};
use crate::terminal::{note, warn, write_file};

/// Adds what the run shows and the list does not have, and says what is left to do.
pub(super) fn bless(recorded: &RunRecord, list: &Findings, path: &Path) -> Result<Exit, Failure> {
    let shown = path.display();
    if !recorded.end.complete {
        warn(format!("{shown} is unchanged: not everything was run"));
        return Ok(Exit::Incomplete);
    }
    if recorded.end.executed == 0 || claims_nothing(recorded) {
        warn(format!("{shown} is unchanged: no required test ran"));
        return Ok(Exit::NothingRan);
    }
    let added = added(recorded, list);
    if !added.is_empty() {
        let text = if path.exists() { input::text(path)? } else { String::new() };
        write_file(path, with(&text, &added, list.sharer()).as_bytes())?;
    }
    for New { id, .. } in &added {
        note(format!("added `{id}`: explain what is wrong and why; until then the list is rejected"));
    }
    for sentence in &recorded.end.stale {
        note(format!("to do: {sentence}"));
    }
    note(format!("{shown}: {} added, {} to change", counted(added.len(), "finding"), recorded.end.stale.len()));
    // A list that is not explained yet has no page.
    if let Some(list) = path.exists().then(|| Findings::load(path).ok()).flatten() {
        write_file(&path.with_file_name(PAGE), page(&list).as_bytes())?;
    }
    Ok(if added.is_empty() && recorded.end.stale.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// A finding that nobody has explained yet.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct New {
    id: String,
    /// `causes: [length-in-characters]`.
    shown_by: String,
}

/// The causes of the failures that the list does not have; and the tests that have none.
fn added(recorded: &RunRecord, list: &Findings) -> BTreeSet<New> {
    let failures =
        recorded.verdicts.iter().filter(|result| severity(result) == Severity::Failure && !result.expected_failure);
    let ids: BTreeSet<&str> = list.findings.iter().map(|finding| finding.id.as_str()).collect();
    let new = |result: &TestResult| {
        let (of, shown_by) = match known_as(result, &recorded.causes) {
            Some(cause) => (cause.replace(['/', ':'], "-"), format!("causes: [{cause}]")),
            None => (result.id().name.to_owned(), format!("tests: [\"{}\"]", result.test)),
        };
        // An id is the anchor of a heading, and no other finding has it.
        let id: String = of.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect();
        let id = if ids.contains(id.as_str()) { format!("{id}-too") } else { id };
        New { id, shown_by }
    };
    failures.map(new).collect()
}

/// The text of a list with more findings, behind the last one.
fn with(text: &str, added: &BTreeSet<New>, sharer: Option<&str>) -> String {
    let (findings, end) = places(text);
    let of = sharer.map(|adapter| format!("  adapters: [{adapter}]\n")).unwrap_or_default();
    let blocks = added.iter().map(|New { id, shown_by }| format!("- id: {id}\n{of}  finding: \"\"\n  {shown_by}\n"));
    let head = if findings.is_empty() { "findings:\n" } else { "" };
    let lines = |from: usize, to: usize| -> String {
        let lines = text.lines().skip(from).take(to - from).filter(|line| *line != "findings: []");
        lines.filter(|line| !findings.is_empty() || *line != "findings:").map(|line| format!("{line}\n")).collect()
    };
    let all = text.lines().count();
    [lines(0, end), head.to_owned(), blocks.collect(), lines(end, all)].concat()
}
