//! Relays: what one participant writes, the others read and write again. A server between two programs does the same.

use std::collections::HashSet;

use super::inputs::Inputs;
use super::locate::rule_all;
use super::oracle::{Disagreement, Oracle, OracleVerdict};
use super::participants::Participants;
use super::response::Response;
use variant_wire::implementation::{ImplementationError, Input, Request};

/// How often packets are handed on: from one to another, and back.
const HOPS: usize = 2;

/// Disagreements on packets that participants wrote, and not all of them alike. Those that all write are in the batch
/// already, as the packets of its values.
pub(super) fn relay(
    participants: &mut Participants,
    oracle: &Oracle,
    inputs: &Inputs,
    requests: &[Request],
    responses: &[Vec<Response>],
) -> Result<Vec<Disagreement>, ImplementationError> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut next = handed_on(inputs, requests, responses, &mut seen);
    for _ in 0..HOPS {
        if next.is_empty() {
            break;
        }
        let submission = participants.submit_first(next);
        let responses = participants.collect(&submission)?;
        let verdicts = rule_all(oracle, &submission.requests, &responses);
        found.extend(verdicts.into_iter().filter_map(OracleVerdict::disagreement));
        next = handed_on(inputs, &submission.requests, &responses, &mut seen);
    }
    Ok(found)
}

/// Requests to read and to rewrite each packet that some participant wrote otherwise than another; each packet once.
fn handed_on(
    inputs: &Inputs,
    requests: &[Request],
    responses: &[Vec<Response>],
    seen: &mut HashSet<Vec<u8>>,
) -> Vec<Request> {
    let mut next = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        let written = || responses.iter().filter_map(|of_one| bytes(&of_one[index]));
        let Some(first) = written().next() else { continue };
        if written().all(|other| other == first) {
            continue;
        }
        for packet in written() {
            if seen.insert(packet.to_vec()) {
                let both = [Input::Reencode(packet.to_vec()), Input::Decode(packet.to_vec())];
                let both = both.map(|input| Request { input, ..request.clone() });
                next.extend(both.into_iter().filter(|request| inputs.admit(request)));
            }
        }
    }
    next
}

fn bytes(response: &Response) -> Option<&[u8]> {
    if let Response::Bytes(bytes) = response { Some(bytes) } else { None }
}
