//! What a run comes to, in the one line that a person reads first.

use crate::mark::Mark;
use crate::summary::{Ids, Summary};
use variant_corpus::verdict::Verdict;
use variant_wire::sanitize::counted;

/// The line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// Colour and shape.
    pub mark: Mark,
    /// The words.
    pub text: String,
}

impl Headline {
    /// The line of a run. Only what was asked and passed in full is said to conform.
    pub fn of(summary: &Summary<'_>) -> Self {
        let ids = summary.ids();
        let share = share(ids);
        let (red, known, amber) = (summary.red(), summary.known(), summary.amber());
        let not_run = summary.count(Verdict::NotRun);
        let not_run = not_run.authored + not_run.derived;
        let stale = summary.end.stale.len();
        let (mark, text) = if !summary.end.complete || not_run > 0 {
            (Mark::Red, format!("Incomplete: {} not run", counted(not_run, "ask")))
        } else if red > 0 {
            (Mark::Red, format!("{}; {share}", counted(red, "failure")))
        } else if stale > 0 {
            (Mark::Red, format!("No failure, but {} no longer true", counted(stale, "claim")))
        } else if known > 0 {
            (Mark::Known, format!("As expected, with {}; {share}", counted(known, "known failure")))
        } else if ids.both == ids.all && ids.all > 0 {
            (Mark::Green, format!("Conforms: all {} type ids, in both directions", ids.all))
        } else if amber > 0 {
            (Mark::Amber, format!("No failure, {}; {share}", counted(amber, "reservation")))
        } else {
            (Mark::Amber, format!("No failure in what was asked; {share}"))
        };
        Self { mark, text }
    }
}

/// How many type ids conform, and of how many it can be said.
fn share(ids: Ids) -> String {
    let Ids { all, asked, both, .. } = ids;
    let untold = if asked < all { format!(" ({} not claimed or not asked)", all - asked) } else { String::new() };
    format!("{both} of {all} type ids conform in both directions{untold}")
}
