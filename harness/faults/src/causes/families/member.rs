//! What the members of all families are made with.

use variant_specs::Dialect;

use crate::fault::{Fault, Mutation};

/// A family has at most this many members in one run.
pub(super) const MOST: usize = 12;

/// A fault of values, in each direction.
pub(super) fn both_ways(dialect: &Dialect, name: &str, mutation: Mutation) -> [Fault; 2] {
    mutation.divided().map(|(op, mutation)| Fault::new(dialect, "family", name, Some(op), mutation))
}
