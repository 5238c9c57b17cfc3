//! From a failure to the smallest one with the same test id: the trees of the strategies, for requests. Simpler
//! requests are sent in batches, to the same sides.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use variant_codec::Framing;
use variant_strategies::{Descent, Shrinker, Steps, Weight, packet_weight};
use variant_values::implementation::{Input, Request};

use super::failed::Failed;
use super::frame;
use super::locate::{locate, rulings, wrong};
use super::oracle::{Oracle, Ruling};
use super::sides::Sides;

/// How many candidates are sent at once: a few, because mostly one of the first is taken.
const AT_ONCE: usize = 24;

/// So many requests that were answered right are kept: they tell which fault it is not.
const NEAR: usize = 64;

/// The simplest failure found within this time that has the same id and side and that `same` accepts, and simpler requests
/// that were answered right. If a side cannot be used any more, it is the simplest so far.
pub(super) fn shrink(
    sides: &mut Sides<'_>,
    oracle: &Oracle<'_>,
    found: Failed,
    within: Duration,
    same: &dyn Fn(&Failed) -> bool,
) -> (Failed, Vec<Request>) {
    let until = Instant::now() + within;
    // The packets of requests are read as they are.
    let steps = RequestSteps(Shrinker::new(Arc::clone(&oracle.verbatim)));
    // Each candidate that crashes too costs a start of the program.
    let dies = found.judgement.verdict.is_deadly();
    let at_once = if dies { 1 } else { AT_ONCE };
    let mut tree = Descent::new(steps.clone(), found.request.clone());
    let (mut best, mut near) = (found, VecDeque::new());
    while Instant::now() < until {
        let requests = tree.candidates(at_once);
        if requests.is_empty() {
            break;
        }
        let Ok(rulings) = rulings(sides, oracle, &requests) else { break };
        let right = requests.into_iter().zip(&rulings).filter(|(_, ruling)| matches!(ruling, Ruling::Same));
        near.extend(right.map(|(request, _)| request));
        near.drain(..near.len().saturating_sub(NEAR));
        let mut located = wrong(rulings);
        if locate(sides, oracle, &mut located).is_err() {
            break;
        }
        let alike = located.into_iter().filter(|next| next.key() == best.key() && same(next));
        if let Some(next) = alike.min_by_key(|next| steps.weight(&next.request))
            && tree.accept(next.request.clone())
        {
            best = next;
        }
    }
    (best, near.into())
}

/// How requests are made simpler: by what they contain.
#[derive(Debug, Clone)]
struct RequestSteps(Shrinker);

impl RequestSteps {
    fn bytes(&self, input: &[u8], framing: Option<Framing>) -> Box<dyn Iterator<Item = Vec<u8>>> {
        match framing {
            None => self.0.simpler_bytes(input),
            Some(framing) => self.frames(input, framing),
        }
    }

    /// Simpler packets in frames that fit, with and without the bytes after them; then simpler bytes.
    fn frames(&self, input: &[u8], framing: Framing) -> Box<dyn Iterator<Item = Vec<u8>>> {
        let bytes = self.0.simpler_bytes(input);
        let Some(inside) = frame::inside(input, framing) else { return bytes };
        let behind = input[inside.end..].to_vec();
        let simpler = || self.0.simpler_bytes(&input[inside.clone()]);
        let alone = simpler().map(move |packet| frame::framed(&packet, framing));
        let before = simpler().map(move |packet| [frame::framed(&packet, framing), behind.clone()].concat());
        Box::new(alone.chain(before).chain(bytes))
    }
}

impl Steps<Request> for RequestSteps {
    fn simpler(&self, request: &Request) -> Box<dyn Iterator<Item = Request>> {
        let request = request.clone();
        let inputs: Box<dyn Iterator<Item = Input>> = match &request.input {
            // A fault of the frame shows with any value, so null and children are tried too. Without a frame, the value is
            // the innermost one that shows the disagreement.
            Input::Encode(value) if request.framing.is_some() => {
                Box::new(self.0.clone().from_children().simpler(value).map(Input::Encode))
            }
            Input::Encode(value) => Box::new(self.0.simpler(value).map(Input::Encode)),
            Input::Decode(input) => Box::new(self.bytes(input, request.framing).map(Input::Decode)),
            Input::Reencode(input) => Box::new(self.bytes(input, request.framing).map(Input::Reencode)),
        };
        Box::new(inputs.map(move |input| Request { input, ..request.clone() }))
    }

    fn weight(&self, request: &Request) -> Weight {
        match &request.input {
            Input::Encode(value) => self.0.weight(value),
            Input::Decode(packet) | Input::Reencode(packet) => packet_weight(packet),
        }
    }
}
