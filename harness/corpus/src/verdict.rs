//! Verdicts: the result of one test in a word.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The result of one test. In a record, `verdict` is its word, and `reason` is beside that of a `fail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, IntoStaticStr)]
#[serde(tag = "verdict", content = "reason", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// The reply is as expected.
    Pass,
    /// Bytes that differ from the canonical ones, but read back as the same value.
    NonCanonical,
    /// The reply is not as expected, in this way.
    Fail(Reason),
    /// The process ended before it replied.
    Crashed,
    /// No reply came within the time limit.
    TimedOut,
    /// The reply is not a reply of the protocol.
    Garbled,
    /// It failed, but the reply is another one in another order.
    OrderDependent,
    /// Two different replies to the same request.
    Nondeterministic,
    /// Correct, but takes too much memory or time.
    Resource,
    /// Correct, apart from what the adapter declares in `lossy` or `limits`.
    DeclaredLoss,
    /// No source says what is right: the result is recorded only.
    Undecided,
    /// The handshake does not say that it supports what the test needs.
    NotSupported,
    /// The test never ran, for example because the run was interrupted.
    #[default]
    NotRun,
    /// The test was not sent, because others of its kind crashed or hung.
    Skipped,
}

/// Why a verdict is `fail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// Decoded to another value.
    WrongValue,
    /// Bytes that read back as another value, or not at all.
    WrongBytes,
    /// The right value, from another number of bytes.
    WrongLength,
    /// A refusal of what must be accepted.
    RefusedValid,
    /// A reply with a value or bytes where it must refuse.
    AcceptedInvalid,
    /// `unsupported`, although the handshake says that it is supported.
    UnsupportedAfterAll,
    /// A fault of this suite.
    Internal,
}

/// How much a verdict matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// As it must be; never fails a run.
    Right,
    /// Neither for nor against the implementation.
    Neutral,
    /// Worth a look.
    Warning,
    /// Fails the run, unless it is a known finding.
    Failure,
}

impl Verdict {
    /// The word in reports, without its reason: `non-canonical`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Why it is `fail`.
    pub fn reason(self) -> Option<Reason> {
        if let Self::Fail(reason) = self { Some(reason) } else { None }
    }

    /// Whether the test was executed.
    pub fn was_executed(self) -> bool {
        !matches!(self, Self::NotSupported | Self::NotRun | Self::Skipped)
    }

    /// What it means, for readers of a report.
    pub fn means(self) -> &'static str {
        match self {
            Self::Pass => "as expected",
            Self::NonCanonical => "the bytes differ from the canonical ones, but decode to the same value",
            Self::Fail(_) => "not as expected",
            Self::Crashed => "the process ended",
            Self::TimedOut => "no reply in time",
            Self::Garbled => "the reply does not follow the protocol",
            Self::OrderDependent => "failed, but the reply is another one in another order",
            Self::Nondeterministic => "two different replies to the same request",
            Self::Resource => "correct, but takes too much memory or time",
            Self::DeclaredLoss => "correct, apart from what the adapter declares in `lossy` or `limits`",
            Self::Undecided => "no source says what is right; only recorded",
            Self::NotSupported => "the implementation does not support it",
            Self::NotRun => "it did not run",
            Self::Skipped => "not sent, because similar tests crashed or hung",
        }
    }

    /// Its severity in a case. If the case is only good practice (`should`), `non-canonical` is a warning, and so is `fail`
    /// unless the case is `canonical`. A crash stays a failure.
    pub fn severity_at(self, should: bool, canonical: bool) -> Severity {
        let soft = self == Self::NonCanonical || matches!(self, Self::Fail(_)) && !canonical;
        if should && soft { Severity::Warning } else { self.severity() }
    }

    /// Its severity where an implementation must follow the case.
    pub fn severity(self) -> Severity {
        match self {
            Self::Pass => Severity::Right,
            Self::NonCanonical
            | Self::Fail(_)
            | Self::Crashed
            | Self::TimedOut
            | Self::Garbled
            | Self::OrderDependent => Severity::Failure,
            Self::Nondeterministic | Self::Resource | Self::DeclaredLoss => Severity::Warning,
            Self::Undecided | Self::NotSupported | Self::NotRun | Self::Skipped => Severity::Neutral,
        }
    }
}

impl Reason {
    /// The word in reports: `wrong-value`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// As reports write it: `fail/wrong-value`, `crashed`.
impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.reason() {
            Some(reason) => write!(f, "{}/{}", self.name(), reason.name()),
            None => f.write_str(self.name()),
        }
    }
}
