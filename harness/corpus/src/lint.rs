//! Lint: what plain arithmetic and names prove of the corpus, without a codec.

mod arithmetic;
mod changes;
mod coverage;
mod everyday;
mod names;
mod problem;

use variant_specs::Specs;

use crate::Corpus;
use variant_values::diagnostic::Problem;

pub use changes::changes;

/// Everything that is wrong with the corpus, in the order of files and lines.
pub fn lint(corpus: &Corpus, specs: &Specs) -> Vec<Problem> {
    let mut problems = corpus.unreadable.clone();
    for dialect in specs.all() {
        for (file, case) in corpus.cases_of(dialect).into_iter().filter(|(file, _)| file.inherited.is_none()) {
            arithmetic::check(file, case, dialect, &mut problems);
        }
    }
    // What a file lacks that could not be read is not known.
    if corpus.unreadable.is_empty() {
        names::check(corpus, specs, &mut problems);
        for dialect in &specs.dialects {
            coverage::check(corpus, specs, dialect, &mut problems);
            everyday::check(corpus, dialect, &mut problems);
        }
    }
    problems.sort();
    problems.dedup();
    problems
}
