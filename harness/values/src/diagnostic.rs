//! One-line diagnostics for files that people write: where, what is wrong, and what to do.

use thiserror::Error;
use variant_specs::yaml_words;

/// A problem in a file, shown as `FILE:LINE: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
#[error("{file}{}: {message}", if *line == 0 { String::new() } else { format!(":{line}") })]
pub struct Problem {
    /// The file, as the person named it.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl From<variant_specs::LoadError> for Problem {
    fn from(error: variant_specs::LoadError) -> Self {
        Self { file: error.file, line: error.line, message: error.message }
    }
}

impl Problem {
    /// The problem of a file that is not the YAML that it should be.
    pub fn of_yaml(file: &str, error: &serde_yaml::Error) -> Self {
        Self {
            file: file.to_owned(),
            line: error.location().map_or(1, |location| location.line()),
            message: yaml_words(error),
        }
    }

    /// The problem of a file that is not the JSON that it should be.
    pub fn of_json(file: &str, error: &serde_json::Error) -> Self {
        Self { file: file.to_owned(), line: error.line().max(1), message: json_words(error) }
    }
}

/// The message of a JSON error, without its line, which is where the text begins: a line of a record is a text of its own.
pub fn json_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((words, _)) if error.column() > 0 => format!("{words}, at column {}", error.column()),
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
