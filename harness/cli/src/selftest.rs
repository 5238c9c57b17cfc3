//! `conform selftest`.

use variant_corpus::EQUIVALENTS;
use variant_faults::{FaultResult, NullResult, Trial, load_equivalents, render, run_nulls, stale, try_all};
use variant_specs::{Dialect, Status};

use super::paths::{self, Paths};
use super::terminal::show;
use super::{Exit, Failure, SelftestArgs};

pub(super) fn selftest(args: &SelftestArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let equivalents = load_equivalents(&corpus.path_of(EQUIVALENTS), &corpus.equivalents)?;
    // No case has to show what no engine speaks.
    let all: Vec<&Dialect> = specs.all().filter(|dialect| dialect.status == Status::Spoken).collect();
    let dialects: Vec<&Dialect> = if args.dialects.dialect.is_empty() {
        all.clone()
    } else {
        args.dialects.dialect.iter().map(|name| paths::dialect(name, &specs)).collect::<Result<_, _>>()?
    };
    let whole = dialects.len() == all.len();
    let trials = try_all(&specs, &corpus, &dialects, &equivalents)?;
    let names: Vec<String> = dialects.iter().map(|dialect| dialect.name.clone()).collect();
    let nulls = run_nulls(&specs, &corpus, &names)?;
    // Only a run of all dialects shows which entries are not needed.
    let results: Vec<&FaultResult> = trials.iter().flat_map(|trial| &trial.results).collect();
    let stale = if whole { stale(&results, &equivalents) } else { Vec::new() };
    show(&render(&trials, &nulls, &stale, args.extent.full))?;
    Ok(if stale.is_empty() && has_teeth(&trials, &nulls) { Exit::AsExpected } else { Exit::NotAsExpected })
}

fn has_teeth(trials: &[Trial<'_>], nulls: &[NullResult]) -> bool {
    let survivor = trials.iter().flat_map(|trial| &trial.results).any(FaultResult::survives);
    !survivor && nulls.iter().all(|null| null.green.is_empty())
}
