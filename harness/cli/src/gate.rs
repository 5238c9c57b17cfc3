//! `conform gate`, and what `conform run --baseline` does with its record.

use std::path::{Path, PathBuf};

use variant_report::gate::{Gate, Setting, comparable, markdown, render};
use variant_report::markdown::COMMENT;
use variant_runner::record::RunRecord;
use variant_runner::results::Plan;
use variant_wire::version::numbers;

use super::report::{put, read};
use super::run::show;
use super::{Exit, Failure, GateArgs, GateFormat};

pub(super) fn gate(args: &GateArgs) -> Result<Exit, Failure> {
    let setting = setting(args.corpus_version.as_deref(), args.strict)?;
    let base = read(&args.base)?;
    let head = read(&args.head)?;
    let gate = compare(&args.base, &base, &head, setting)?;
    match (args.format, &args.out) {
        (GateFormat::Text, None) => show(&render(&gate))?,
        (GateFormat::Text, out) => {
            put(&anstream::adapter::strip_str(&render(&gate)).to_string(), out.as_deref())?;
        }
        (GateFormat::Markdown, out) => put(&markdown(&gate, COMMENT), out.as_deref())?,
    }
    Ok(status(&gate))
}

/// A baseline, read before the run that is compared with it.
pub(super) struct Baseline {
    path: PathBuf,
    recorded: RunRecord,
    corpus_version: Option<String>,
}

impl Baseline {
    /// Reads it; refuses one that the run would write over, and a version that is none.
    pub(super) fn read(path: &Path, corpus_version: Option<&String>, results: &Path) -> Result<Self, Failure> {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        if real(path).is_some_and(|baseline| Some(baseline) == real(results)) {
            return Err(Failure::usage(format!(
                "{}: this run would write over its own baseline; name another folder with --out",
                path.display()
            )));
        }
        setting(corpus_version.map(String::as_str), false)?;
        Ok(Self { path: path.to_owned(), recorded: read(path)?, corpus_version: corpus_version.cloned() })
    }

    /// Refuses a run that cannot be compared with it.
    pub(super) fn check(&self, head: &Plan) -> Result<(), Failure> {
        comparable(&self.recorded, head).map_err(|why| Failure::usage(format!("{}: {why}", self.path.display())))
    }

    /// Says what changed; whether anything did, and how the command ends.
    pub(super) fn judge(&self, head: &RunRecord, strict: bool) -> Result<(bool, Exit), Failure> {
        let setting = setting(self.corpus_version.as_deref(), strict)?;
        let gate = compare(&self.path, &self.recorded, head, setting)?;
        show(&render(&gate))?;
        Ok((!gate.is_silent(), status(&gate)))
    }
}

fn compare<'a>(
    path: &Path,
    base: &'a RunRecord,
    head: &'a RunRecord,
    setting: Setting<'_>,
) -> Result<Gate<'a>, Failure> {
    Gate::of(base, head, setting).map_err(|why| Failure::usage(format!("{}: {why}", path.display())))
}

fn setting(corpus_version: Option<&str>, strict: bool) -> Result<Setting<'_>, Failure> {
    match corpus_version.filter(|version| numbers(version).is_empty()) {
        Some(version) => Err(Failure::usage(format!("--corpus-version {version:?} is no version; write it as 0.2.0"))),
        None => Ok(Setting { corpus_version, strict }),
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
