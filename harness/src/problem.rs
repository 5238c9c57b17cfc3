//! Something wrong in a file that a person wrote: one line that says where, what, and what to do.

use std::fmt;

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

/// What a YAML error says, in words of the file: without the position, which is told beside it, and without
/// names of this program.
pub fn yaml_words(error: &serde_yaml::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    let words = [
        ("struct RawFile", "a map"),
        ("struct RawCase", "a map"),
        ("struct RawDeparture", "a map"),
        ("usize", "a whole number"),
        ("struct RawEntry", "a map"),
    ];
    words.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
