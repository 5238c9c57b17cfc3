//! Mutants that ignore the dialect of a request, and speak another.

use variant_specs::{Dialect, Specs};

use crate::mutant::Mutant;

/// A mutant for each other dialect of the same precision.
pub(super) fn mutants(specs: &Specs, dialect: &Dialect) -> Vec<Mutant> {
    let others = specs.all().filter(|other| other.precision == dialect.precision && other.name != dialect.name);
    others
        .map(|other| Mutant {
            description: format!("what is asked in {} is answered in {}", dialect.name, other.name),
            ..Mutant::of_tables(dialect, "speaks", &other.name, other.clone(), None)
        })
        .collect()
}
