//! `conform selftest`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use variant_corpus::{Corpus, EQUIVALENTS};
use variant_faults::{Equivalent, FaultResult, load_equivalents, render, stale, try_all};
use variant_report::repeat::quoted;
use variant_specs::{Dialect, Status};

use crate::args::SelftestArgs;
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::terminal::{is_quiet, say, show};

pub(super) fn selftest(args: &SelftestArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let equivalents = equivalents(&corpus)?;
    // No case has to show what no engine speaks.
    let all: Vec<&Dialect> = specs.all().filter(|dialect| dialect.status == Status::Spoken).collect();
    let dialects: Vec<&Dialect> = if args.dialects.dialect.is_empty() {
        all.clone()
    } else {
        args.dialects.dialect.iter().map(|name| paths::dialect(name, &specs)).collect::<Result<_, _>>()?
    };
    let trials = try_all(&specs, &corpus, &dialects, &equivalents)?;
    // Only a run of all dialects that an entry names shows whether it is needed.
    let judged: Vec<Equivalent> = equivalents.into_iter().filter(|entry| entry.is_judged(&dialects, &all)).collect();
    let results: Vec<&FaultResult> = trials.iter().flat_map(|trial| &trial.results).collect();
    let stale = stale(&results, &judged);
    let survive: Vec<&Dialect> = trials
        .iter()
        .filter(|trial| trial.results.iter().any(FaultResult::survives))
        .map(|trial| trial.context.dialect)
        .collect();
    if !is_quiet() || !survive.is_empty() || !stale.is_empty() {
        show(&render(&trials, &stale, args.extent.full))?;
    }
    if !survive.is_empty() {
        say(next_step(&survive, &args.dialects.dialect, paths))?;
    }
    Ok(if stale.is_empty() && survive.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// All that is listed as no fault, beside all cases.
pub(super) fn equivalents(corpus: &Corpus) -> Result<Vec<Equivalent>, Failure> {
    let lists = corpus.equivalents.iter().map(|(file, text)| load_equivalents(file, text));
    Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
}

/// What to do about mutants that survive in some dialects: their cases are beside the files of `--spec`, or in the corpus.
fn next_step(survive: &[&Dialect], dialects: &[String], paths: &Paths) -> String {
    let own = |dialect: &&Dialect| paths.spec.iter().find(|file| file.display().to_string() == dialect.file);
    let folders: BTreeSet<PathBuf> =
        survive.iter().map(|of| own(of).map_or_else(|| "corpus".into(), |file| file.with_extension(""))).collect();
    let step = |folder: &PathBuf| {
        format!(
            "Add a case to {0}/ that it fails, or, if it is no fault, list it with the reason in {0}/{EQUIVALENTS}:\n  \
             - {{mutants: [\"ID\"], because: …}}\n",
            folder.display()
        )
    };
    let steps: String = folders.iter().map(step).collect();
    let dialects: String = dialects.iter().map(|name| format!(" --dialect {}", quoted(name))).collect();
    format!(
        "Each survivor is a faulty codec that passes every case. {steps}Then run `conform selftest{dialects}{}` again.",
        paths.options()
    )
}
