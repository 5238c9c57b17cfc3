//! The outcome of a protocol check.

use std::time::Duration;

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What an adapter does that passes it, like `reads lines that end in CRLF`.
    pub title: &'static str,
    /// Whether it passed, and what to do if not.
    pub found: Found,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It passed. The text is a figure, such as a time, or empty.
    Good(String),
    /// It works, but could be better: how.
    Remark(String),
    /// Wrong: what, and how to fix it.
    Bad(String),
    /// It could not be checked: why.
    Skipped(String),
}

pub(super) const GOOD: Found = Found::Good(String::new());

impl Found {
    pub(super) fn skipped(why: impl Into<String>) -> Self {
        Self::Skipped(why.into())
    }
}

/// What is wrong, and how to fix it.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct Failed(pub(super) String);

impl Failed {
    pub(super) fn hint(self, hint: &str) -> Self {
        Self(format!("{self}; {hint}"))
    }
}

/// A time, as a check shows it: `1.2ms`.
pub(super) fn shown_time(time: Duration) -> String {
    format!("{time:.1?}")
}
