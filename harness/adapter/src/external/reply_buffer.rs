//! Keeps replies back for a while, because a second reply to the same request makes them garbled.

use std::collections::VecDeque;
use std::time::Duration;

use super::replies::is_reply;
use variant_wire::implementation::{Answer, Outcome};

/// The maximum number of replies kept: the default number of requests in flight.
const REPLIES: usize = 128;
/// The maximum number of bytes of replies kept.
const BYTES: usize = 1 << 20;

/// Replies on their way to the caller.
pub(super) struct ReplyBuffer<'a> {
    answered: &'a mut dyn FnMut(usize, Outcome),
    held: VecDeque<HeldReply>,
    bytes: usize,
}

struct HeldReply {
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
        self.held.push_back(HeldReply { seq, place, outcome, bytes });
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

    fn find(&mut self, seq: u64) -> Option<&mut HeldReply> {
        self.held.iter_mut().rev().find(|reply| reply.seq == seq)
    }

    fn pass_on_oldest(&mut self) {
        if let Some(oldest) = self.held.pop_front() {
            self.bytes -= oldest.bytes;
            (self.answered)(oldest.place, oldest.outcome);
        }
    }
}

impl HeldReply {
    /// A reply that is already bad stays what it is: the first fault counts.
    fn garble(&mut self, why: &str) {
        if is_reply(&self.outcome.answer) {
            self.outcome.answer = Answer::Garbled(why.to_owned());
        }
    }
}

/// The bytes that have no limit elsewhere. Texts are cut already, and no implementation in this process replies twice.
fn size(outcome: &Outcome) -> usize {
    outcome.noise.len()
        + if let Answer::Value { value, .. } = &outcome.answer {
            value.size()
        } else if let Answer::Bytes(bytes) = &outcome.answer {
            bytes.len()
        } else {
            0
        }
}
