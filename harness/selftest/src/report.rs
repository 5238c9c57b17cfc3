//! What came of a selftest, for a person.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Nulled, Trial, Tried};
use variant_corpus::Smoke;
use variant_specs::Reading;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Counts by type id, and all that survives.
    Counts,
    /// Every mutant, and the first case that notices it.
    Mutants,
}

/// The report. `stale` are entries of the list of equivalent mutants that are not true.
pub fn render(trials: &[Trial<'_>], nulls: &[Nulled], stale: &[String], smoke: &Smoke, extent: Extent) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text, trials, nulls, stale, smoke, extent);
    text
}

fn write(
    text: &mut String,
    trials: &[Trial<'_>],
    nulls: &[Nulled],
    stale: &[String],
    smoke: &Smoke,
    extent: Extent,
) -> std::fmt::Result {
    for trial in trials {
        write_trial(text, trial, extent)?;
    }
    write_nulls(text, nulls)?;
    let all = || trials.iter().flat_map(|trial| &trial.tried);
    for line in stale {
        writeln!(text, "equivalent-mutants.yaml: {line}")?;
    }
    for tried in all().filter(|tried| tried.survives()) {
        writeln!(text, "survives: {}  ({})", tried.mutant.id, tried.mutant.says)?;
    }
    let noticed = all().filter(|tried| !tried.bites.is_empty()).count();
    let warned = all().filter(|tried| is_warned(tried)).count();
    let explained = all().filter(|tried| tried.bites.is_empty() && tried.explained.is_some()).count();
    let survivors = all().filter(|tried| tried.survives()).count();
    writeln!(
        text,
        "{} mutants: {noticed} noticed ({warned} of them by a warning alone), {explained} no fault, {survivors} survive",
        all().count()
    )?;
    writeln!(text, "{} asks notice all of those that `conform run` could (--smoke)", smoke.len())
}

/// Kills and survivors by type id, or by what else a mutant is about.
fn write_trial(text: &mut String, trial: &Trial<'_>, extent: Extent) -> std::fmt::Result {
    let dialect = trial.world.dialect;
    let reading = match trial.world.reading {
        Reading::Engine => "",
        Reading::Document => ", read literally",
    };
    writeln!(text, "{}{reading}", dialect.name)?;
    writeln!(
        text,
        "  {:>3} {:<20} {:>7} {:>7} {:>8} {:>8}  noticed most often by",
        "id", "about", "mutants", "noticed", "no fault", "survive"
    )?;
    for (place, group) in groups(trial) {
        let id = if place.0 < dialect.types.len() { place.0.to_string() } else { String::new() };
        let noticed = group.iter().filter(|tried| !tried.bites.is_empty()).count();
        let explained = group.iter().filter(|tried| tried.bites.is_empty() && tried.explained.is_some()).count();
        let survivors = group.len() - noticed - explained;
        let busiest = busiest(&group).unwrap_or_default();
        writeln!(
            text,
            "  {id:>3} {:<20} {:>7} {noticed:>7} {explained:>8} {survivors:>8}  {busiest}",
            place.1,
            group.len()
        )?;
        if extent == Extent::Mutants {
            for tried in group {
                writeln!(text, "        {}: {}", tried.mutant.id, fate(tried))?;
            }
        }
    }
    writeln!(text)
}

fn fate(tried: &Tried) -> String {
    match (tried.bites.first(), &tried.explained) {
        (Some(bite), _) => {
            let warned = if is_warned(tried) { ", as a warning" } else { "" };
            let more = tried.bites.len() - 1;
            format!("{}{warned}{}", bite.test, if more > 0 { format!(", and {more} more") } else { String::new() })
        }
        (None, Some(because)) => format!("no fault: {because}"),
        (None, None) => "SURVIVES".to_owned(),
    }
}

fn is_warned(tried: &Tried) -> bool {
    !tried.bites.is_empty() && tried.bites.iter().all(|bite| bite.amber)
}

/// The mutants by the type id that they are about, others behind them by the part of their names. A mutant of two
/// ids counts for the first.
fn groups<'t>(trial: &'t Trial<'_>) -> BTreeMap<(usize, String), Vec<&'t Tried>> {
    let dialect = trial.world.dialect;
    let mut groups: BTreeMap<(usize, String), Vec<&Tried>> = BTreeMap::new();
    for tried in &trial.tried {
        let about = tried.mutant.about.first().map(std::string::ToString::to_string);
        let place =
            about.as_ref().and_then(|name| dialect.types.iter().position(|entry| dialect.layout(entry).name == *name));
        let part = tried.mutant.id.split('/').nth(1).unwrap_or_default();
        let name = about.unwrap_or_else(|| part.to_owned());
        groups.entry((place.unwrap_or(dialect.types.len()), name)).or_default().push(tried);
    }
    groups
}

/// The ask that notices the most of these, without its dialect.
fn busiest(group: &[&Tried]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    group.iter().flat_map(|tried| &tried.bites).for_each(|bite| *counts.entry(&bite.test).or_default() += 1);
    let (test, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let short = test.split_once('/').map_or(test, |(_, rest)| rest);
    Some(format!("{short} ({count})"))
}

fn write_nulls(text: &mut String, nulls: &[Nulled]) -> std::fmt::Result {
    writeln!(text, "answers without looking             claims                    failed  type ids green")?;
    for nulled in nulls {
        let ops: Vec<&str> = nulled.ops.iter().map(|op| op.name()).collect();
        writeln!(
            text,
            "  {:<33} {:<24} {:>7}  {}",
            nulled.null.name(),
            ops.join(" "),
            nulled.failed,
            if nulled.green.is_empty() { "none".to_owned() } else { nulled.green.join(" ") }
        )?;
    }
    writeln!(text)
}
