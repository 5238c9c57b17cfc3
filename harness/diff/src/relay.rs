//! Relays: what one side writes, the others read and write again. A server between two programs does the same.

use std::collections::HashSet;

use super::failed::Failed;
use super::inputs::Inputs;
use super::locate::{rule_all, wrong};
use super::oracle::Oracle;
use super::sides::Sides;
use variant_values::implementation::{Answer, ImplementationError, Input, Outcome, Request};

/// How often packets are handed on: from one to another, and back.
const HOPS: usize = 2;

/// Wrong replies to packets that sides wrote, and not all of them alike. Those that all write are in the batch
/// already, as the packets of its values.
pub(super) fn relay(
    sides: &mut Sides<'_>,
    oracle: &Oracle<'_>,
    inputs: &Inputs,
    requests: &[Request],
    replies: &[Vec<Outcome>],
) -> Result<Vec<Failed>, ImplementationError> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut next = handed_on(inputs, requests, replies, &mut seen);
    for _ in 0..HOPS {
        if next.is_empty() {
            break;
        }
        let replies = sides.ask(&next)?;
        found.extend(wrong(rule_all(oracle, &next, &replies)));
        next = handed_on(inputs, &next, &replies, &mut seen);
    }
    Ok(found)
}

/// Requests to read and to rewrite each packet that some side wrote otherwise than another; each packet once.
fn handed_on(
    inputs: &Inputs,
    requests: &[Request],
    replies: &[Vec<Outcome>],
    seen: &mut HashSet<Vec<u8>>,
) -> Vec<Request> {
    let mut next = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        let written = || {
            let answers = replies.iter().map(|of_one| &of_one[index].answer);
            answers.filter_map(|answer| if let Answer::Bytes(bytes) = answer { Some(bytes) } else { None })
        };
        let Some(first) = written().next() else { continue };
        if written().all(|other| other == first) {
            continue;
        }
        for packet in written() {
            if seen.insert(packet.clone()) {
                let both = [Input::Reencode(packet.clone()), Input::Decode(packet.clone())];
                let both = both.map(|input| Request { input, ..request.clone() });
                next.extend(both.into_iter().filter(|request| inputs.admit(request)));
            }
        }
    }
    next
}
