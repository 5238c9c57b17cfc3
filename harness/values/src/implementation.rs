//! The trait of an implementation under test, its requests and its answers.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use variant_codec::{DecodeError, Framing, Value};
use variant_specs::Dialect;

use crate::handshake::{Handshake, Lossy, Op};
use crate::json::whole;
use crate::value_text::{Strictness, SyntaxTree, ValueError, typecheck};

/// Requests on their way to an implementation.
pub type Requests<'a> = Box<dyn Iterator<Item = Request> + 'a>;

/// The place of each request and its outcome.
pub type Outcomes<'a> = Box<dyn Iterator<Item = Result<(usize, Outcome), ImplementationError>> + 'a>;

/// An implementation under test: the reference codec, or a program at the end of a pipe or socket.
pub trait Implementation {
    fn handshake(&self) -> &Handshake;

    /// Sends every request, and returns the place of each (from 0, in the order of `requests`) and its outcome, in any
    /// order, each place once. Requests are taken as outcomes are.
    ///
    /// An error is the last that comes: the implementation cannot be started or used any longer. Places that did not
    /// come were not run.
    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a>;

    /// Ends the implementation. What went wrong then: a crash, or a process that lives on.
    fn finish(&mut self) -> Option<Outcome> {
        None
    }

    /// How many requests got no reply in time, and got one when they were sent again alone.
    fn late(&self) -> usize {
        0
    }

    /// Restarts the implementation as a new process; false if it keeps nothing between requests.
    fn restart(&mut self) -> bool {
        false
    }
}

/// A request to an implementation: an operation on an input, in a dialect, with options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The name of the dialect: `godot-3`.
    pub dialect: Arc<str>,
    /// The operation and its input.
    pub input: Input,
    /// Whether objects with properties are allowed (option `objects`).
    pub objects: bool,
    /// How the length prefix of the packet is written, if there is one (option `framing`).
    pub framing: Option<Framing>,
    /// What it is about, for counting crashes and timeouts; it is not sent.
    pub kind: Option<Kind>,
}

/// What a request is about. If a few requests with a type crash or hang, the rest of that type and operation is skipped, or
/// sent alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// Every layout in its value or packet.
    pub holds: Arc<BTreeSet<Arc<str>>>,
    /// Whether the rest may be skipped if some crash. If they hang, it is.
    pub skips: bool,
}

impl Request {
    /// Its operation, which follows from what it sends.
    pub fn op(&self) -> Op {
        match self.input {
            Input::Decode(_) => Op::Decode,
            Input::Encode(_) => Op::Encode,
            Input::Reencode(_) => Op::Reencode,
        }
    }
}

/// An operation and its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Decode(Vec<u8>),
    Encode(Value),
    /// Decode this packet and encode the value again.
    Reencode(Vec<u8>),
}

/// The outcome of a request: the answer, and stray output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The answer, or why there is none.
    pub answer: Answer,
    /// The last lines on stderr and stray lines on stdout that belong to it, or empty.
    pub noise: String,
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self { answer, noise: String::new() }
    }
}

/// How a process ended, or that it hangs: a sentence of which it is the subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// What it did: `exited with status 3`.
    pub did: String,
    /// How the sentence goes on: when it did that, what to look at.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rest: String,
    /// Whether no request that is sent alone makes it do that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_itself: bool,
}

impl Ending {
    /// What a request makes it do.
    pub fn new(did: impl Into<String>) -> Self {
        Self { did: did.into(), rest: String::new(), by_itself: false }
    }

    /// The same sentence, with more behind it.
    #[must_use]
    pub fn and(mut self, more: &str) -> Self {
        self.rest.push_str(more);
        self
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}{}", self.did, self.rest)
    }
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A value, and how many bytes were consumed.
    Value { value: Value, used: Option<u64> },
    /// A reply with a value that is none of the dialect: the JSON as it came, and why.
    Invalid { json: Box<str>, why: InvalidValue },
    /// The packet, from `encode` or `reencode`.
    Bytes(Vec<u8>),
    /// The packet or the value is refused.
    Refused(RefusalReason),
    /// The implementation does not support the request, and why.
    Unsupported(String),
    /// The reply is malformed: why, and the line.
    Garbled(String),
    /// The process ended, and how.
    Crashed(Ending),
    /// No reply came in time; what was waited for.
    TimedOut(Ending),
    /// The request was never sent, and why.
    NotRun(String),
    /// The request was never sent, because others of its kind crashed or hung; which and how many.
    Skipped(String),
}

impl Answer {
    /// What it is if it has neither a value nor a packet that was asked for.
    pub fn words(&self) -> String {
        match self {
            Self::Refused(said) => format!("refused: {}", said.words()),
            Self::Unsupported(why) => format!("unsupported: {why}"),
            Self::Garbled(why) => format!("garbled: {why}"),
            Self::Crashed(how) => format!("crashed: {how}"),
            Self::TimedOut(how) => format!("timed out: {how}"),
            Self::NotRun(why) | Self::Skipped(why) => format!("not run: {why}"),
            Self::Value { .. } | Self::Invalid { .. } => "a value instead of a packet".to_owned(),
            Self::Bytes(_) => "a packet instead of a value".to_owned(),
        }
    }
}

/// Why what was answered is not a value of the dialect.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidValue {
    /// It cannot be parsed: a protocol error.
    #[error("`value` cannot be read: {0}")]
    Unreadable(String),
    /// It is JSON of this kind (`a list`) and names no layout: a protocol error too.
    #[error("`value` is {0}, but must be an object with one key, the layout")]
    NoLayout(&'static str),
    /// The dialect has no such layout, or the layout no such value.
    #[error(transparent)]
    NoSuchValue(ValueError),
}

/// The value of JSON under a dialect, from an implementation that is `lossy` in these ways.
pub fn read_value(json: &str, dialect: &Dialect, lossy: &[Lossy]) -> Result<Value, InvalidValue> {
    let tree: SyntaxTree = serde_json::from_str(json).map_err(|error| InvalidValue::Unreadable(error.to_string()))?;
    tree.tagged().ok_or(InvalidValue::NoLayout(tree.kind()))?;
    let rounded = lossy.contains(&Lossy::Int64);
    let strictness = if rounded { Strictness::RoundedReply } else { Strictness::Reply };
    let read = typecheck(&tree, dialect, strictness).map_err(InvalidValue::NoSuchValue)?;
    Ok(read.value)
}

/// Why an implementation refused; all of it optional.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct RefusalReason {
    /// What is wrong, in a word of the implementation; absent if it names none.
    pub kind: Option<String>,
    /// The offset of what is wrong, in bytes; absent if it names none.
    #[serde(default, deserialize_with = "whole")]
    pub at: Option<u64>,
    /// A sentence, or empty.
    #[serde(default)]
    pub text: String,
}

impl From<String> for RefusalReason {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<DecodeError> for RefusalReason {
    fn from(error: DecodeError) -> Self {
        let (kind, at) = (Some(error.kind.name().to_owned()), u64::try_from(error.at).ok());
        Self { kind, at, text: error.to_string() }
    }
}

impl RefusalReason {
    /// All that it says, once: `truncated at 4: two floats expected`.
    pub fn words(&self) -> String {
        let at = self.at.map(|at| format!("at {at}"));
        let fields = [self.kind.clone(), at].into_iter().flatten().filter(|field| !self.text.contains(field));
        let fields = fields.collect::<Vec<_>>().join(" ");
        let parts = [fields.as_str(), &self.text].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(": ")
    }
}

/// Why an implementation cannot be used, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ImplementationError(pub String);
