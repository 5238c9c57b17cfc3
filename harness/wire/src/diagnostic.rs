//! One-line diagnostics for files that people write: where, what is wrong, and what to do.

use std::path::Path;

use thiserror::Error;
use variant_specs::yaml_words;
use variant_syntax::input::InputError;

/// A problem in a file, shown as `FILE:LINE: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
#[error("{file}{}: {message}", line_suffix(*.line))]
pub struct Problem {
    /// The file, as the person named it.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

fn line_suffix(line: usize) -> String {
    if line == 0 { String::new() } else { format!(":{line}") }
}

impl From<variant_specs::LoadError> for Problem {
    fn from(error: variant_specs::LoadError) -> Self {
        Self { file: error.file, line: error.line.unwrap_or(0), message: error.message }
    }
}

impl Problem {
    /// The problem of a file that is not read.
    pub fn of_input(path: &Path, error: &InputError) -> Self {
        Self { file: path.display().to_string(), line: error.line(), message: error.to_string() }
    }

    /// The problem of a file that cannot be read as the YAML it should be, with its line if that is known.
    pub fn of_yaml(file: &str, error: &serde_yaml::Error) -> Self {
        let line = error.location().map_or(0, |location| location.line());
        Self { file: file.to_owned(), line, message: yaml_words(error) }
    }
}
