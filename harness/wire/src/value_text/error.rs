//! Why something is no value.

use std::fmt;

/// Why something is no value, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    /// The path, outermost first: `vector2[1]`; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for ValueError {}

pub(super) type Result<T, E = ValueError> = std::result::Result<T, E>;

pub(super) fn error(message: impl Into<String>) -> ValueError {
    ValueError { path: String::new(), message: message.into() }
}

impl ValueError {
    pub(super) fn within(mut self, tag: &str) -> Self {
        self.path.insert_str(0, tag);
        self
    }

    pub(super) fn at(mut self, index: usize) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.path = format!("[{index}]{dot}{}", self.path);
        self
    }
}
