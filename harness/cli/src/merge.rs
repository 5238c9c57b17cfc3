//! `conform merge`.

use variant_diff::Record;
use variant_wire::sanitize;

use super::output::write_file;
use super::run::show;
use super::{Exit, Failure, MergeArgs};

pub(super) fn merge(args: &MergeArgs) -> Result<Exit, Failure> {
    let mut records = Vec::new();
    for path in &args.records {
        let read = Record::read(path).map_err(Failure::usage)?;
        records.extend(read.into_iter().map(|record| (path.display().to_string(), record)));
    }
    let merged = Record::merge_all(&records).map_err(Failure::usage)?;
    show(&sanitize::lines(&merged.iter().map(Record::shown).collect::<String>()))?;
    if let Some(path) = &args.out {
        write_file(path, merged.iter().map(Record::lines).collect::<String>().as_bytes())?;
    }
    Ok(if merged.iter().any(Record::is_open) { Exit::NotAsExpected } else { Exit::AsExpected })
}
