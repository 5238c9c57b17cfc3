//! Equivalent mutants, which are no fault: `equivalent-mutants.yaml` in the corpus folder.

use serde::Deserialize;

use variant_wire::diagnostic::Problem;
use variant_wire::glob::TestGlob;

/// A glob over mutants that no test can kill, and the reason.
#[derive(Debug, Clone)]
pub struct Equivalent {
    /// The ids of the mutants.
    pub mutants: TestGlob,
    /// Why they are no fault, in a sentence.
    pub because: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEquivalent {
    mutants: Vec<String>,
    because: String,
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
/// File and line where it is not well formed.
pub fn load(file: &str, text: &str) -> Result<Vec<Equivalent>, Problem> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let raw: Vec<RawEquivalent> = serde_yaml::from_str(text).map_err(|error| Problem::of_yaml(file, &error))?;
    let mut equivalents = Vec::new();
    for RawEquivalent { mutants, because } in raw {
        for glob in mutants {
            let problem = |message| Problem { file: file.to_owned(), line: 0, message };
            let mutants = TestGlob::new(&glob).map_err(problem)?;
            equivalents.push(Equivalent { mutants, because: because.clone() });
        }
    }
    Ok(equivalents)
}
