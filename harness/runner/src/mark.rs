//! Marks: what a cell of the grid or a single ask comes to, as a word, a shape and a colour.

use crate::results::TestResult;
use crate::summary::severity;
use variant_corpus::verdict::{Severity, Verdict};

/// What a cell of the grid, or an ask, comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A canonical case passed, for decode an invalid one, and nothing is wrong.
    Green,
    /// Something is amber, or too little was asked.
    Amber,
    /// Something is red, all of it listed as expected.
    Known,
    /// Nothing authored is red, something derived from it is.
    RedWithin,
    /// Something is red.
    Red,
    /// Nothing of it is claimed.
    NotClaimed,
    /// Nobody says what is right.
    Open,
    /// It was not run.
    NotRun,
    /// There is nothing to ask.
    Empty,
}

impl Mark {
    /// Every mark.
    pub const ALL: [Self; 9] = [
        Self::Green,
        Self::Amber,
        Self::Known,
        Self::RedWithin,
        Self::Red,
        Self::NotClaimed,
        Self::Open,
        Self::NotRun,
        Self::Empty,
    ];

    /// The name of its shape.
    pub fn name(self) -> &'static str {
        match self {
            Self::Green => "ok",
            Self::Amber => "part",
            Self::Known => "known",
            Self::RedWithin => "within",
            Self::Red => "fail",
            Self::NotClaimed => "unclaimed",
            Self::Open => "open",
            Self::NotRun => "notrun",
            Self::Empty => "none",
        }
    }

    /// The word beside it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Green => "ok",
            // What is derived has a column of its own.
            Self::Amber | Self::RedWithin => "part",
            Self::Known => "known",
            Self::Red => "FAIL",
            Self::NotClaimed => "unclaimed",
            Self::Open => "open",
            Self::NotRun => "not run",
            Self::Empty => "-",
        }
    }

    /// What it says of a cell.
    pub fn means(self) -> &'static str {
        match self {
            Self::Green => "a canonical case passed, for decode an invalid one too, and nothing is wrong",
            Self::Amber => "nothing failed, but something is relaxed or only advised, or too little was asked",
            Self::Known => "it fails as its list of expected failures says",
            Self::RedWithin => "every authored answer is right, and one derived from them is wrong",
            Self::Red => "an answer is wrong, or none came",
            Self::NotClaimed => "the implementation does not claim it, and it was not asked",
            Self::Open => "nobody says what is right; the answer is recorded",
            Self::NotRun => "it was to be asked, and was not",
            Self::Empty => "there is nothing to ask",
        }
    }

    /// The mark of a verdict that says nothing for or against.
    pub fn neutral(verdict: Verdict) -> Self {
        match verdict {
            Verdict::NotClaimed => Self::NotClaimed,
            Verdict::NotRun => Self::NotRun,
            Verdict::Pass
            | Verdict::NonCanonical
            | Verdict::Fail
            | Verdict::Crashed
            | Verdict::TimedOut
            | Verdict::Garbled
            | Verdict::OrderDependent
            | Verdict::Nondeterministic
            | Verdict::Resource
            | Verdict::Relaxed
            | Verdict::Open => Self::Open,
        }
    }
}

/// What one recorded ask comes to.
pub fn status_of(record: &TestResult) -> Mark {
    match severity(record) {
        Severity::Green => Mark::Green,
        Severity::Neutral => Mark::neutral(record.verdict),
        Severity::Amber | Severity::Red if record.expected_failure => Mark::Known,
        Severity::Amber => Mark::Amber,
        Severity::Red => Mark::Red,
    }
}
