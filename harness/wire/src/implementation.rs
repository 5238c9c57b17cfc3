//! What the suite asks, and what an implementation can do about it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use variant_codec::{Framing, Value};
use variant_specs::Dialect;

use crate::handshake::Handshake;
use crate::value_text::{Strictness, SyntaxTree, ValueError, typecheck};

/// Something under test: the reference codec, or a program at the end of a pipe or socket.
pub trait Implementation {
    /// What it said of itself.
    fn handshake(&self) -> &Handshake;

    /// Asks every request and tells `answered` the place of each (from 0, in the order of `requests`)
    /// and what came of it, in any order, each place exactly once.
    ///
    /// # Errors
    /// Where the implementation could not be used at all, or no longer; places not yet told were not run.
    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError>;

    /// Bytes by which its memory peaked since this was last asked, where that is more than one request may take.
    fn overgrowth(&mut self) -> Option<u64> {
        None
    }

    /// The answer to one request, from those that need nobody else for it.
    fn answer_at_once(&mut self, _: &Request) -> Option<Answer> {
        None
    }

    /// Forgets all that it was asked, as a fresh process has; whether there was anything to forget.
    fn refresh(&mut self) -> bool {
        false
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// In which dialect.
    pub dialect: Arc<str>,
    /// What is asked, of what.
    pub input: Input,
    /// Objects with their properties are allowed (the option `objects`).
    pub objects: bool,
    /// The packet has its length in front (the option `framing`).
    pub framing: Option<Framing>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Which value is this packet?
    Decode(Vec<u8>),
    /// Which packet is this value?
    Encode(Value),
    /// Which packet comes of decoding this one and encoding the result?
    Reencode(Vec<u8>),
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The answer, or why there is none.
    pub answer: Answer,
    /// The end of stderr and stray lines on stdout that belong to it; empty where there are none.
    pub noise: String,
    /// How long it took, where that was longer than the limit.
    pub slow: Option<Duration>,
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self { answer, noise: String::new(), slow: None }
    }
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A value, as the JSON that was sent or as the value itself, and the bytes consumed where told.
    Value {
        /// The value.
        value: AnsweredValue,
        /// Bytes consumed.
        used: Option<u64>,
    },
    /// A packet.
    Bytes(Vec<u8>),
    /// The request was refused, with what was said.
    Refused(RefusalReason),
    /// The implementation says that it cannot be asked this, and why.
    Unsupported(String),
    /// The answer is none: why, and the line.
    Garbled(String),
    /// The process ended: how.
    Crashed(String),
    /// No answer came in time: what was waited for.
    TimedOut(String),
    /// The process ended or hung, but not when asked this alone: what led there.
    OrderDependent(String),
    /// It was never asked: why.
    NotRun(String),
}

/// A value as it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnsweredValue {
    /// In process.
    Known(Value),
    /// JSON, not yet looked into.
    Json(Box<str>),
}

/// Why an answered value is no value of a dialect.
#[derive(Debug, Error)]
pub enum AnsweredValueError {
    /// It is not JSON that a value could be: a protocol error.
    #[error("`value` cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// It is JSON, but of this kind: a protocol error too.
    #[error("`value` is {0}, and not an object with one key, the layout")]
    NoLayout(&'static str),
    /// It names a layout, but the dialect has no such layout or the layout no such value.
    #[error("{error}")]
    NoSuchValue {
        /// The layout that it names.
        layout: String,
        /// What is wrong, and where.
        error: ValueError,
    },
}

impl AnsweredValue {
    /// The value under a dialect. Of a value that was answered in process nothing is checked.
    ///
    /// # Errors
    /// [`AnsweredValueError`] tells malformed JSON from a value that does not exist.
    pub fn read(&self, dialect: &Dialect) -> Result<Cow<'_, Value>, AnsweredValueError> {
        let json = match self {
            Self::Known(value) => return Ok(Cow::Borrowed(value)),
            Self::Json(json) => json,
        };
        let tree: SyntaxTree = serde_json::from_str(json)?;
        let (layout, _) = tree.tagged().ok_or(AnsweredValueError::NoLayout(tree.kind()))?;
        match typecheck(&tree, dialect, Strictness::Reply) {
            Ok(answered) => Ok(Cow::Owned(answered.value)),
            Err(error) => Err(AnsweredValueError::NoSuchValue { layout: layout.to_owned(), error }),
        }
    }
}

/// What an implementation said with a refusal; all of it optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefusalReason {
    /// Its word for what is wrong.
    pub kind: Option<String>,
    /// The offset.
    pub at: Option<u64>,
    /// A sentence.
    pub text: String,
}

/// Why an implementation cannot be used: what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImplementationError(pub String);

impl fmt::Display for ImplementationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ImplementationError {}
