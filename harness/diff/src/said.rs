//! Answers, read: what a side said, its JSON looked into.

use variant_codec::Value;
use variant_specs::Dialect;

use variant_wire::implementation::{Answer, AnsweredValue, AnsweredValueError};

/// What a side said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A value, and the bytes consumed where told.
    Value(Value, Option<u64>),
    /// A value in form, of no layout or beyond its range: what was said, and why it is none.
    NoValue(String),
    /// A packet.
    Bytes(Vec<u8>),
    /// No, in a sentence.
    Refused(String),
    /// It cannot be asked that, and why.
    Unsupported(String),
    /// No answer.
    Failed(Failure, String),
    /// It was not asked, and why.
    NotRun(String),
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Failure {
    /// The process ended.
    Crashed,
    /// Nothing came in time.
    TimedOut,
    /// What came is no answer.
    Garbled,
    /// It failed, but not when asked alone.
    OrderDependent,
}

impl Failure {
    /// The word of reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crashed => "crashed",
            Self::TimedOut => "timed-out",
            Self::Garbled => "garbled",
            Self::OrderDependent => "order-dependent",
        }
    }
}

impl Said {
    /// An answer to a question of this dialect.
    pub fn of(answer: Answer, dialect: &Dialect) -> Self {
        match answer {
            Answer::Value { value: AnsweredValue::Known(value), used } => Self::Value(value, used),
            Answer::Value { value: ref answered @ AnsweredValue::Json(ref json), used } => match answered.read(dialect)
            {
                Ok(value) => Self::Value(value.into_owned(), used),
                Err(AnsweredValueError::NoSuchValue { error, .. }) => Self::NoValue(format!("{json}: {error}")),
                Err(error @ (AnsweredValueError::Unreadable(_) | AnsweredValueError::NoLayout(_))) => {
                    Self::Failed(Failure::Garbled, error.to_string())
                }
            },
            Answer::Bytes(bytes) => Self::Bytes(bytes),
            Answer::Refused(said) => Self::Refused(said.text),
            Answer::Unsupported(why) => Self::Unsupported(why),
            Answer::Garbled(why) => Self::Failed(Failure::Garbled, why),
            Answer::Crashed(how) => Self::Failed(Failure::Crashed, how),
            Answer::TimedOut(what) => Self::Failed(Failure::TimedOut, what),
            Answer::OrderDependent(what) => Self::Failed(Failure::OrderDependent, what),
            Answer::NotRun(why) => Self::NotRun(why),
        }
    }
}
