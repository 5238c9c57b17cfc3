//! How fast it is, for whoever measures: the clock is theirs.

use variant_specs::{Dialect, Reading, Specs};

use super::campaign::{Campaign, Outcome, Plan, Unwatched};
use super::grow::Extent;
use super::sides::Side;
use super::stream::Stream;
use crate::implementation::{Implementation, Unusable};
use crate::interrupt::Interrupt;
use crate::reference::Reference;

/// Asks two reference codecs, in process, on one thread.
///
/// # Errors
/// Never, as long as the reference codec answers.
pub fn compare(specs: &Specs, dialect: &Dialect, cases: u64) -> Result<Outcome, Unusable> {
    let side = |name| Side::here(name, Box::new(Reference::new(specs, Reading::Engine)));
    let plan = Plan { cases, ..Plan::default() };
    let campaign = Campaign { specs, dialect, seeds: Vec::new(), plan, interrupt: Interrupt::default() };
    campaign.run(vec![side("one"), side("other")], &mut Unwatched)
}

/// Only makes the questions of so many batches; how many there are.
pub fn generate(specs: &Specs, dialect: &Dialect, batches: u64) -> usize {
    let reference = Reference::new(specs, Reading::Engine);
    let stream = Stream::new(dialect, &[reference.hello()], Vec::new(), Extent::default(), Plan::default().seed);
    (0..batches).map(|index| stream.batch(index).len()).sum()
}
