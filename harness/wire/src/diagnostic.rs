//! Something wrong in a file that a person wrote: one line that says where, what, and what to do.

use std::fmt;

use variant_specs::yaml_words;

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, as the person named it.
    pub file: String,
    /// The line, from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for Problem {}

impl From<variant_specs::LoadError> for Problem {
    fn from(error: variant_specs::LoadError) -> Self {
        Self { file: error.file, line: error.line.unwrap_or(0), message: error.message }
    }
}

impl Problem {
    /// What YAML says of a file that it cannot read.
    pub fn of_yaml(file: &str, error: &serde_yaml::Error) -> Self {
        let line = error.location().map_or(0, |location| location.line());
        Self { file: file.to_owned(), line, message: yaml_words(error) }
    }
}
