//! Keeps replies back for a while, because a second reply to the same request makes them garbled.

use std::collections::VecDeque;
use std::time::Duration;

use variant_wire::implementation::{Answer, Outcome};

/// The maximum number of replies kept: the default number of requests in flight.
const REPLIES: usize = 128;
/// The maximum number of bytes of replies kept.
const BYTES: usize = 1 << 20;

/// Replies on their way to the caller.
pub(super) struct ReplyBuffer<'a> {
    answered: &'a mut dyn FnMut(usize, Outcome),
    held: VecDeque<Reply>,
    bytes: usize,
}

struct Reply {
    seq: u64,
    place: usize,
    outcome: Outcome,
    bytes: usize,
}

impl<'a> ReplyBuffer<'a> {
    pub(super) fn new(answered: &'a mut dyn FnMut(usize, Outcome)) -> Self {
        Self { answered, held: VecDeque::new(), bytes: 0 }
    }

    /// Adds a reply, and passes on the oldest if there are too many.
    pub(super) fn push(&mut self, seq: u64, place: usize, outcome: Outcome) {
        let bytes = size(&outcome);
        self.bytes += bytes;
        self.held.push_back(Reply { seq, place, outcome, bytes });
        while self.held.len() > REPLIES || self.bytes > BYTES {
            self.pass_on_oldest();
        }
    }

    /// Passes on at once what no later reply can change.
    pub(super) fn report(&mut self, place: usize, outcome: impl Into<Outcome>) {
        (self.answered)(place, outcome.into());
    }

    /// Passes on all replies.
    pub(super) fn flush(&mut self) {
        while !self.held.is_empty() {
            self.pass_on_oldest();
        }
    }

    /// Turns the reply to this request into `Garbled`. Returns false if it is no longer kept.
    pub(super) fn garble(&mut self, seq: u64, why: &str) -> bool {
        self.find(seq).map(|reply| reply.garble(why)).is_some()
    }

    /// Whether the reply to this request is still kept.
    pub(super) fn holds(&mut self, seq: u64) -> bool {
        self.find(seq).is_some()
    }

    /// Replaces a reply with another answer. Returns false if it is no longer kept.
    pub(super) fn replace(&mut self, seq: u64, answer: Answer) -> bool {
        self.find(seq).map(|reply| reply.outcome.answer = answer).is_some()
    }

    /// Turns the last reply into `Garbled`. Returns false if it is no longer kept.
    pub(super) fn garble_last(&mut self, why: &str) -> bool {
        self.held.back_mut().map(|reply| reply.garble(why)).is_some()
    }

    /// Records how long this reply took, if it is still kept.
    pub(super) fn mark_slow(&mut self, seq: u64, took: Duration) {
        if let Some(reply) = self.find(seq) {
            reply.outcome.slow = Some(took);
        }
    }

    fn find(&mut self, seq: u64) -> Option<&mut Reply> {
        self.held.iter_mut().rev().find(|reply| reply.seq == seq)
    }

    fn pass_on_oldest(&mut self) {
        if let Some(oldest) = self.held.pop_front() {
            self.bytes -= oldest.bytes;
            (self.answered)(oldest.place, oldest.outcome);
        }
    }
}

impl Reply {
    /// A reply that is already bad stays what it is: the first fault counts.
    fn garble(&mut self, why: &str) {
        match self.outcome.answer {
            Answer::Value { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_) => {
                self.outcome.answer = Answer::Garbled(why.to_owned());
            }
            Answer::Garbled(_)
            | Answer::Crashed(_)
            | Answer::TimedOut(_)
            | Answer::OrderDependent(_)
            | Answer::NotRun(_)
            | Answer::Skipped(_) => {}
        }
    }
}

/// The bytes that have no limit elsewhere. Texts are cut already, and no implementation in this process replies twice.
fn size(outcome: &Outcome) -> usize {
    let answer = match &outcome.answer {
        Answer::Value { value, .. } => value.size(),
        Answer::Bytes(bytes) => bytes.len(),
        Answer::Refused(_)
        | Answer::Unsupported(_)
        | Answer::Garbled(_)
        | Answer::Crashed(_)
        | Answer::TimedOut(_)
        | Answer::OrderDependent(_)
        | Answer::NotRun(_)
        | Answer::Skipped(_) => 0,
    };
    outcome.noise.len() + answer
}
