//! The result of a selftest, for a person.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use super::{FaultResult, Trial};
use variant_corpus::verdict::Severity;
use variant_specs::JudgedBy;
use variant_values::diagnostic::Problem;
use variant_values::sanitize::counted;

/// How many mutants have which fate.
struct MutantCounts {
    all: usize,
    killed: usize,
    warned: usize,
    equivalent: usize,
    survive: usize,
}

impl MutantCounts {
    fn of(results: &[&FaultResult]) -> Self {
        let count = |which: fn(&FaultResult) -> bool| results.iter().filter(|result| which(result)).count();
        Self {
            all: count(|_| true),
            killed: count(|result| !result.kills.is_empty()),
            warned: count(is_warned),
            equivalent: count(|result| result.kills.is_empty() && result.equivalent.is_some()),
            survive: count(FaultResult::survives),
        }
    }

    /// Of the mutants that are faults, how many are killed, in tenths of a percent: all of them only if none survives.
    fn score(&self) -> usize {
        let faults = self.killed + self.survive;
        (1000 * self.killed).checked_div(faults).unwrap_or(1000)
    }
}

/// The report: counts by type id, and all survivors; with `full`, every mutant and the first test that kills it.
/// `stale` has the messages of [`stale`](super::stale), about the list of equivalent mutants.
pub fn render(trials: &[Trial<'_>], stale: &[Problem], full: bool) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text, trials, stale, full);
    text
}

fn write(text: &mut String, trials: &[Trial<'_>], stale: &[Problem], full: bool) -> Result {
    for trial in trials {
        write_trial(text, trial, full)?;
    }
    for line in stale {
        writeln!(text, "{line}")?;
    }
    let results: Vec<&FaultResult> = trials.iter().flat_map(|trial| &trial.results).collect();
    for FaultResult { mutant, .. } in results.iter().filter(|result| result.survives()) {
        writeln!(text, "survives: {}  ({})", mutant.id, mutant.description)?;
    }
    let removed = results.iter().filter(|result| result.removed).count();
    if removed > 0 {
        let faults = counted(removed, "mutant");
        writeln!(
            text,
            "no survivors: {faults} that the dialect which is extended shows only with what is not here: a type, an order of pairs, padding"
        )?;
    }
    let counts = MutantCounts::of(&results);
    let MutantCounts { all, killed, warned, equivalent, survive } = counts;
    let (percent, tenths) = (counts.score() / 10, counts.score() % 10);
    writeln!(
        text,
        "{all} mutants: {killed} killed ({warned} by warnings only), {equivalent} equivalent, {survive} survive; mutation score {percent}.{tenths} %"
    )
}

/// Mutants by type id, or by what else they change.
fn write_trial(text: &mut String, trial: &Trial<'_>, full: bool) -> Result {
    let dialect = trial.context.dialect;
    let judged_by = match trial.context.judged_by {
        JudgedBy::Engines => "",
        JudgedBy::Documents => ", read literally",
    };
    writeln!(text, "{}{judged_by}", dialect.name)?;
    writeln!(text, "   id about                mutants  killed equivalent  survive")?;
    for ((place, name), group) in groups(trial) {
        let id = if place < dialect.types.len() { place.to_string() } else { String::new() };
        let MutantCounts { all, killed, equivalent, survive, .. } = MutantCounts::of(&group);
        writeln!(text, "  {id:>3} {name:<20} {all:>7} {killed:>7} {equivalent:>10} {survive:>8}")?;
        for result in group.iter().filter(|_| full) {
            writeln!(text, "        {}: {}", result.mutant.id, fate(result))?;
        }
    }
    writeln!(text)
}

fn fate(result: &FaultResult) -> String {
    let Some(first) = result.kills.first() else {
        let survives = if result.removed { "no survivor: shown only with what is not here" } else { "SURVIVES" };
        return result.equivalent.as_ref().map_or(survives.to_owned(), |because| format!("equivalent: {because}"));
    };
    let warned = if is_warned(result) { ", as a warning" } else { "" };
    let more = match result.kills.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{}{warned}{more}", first.test)
}

fn is_warned(result: &FaultResult) -> bool {
    !result.kills.is_empty() && result.kills.iter().all(|kill| kill.severity == Severity::Warning)
}

/// The mutants by the type id that they change, then the others by the second part of their ids. A mutant of two type
/// ids counts for the first.
fn groups<'t>(trial: &'t Trial<'_>) -> BTreeMap<(usize, String), Vec<&'t FaultResult>> {
    let types = &trial.context.dialect.types;
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for result in &trial.results {
        let part = || result.mutant.id.split('/').nth(1).unwrap_or_default();
        let name = result.mutant.about.first().map_or_else(part, AsRef::as_ref);
        let named = |entry| trial.context.dialect.layout(entry).name == name;
        let place = if result.mutant.about.is_empty() { None } else { types.iter().position(named) };
        groups.entry((place.unwrap_or(types.len()), name.to_owned())).or_default().push(result);
    }
    groups
}
