//! The table of ids: two swapped, one missing, one too many.

use std::sync::Arc;

use variant_specs::{Dialect, Type};

use super::id;
use crate::mutant::{Fault, Mutant, Scope};
use variant_wire::handshake::Op;

pub(super) fn mutants(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (first, one) in dialect.types.iter().enumerate() {
        for (second, other) in dialect.types.iter().enumerate().skip(first + 1) {
            let mut types = dialect.types.clone();
            types.swap(first, second);
            let name = format!("{}-and-{}-swapped", one.id, other.id);
            mutants.extend(both_ways(dialect, &name, types, &[label(dialect, one), label(dialect, other)]));
        }
        let behind = || dialect.types[first..].iter().map(|entry| label(dialect, entry)).collect::<Vec<_>>();
        let mut types = dialect.types.clone();
        types.remove(first);
        mutants.extend(both_ways(dialect, &format!("{}-is-missing", one.id), types, &behind()));
        if first + 1 == dialect.types.len() {
            continue;
        }
        let mut types = dialect.types.clone();
        types.insert(first, one.clone());
        mutants.extend(both_ways(dialect, &format!("moved-up-from-{}", one.id), types, &behind()));
    }
    mutants.extend(one_too_many(dialect));
    mutants
}

/// The id behind the last is taken for a type.
fn one_too_many(dialect: &Dialect) -> Option<Mutant> {
    let mut types = dialect.types.clone();
    types.push(types.first()?.clone());
    let changed = renumbered(dialect, types);
    Some(Mutant {
        id: id(dialect, "ids", "one-too-many", Some(Op::Decode)),
        says: format!("id {} is a type", dialect.max),
        about: Vec::new(),
        scope: Scope::Anything,
        fault: Fault::Tables(Box::new(changed), Some(Op::Decode)),
    })
}

fn both_ways(dialect: &Dialect, name: &str, types: Vec<Type>, about: &[Arc<str>]) -> [Mutant; 2] {
    let changed = renumbered(dialect, types);
    [Op::Decode, Op::Encode].map(|op| Mutant {
        id: id(dialect, "ids", name, Some(op)),
        says: format!("ids: {}", name.replace('-', " ")),
        about: about.to_vec(),
        scope: Scope::LiteralHeaders,
        fault: Fault::Tables(Box::new(changed.clone()), Some(op)),
    })
}

/// The dialect with these types in this order.
fn renumbered(dialect: &Dialect, mut types: Vec<Type>) -> Dialect {
    (0..).zip(&mut types).for_each(|(id, entry)| entry.id = id);
    let max = u32::try_from(types.len()).unwrap_or(u32::MAX);
    Dialect { types, max, ..dialect.clone() }
}

fn label(dialect: &Dialect, entry: &Type) -> Arc<str> {
    dialect.layout(entry).name.as_str().into()
}
