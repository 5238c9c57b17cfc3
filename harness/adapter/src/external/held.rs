//! Outcomes on their way to the caller. They are kept back for a while, because a second reply to the same request makes
//! the first garbled.

use std::collections::VecDeque;

use variant_values::implementation::{Answer, Outcome};

/// The maximum number of outcomes kept: the default number of requests in flight.
const OUTCOMES: usize = 128;
/// The maximum number of bytes of replies kept.
const BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Held {
    outcomes: VecDeque<HeldOutcome>,
    bytes: usize,
}

#[derive(Debug)]
struct HeldOutcome {
    /// The number of the request, if it was sent.
    seq: Option<u64>,
    place: usize,
    outcome: Outcome,
}

impl Held {
    pub(super) fn push(&mut self, seq: Option<u64>, place: usize, outcome: Outcome) {
        self.bytes += size(&outcome);
        self.outcomes.push_back(HeldOutcome { seq, place, outcome });
    }

    /// The next outcome for the caller: the oldest if there are too many, or if `all` may go.
    pub(super) fn release(&mut self, all: bool) -> Option<(usize, Outcome)> {
        if !all && self.outcomes.len() <= OUTCOMES && self.bytes <= BYTES {
            return None;
        }
        let HeldOutcome { place, outcome, .. } = self.outcomes.pop_front()?;
        self.bytes = self.bytes.saturating_sub(size(&outcome));
        Some((place, outcome))
    }

    /// Turns the reply to this request into another answer, with what was printed before it. One that is already bad stays
    /// what it is: the first fault counts. Returns false if it is no longer kept.
    pub(super) fn replace(&mut self, seq: u64, answer: Answer, noise: &str) -> bool {
        let Some(held) = self.outcomes.iter_mut().rev().find(|held| held.seq == Some(seq)) else { return false };
        if is_reply(&held.outcome.answer) {
            held.outcome.answer = answer;
            held.outcome.noise.insert_str(0, noise);
        }
        true
    }

    /// The number of the request whose outcome came last.
    pub(super) fn last(&self) -> Option<u64> {
        self.outcomes.back()?.seq
    }

    /// Whether the outcome of this request is still kept.
    pub(super) fn holds(&self, seq: u64) -> bool {
        self.outcomes.iter().any(|held| held.seq == Some(seq))
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
