//! `conform selftest`.

use variant_corpus::EQUIVALENTS;
use variant_corpus::Smoke;
use variant_selftest::{Extent, Nulled, Trial, choose, load_equivalents, render, run_nulls, stale, try_all};
use variant_specs::Dialect;

use super::paths::Paths;
use super::terminal::{show, write_file};
use super::{Exit, Failure, SelftestArgs};

pub(super) fn selftest(args: &SelftestArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let equivalents = load_equivalents(&corpus.path_of(EQUIVALENTS), &corpus.equivalents)?;
    let all: Vec<&Dialect> = specs.all().collect();
    let dialects: Vec<&Dialect> = if args.dialect.is_empty() {
        all.clone()
    } else {
        args.dialect.iter().map(|name| specs.find(name).map_err(Failure::usage)).collect::<Result<_, _>>()?
    };
    let whole = dialects.len() == all.len();
    let trials = try_all(&specs, &corpus, &dialects, &equivalents)?;
    let names: Vec<String> = dialects.iter().map(|dialect| dialect.name.clone()).collect();
    let nulls = run_nulls(&specs, &corpus, &names)?;
    // From a part of the dialects you cannot tell which entries and tests are not needed.
    let stale = if whole { stale(&trials, &equivalents) } else { Vec::new() };
    let smoke = choose(&trials);
    let extent = if args.full { Extent::Mutants } else { Extent::Counts };
    show(&render(&trials, &nulls, &stale, &smoke, extent))?;
    let fresh = !whole || keep(args, paths, &smoke, &corpus.smoke)?;
    Ok(if fresh && stale.is_empty() && has_teeth(&trials, &nulls) { Exit::AsExpected } else { Exit::NotAsExpected })
}

fn has_teeth(trials: &[Trial<'_>], nulls: &[Nulled]) -> bool {
    let survivor = trials.iter().flat_map(|trial| &trial.tried).any(variant_selftest::Tried::survives);
    !survivor && nulls.iter().all(|nulled| nulled.green.is_empty())
}

/// Writes the list of `--smoke`, or says where it is not what it would be now.
fn keep(args: &SelftestArgs, paths: &Paths, smoke: &Smoke, written: &str) -> Result<bool, Failure> {
    if args.write_smoke {
        write_file(&paths.writable_corpus()?.join("smoke.txt"), smoke.write().as_bytes())?;
        return Ok(true);
    }
    let fresh = Smoke::parse(written) == *smoke;
    if !fresh {
        show("smoke.txt is not what it would be now: write it again with --write-smoke\n")?;
    }
    Ok(fresh)
}
