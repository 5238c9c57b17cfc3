//! From a disagreement to the smallest one like it, by asking: values and bytes, in batches, down the same pipes.

use std::time::{Duration, Instant};

use super::locate::{Disagreement, locate, rulings};
use super::oracle::{Oracle, Ruling};
use super::sides::Sides;
use super::simpler;
use variant_wire::implementation::{ImplementationError, Request};

/// How many candidates are asked at once: a few, for most often one of the first is taken.
const AT_ONCE: usize = 24;

/// The simplest question with the same signature that is found within that time. Where a side cannot be asked any more,
/// it is the simplest so far: what was found is worth more than how small it is.
pub(super) fn shrink(
    sides: &mut Sides,
    oracle: &Oracle,
    found: &Disagreement,
    within: Duration,
    still: &dyn Fn(&Disagreement) -> bool,
) -> Disagreement {
    let until = Instant::now() + within;
    let mut best = found.clone();
    'simpler: loop {
        let smallest = best.request.clone();
        let mut rest = simpler::requests(&smallest, &oracle.verbatim);
        loop {
            let late = Instant::now() >= until;
            let requests: Vec<Request> = rest.by_ref().take(if late { 0 } else { AT_ONCE }).collect();
            if requests.is_empty() {
                return best;
            }
            let Ok(located) = parted(sides, oracle, requests) else { return best };
            let least = simpler::weight(&best.request.input, oracle.codec_for(&best.request));
            let next = located
                .into_iter()
                .filter(|next| next.parting.signature == found.parting.signature && still(next))
                .map(|next| (simpler::weight(&next.request.input, oracle.codec_for(&next.request)), next))
                .filter(|(weight, _)| *weight < least)
                .min_by_key(|(weight, _)| *weight);
            if let Some((_, next)) = next {
                best = next;
                continue 'simpler;
            }
        }
    }
}

/// What of these parts, and where.
fn parted(
    sides: &mut Sides,
    oracle: &Oracle,
    requests: Vec<Request>,
) -> Result<Vec<Disagreement>, ImplementationError> {
    let ruled = rulings(sides, oracle, requests.clone())?;
    let parted = requests.into_iter().zip(ruled).filter_map(|(request, ruling)| match ruling {
        Ruling::Parted(parting) => Some(Disagreement { request, parting: *parting }),
        Ruling::Agree | Ruling::Undecidable | Ruling::NotRun(_) => None,
    });
    locate(sides, oracle, parted.collect())
}
