//! Verdicts: what is said of one ask.

use serde::{Deserialize, Serialize};

/// What is said of one ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As expected.
    Pass,
    /// Other bytes than the canonical ones, from which the same value is read.
    NonCanonical,
    /// Not as expected.
    Fail,
    /// The process ended.
    Crashed,
    /// No answer in time.
    TimedOut,
    /// No answer that the protocol knows.
    Garbled,
    /// It failed, but not when asked alone.
    OrderDependent,
    /// Two answers to one question.
    Nondeterministic,
    /// Right, at too high a price.
    Resource,
    /// Right but for what the host language cannot tell apart.
    Relaxed,
    /// Nobody says what is right: recorded.
    Open,
    /// The implementation does not claim it.
    NotClaimed,
    /// It was never asked.
    NotRun,
}

/// Why a verdict is `fail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Another value.
    WrongValue,
    /// Bytes from which another value is read, or none.
    WrongBytes,
    /// The right value, from another number of bytes.
    WrongLength,
    /// A refusal of what must be accepted.
    RefusedValid,
    /// An answer to what must be refused.
    AcceptedInvalid,
    /// `unsupported`, where hello claims it.
    UnsupportedButClaimed,
    /// A fault of this suite.
    Internal,
}

/// How a verdict weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// As it should be.
    Green,
    /// Says nothing for or against.
    Neutral,
    /// Worth a look; fails a `--strict` run.
    Amber,
    /// Fails the run.
    Red,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 13] = [
        Self::Pass,
        Self::NonCanonical,
        Self::Fail,
        Self::Crashed,
        Self::TimedOut,
        Self::Garbled,
        Self::OrderDependent,
        Self::Nondeterministic,
        Self::Resource,
        Self::Relaxed,
        Self::Open,
        Self::NotClaimed,
        Self::NotRun,
    ];

    /// The word of reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NonCanonical => "non-canonical",
            Self::Fail => "fail",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed-out",
            Self::Garbled => "garbled",
            Self::OrderDependent => "order-dependent",
            Self::Nondeterministic => "nondeterministic",
            Self::Resource => "resource",
            Self::Relaxed => "relaxed",
            Self::Open => "open",
            Self::NotClaimed => "not-claimed",
            Self::NotRun => "not-run",
        }
    }

    /// What it means, in a sentence for a reader of a report.
    pub fn means(self) -> &'static str {
        match self {
            Self::Pass => "as expected",
            Self::NonCanonical => "other bytes than the canonical ones, from which the same value is read",
            Self::Fail => "not as expected",
            Self::Crashed => "the process ended",
            Self::TimedOut => "no answer in time",
            Self::Garbled => "no answer that the protocol knows",
            Self::OrderDependent => "it failed, but not when asked alone",
            Self::Nondeterministic => "two answers to one question",
            Self::Resource => "right, at too high a price",
            Self::Relaxed => "right but for what the host language cannot tell apart",
            Self::Open => "nobody says what is right: recorded",
            Self::NotClaimed => "the implementation does not claim it",
            Self::NotRun => "it was never asked",
        }
    }

    /// How it weighs where a case is good practice only. There a form that means the same may differ; bytes that mean
    /// something else may not, and a death is one at any level.
    pub fn severity_at(self, should: bool, canonical: bool) -> Severity {
        let soft = self == Self::NonCanonical || self == Self::Fail && !canonical;
        if should && soft { Severity::Amber } else { self.severity() }
    }

    /// How it weighs where an implementation must follow the case.
    pub fn severity(self) -> Severity {
        match self {
            Self::Pass => Severity::Green,
            Self::NonCanonical | Self::Fail | Self::Crashed | Self::TimedOut | Self::Garbled | Self::OrderDependent => {
                Severity::Red
            }
            Self::Nondeterministic | Self::Resource | Self::Relaxed => Severity::Amber,
            Self::Open | Self::NotClaimed | Self::NotRun => Severity::Neutral,
        }
    }
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::WrongValue,
        Self::WrongBytes,
        Self::WrongLength,
        Self::RefusedValid,
        Self::AcceptedInvalid,
        Self::UnsupportedButClaimed,
        Self::Internal,
    ];

    /// The word of reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongValue => "wrong-value",
            Self::WrongBytes => "wrong-bytes",
            Self::WrongLength => "wrong-length",
            Self::RefusedValid => "refused-valid",
            Self::AcceptedInvalid => "accepted-invalid",
            Self::UnsupportedButClaimed => "unsupported-but-claimed",
            Self::Internal => "internal",
        }
    }
}

/// A verdict as reports and lists write it: `fail/wrong-value`, `crashed`.
pub fn spelled(verdict: Verdict, reason: Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("{}/{}", verdict.name(), reason.name()),
        None => verdict.name().to_owned(),
    }
}

/// The verdict that is spelled so; a `fail` has its reason.
pub fn read(spelling: &str) -> Option<(Verdict, Option<Reason>)> {
    let plain = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Fail).map(|verdict| (verdict, None));
    let failures = Reason::ALL.into_iter().map(|reason| (Verdict::Fail, Some(reason)));
    plain.chain(failures).find(|(verdict, reason)| spelled(*verdict, *reason) == spelling)
}
