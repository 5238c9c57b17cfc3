//! Verdicts: the result of one test in a word.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};
use strum::{EnumMessage, IntoStaticStr};

/// The result of one test. In a record, `verdict` is its word, and `reason` is beside that of a `fail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "reason", rename_all = "kebab-case")]
#[derive(EnumMessage, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// as expected
    Pass,
    /// the bytes differ from the canonical ones, but decode to the same value
    NonCanonical,
    /// not as expected
    Fail(Reason),
    /// the process ended
    Crashed,
    /// no reply in time
    TimedOut,
    /// the reply does not follow the protocol
    Garbled,
    /// failed, but the reply is another one in another order
    OrderDependent,
    /// two different replies to the same request
    Nondeterministic,
    /// correct, but takes too much memory or time
    Resource,
    /// correct, apart from what the adapter declares in `lossy` or `limits`
    DeclaredLoss,
    /// no source says what is right; only recorded
    Undecided,
    /// the implementation does not support it
    NotSupported,
    /// it did not run
    #[default]
    NotRun,
    /// not sent, because similar tests crashed or hung
    Skipped,
}

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

    /// The word for what is wrong, that of its reason if it has one: `wrong-value`, `crashed`.
    pub fn word(self) -> &'static str {
        self.reason().map_or(self.name(), Reason::name)
    }

    pub fn reason(self) -> Option<Reason> {
        if let Self::Fail(reason) = self { Some(reason) } else { None }
    }

    /// Whether the test was executed.
    pub fn was_executed(self) -> bool {
        self != Self::NotSupported && !self.did_not_run()
    }

    /// Whether it was to run, and did not.
    pub fn did_not_run(self) -> bool {
        matches!(self, Self::NotRun | Self::Skipped)
    }

    /// Whether there is no reply that could be judged by itself, for whatever reason.
    pub fn is_lost(self) -> bool {
        self.did_not_run() || self.is_unanswered()
    }

    /// Whether the process ended, or hung.
    pub fn is_deadly(self) -> bool {
        matches!(self, Self::Crashed | Self::TimedOut)
    }

    /// Whether it was executed, and there is no reply that could be judged by itself.
    pub fn is_unanswered(self) -> bool {
        match self {
            Self::Crashed | Self::TimedOut | Self::Garbled | Self::OrderDependent => true,
            Self::Pass
            | Self::NonCanonical
            | Self::Fail(_)
            | Self::Nondeterministic
            | Self::Resource
            | Self::DeclaredLoss
            | Self::Undecided
            | Self::NotSupported
            | Self::NotRun
            | Self::Skipped => false,
        }
    }

    /// What it means, for readers of a report: its comment here.
    pub fn means(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
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
