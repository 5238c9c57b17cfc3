//! Mutants of the tables: one fact of `specs/` changed, in the reader or in the writer.

mod dialects;
mod ids;
mod layouts;
mod records;

use variant_specs::{Dialect, Precision, Specs, UnknownFlags};

use super::mutant::Mutant;
use variant_wire::handshake::Op;

/// A mutant for each fact of the tables, under the engines' reading.
pub(super) fn of_the_tables(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    // A double-precision build has the same ids.
    if dialect.precision == Precision::Single {
        mutants.extend(ids::mutants(dialect));
    }
    mutants.extend(header(dialect));
    mutants.extend(depth(dialect));
    mutants.extend(precision(dialect));
    mutants.extend(dialect.rules.variants().into_iter().map(|(rule, word, rules)| {
        let changed = Dialect { rules, ..dialect.clone() };
        Mutant::of_tables(dialect, "rules", &format!("{rule}={word}"), changed, None)
    }));
    mutants.extend(layouts::mutants(dialect));
    mutants
}

/// A mutant for each other dialect, spoken in the place of the one that a request names.
pub(super) fn of_other_dialects(specs: &Specs, dialect: &Dialect) -> Vec<Mutant> {
    dialects::mutants(specs, dialect)
}

/// Mutants of what documents, read literally, may state differently from engines: rules and the mask of the id.
pub(super) fn of_the_document(dialect: &Dialect) -> Vec<Mutant> {
    let rules = dialect.document_rules.variants().into_iter().map(|(rule, word, rules)| {
        let changed = Dialect { document_rules: rules, ..dialect.clone() };
        Mutant::of_tables(dialect, "document", &format!("{rule}={word}"), changed, None)
    });
    let own = dialect.header.document_id_mask;
    rules.chain(masks(dialect, "document", own, |changed| &mut changed.header.document_id_mask)).collect()
}

/// Every other mask that has room for all ids.
fn masks(dialect: &Dialect, part: &str, own: u32, mask: fn(&mut Dialect) -> &mut u32) -> Vec<Mutant> {
    let others = [0x1f, 0x3f, 0x7f, 0xff, 0xffff, 0xffff_ffff].into_iter().filter(|mask| *mask != own);
    let mutant = |other: u32| {
        let mut changed = dialect.clone();
        *mask(&mut changed) = other;
        Mutant::of_tables(dialect, part, &format!("id-mask-{other:x}"), changed, Some(Op::Decode))
    };
    others.filter(|mask| dialect.max <= *mask).map(mutant).collect()
}

/// The mask of the id, and what happens to bits beyond it.
fn header(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = masks(dialect, "header", dialect.header.id_mask, |changed| &mut changed.header.id_mask);
    let mut changed = dialect.clone();
    let (unknown_flags, name) = match dialect.header.unknown_flags {
        UnknownFlags::Ignored => (UnknownFlags::Refused, "unknown-flags-refused"),
        UnknownFlags::Refused => (UnknownFlags::Ignored, "unknown-flags-ignored"),
    };
    changed.header.unknown_flags = unknown_flags;
    mutants.push(Mutant::of_tables(dialect, "header", name, changed, Some(Op::Decode)));
    mutants
}

/// One level more or less; with or without a limit at all.
fn depth(dialect: &Dialect) -> Vec<Mutant> {
    let limits = match dialect.depth {
        Some(limit) => vec![Some(limit - 1), Some(limit + 1), Some(limit / 2), None],
        None => vec![Some(64), Some(512), Some(1024)],
    };
    let mutant = |limit: Option<usize>| {
        let name = limit.map_or_else(|| "limit-none".to_owned(), |limit| format!("limit-{limit}"));
        Mutant::of_tables(dialect, "depth", &name, Dialect { depth: limit, ..dialect.clone() }, None)
    };
    limits.into_iter().map(mutant).collect()
}

/// Every real in the other width.
fn precision(dialect: &Dialect) -> [Mutant; 2] {
    let (precision, name) = match dialect.precision {
        Precision::Single => (Precision::Double, "all-double"),
        Precision::Double => (Precision::Single, "all-single"),
    };
    let changed = || Dialect { precision, ..dialect.clone() };
    [Op::Decode, Op::Encode].map(|op| Mutant::of_tables(dialect, "reals", name, changed(), Some(op)))
}
