//! Mutants of the tables: one fact of `specs/` changed, in the reader or in the writer.

mod ids;
mod layouts;

use std::sync::Arc;

use variant_specs::{Dialect, Layout, LayoutId, Layouts, Precision, UnknownFlags};

use super::mutant::{Fault, Mutant, Scope};
use variant_wire::handshake::Op;

/// Every fact of the tables, changed, as engines have them.
pub(super) fn of_the_tables(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    // A double-precision build has the ids of the other.
    if dialect.precision == Precision::Single {
        mutants.extend(ids::mutants(dialect));
    }
    mutants.extend(header(dialect));
    mutants.extend(depth(dialect));
    mutants.extend(precision(dialect));
    mutants.extend(rules(dialect));
    mutants.extend(layouts::mutants(dialect));
    mutants
}

/// What the documents, read literally, have otherwise than engines: changed again.
pub(super) fn of_the_document(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (rule, word, rules) in dialect.document_rules.variants() {
        let changed = Dialect { document_rules: rules, ..dialect.clone() };
        mutants.push(whole(dialect, "document", &format!("{rule}={word}"), changed, None));
    }
    for mask in MASKS.into_iter().filter(|mask| *mask != dialect.header.document_id_mask && has_room(dialect, *mask)) {
        let mut changed = dialect.clone();
        changed.header.document_id_mask = mask;
        mutants.push(whole(dialect, "document", &format!("id-mask-{mask:x}"), changed, Some(Op::Decode)));
    }
    mutants
}

const MASKS: [u32; 6] = [0x1f, 0x3f, 0x7f, 0xff, 0xffff, 0xffff_ffff];

fn has_room(dialect: &Dialect, mask: u32) -> bool {
    dialect.max <= mask
}

/// The mask of the id, and what is done about bits beyond it.
fn header(dialect: &Dialect) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for mask in MASKS.into_iter().filter(|mask| *mask != dialect.header.id_mask && has_room(dialect, *mask)) {
        let mut changed = dialect.clone();
        changed.header.id_mask = mask;
        mutants.push(whole(dialect, "header", &format!("id-mask-{mask:x}"), changed, Some(Op::Decode)));
    }
    let mut changed = dialect.clone();
    let (unknown_flags, name) = match dialect.header.unknown_flags {
        UnknownFlags::Ignored => (UnknownFlags::Refused, "unknown-flags-refused"),
        UnknownFlags::Refused => (UnknownFlags::Ignored, "unknown-flags-ignored"),
    };
    changed.header.unknown_flags = unknown_flags;
    mutants.push(whole(dialect, "header", name, changed, Some(Op::Decode)));
    mutants
}

/// One level more or less; with or without a limit at all.
fn depth(dialect: &Dialect) -> Vec<Mutant> {
    let limits = match dialect.depth {
        Some(limit) => vec![Some(limit - 1), Some(limit + 1), Some(limit / 2), None],
        None => vec![Some(64), Some(512), Some(1024)],
    };
    let name = |limit: Option<usize>| limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
    let mutant = |limit| {
        let changed = Dialect { depth: limit, ..dialect.clone() };
        whole(dialect, "depth", &format!("limit-{}", name(limit)), changed, None)
    };
    limits.into_iter().map(mutant).collect()
}

/// Every real in the other width.
fn precision(dialect: &Dialect) -> Vec<Mutant> {
    let (precision, name) = match dialect.precision {
        Precision::Single => (Precision::Double, "all-double"),
        Precision::Double => (Precision::Single, "all-single"),
    };
    let changed = || Dialect { precision, ..dialect.clone() };
    [Op::Decode, Op::Encode].map(|op| whole(dialect, "reals", name, changed(), Some(op))).into()
}

fn rules(dialect: &Dialect) -> Vec<Mutant> {
    let mutant = |(rule, word, rules)| {
        let changed = Dialect { rules, ..dialect.clone() };
        whole(dialect, "rules", &format!("{rule}={word}"), changed, None)
    };
    dialect.rules.variants().into_iter().map(mutant).collect()
}

/// A mutant that any case could notice.
fn whole(dialect: &Dialect, part: &str, name: &str, changed: Dialect, op: Option<Op>) -> Mutant {
    Mutant {
        id: id(dialect, part, name, op),
        says: format!("{part}: {}", name.replace('-', " ")),
        about: Vec::new(),
        scope: Scope::Anything,
        fault: Fault::Tables(Box::new(changed), op),
    }
}

fn id(dialect: &Dialect, part: &str, name: &str, op: Option<Op>) -> String {
    format!("{}/{part}/{name}:{}", dialect.name, op.map_or("both", Op::name))
}

/// The dialect with another layout in the place of this one.
fn with_layout(dialect: &Dialect, id: LayoutId, layout: &Layout) -> Dialect {
    let layouts = dialect.layouts.iter().map(|(other, old)| if other == id { layout.clone() } else { old.clone() });
    Dialect { layouts: Arc::new(Layouts::new(layouts.collect())), ..dialect.clone() }
}
