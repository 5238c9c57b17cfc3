//! Equivalent mutants, which are no fault: `equivalent-mutants.yaml` in the corpus folder.

use serde::Deserialize;

use variant_values::diagnostic::Problem;
use variant_values::glob::{GlobError, TestGlob};

/// A glob over mutants that no test can kill, and the reason.
#[derive(Debug, Clone)]
pub struct Equivalent {
    /// A glob over ids of mutants; `*` stops at `/` and `:`.
    pub mutants: TestGlob,
    /// Why they are no fault, in a sentence.
    pub because: String,
}

/// Mutants that are not faults, and why.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RawEquivalent {
    /// Globs over ids of mutants; `*` stops at `/` and `:`.
    mutants: Vec<String>,
    /// Why nothing can detect them.
    because: String,
}

/// The JSON Schema of `equivalent-mutants.yaml`.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Vec<RawEquivalent>)
}

impl Equivalent {
    /// The reason, if it is about this mutant.
    pub(super) fn reason(&self, mutant: &str) -> Option<String> {
        self.mutants.is_match(mutant).then(|| self.because.clone())
    }
}

/// Reads the list; `file` is its name in messages.
///
/// # Errors
/// The text is not YAML of the expected form, or a glob is wrong.
pub fn load(file: &str, text: &str) -> Result<Vec<Equivalent>, Problem> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let raw: Vec<RawEquivalent> = serde_yaml::from_str(text).map_err(|error| Problem::of_yaml(file, text, &error))?;
    let mut equivalents = Vec::new();
    for RawEquivalent { mutants, because } in raw {
        for glob in mutants {
            let line = text.lines().position(|line| line.contains(&glob)).map_or(1, |before| before + 1);
            let problem = |error: GlobError| Problem { file: file.to_owned(), line, message: error.to_string() };
            let mutants = TestGlob::new(&glob).map_err(problem)?;
            equivalents.push(Equivalent { mutants, because: because.clone() });
        }
    }
    Ok(equivalents)
}
