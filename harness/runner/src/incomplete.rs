//! Why a run is incomplete.

use crate::record::RunRecord;
use variant_corpus::verdict::Verdict;
use variant_values::sanitize::{counted, short};

/// A sentence like `3216 tests did not run: …`; `None` if the run is complete.
pub fn incomplete(recorded: &RunRecord) -> Option<String> {
    if recorded.end.complete {
        return None;
    }
    if !recorded.ended {
        // Tests that are repeated were not planned.
        let planned = recorded.plan.tests;
        let recorded = recorded.recorded().min(planned);
        return Some(format!(
            "{recorded} of {} are recorded: the run was ended, or is still going",
            counted(planned, "test")
        ));
    }
    if let Some(campaign) = &recorded.plan.campaign {
        let sent = counted(recorded.end.executed, "request");
        return Some(format!("the campaign ended after {sent}; {} were planned in each dialect", campaign.cases));
    }
    let mut left = recorded.verdicts.iter().filter(|record| record.verdict == Verdict::NotRun).peekable();
    let first = left.peek().and_then(|record| record.detail.as_ref());
    let why = recorded.end.stopped.as_deref().or_else(|| first.map(|detail| &*detail.note));
    let why = why.map_or_else(|| "the record does not say why".to_owned(), |why| short(why, 300));
    Some(match left.count() {
        0 => format!("the implementation ended before every repetition ran: {why}"),
        count => format!("{} did not run: {why}", counted(count, "test")),
    })
}
