//! `conform gate`, and the baseline of `conform run`.

use std::path::{Path, PathBuf};

use variant_report::gate::{Gate, GateOptions, comparable, markdown, render};
use variant_report::markdown::COMMENT;
use variant_runner::record::RunRecord;
use variant_runner::results::Plan;
use variant_wire::version::numbers;

use super::args::GateFormat;
use super::terminal::{put, put_coloured, read_record, record_at, show};
use super::{Exit, Failure, GateArgs};

pub(super) fn gate(args: &GateArgs) -> Result<Exit, Failure> {
    let baseline = Baseline::read(&args.base, args.corpus_version.clone())?;
    let head = read_record(&args.head)?;
    let gate = baseline.compare(&head, args.strict)?;
    match args.format {
        GateFormat::Text => put_coloured(&render(&gate), args.out.as_deref())?,
        GateFormat::Markdown => put(&markdown(&gate, COMMENT), args.out.as_deref())?,
    }
    Ok(status(&gate))
}

/// The older record, with which a run is compared.
pub(super) struct Baseline {
    path: PathBuf,
    recorded: RunRecord,
    corpus_version: Option<String>,
}

impl Baseline {
    /// Reads it. A `corpus_version` without numbers is an error.
    fn read(path: &Path, corpus_version: Option<String>) -> Result<Self, Failure> {
        if let Some(version) = corpus_version.as_ref().filter(|version| numbers(version).is_empty()) {
            return Err(Failure::usage(format!("--corpus-version {version:?} is not a version; write it like 0.2.0")));
        }
        Ok(Self { path: path.to_owned(), recorded: read_record(path)?, corpus_version })
    }

    /// Reads the baseline of a run before it starts. A baseline that the run would overwrite is an error.
    pub(super) fn of_run(path: &Path, corpus_version: Option<String>, results: &Path) -> Result<Self, Failure> {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        if real(&record_at(path)).is_some_and(|baseline| Some(baseline) == real(results)) {
            let why = "this run would overwrite its own baseline; choose another folder with --out";
            return Err(Failure::at(path)(why));
        }
        Self::read(path, corpus_version)
    }

    /// Fails if a run with this plan cannot be compared with it.
    pub(super) fn check(&self, head: &Plan) -> Result<(), Failure> {
        comparable(&self.recorded, head).map_err(Failure::at(&self.path))
    }

    /// Prints what changed. Returns whether anything did, and the exit status.
    pub(super) fn judge(&self, head: &RunRecord, strict: bool) -> Result<(bool, Exit), Failure> {
        let gate = self.compare(head, strict)?;
        show(&render(&gate))?;
        Ok((!gate.is_silent(), status(&gate)))
    }

    fn compare<'a>(&'a self, head: &'a RunRecord, strict: bool) -> Result<Gate<'a>, Failure> {
        let setting = GateOptions { corpus_version: self.corpus_version.as_deref(), strict };
        Gate::of(&self.recorded, head, setting).map_err(Failure::at(&self.path))
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
