//! How a test ended, and the words for it; `summary.rs` makes the cells of a table of them.

use serde::Serialize;

use crate::results::TestResult;
use variant_corpus::verdict::{Severity, Verdict};
use variant_corpus::{Class, Level};

/// How a recorded test ended, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestStatus {
    /// The implementation does not claim it.
    NotClaimed,
    /// No source says what is right.
    Open,
    /// The reply is as expected.
    Passed,
    /// It was not sent, because others of its kind crashed or hung.
    Skipped,
    /// Amber, and not listed as expected.
    Doubtful,
    /// Red or amber, and listed as expected.
    Known,
    /// Red, and not listed as expected: the reply is wrong.
    Failed,
    /// It was planned, and did not run.
    NotRun,
    /// No reply to judge: a crash, a timeout, or not a reply of the protocol.
    Broken,
}

/// What a cell of the grid shows: one type in one direction. It is written as its name in pages,
/// and a legend has them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::VariantArray)]
#[serde(rename_all = "lowercase")]
pub enum CellStatus {
    /// A canonical case passed, for decode an invalid one too, and nothing is wrong.
    Ok,
    /// Something is amber, or too few tests ran.
    Part,
    /// Something is red, all of it listed as expected.
    Known,
    /// No authored test is red, but a derived one is.
    Within,
    /// Something is red, and not listed as expected.
    Fail,
    /// Nothing of it is claimed.
    Unclaimed,
    /// No source says what is right.
    Open,
    /// It was planned, and did not run.
    NotRun,
    /// There is no test.
    None,
}

impl TestStatus {
    /// The status of a recorded test.
    pub fn of(record: &TestResult) -> Self {
        match severity(record) {
            Severity::Green => Self::Passed,
            Severity::Neutral if record.verdict == Verdict::NotClaimed => Self::NotClaimed,
            Severity::Neutral if record.verdict == Verdict::NotRun => Self::NotRun,
            Severity::Neutral if record.verdict == Verdict::Skipped => Self::Skipped,
            Severity::Neutral => Self::Open,
            Severity::Amber | Severity::Red if record.expected_failure => Self::Known,
            Severity::Amber => Self::Doubtful,
            Severity::Red if is_unanswered(record.verdict) => Self::Broken,
            Severity::Red => Self::Failed,
        }
    }
}

impl From<TestStatus> for CellStatus {
    fn from(status: TestStatus) -> Self {
        match status {
            TestStatus::NotClaimed => Self::Unclaimed,
            TestStatus::Open => Self::Open,
            TestStatus::Passed => Self::Ok,
            TestStatus::Doubtful => Self::Part,
            TestStatus::Known => Self::Known,
            TestStatus::Skipped | TestStatus::NotRun => Self::NotRun,
            TestStatus::Failed | TestStatus::Broken => Self::Fail,
        }
    }
}

impl CellStatus {
    /// Its word in reports, like `ok` or `FAIL`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            // What is derived has a column of its own.
            Self::Part | Self::Within => "part",
            Self::Known => "known",
            Self::Fail => "FAIL",
            Self::Unclaimed => "unclaimed",
            Self::Open => "open",
            Self::NotRun => "not run",
            Self::None => "-",
        }
    }

    /// What it means for a cell, as a legend says it.
    pub fn means(self) -> &'static str {
        match self {
            Self::Ok => "canonical cases pass (for decode, invalid ones too) and nothing is wrong",
            Self::Part => "nothing failed, but something is relaxed or only good practice, or too few tests ran",
            Self::Known => "every failure is on its list of known failures",
            Self::Within => "every authored test passed, but a derived one failed",
            Self::Fail => "a reply is wrong or missing",
            Self::Unclaimed => "not claimed by the implementation, and not tested",
            Self::Open => "no source says what is right; the reply is recorded",
            Self::NotRun => "it was planned, but did not run",
            Self::None => "there is no test",
        }
    }

    /// Whether nothing was tested: not claimed, or there is no test.
    pub fn is_untested(self) -> bool {
        matches!(self, Self::Unclaimed | Self::None)
    }
}

/// The severity of a recorded test, expected or not.
pub fn severity(record: &TestResult) -> Severity {
    record.verdict.severity_at(record.level == Level::Should, record.class == Class::Canonical)
}

/// Whether there was no reply to judge.
pub fn is_unanswered(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Crashed | Verdict::TimedOut | Verdict::Garbled | Verdict::OrderDependent)
}
