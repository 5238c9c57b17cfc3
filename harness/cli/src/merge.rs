//! `conform merge`.

use variant_diff::CampaignRecord;
use variant_wire::sanitize;

use super::output::write_file;
use super::run::show;
use super::{Exit, Failure, MergeArgs};

pub(super) fn merge(args: &MergeArgs) -> Result<Exit, Failure> {
    let mut records = Vec::new();
    for path in &args.records {
        let read = CampaignRecord::read(path).map_err(|error| Failure::usage(error.to_string()))?;
        records.extend(read.into_iter().map(|record| (path.display().to_string(), record)));
    }
    let merged = CampaignRecord::merge_all(&records).map_err(|error| Failure::usage(error.to_string()))?;
    show(&sanitize::lines(&merged.iter().map(CampaignRecord::shown).collect::<String>()))?;
    if let Some(path) = &args.out {
        write_file(path, merged.iter().map(CampaignRecord::lines).collect::<String>().as_bytes())?;
    }
    Ok(if merged.iter().any(CampaignRecord::is_open) { Exit::NotAsExpected } else { Exit::AsExpected })
}
