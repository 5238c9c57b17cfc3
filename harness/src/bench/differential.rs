//! The differential mode in process: the reference codec against itself.

use std::hint::black_box;

use variant_specs::{Dialect, Reading, Specs};

use super::figure::{Figure, Unit, number, ratio};
use super::{Bench, BenchError, clock};
use crate::diff::{BATCH, Campaign, Extent, Plan, Side, Stream, Unwatched};
use crate::implementation::{Implementation as _, Unusable};
use crate::interrupt::Interrupt;
use crate::reference::Reference;

/// How many questions are put.
const CASES: usize = 256 * BATCH;
/// How often; the fastest counts.
const TIMES: usize = 3;

impl Bench<'_> {
    pub(super) fn differential(&self, tell: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let dialect = self.dialect()?;
        let mut failed = None;
        let whole = clock::fastest(TIMES, || {
            if let Err(unusable) = compare(self.specs, dialect, CASES) {
                failed = Some(unusable);
            }
        });
        if let Some(unusable) = failed {
            return Err(unusable.into());
        }
        let reference = Reference::new(self.specs, Reading::Engine);
        let hello = reference.hello();
        let stream = Stream::new(dialect, &[hello, hello], Vec::new(), Extent::default(), 1);
        let made = clock::fastest(TIMES, || {
            (0..(CASES / BATCH) as u64).for_each(|index| drop(black_box(stream.batch(index))));
        });
        let each_second = number(CASES) / whole.as_secs_f64();
        let what = "differential in process: comparisons a second and core";
        tell(Figure::at_least(what, 150_000.0, Unit::Count, each_second, ""));
        let what = "differential in process: share of making the questions";
        tell(Figure::at_most(what, 30.0, Unit::Percent, 100.0 * ratio(made, whole), ""));
        Ok(())
    }
}

/// Puts so many questions to two reference codecs.
pub(super) fn compare(specs: &Specs, dialect: &Dialect, cases: usize) -> Result<(), Unusable> {
    let side = |name: &str| Side::here(name, Box::new(Reference::new(specs, Reading::Engine)));
    let plan = Plan { cases: cases as u64, ..Plan::default() };
    let campaign = Campaign { specs, dialect, seeds: Vec::new(), plan, interrupt: Interrupt::default() };
    let outcome = campaign.run(vec![side("one"), side("other")], &mut Unwatched)?;
    black_box(outcome);
    Ok(())
}
