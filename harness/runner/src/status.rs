//! What tests and cells of a table are shown as; `summary.rs` makes the cells. How a test ended is its verdict, how bad that is its severity.

use serde::Serialize;
use strum::{EnumMessage, VariantArray};

use crate::results::TestResult;
use variant_corpus::verdict::{Severity, Verdict};
use variant_corpus::{Class, Level};

/// What a cell of the grid shows: one type in one direction. It is written as its name in pages,
/// and a legend has them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, EnumMessage, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum CellStatus {
    /// all that was asked is right
    Ok,
    /// nothing failed, but something is a warning, or not all is supported
    Warning,
    /// every failure is of a known bug, on its list
    Known,
    /// a reply is wrong or missing
    Fail,
    /// the implementation does not support it, so it is not tested
    NotSupported,
    /// no source says what is right; the reply is recorded
    Undecided,
    /// it was planned, but did not run
    NotRun,
    /// there is no test
    None,
}

impl CellStatus {
    /// What one recorded test shows.
    pub fn of(result: &TestResult) -> Self {
        match Self::of_severity(severity(result), result.verdict) {
            Self::Warning | Self::Fail if result.expected_failure => Self::Known,
            status => status,
        }
    }

    /// What every test with this verdict shows, where no list expects it.
    pub fn of_verdict(verdict: Verdict) -> Self {
        Self::of_severity(verdict.severity(), verdict)
    }

    fn of_severity(severity: Severity, verdict: Verdict) -> Self {
        match severity {
            Severity::Right => Self::Ok,
            Severity::Warning => Self::Warning,
            Severity::Failure => Self::Fail,
            Severity::Neutral if verdict == Verdict::NotSupported => Self::NotSupported,
            Severity::Neutral if verdict.was_executed() => Self::Undecided,
            Severity::Neutral => Self::NotRun,
        }
    }

    /// Its word in reports, like `ok` or `FAIL`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Known => "fails (known)",
            Self::Fail => "FAIL",
            Self::NotSupported => "not supported",
            Self::Undecided => "undecided",
            Self::NotRun => "not run",
            Self::None => "-",
        }
    }

    /// What it means for a cell, as a legend says it: its comment here.
    pub fn means(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// Whether something is wrong, known or not.
    pub fn is_wrong(self) -> bool {
        matches!(self, Self::Fail | Self::Known)
    }

    /// Whether nothing was tested: not supported, or there is no test.
    pub fn is_untested(self) -> bool {
        matches!(self, Self::NotSupported | Self::None)
    }
}

pub fn severity(record: &TestResult) -> Severity {
    record.verdict.severity_at(record.level == Level::Should, record.class == Class::Canonical)
}
