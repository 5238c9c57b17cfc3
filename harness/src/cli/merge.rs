//! `conform merge`.

use variant_conformance::diff::Record;
use variant_conformance::shown;

use super::output::write_file;
use super::run::show;
use super::{Exit, Failure, MergeArgs};

pub(super) fn merge(args: &MergeArgs) -> Result<Exit, Failure> {
    let read = |path: &std::path::PathBuf| Record::read(path).map(|record| (path.display().to_string(), record));
    let records = args.records.iter().map(read).collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
    let merged = Record::merge(&records).map_err(Failure::usage)?;
    show(&shown::lines(&merged.shown()))?;
    if let Some(path) = &args.out {
        write_file(path, merged.lines().as_bytes())?;
    }
    Ok(if merged.is_open() { Exit::NotAsExpected } else { Exit::AsExpected })
}
