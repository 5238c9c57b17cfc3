//! Mutants that are no fault: `equivalent-mutants.yaml` in the corpus folder.

use serde::Deserialize;

use crate::glob::AskGlob;
use crate::problem::{Problem, yaml_words};

/// Mutants that nothing can notice, and why.
#[derive(Debug, Clone)]
pub struct Equivalent {
    /// Which.
    pub mutants: AskGlob,
    /// Why they are no fault.
    pub because: String,
}

/// Where they are listed, in the corpus folder.
const FILE: &str = "corpus/equivalent-mutants.yaml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEquivalent {
    mutants: Vec<String>,
    because: String,
}

/// Reads the list.
///
/// # Errors
/// File and line where it is not well formed.
pub fn load(text: &str) -> Result<Vec<Equivalent>, Problem> {
    let file = FILE;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let raw: Vec<RawEquivalent> = serde_yaml::from_str(text).map_err(|error| Problem {
        file: file.to_owned(),
        line: error.location().map_or(0, |location| location.line()),
        message: yaml_words(&error).replace("struct RawEquivalent", "a map"),
    })?;
    let mut equivalents = Vec::new();
    for entry in raw {
        for glob in &entry.mutants {
            let problem = |message| Problem { file: file.to_owned(), line: 0, message };
            let mutants = AskGlob::new(glob).map_err(problem)?;
            equivalents.push(Equivalent { mutants, because: entry.because.clone() });
        }
    }
    Ok(equivalents)
}
