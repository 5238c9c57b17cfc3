//! Why something is not a value.

use thiserror::Error;

/// What is wrong in the text of a value, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}{}{message}", if path.is_empty() { "" } else { ": " })]
pub struct ValueError {
    /// The path, outermost first: `vector2[1]`; empty for the whole value.
    pub path: String,
    /// What is wrong, in words.
    pub message: String,
}

pub(super) type Result<T, E = ValueError> = std::result::Result<T, E>;

pub(crate) fn error(message: impl Into<String>) -> ValueError {
    ValueError { path: String::new(), message: message.into() }
}

impl ValueError {
    pub(crate) fn within(mut self, tag: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{tag}{dot}{}", self.path);
        self
    }

    pub(crate) fn at(mut self, index: usize) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.path = format!("[{index}]{dot}{}", self.path);
        self
    }
}
