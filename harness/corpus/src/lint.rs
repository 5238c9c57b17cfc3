//! Lint: what plain arithmetic and names prove of the corpus, without a codec.

mod arithmetic;
mod coverage;
mod everyday;
mod names;

use variant_specs::{Dialect, Precision, Specs};

use crate::{Case, Corpus, File, Scope};
use variant_values::diagnostic::Problem;

/// Everything that is wrong with the corpus, in the order of files and lines.
pub fn lint(corpus: &Corpus, specs: &Specs) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in corpus.files.iter().filter(|file| file.inherited.is_none()) {
        for case in &file.cases {
            for dialect in specs.all().filter(|dialect| is_checked_in(file, case, dialect)) {
                arithmetic::check(file, case, dialect, &mut problems);
            }
        }
    }
    names::check(corpus, specs, &mut problems);
    for dialect in &specs.dialects {
        coverage::check(corpus, specs, dialect, &mut problems);
        everyday::check(corpus, dialect, &mut problems);
    }
    problems.sort();
    problems.dedup();
    problems
}

/// Whether a case is checked in a dialect: a dialect's file in that dialect only, others in all in which they hold.
fn is_checked_in(file: &File, case: &Case, dialect: &Dialect) -> bool {
    match (file.scope(), dialect.precision) {
        (Scope::Dialect(name), Precision::Single) => name == dialect.name,
        (Scope::Family, Precision::Single) | (Scope::Double(_), Precision::Double) => {
            file.place_in(dialect).is_some() && case.holds_in(dialect)
        }
        (Scope::Dialect(_) | Scope::Family, Precision::Double) | (Scope::Double(_), Precision::Single) => false,
    }
}

/// A problem of a dialect, at its file.
fn in_dialect(dialect: &Dialect, message: String) -> Problem {
    Problem { file: dialect.file.clone(), line: 1, message }
}

fn in_specs(file: &str, message: String) -> Problem {
    Problem { file: format!("specs/{file}.yaml"), line: 1, message }
}
