//! The numbers of a report as lines `name=value`: the outputs of a step of a workflow.

use super::groups::groups;
use strum::VariantArray as _;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::summary::{Ability, Summary};

/// The numbers that the report shows. Those of types are of the newest dialect; what is not supported, or was not asked, has none.
pub fn outputs(summary: &Summary<'_>) -> String {
    let passed = summary.count(Verdict::Pass).sum();
    let causes = groups(summary).unexpected.iter().filter(|group| group.severity() == Severity::Failure).count();
    let (failures, warnings) = (summary.failures(), summary.warnings());
    let mut lines = format!("passed={passed}\nfailures={failures}\nwarnings={warnings}\ncauses={causes}\n");
    // A campaign says nothing of a type as a whole.
    let newest = summary.newest().filter(|_| summary.plan.campaign.is_none());
    for ability in Ability::VARIANTS {
        if let Some(count) = newest.and_then(|(_, score)| score.count(*ability)) {
            lines += &format!("{}={count}\n", ability.name());
        }
    }
    lines
}
