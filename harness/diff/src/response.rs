//! The response of a participant, with its JSON resolved to a value.

use variant_codec::Value;
use variant_specs::{Dialect, Layouts};

use super::signature::DisagreementKind;
use variant_wire::handshake::Lossy;
use variant_wire::implementation::{Answer, AnsweredValue, AnsweredValueError};
use variant_wire::value_text::{Form, value_json};

/// What a participant responded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// A value, and the number of bytes consumed, if reported.
    Value(Value, Option<u64>),
    /// Well-formed JSON that is no value of the dialect: the JSON, and why not.
    NoValue(String),
    /// The packet that the participant wrote.
    Bytes(Vec<u8>),
    /// The input was refused, with this explanation.
    Refused(String),
    /// The participant does not support the request, for this reason.
    Unsupported(String),
    /// No usable reply, and the details.
    Failed(FailureKind, String),
    /// The request was not sent, for this reason.
    NotRun(String),
}

/// Why there is no usable reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum FailureKind {
    /// The process ended before it replied.
    Crashed,
    /// No reply in time.
    TimedOut,
    /// The reply is not one of the protocol.
    Garbled,
    /// It failed, but passes when sent alone.
    OrderDependent,
}

impl FailureKind {
    /// The kind of disagreement that it causes.
    pub(super) fn kind(self) -> DisagreementKind {
        match self {
            Self::Crashed => DisagreementKind::Crashes,
            Self::TimedOut => DisagreementKind::Hangs,
            Self::Garbled => DisagreementKind::Garbles,
            Self::OrderDependent => DisagreementKind::DependsOnOrder,
        }
    }
}

impl Response {
    /// Turns an answer of an implementation that is `lossy` in these ways into a response: JSON is read as a value of this
    /// dialect.
    pub fn of(answer: Answer, dialect: &Dialect, lossy: &[Lossy]) -> Self {
        match answer {
            Answer::Value { value: AnsweredValue::Known(value), used } => Self::Value(value, used),
            Answer::Value { value: answered, used } => match answered.read(dialect, lossy) {
                Ok(value) => Self::Value(value.into_owned(), used),
                Err(AnsweredValueError::NoSuchValue { error, .. }) => {
                    Self::NoValue(format!("{}: {error}", answered.json().unwrap_or_default()))
                }
                Err(error @ (AnsweredValueError::Unreadable(_) | AnsweredValueError::NoLayout(_))) => {
                    Self::Failed(FailureKind::Garbled, error.to_string())
                }
            },
            Answer::Bytes(bytes) => Self::Bytes(bytes),
            Answer::Refused(refusal) => Self::Refused(refusal.text),
            Answer::Unsupported(why) => Self::Unsupported(why),
            Answer::Garbled(why) => Self::Failed(FailureKind::Garbled, why),
            Answer::Crashed(how) => Self::Failed(FailureKind::Crashed, how),
            Answer::TimedOut(what) => Self::Failed(FailureKind::TimedOut, what),
            Answer::NotRun(why) | Answer::Skipped(why) => Self::NotRun(why),
        }
    }

    /// The response on one line.
    pub(super) fn line(&self, layouts: &Layouts) -> String {
        match self {
            Self::Value(value, used) => value_json(value, layouts, Form::default()) + &consumed(*used),
            Self::Bytes(bytes) => hex::encode(bytes),
            Self::NoValue(why) => format!("no value: {why}"),
            Self::Refused(why) => format!("refused: {why}"),
            Self::Unsupported(why) => format!("unsupported: {why}"),
            Self::Failed(failure, why) => format!("{failure}: {why}"),
            Self::NotRun(why) => format!("not sent: {why}"),
        }
    }

    /// Whether two responses are the same without a closer look.
    #[inline]
    pub(super) fn is_plainly_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(left, left_used), Self::Value(right, right_used)) => {
                left == right && (left_used == right_used || left_used.is_none() || right_used.is_none())
            }
            (Self::Bytes(left), Self::Bytes(right)) => left == right,
            (Self::Refused(_), Self::Refused(_)) => true,
            _ => false,
        }
    }
}

/// `, 8 bytes consumed`, to append to a value; empty if that was not reported.
pub(super) fn consumed(used: Option<u64>) -> String {
    used.map_or_else(String::new, |used| format!(", {used} bytes consumed"))
}
