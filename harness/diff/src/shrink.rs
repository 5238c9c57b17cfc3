//! From a disagreement to the smallest one with the same signature: simpler requests are sent, in batches, to the same
//! participants.

mod packets;
mod values;

use std::time::{Duration, Instant};

use self::packets::{simpler_requests, weight};
pub use self::values::simpler_values;
use super::locate::disagreements;
use super::oracle::{Disagreement, Oracle};
use super::participants::Participants;
use variant_wire::implementation::Request;

/// How many candidates are sent at once: a few, because mostly one of the first is taken.
const AT_ONCE: usize = 24;

/// The simplest disagreement found within this time that has the same signature and that `same` accepts. If a
/// participant cannot be used any more, it is the simplest so far.
pub(super) fn shrink(
    participants: &mut Participants,
    oracle: &Oracle,
    found: Disagreement,
    within: Duration,
    same: &dyn Fn(&Disagreement) -> bool,
) -> Disagreement {
    let until = Instant::now() + within;
    let weight = |found: &Disagreement| weight(&found.request.input, oracle.codec_for(&found.request));
    let mut best = found;
    'simpler: loop {
        let smallest = best.request.clone();
        let least = weight(&best);
        let mut rest = simpler_requests(&smallest, &oracle.verbatim);
        loop {
            let late = Instant::now() >= until;
            let requests: Vec<Request> = rest.by_ref().take(if late { 0 } else { AT_ONCE }).collect();
            if requests.is_empty() {
                return best;
            }
            let Ok(located) = disagreements(participants, oracle, requests) else { return best };
            let next = located
                .into_iter()
                .filter(|next| next.signature == best.signature && same(next))
                .map(|next| (weight(&next), next))
                .filter(|(weight, _)| *weight < least)
                .min_by_key(|(weight, _)| *weight);
            if let Some((_, next)) = next {
                best = next;
                continue 'simpler;
            }
        }
    }
}
