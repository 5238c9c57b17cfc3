//! Behavioural mutants: faults of real codecs that no table can express.

mod containers;
pub(crate) mod converted;
mod cuts;
pub(crate) mod doubles;
mod floats;
mod frames;
pub(crate) mod keys;
mod lengths;
pub(crate) mod numbers;
mod packed;
pub(crate) mod packets;
mod paths;
pub(crate) mod reals;
pub(crate) mod records;
pub(crate) mod texts;
mod typed;

use variant_specs::Dialect;
use variant_values::handshake::Op;

use super::builder::{CodecFault, both};
use super::fault::{Fault, Mutation};

/// Every fault, in the reader and in the writer, each on its own.
pub(super) fn mutants(dialect: &Dialect) -> Vec<Fault> {
    faults().flat_map(|fault| of_fault(dialect, &fault)).chain(doubles::mutants(dialect)).collect()
}

fn faults() -> impl Iterator<Item = CodecFault> {
    let all = [
        lengths::faults(),
        texts::faults(),
        paths::faults(),
        numbers::faults(),
        floats::faults(),
        reals::faults(),
        records::faults(),
        containers::faults(),
        converted::faults(),
        packed::faults(),
        typed::faults(),
        keys::faults(),
        packets::faults(),
        cuts::faults(),
        frames::faults(),
    ];
    all.into_iter().flatten()
}

fn of_fault(dialect: &Dialect, own: &CodecFault) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend((own.mutation)(dialect).map(|mutation| named_as(dialect, own, own.name, mutation)));
    // Texts of string arrays have a function of their own, or that of all.
    if let Some(change) = own.of_texts {
        let name = format!("{}-in-arrays-too", own.name);
        faults.extend(both(move |value| texts::all(value, change)).map(|all| named_as(dialect, own, &name, all)));
    }
    faults.into_iter().flatten().collect()
}

fn named_as(dialect: &Dialect, own: &CodecFault, name: &str, mutation: Mutation) -> Vec<Fault> {
    let mutant = |op, mutation| {
        let fault = Fault::new(dialect, "behaviour", name, op, mutation);
        Fault { place: own.place, ..fault }.called(own.cause.unwrap_or(own.name)).described(own.sentence)
    };
    let undivided = mutation.refuses.is_some() || mutation.answers.is_some() || mutation.tables.is_some();
    match mutation.directions() {
        _ if undivided => vec![mutant(None, mutation)],
        (true, true) => mutation.divided().map(|(op, mutation)| mutant(Some(op), mutation)).into(),
        (true, false) => vec![mutant(Some(Op::Decode), mutation)],
        (false, _) => vec![mutant(Some(Op::Encode), mutation)],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::faults;

    #[test]
    fn no_two_have_one_name() {
        let names: BTreeSet<&str> = faults().map(|fault| fault.name).collect();
        assert_eq!(names.len(), faults().count());
    }
}
