//! Outcomes on their way to the caller. Replies are kept back for a while, because a second reply to the same request
//! makes them garbled.

use std::collections::VecDeque;

use variant_values::implementation::{Answer, Outcome};

/// The maximum number of replies kept: the default number of requests in flight.
const REPLIES: usize = 128;
/// The maximum number of bytes of replies kept.
const BYTES: usize = 1 << 20;

/// Outcomes, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Held {
    replies: VecDeque<Reply>,
    bytes: usize,
    /// What no later reply can change.
    settled: VecDeque<(usize, Outcome)>,
}

#[derive(Debug)]
struct Reply {
    seq: u64,
    place: usize,
    outcome: Outcome,
}

impl Held {
    pub(super) fn push(&mut self, seq: u64, place: usize, outcome: Outcome) {
        self.bytes += size(&outcome);
        self.replies.push_back(Reply { seq, place, outcome });
    }

    /// Adds what no later reply can change.
    pub(super) fn report(&mut self, place: usize, outcome: Outcome) {
        self.settled.push_back((place, outcome));
    }

    /// The next outcome for the caller: a settled one, or the oldest reply if there are too many, or if `all` may go.
    pub(super) fn release(&mut self, all: bool) -> Option<(usize, Outcome)> {
        if let Some(settled) = self.settled.pop_front() {
            return Some(settled);
        }
        if !all && self.replies.len() <= REPLIES && self.bytes <= BYTES {
            return None;
        }
        let Reply { place, outcome, .. } = self.replies.pop_front()?;
        self.bytes = self.bytes.saturating_sub(size(&outcome));
        Some((place, outcome))
    }

    /// Turns the reply to this request into another answer. Returns false if it is no longer kept.
    pub(super) fn replace(&mut self, seq: u64, answer: Answer) -> bool {
        let reply = self.replies.iter_mut().rev().find(|reply| reply.seq == seq);
        reply.map(|reply| reply.put(answer)).is_some()
    }

    /// The same for the last reply.
    pub(super) fn replace_last(&mut self, answer: Answer) {
        if let Some(reply) = self.replies.back_mut() {
            reply.put(answer);
        }
    }

    /// Whether the reply to this request is still kept.
    pub(super) fn holds(&self, seq: u64) -> bool {
        self.replies.iter().any(|reply| reply.seq == seq)
    }
}

impl Reply {
    /// A reply that is already bad stays what it is: the first fault counts.
    fn put(&mut self, answer: Answer) {
        if is_reply(&self.outcome.answer) {
            self.outcome.answer = answer;
        }
    }
}

/// Whether it is what the adapter replied, and not what became of it.
pub(super) fn is_reply(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Value { .. } | Answer::Invalid { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_)
    )
}

/// The bytes that have no limit elsewhere. Texts are cut already.
fn size(outcome: &Outcome) -> usize {
    outcome.noise.len() + outcome.answer.size()
}
