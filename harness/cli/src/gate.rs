//! `conform gate`, and the baseline of `conform run`.

use std::path::{Path, PathBuf};

use variant_corpus::Corpus;
use variant_report::gate::{Gate, comparable, markdown, render};
use variant_runner::record::RunRecord;
use variant_runner::results::Plan;
use variant_specs::Specs;

use crate::args::{GateArgs, GateFormat};
use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::records::{read_explained, record_at};
use crate::terminal::{prose, put, put_coloured};

pub(super) fn gate(args: &GateArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let recorded = read_explained(&args.base, &specs, &corpus)?;
    let baseline = Baseline { path: args.base.clone(), recorded };
    let head = read_explained(&args.head, &specs, &corpus)?;
    let gate = baseline.compare(&head)?;
    match args.written.format() {
        GateFormat::Text if args.written.out().is_none() => prose(&render(&gate))?,
        GateFormat::Text => put_coloured(&render(&gate), args.written.out())?,
        GateFormat::Markdown => put(&markdown(&gate), args.written.out())?,
    }
    Ok(status(&gate))
}

/// The older record, with which a run is compared.
pub(super) struct Baseline {
    path: PathBuf,
    recorded: RunRecord,
}

impl Baseline {
    /// Reads the baseline of a run before it starts. A baseline that the run would overwrite is an error.
    pub(super) fn of_run(path: &Path, results: &Path, specs: &Specs, corpus: &Corpus) -> Result<Self, Failure> {
        if !record_at(path).exists() {
            let why = "No such file; make one first, without --baseline: `conform run NAME --out DIR`";
            return Err(Failure::at(path)(why));
        }
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        if real(&record_at(path)).is_some_and(|baseline| Some(baseline) == real(results)) {
            let why = "this run would overwrite its own baseline; choose another folder with --out";
            return Err(Failure::at(path)(why));
        }
        Ok(Self { path: path.to_owned(), recorded: read_explained(path, specs, corpus)? })
    }

    /// Fails if a run with this plan cannot be compared with it.
    pub(super) fn check(&self, head: &Plan) -> Result<(), Failure> {
        comparable(&self.recorded, head).map_err(Failure::at(&self.path))
    }

    /// Prints what changed. Returns whether anything did, and the exit status.
    pub(super) fn judge(&self, head: &RunRecord) -> Result<(bool, Exit), Failure> {
        let gate = self.compare(head)?;
        prose(&render(&gate))?;
        Ok((!gate.is_silent(), status(&gate)))
    }

    fn compare<'a>(&'a self, head: &'a RunRecord) -> Result<Gate<'a>, Failure> {
        Gate::of(&self.recorded, head).map_err(Failure::at(&self.path))
    }
}

fn status(gate: &Gate<'_>) -> Exit {
    if !gate.head.end.complete {
        Exit::Incomplete
    } else if gate.is_green() {
        Exit::AsExpected
    } else {
        Exit::NotAsExpected
    }
}
