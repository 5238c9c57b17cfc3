//! Records of runs, as commands read them.

use std::path::{Path, PathBuf};

use variant_corpus::Corpus;
use variant_report::causes;
use variant_runner::record::RunRecord;
use variant_specs::Specs;
use variant_values::input;

use crate::failure::Failure;

/// The record of a run, in its folder.
pub(super) const RESULTS: &str = "results.jsonl";
/// Where the records of runs are, unless another place is named: a folder each.
pub(super) const RUNS: &str = "reports/runs";

/// The record of a run that is named by its file or by its folder.
pub(super) fn record_at(path: &Path) -> PathBuf {
    let inside = path.join(RESULTS);
    if inside.is_file() { inside } else { path.to_owned() }
}

/// Reads a recorded run: its file, or the one in its folder.
pub(super) fn read_record(path: &Path) -> Result<RunRecord, Failure> {
    let path = &record_at(path);
    // Whoever names an implementation may mean its last run.
    let run = Path::new(RUNS).join(path);
    if !path.exists() && path.components().count() == 1 && run.join(RESULTS).is_file() {
        return Err(Failure::at(path)(format!("there is no such file; did you mean `{}`?", run.display())));
    }
    if path.is_dir() {
        return Err(Failure::at(path)(format!("there is no {RESULTS} in it; `conform run NAME --out DIR` writes one")));
    }
    Ok(RunRecord::read(input::reader(path)?).map_err(|error| error.in_file(path))?)
}

/// Reads a recorded run, and finds why its tests failed.
pub(super) fn read_explained(path: &Path, specs: &Specs, corpus: &Corpus) -> Result<RunRecord, Failure> {
    let mut recorded = read_record(path)?;
    explain(&mut recorded, specs, corpus)?;
    Ok(recorded)
}

/// Finds why the tests of a record failed.
pub(super) fn explain(recorded: &mut RunRecord, specs: &Specs, corpus: &Corpus) -> Result<(), Failure> {
    Ok(causes::explain(recorded, specs, corpus, variant_diff::tests)?)
}

/// Why a record is not of the corpus of this program; `None` if it is.
pub(super) fn other_corpus(recorded: &RunRecord, carried: &Corpus) -> Option<String> {
    let (is, carried) = (recorded.plan.corpus.named(), carried.id());
    let why = "its tests are of another corpus than that of this conform";
    (recorded.plan.corpus != carried).then(|| format!("{why} ({is}, not {})", carried.named()))
}
