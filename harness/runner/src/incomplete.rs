//! What a run that did not reach its end lacks, and why.

use crate::record::RunRecord;
use variant_corpus::verdict::Verdict;
use variant_wire::sanitize::{counted, short};

/// `3216 asks were not made: …`; `None` of a run that is whole.
pub fn incomplete(recorded: &RunRecord) -> Option<String> {
    if recorded.end.complete {
        return None;
    }
    let mut left = recorded.verdicts.iter().filter(|record| record.verdict == Verdict::NotRun).peekable();
    let first = left.peek().and_then(|record| record.detail.as_ref());
    let why = first.map_or_else(|| "the record does not say why".to_owned(), |detail| short(&detail.note, 300));
    Some(match left.count() {
        0 => "the implementation ended before all was asked again".to_owned(),
        1 => format!("1 ask was not made: {why}"),
        count => format!("{} were not made: {why}", counted(count, "ask")),
    })
}
