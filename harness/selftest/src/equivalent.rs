//! Mutants that are no fault: `equivalent-mutants.yaml` in the corpus folder.

use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;

use variant_wire::diagnostic::Problem;
use variant_wire::glob::{GlobError, TestGlob};

/// Mutants that nothing can notice, and why.
#[derive(Debug, Clone)]
pub struct Equivalent {
    /// Which.
    pub mutants: TestGlob,
    /// Why they are no fault.
    pub because: String,
}

/// Mutants that are not faults, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawEquivalent {
    /// Globs over ids of mutants; `*` stops at `/` and `:`.
    mutants: Vec<String>,
    /// Why nothing can detect them.
    because: String,
}

/// The JSON Schema of `equivalent-mutants.yaml`.
pub fn schema() -> Schema {
    schema_for!(Vec<RawEquivalent>)
}

/// Reads the list; `file` is how messages call it.
///
/// # Errors
/// File and line where it is not well formed.
pub fn load(file: &str, text: &str) -> Result<Vec<Equivalent>, Problem> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let raw: Vec<RawEquivalent> = serde_yaml::from_str(text).map_err(|error| Problem::of_yaml(file, &error))?;
    let mut equivalents = Vec::new();
    for entry in raw {
        for glob in &entry.mutants {
            let problem = |error: GlobError| Problem { file: file.to_owned(), line: 0, message: error.to_string() };
            let mutants = TestGlob::new(glob).map_err(problem)?;
            equivalents.push(Equivalent { mutants, because: entry.because.clone() });
        }
    }
    Ok(equivalents)
}
