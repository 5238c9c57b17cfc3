//! The table of ids: two swapped, one missing, one too many.

use variant_specs::{Dialect, Type};

use crate::fault::Fault;
use variant_values::handshake::Op;

pub(super) fn mutants(dialect: &Dialect) -> Vec<Fault> {
    let mut mutants = Vec::new();
    for (first, one) in dialect.types.iter().enumerate() {
        for (second, other) in dialect.types.iter().enumerate().skip(first + 1) {
            let name = format!("{}-and-{}-swapped", one.id, other.id);
            let names = [one, other].map(|entry| dialect.type_name(entry));
            let sentence = format!("{} and {} have each other's id", names[0], names[1]);
            let swap = move |types: &mut Vec<Type>| {
                // Beside another fault there may be fewer.
                if second < types.len() {
                    types.swap(first, second);
                }
            };
            mutants.extend(both_ways(dialect, (&name, sentence), swap, [one, other]));
        }
        let behind = &dialect.types[first..];
        let others = if behind.len() > 1 { ": all behind it are one less" } else { "" };
        let sentence = format!("the type id of {} is missing{others}", dialect.type_name(one));
        let remove = move |types: &mut Vec<Type>| {
            if first < types.len() {
                types.remove(first);
            }
        };
        mutants.extend(both_ways(dialect, (&format!("{}-is-missing", one.id), sentence), remove, behind));
        // Of one type behind it, that is no matter of the table.
        if behind.len() > 2 {
            let sentence = format!("the type ids behind that of {} are one more", dialect.type_name(one));
            let insert = move |types: &mut Vec<Type>| {
                if let Some(own) = types.get(first).cloned() {
                    types.insert(first, own);
                }
            };
            mutants.extend(both_ways(dialect, (&format!("moved-up-behind-{}", one.id), sentence), insert, behind));
        }
    }
    // The id behind the last is read as a type.
    mutants.push(
        Fault::of_tables(dialect, "ids", "one-too-many", Some(Op::Decode), |changed| {
            renumber(changed, |types| types.extend(types.first().cloned()));
        })
        .described("the id behind the last type is read as a type"),
    );
    mutants
}

fn both_ways<'t>(
    dialect: &Dialect,
    (name, sentence): (&str, String),
    change: impl Fn(&mut Vec<Type>) + Copy + Send + Sync + 'static,
    about: impl IntoIterator<Item = &'t Type>,
) -> [Fault; 2] {
    let about: Vec<&str> = about.into_iter().map(|entry| dialect.layout(entry).name.as_str()).collect();
    [Op::Decode, Op::Encode].map(|op| {
        let fault = Fault::of_tables(dialect, "ids", name, Some(op), move |changed| renumber(changed, change))
            .about(about.iter().copied())
            .called(format!("ids-{name}"))
            .described(sentence.clone());
        Fault { in_ids: true, ..fault }
    })
}

/// Changes the list of types, whose places are their ids.
fn renumber(dialect: &mut Dialect, change: impl Fn(&mut Vec<Type>)) {
    change(&mut dialect.types);
    (0..).zip(&mut dialect.types).for_each(|(id, entry)| entry.id = id);
    dialect.max = u32::try_from(dialect.types.len()).unwrap_or(u32::MAX);
}
