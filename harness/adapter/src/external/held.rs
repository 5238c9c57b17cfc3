//! Answers that are held back a little, because a second reply would turn them into garbled ones.

use std::collections::VecDeque;
use std::time::Duration;

use variant_wire::implementation::{Answer, AnsweredValue, Outcome};

/// How many answers are held at most: as many as are in flight by default.
const ANSWERS: usize = 128;
/// How many bytes of them.
const BYTES: usize = 1 << 20;

/// Answers on their way to who asked.
pub(super) struct Held<'a> {
    answered: &'a mut dyn FnMut(usize, Outcome),
    held: VecDeque<Answered>,
    bytes: usize,
}

struct Answered {
    seq: u64,
    place: usize,
    outcome: Outcome,
    bytes: usize,
}

impl<'a> Held<'a> {
    pub(super) fn new(answered: &'a mut dyn FnMut(usize, Outcome)) -> Self {
        Self { answered, held: VecDeque::new(), bytes: 0 }
    }

    /// Takes an answer, and tells the oldest where there are too many.
    pub(super) fn push(&mut self, seq: u64, place: usize, outcome: Outcome) {
        let bytes = weight(&outcome);
        self.bytes += bytes;
        self.held.push_back(Answered { seq, place, outcome, bytes });
        while self.held.len() > ANSWERS || self.bytes > BYTES {
            self.tell_oldest();
        }
    }

    /// Tells something that no reply can change.
    pub(super) fn tell(&mut self, place: usize, outcome: impl Into<Outcome>) {
        (self.answered)(place, outcome.into());
    }

    /// Tells all that is held.
    pub(super) fn release(&mut self) {
        while !self.held.is_empty() {
            self.tell_oldest();
        }
    }

    /// Makes the answer to this request a garbled one, if it is still held.
    pub(super) fn garble(&mut self, seq: u64, why: &str) -> bool {
        let found = self.held.iter_mut().rev().find(|answered| answered.seq == seq);
        found.is_some_and(|answered| answered.garble(why))
    }

    /// Makes the last answer a garbled one, if it is still held.
    pub(super) fn garble_last(&mut self, why: &str) -> bool {
        self.held.back_mut().is_some_and(|answered| answered.garble(why))
    }

    /// Notes how long this answer took, if it is still held.
    pub(super) fn slow(&mut self, seq: u64, took: Duration) {
        if let Some(answered) = self.held.iter_mut().rev().find(|answered| answered.seq == seq) {
            answered.outcome.slow = Some(took);
        }
    }

    fn tell_oldest(&mut self) {
        if let Some(oldest) = self.held.pop_front() {
            self.bytes -= oldest.bytes;
            (self.answered)(oldest.place, oldest.outcome);
        }
    }
}

impl Answered {
    /// What is no good answer already stays what it is: the first finding counts.
    fn garble(&mut self, why: &str) -> bool {
        match self.outcome.answer {
            Answer::Value { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_) => {
                self.outcome.answer = Answer::Garbled(why.to_owned());
            }
            Answer::Garbled(_)
            | Answer::Crashed(_)
            | Answer::TimedOut(_)
            | Answer::OrderDependent(_)
            | Answer::NotRun(_) => {}
        }
        true
    }
}

fn weight(outcome: &Outcome) -> usize {
    outcome.noise.len()
        + match &outcome.answer {
            Answer::Value { value: AnsweredValue::Json(json), .. } => json.len(),
            Answer::Bytes(bytes) => bytes.len(),
            // Bounded to a sentence, or in process, where nobody answers twice.
            Answer::Value { value: AnsweredValue::Known(_), .. }
            | Answer::Refused(_)
            | Answer::Unsupported(_)
            | Answer::Garbled(_)
            | Answer::Crashed(_)
            | Answer::TimedOut(_)
            | Answer::OrderDependent(_)
            | Answer::NotRun(_) => 0,
        }
}
