//! `conform run --bless`: updates the list of known findings to fit a run.

use std::path::Path;

use variant_corpus::findings::{Blessed, Tracker};
use variant_runner::run::RunTotals;

use super::terminal::{note, warn, write_file};
use super::{Exit, Failure};

/// Writes the list that fits the results of the run, and says what is left to do.
pub(super) fn bless(findings: &Tracker, totals: RunTotals, list: &Path) -> Result<Exit, Failure> {
    let shown = list.display();
    if !totals.complete {
        warn(format!("{shown} is unchanged: not everything was run"));
        return Ok(Exit::Incomplete);
    }
    if totals.executed == 0 || totals.unclaimed {
        warn(format!("{shown} is unchanged: no required test ran"));
        return Ok(Exit::NothingRan);
    }
    let Blessed { text, dropped, added, stale } = findings.blessed();
    if !dropped.is_empty() || !added.is_empty() {
        write_file(list, text.as_bytes())?;
    }
    for id in &dropped {
        note(format!("deleted a row of `{id}` that no longer matches a test"));
    }
    for id in &added {
        note(format!("added `{id}`: explain what is wrong and why; until then the list is rejected"));
    }
    for sentence in &stale {
        note(format!("to do: {sentence}"));
    }
    note(format!(
        "{shown}: {} rows deleted, {} findings added, {} rows to change",
        dropped.len(),
        added.len(),
        stale.len()
    ));
    Ok(if added.is_empty() && stale.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}
