//! The result of a run in one line.

use crate::status::CellStatus;
use crate::summary::Summary;
use variant_corpus::verdict::Verdict;
use variant_values::sanitize::counted;

/// The line that a person reads first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The status of the whole run, shown as a colour and a shape.
    pub mark: CellStatus,
    /// One sentence without a period, like `3 failures; 20 of 27 types pass both ways`.
    pub text: String,
}

impl Headline {
    /// The line of a run. Only a run in which every type was tested and passed both ways conforms.
    pub fn of(summary: &Summary<'_>) -> Self {
        let ids = summary.ids();
        let share = ids.sentence();
        let (red, known, amber) = (summary.red(), summary.known(), summary.amber());
        let not_run = summary.count(Verdict::NotRun).sum();
        let skipped = match summary.count(Verdict::Skipped).sum() {
            0 => String::new(),
            count => format!(", {} skipped", counted(count, "test")),
        };
        let stale = summary.end.stale.len();
        let (mark, text) = if let Some((recorded, planned)) = summary.cut {
            (CellStatus::Fail, format!("Incomplete: {recorded} of {}", counted(planned, "test")))
        } else if !summary.end.complete || not_run > 0 {
            (CellStatus::Fail, format!("Incomplete: {} not run", counted(not_run, "test")))
        } else if red > 0 {
            (CellStatus::Fail, format!("{}{skipped}; {share}", counted(red, "failure")))
        } else if stale > 0 {
            (CellStatus::Fail, format!("No failure, but {} no longer true", counted(stale, "expectation")))
        } else if known > 0 {
            (CellStatus::Known, format!("As expected, with {}{skipped}; {share}", counted(known, "known failure")))
        } else if ids.both == ids.all && ids.all > 0 {
            (CellStatus::Ok, format!("Conforms: all {} types pass both ways", ids.all))
        } else if amber > 0 {
            (CellStatus::Part, format!("No failure, {}; {share}", counted(amber, "amber result")))
        } else {
            (CellStatus::Part, format!("No failure in what was tested; {share}"))
        };
        Self { mark, text }
    }
}
