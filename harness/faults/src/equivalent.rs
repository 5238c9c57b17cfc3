//! Equivalent mutants, which are no fault: `equivalent-mutants.yaml` in the corpus folder, and beside the cases of a fork.

use std::path::Path;

use serde::Deserialize;
use variant_specs::Dialect;

use variant_values::diagnostic::{Problem, parse_yaml};
use variant_values::glob::TestGlob;

/// A glob over mutants that no test can kill, and the reason.
#[derive(Debug, Clone)]
pub struct Equivalent {
    /// A glob over ids of mutants; `*` stops at `/` and `:`.
    pub mutants: TestGlob,
    /// Why they are no fault, in a sentence.
    pub because: String,
    /// The file that lists it, as messages name it.
    file: String,
    /// The line of the glob.
    line: usize,
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
    /// The reason, if it is about this mutant, in its dialect or in one that this extends: `lineage` has them.
    pub(super) fn reason(&self, mutant: &str, lineage: &[&Dialect]) -> Option<String> {
        let (_, rest) = mutant.split_once('/')?;
        let is_here = lineage.iter().any(|dialect| self.mutants.is_match(&format!("{}/{rest}", dialect.name)));
        is_here.then(|| self.because.clone())
    }

    /// Whether a selftest that ran in these of `all` dialects shows if the entry is needed: they are all that it names of
    /// those that its list is about, which are one and its double-precision form beside the cases of that one.
    pub fn is_judged(&self, ran: &[&Dialect], all: &[&Dialect]) -> bool {
        let folder = Path::new(&self.file).parent();
        let is_own = |dialect: &&&Dialect| folder == Some(&Path::new(&dialect.file).with_extension(""));
        let beside_cases = all.iter().any(|dialect| is_own(&dialect));
        let of_list = all.iter().filter(|dialect| !beside_cases || is_own(dialect));
        let dialects = self.mutants.written().split('/').next().unwrap_or_default();
        let names = |dialect: &str| TestGlob::new(dialects).is_ok_and(|glob| glob.is_match(&format!("{dialect}:both")));
        let mut named = of_list.filter(|dialect| names(&dialect.name)).peekable();
        (beside_cases || named.peek().is_some()) && named.all(|dialect| ran.iter().any(|run| run.name == dialect.name))
    }

    /// What is wrong with the entry.
    pub(super) fn problem(&self, what: &str) -> Problem {
        let message = format!("{:?} {what}", self.mutants.written());
        Problem { file: self.file.clone(), line: self.line, message }
    }
}

/// Reads the list; `file` is its name in messages.
///
/// # Errors
/// The text is not YAML of the expected form, or a glob is wrong.
pub fn load(file: &str, text: &str) -> Result<Vec<Equivalent>, Problem> {
    let raw: Vec<RawEquivalent> = parse_yaml(file, text).map_err(|problem: Problem| Problem {
        message: format!("{}; the file is a list of `- {{mutants: [\"ID\"], because: WHY}}`", problem.message),
        ..problem
    })?;
    let mut equivalents = Vec::new();
    for RawEquivalent { mutants, because } in raw {
        for glob in mutants {
            let line = text.lines().position(|line| line.contains(&glob)).map_or(1, |before| before + 1);
            let mutants = TestGlob::new(&glob);
            let mutants = mutants.map_err(|message| Problem { file: file.to_owned(), line, message })?;
            equivalents.push(Equivalent { mutants, because: because.clone(), file: file.to_owned(), line });
        }
    }
    Ok(equivalents)
}
