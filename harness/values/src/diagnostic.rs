//! One-line diagnostics for files that people write: where, what is wrong, and what to do.

use serde::de::DeserializeOwned;

pub use variant_specs::{Problem, parse_yaml};

/// Reads the text of a JSON file; `file` is its name in messages.
pub fn parse_json<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| Problem {
        file: file.to_owned(),
        line: error.line().max(1),
        message: json_words(&error),
    })
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
