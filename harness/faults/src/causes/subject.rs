//! A test with what the implementation replied.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use variant_codec::{Framing, Refusal, Value};
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::{Reason, Verdict};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Request};

use super::run_tests::Failure;
use crate::place::Place;

/// A test that failed or passed.
pub(super) struct Subject<'a> {
    pub(super) test: &'a Test,
    pub(super) request: Request,
    /// Where it stands among all tests: those of the first type first.
    pub(super) place: usize,
    /// How it failed.
    pub(super) failure: Option<&'a Failure>,
    /// The right answer to a test that failed.
    pub(super) right: Option<Answer>,
    /// The class of what it was refused with.
    pub(super) class: Option<String>,
    /// Whether there is a dictionary in it, which is a table to one codec and a list of pairs to another.
    pub(super) has_pairs: bool,
    /// Where there are values within that of a test that failed.
    pub(super) holds: BTreeSet<Place>,
    /// Whether it is right only by a loss that is declared.
    pub(super) is_lossy: bool,
    /// Whether it failed with a reply that depends on what was sent before.
    pub(super) depends: bool,
    /// The place of the failure in which the same packet is read wrongly, where what was read is written rightly, or refused:
    /// both have one cause.
    pub(super) read: Option<usize>,
    /// What is wrong: to read or to write. What is sent on was mostly read wrongly; it was not where the same packet is read
    /// rightly.
    pub(super) way: Op,
    /// What is seen of a test that failed, once somebody has looked.
    pub(super) seen: OnceLock<(bool, Option<Blamed>)>,
}

/// What is wrong first in a reply.
#[derive(Clone)]
pub(super) struct Blamed {
    /// The type of its value.
    pub(super) layout: String,
    /// A word for the types that are like it.
    pub(super) family: &'static str,
    /// The part of its value that it belongs to: a text with its length and padding, or the numbers.
    pub(super) part: String,
    /// Its name, at any index.
    pub(super) field: String,
    /// The type that the value has in the reply, where it is another one.
    pub(super) becomes: Option<String>,
    /// The type of a key that becomes one of another type.
    pub(super) key: Option<String>,
    /// What is special of the real number that was expected there: one function mostly reads or writes those of all types.
    pub(super) special: Option<&'static str>,
    /// What the text or number is that was expected there, the rarest first.
    pub(super) traits: Vec<&'static str>,
    /// The name of the field in the whole value.
    pub(super) path: String,
    /// Whether it is said of the whole value.
    pub(super) is_whole: bool,
}

/// Packets with more bytes take much longer than all others: no fault is tried on them.
const HEAVY: usize = 1100;

impl<'a> Subject<'a> {
    /// The reply to a test that failed, where it can be compared: one that nests too deep was not read, and one that is
    /// too long was not recorded.
    pub(super) fn reply(&self) -> Option<&'a Answer> {
        let failure = self.failure.filter(|failure| failure.whole.is_none() && !self.is_too_deep())?;
        Some(&failure.answer)
    }

    /// Whether it was answered with a value that nests too deep to be read.
    pub(super) fn is_too_deep(&self) -> bool {
        let is_value = |failure: &Failure| matches!(failure.answer, Answer::Value { .. } | Answer::Invalid { .. });
        // Of what has to be refused for that, no value is known.
        (self.test.is_deep() || self.is_refused_as_too_deep()) && self.failure.is_some_and(is_value)
    }

    fn is_refused_as_too_deep(&self) -> bool {
        matches!(&self.test.expected.rejects, Some(own) if own.kind == Refusal::TooDeep)
    }

    /// Whether it must be refused because it nests too deep, and was accepted, or ended the process.
    pub(super) fn is_tried_too_deep(&self) -> bool {
        let is_tried = self.is_accepted() || matches!(self.reply(), Some(Answer::Crashed(_)));
        (self.test.rule == Some(Rule::Depth) || self.is_refused_as_too_deep()) && is_tried
    }

    /// Whether it must be refused, and was accepted.
    pub(super) fn is_accepted(&self) -> bool {
        self.failure.is_some_and(|failure| failure.verdict == Verdict::Fail(Reason::AcceptedInvalid))
    }

    /// Whether it must be refused, and has no answer.
    pub(super) fn is_without_answer(&self) -> bool {
        matches!(self.right, Some(Answer::Refused(_))) && matches!(self.reply(), Some(Answer::Unsupported(_)))
    }

    /// The right value.
    pub(super) fn value(&self) -> Option<&'a Value> {
        self.test.expected.value.as_ref().map(|value| &value.value)
    }

    /// How many bytes stand in front of its packet.
    pub(super) fn frame(&self) -> usize {
        if self.test.case.framing.is_some() { Framing::PREFIX } else { 0 }
    }

    /// Bytes that are sent, or expected.
    pub(super) fn size(&self) -> usize {
        self.test.packet().map_or(0, |packet| packet.bytes.len())
    }

    /// How long its reply is, if that is the right packet with zeros behind it.
    pub(super) fn with_zeros_behind(&self) -> Option<usize> {
        let (Some(Answer::Bytes(right)), Some(Answer::Bytes(reply))) = (&self.right, self.reply()) else { return None };
        let behind = reply.strip_prefix(right.as_slice()).filter(|behind| !behind.is_empty())?;
        behind.iter().all(|byte| *byte == 0).then_some(reply.len())
    }

    pub(super) fn is_of_case(&self) -> bool {
        self.test.rule.is_none()
    }

    /// What the implementation said when it refused it.
    pub(super) fn refusal(&self) -> Option<&'a str> {
        match self.reply()? {
            Answer::Refused(why) => Some(&why.text),
            Answer::Unsupported(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the process ended, or hung.
    pub(super) fn is_deadly(&self) -> bool {
        self.failure.is_some_and(|failure| failure.verdict.is_deadly())
    }

    pub(super) fn is_heavy(&self) -> bool {
        self.size() > HEAVY
    }

    /// Whether it is large without being deep.
    pub(super) fn is_large_and_flat(&self) -> bool {
        !self.test.is_deep() && (self.is_heavy() || self.test.rule == Some(Rule::Grown))
    }

    /// The words of a refusal, the type and the direction.
    pub(super) fn refused_with(&self) -> (Option<&str>, &str, Op) {
        (self.class.as_deref(), self.layout(), self.test.op)
    }

    /// The type that it is about, or `packet`, `framing`.
    pub(super) fn layout(&self) -> &str {
        &self.test.layout
    }
}
