//! The numbers of a report as lines `name=value`: the outputs of a step of a workflow.

use super::groups::groups;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::summary::Summary;

/// The numbers that the report shows.
pub fn outputs(summary: &Summary<'_>) -> String {
    let passed = summary.count(Verdict::Pass).sum();
    let causes = groups(summary).unexpected.iter().filter(|group| group.severity() == Severity::Failure).count();
    format!("passed={passed}\nfailures={}\nwarnings={}\ncauses={causes}\n", summary.failures(), summary.warnings())
}
