//! Verdicts: the result of one test in a word.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// The result of one test.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// The reply is as expected.
    Pass,
    /// Bytes that differ from the canonical ones, but read back as the same value.
    NonCanonical,
    /// The reply is not as expected; the [`Reason`] says in what way.
    Fail,
    /// The process ended before it replied.
    Crashed,
    /// No reply came within the time limit.
    TimedOut,
    /// The reply is not a reply of the protocol.
    Garbled,
    /// It failed, but passes when run alone.
    OrderDependent,
    /// Two different replies to the same request.
    Nondeterministic,
    /// Correct, but takes too much memory or time.
    Resource,
    /// Correct, apart from what the adapter declares in `lossy` or `limits`.
    Relaxed,
    /// No source says what is right: the result is recorded only.
    Open,
    /// The handshake does not claim what the test needs.
    NotClaimed,
    /// The test never ran, for example because the run was interrupted.
    #[default]
    NotRun,
    /// The test was not sent, because others of its kind crashed or hung.
    Skipped,
}

/// Why a verdict is `fail`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
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
    /// `unsupported`, although the handshake claims it.
    UnsupportedButClaimed,
    /// A fault of this suite.
    Internal,
}

/// How much a verdict matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// As it must be; never fails a run.
    Green,
    /// Neither for nor against the implementation.
    Neutral,
    /// Worth a look.
    Amber,
    /// Fails the run, unless it is a known finding.
    Red,
}

impl Verdict {
    /// Every verdict, in the order of declaration.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in reports: `non-canonical`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the test was executed.
    pub fn was_executed(self) -> bool {
        !matches!(self, Self::NotClaimed | Self::NotRun | Self::Skipped)
    }

    /// What it means, for readers of a report.
    pub fn means(self) -> &'static str {
        match self {
            Self::Pass => "as expected",
            Self::NonCanonical => "the bytes differ from the canonical ones, but decode to the same value",
            Self::Fail => "not as expected",
            Self::Crashed => "the process ended",
            Self::TimedOut => "no reply in time",
            Self::Garbled => "the reply does not follow the protocol",
            Self::OrderDependent => "failed, but passes when run alone",
            Self::Nondeterministic => "two different replies to the same request",
            Self::Resource => "correct, but takes too much memory or time",
            Self::Relaxed => "correct, apart from what the adapter declares in `lossy` or `limits`",
            Self::Open => "no source says what is right; only recorded",
            Self::NotClaimed => "the implementation does not claim it",
            Self::NotRun => "it did not run",
            Self::Skipped => "not sent, because similar tests crashed or hung",
        }
    }

    /// Its severity in a case. If the case is only good practice (`should`), `non-canonical` is amber, and so is `fail`
    /// unless the case is `canonical`. A crash stays red.
    pub fn severity_at(self, should: bool, canonical: bool) -> Severity {
        let soft = self == Self::NonCanonical || self == Self::Fail && !canonical;
        if should && soft { Severity::Amber } else { self.severity() }
    }

    /// Its severity where an implementation must follow the case.
    pub fn severity(self) -> Severity {
        match self {
            Self::Pass => Severity::Green,
            Self::NonCanonical | Self::Fail | Self::Crashed | Self::TimedOut | Self::Garbled | Self::OrderDependent => {
                Severity::Red
            }
            Self::Nondeterministic | Self::Resource | Self::Relaxed => Severity::Amber,
            Self::Open | Self::NotClaimed | Self::NotRun | Self::Skipped => Severity::Neutral,
        }
    }
}

impl Reason {
    /// Every reason, in the order of declaration.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in reports: `wrong-value`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A verdict as reports and lists write it: `fail/wrong-value`, `crashed`.
pub fn spelled(verdict: Verdict, reason: Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("{}/{}", verdict.name(), reason.name()),
        None => verdict.name().to_owned(),
    }
}

/// Reads what [`spelled`] writes. `None` for an unknown word, or for `fail` without its reason.
pub fn read(spelling: &str) -> Option<(Verdict, Option<Reason>)> {
    let plain = Verdict::ALL.iter().filter(|verdict| **verdict != Verdict::Fail).map(|verdict| (*verdict, None));
    let failures = Reason::ALL.iter().map(|reason| (Verdict::Fail, Some(*reason)));
    plain.chain(failures).find(|(verdict, reason)| spelled(*verdict, *reason) == spelling)
}
