//! The table of ids: two swapped, one missing, one too many.

use std::sync::Arc;

use variant_specs::{Dialect, Type};

use crate::mutant::{Mutant, TestScope};
use variant_wire::handshake::Op;

pub(super) fn mutants(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (first, one) in dialect.types.iter().enumerate() {
        for (second, other) in dialect.types.iter().enumerate().skip(first + 1) {
            let mut types = dialect.types.clone();
            types.swap(first, second);
            let name = format!("{}-and-{}-swapped", one.id, other.id);
            mutants.extend(both_ways(dialect, &name, types, [one, other]));
        }
        let behind = &dialect.types[first..];
        let mut types = dialect.types.clone();
        types.remove(first);
        mutants.extend(both_ways(dialect, &format!("{}-is-missing", one.id), types, behind));
        if behind.len() > 1 {
            let mut types = dialect.types.clone();
            types.insert(first, one.clone());
            mutants.extend(both_ways(dialect, &format!("moved-up-from-{}", one.id), types, behind));
        }
    }
    // The id behind the last is read as a type.
    let types = dialect.types.iter().chain(dialect.types.first()).cloned().collect();
    mutants.push(Mutant::of_tables(dialect, "ids", "one-too-many", renumbered(dialect, types), Some(Op::Decode)));
    mutants
}

fn both_ways<'t>(
    dialect: &Dialect,
    name: &str,
    types: Vec<Type>,
    about: impl IntoIterator<Item = &'t Type>,
) -> [Mutant; 2] {
    let changed = renumbered(dialect, types);
    let about: Vec<Arc<str>> = about.into_iter().map(|entry| dialect.layout(entry).name.as_str().into()).collect();
    [Op::Decode, Op::Encode].map(|op| {
        Mutant::of_tables(dialect, "ids", name, changed.clone(), Some(op))
            .about(TestScope::LiteralHeaders, about.clone())
    })
}

/// The dialect with these types in this order.
fn renumbered(dialect: &Dialect, mut types: Vec<Type>) -> Dialect {
    (0..).zip(&mut types).for_each(|(id, entry)| entry.id = id);
    let max = u32::try_from(types.len()).unwrap_or(u32::MAX);
    Dialect { types, max, ..dialect.clone() }
}
