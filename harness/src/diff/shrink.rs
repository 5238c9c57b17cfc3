//! From a disagreement to the smallest one like it, by asking: values and bytes, in batches, down the same pipes.

use std::time::{Duration, Instant};

use super::locate::{Disagreement, locate, rulings};
use super::oracle::{Oracle, Ruling};
use super::sides::Sides;
use super::simpler;
use crate::implementation::{Request, Unusable};

/// How many candidates are asked at once: a few, for most often one of the first is taken.
const AT_ONCE: usize = 24;

/// The simplest question with the same signature that is found within that time.
pub(super) fn shrink(
    sides: &mut Sides,
    oracle: &Oracle,
    found: &Disagreement,
    within: Duration,
    still: &dyn Fn(&Disagreement) -> bool,
) -> Result<Disagreement, Unusable> {
    let until = Instant::now() + within;
    let mut best = found.clone();
    'simpler: loop {
        let candidates = simpler::requests(&best.request, &oracle.verbatim);
        let mut rest = candidates.into_iter();
        loop {
            let requests: Vec<Request> = rest.by_ref().take(AT_ONCE).collect();
            if requests.is_empty() || Instant::now() >= until {
                return Ok(best);
            }
            let ruled = rulings(sides, oracle, requests.clone())?;
            let parted = requests.into_iter().zip(ruled).filter_map(|(request, ruling)| match ruling {
                Ruling::Parted(parting) => Some(Disagreement { request, parting: *parting }),
                Ruling::Agree | Ruling::Undecidable | Ruling::NotRun(_) => None,
            });
            let located = locate(sides, oracle, parted.collect())?;
            let least = simpler::weight(&best.request.question, oracle.codec_for(&best.request));
            let next = located
                .into_iter()
                .filter(|next| next.parting.signature == found.parting.signature && still(next))
                .map(|next| (simpler::weight(&next.request.question, oracle.codec_for(&next.request)), next))
                .filter(|(weight, _)| *weight < least)
                .min_by_key(|(weight, _)| *weight);
            if let Some((_, next)) = next {
                best = next;
                continue 'simpler;
            }
        }
    }
}
