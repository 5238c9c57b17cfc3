//! Mutants that ignore the dialect of a request, and use another.

use variant_specs::{Dialect, Specs};

use crate::mutant::Mutant;

/// A mutant for each other dialect of the same precision.
pub(super) fn mutants(specs: &Specs, dialect: &Dialect) -> Vec<Mutant> {
    let others = specs.all().filter(|other| other.precision == dialect.precision && other.name != dialect.name);
    others
        .map(|other| Mutant {
            description: format!("requests in {} are handled as {}", dialect.name, other.name),
            ..Mutant::of_tables(dialect, "speaks", &other.name, other.clone(), None)
        })
        .collect()
}
