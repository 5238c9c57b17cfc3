//! Lint: what can be proved of the corpus by plain arithmetic and by names, without any codec.

mod arithmetic;
mod coverage;
mod names;

use variant_specs::{Dialect, Precision, Specs};

use crate::{Case, Corpus, File, Scope};
use variant_wire::diagnostic::Problem;

/// Everything that is wrong with the corpus, in the order of files and lines.
pub fn lint(corpus: &Corpus, specs: &Specs) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in corpus.files.iter().filter(|file| file.inherited.is_none()) {
        for case in &file.cases {
            for dialect in homes(file, case, specs) {
                arithmetic::check(file, case, dialect, &mut problems);
            }
        }
    }
    names::check(corpus, specs, &mut problems);
    for dialect in &specs.dialects {
        coverage::check(corpus, specs, dialect, &mut problems);
    }
    problems.sort();
    problems.dedup();
    problems
}

/// The dialects in which a case holds.
fn homes<'a>(file: &File, case: &Case, specs: &'a Specs) -> Vec<&'a Dialect> {
    let fits = |dialect: &&Dialect| match (&file.home, dialect.precision) {
        (Scope::Dialect(name), Precision::Single) => *name == dialect.name,
        (Scope::Family, Precision::Single) | (Scope::Double(_), Precision::Double) => {
            file.place_in(dialect).is_some() && case.holds_in(dialect)
        }
        (Scope::Dialect(_) | Scope::Family, Precision::Double) | (Scope::Double(_), Precision::Single) => false,
    };
    specs.all().filter(fits).collect()
}
