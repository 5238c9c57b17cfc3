//! `conform selftest`.

use variant_corpus::EQUIVALENTS;
use variant_faults::{FaultResult, load_equivalents, render, stale, try_all};
use variant_report::repeat::quoted;
use variant_specs::{Dialect, Status};

use super::paths::{self, Paths};
use super::terminal::{is_quiet, say, show};
use super::{Exit, Failure, SelftestArgs};

pub(super) fn selftest(args: &SelftestArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let lists = corpus.equivalents.iter().map(|(file, text)| load_equivalents(file, text));
    let equivalents = lists.collect::<Result<Vec<_>, _>>()?.concat();
    // No case has to show what no engine speaks.
    let all: Vec<&Dialect> = specs.all().filter(|dialect| dialect.status == Status::Spoken).collect();
    let dialects: Vec<&Dialect> = if args.dialects.dialect.is_empty() {
        all.clone()
    } else {
        args.dialects.dialect.iter().map(|name| paths::dialect(name, &specs)).collect::<Result<_, _>>()?
    };
    let whole = dialects.len() == all.len();
    let trials = try_all(&specs, &corpus, &dialects, &equivalents)?;
    // Only a run of all dialects shows which entries are not needed.
    let results: Vec<&FaultResult> = trials.iter().flat_map(|trial| &trial.results).collect();
    let stale = if whole { stale(&results, &equivalents) } else { Vec::new() };
    let survivors = results.iter().any(|result| result.survives());
    if !is_quiet() || survivors || !stale.is_empty() {
        show(&render(&trials, &stale, args.extent.full))?;
    }
    if survivors {
        say(next_step(&args.dialects.dialect, paths))?;
    }
    Ok(if stale.is_empty() && !survivors { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// What to do about mutants that survive.
fn next_step(dialects: &[String], paths: &Paths) -> String {
    let folder = paths.spec.first().map_or_else(|| "corpus".into(), |file| file.with_extension(""));
    let dialects: String = dialects.iter().map(|name| format!(" --dialect {}", quoted(name))).collect();
    format!(
        "Each survivor is a faulty codec that passes every case. Add a case to {0}/ that it fails, or, if it is no fault, list it with the \
         reason in {0}/{EQUIVALENTS}:\n  - {{mutants: [\"ID\"], because: …}}\nThen run `conform selftest{dialects}{1}` again.",
        folder.display(),
        paths.options()
    )
}
