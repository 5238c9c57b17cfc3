//! Faults that no test of a fork shows because it lacks something of the dialect that it extends: a type, the order of
//! pairs, or the zeros of padding.

use std::collections::{BTreeMap, BTreeSet};

use variant_corpus::Corpus;
use variant_corpus::test::Test;
use variant_specs::{Dialect, JudgedBy, Shape, Specs};
use variant_values::diagnostic::Problem;

use crate::context::Context;
use crate::fault::Fault;

/// The dialects that a dialect extends, if it lacks something of them.
pub(super) struct Removed<'a> {
    ancestors: Vec<Ancestor<'a>>,
}

/// A dialect that is extended.
struct Ancestor<'a> {
    context: Context<'a>,
    faults: Vec<Fault>,
    /// Its tests that the fork cannot have, and those that ask for less there.
    gone: BTreeSet<String>,
}

impl<'a> Removed<'a> {
    /// `lineage` has the dialect of `context` first.
    pub(super) fn new(
        specs: &'a Specs,
        corpus: &Corpus,
        lineage: &[&'a Dialect],
        judged_by: JudgedBy,
        context: &Context<'_>,
    ) -> Result<Self, Problem> {
        let here: BTreeMap<_, _> = context.tests.iter().map(|(test, _)| (name(&test.id), test)).collect();
        let dictionary = specs.layouts.id_of_shape(Shape::Dictionary).map_or("", |id| &specs.layouts.get(id).name);
        let mut ancestors = Vec::new();
        for (index, parent) in lineage.iter().enumerate().skip(1) {
            let dialect = context.dialect;
            let has_all = parent.types.iter().all(|entry| dialect.id_of(entry.layout).is_some());
            let compared = |of: &Dialect| (of.rules.dictionary_order, of.rules.unwritten_padding);
            if has_all && compared(parent) == compared(dialect) {
                continue;
            }
            let unordered = parent.rules.dictionary_order != dialect.rules.dictionary_order;
            // What is gone because a file took the place of another is missing.
            let is_replaced = |layout: &str| lineage[..index].iter().any(|dialect| corpus.takes_place(dialect, layout));
            let unwritten = |test: &Test| test.expected.packet.as_ref().map(|packet| packet.unwritten.len());
            let is_gone = |test: &Test| match here.get(&name(&test.id)) {
                Some(own) => unordered && test.layouts.contains(dictionary) || unwritten(own) != unwritten(test),
                None => !is_replaced(&test.layout),
            };
            let context = Context::new(specs, corpus, parent, judged_by)?;
            let gone = context.tests.iter().map(|(test, _)| test).filter(|test| is_gone(test));
            let gone = gone.map(|test| test.id.to_string()).collect();
            ancestors.push(Ancestor { context, faults: super::faults(specs, parent, judged_by), gone });
        }
        Ok(Self { ancestors })
    }

    /// Whether tests kill this mutant in a dialect that is extended, and none of them is left.
    pub(super) fn alone_show(&self, mutant: &Fault) -> bool {
        let mut shown = false;
        for Ancestor { context, faults, gone } in &self.ancestors {
            let Some(fault) = faults.iter().find(|fault| name(&fault.id) == name(&mutant.id)) else { continue };
            if !context.kills_among(fault, |test| !gone.contains(test.id.as_str())).is_empty() {
                return false;
            }
            shown |= !context.kills_among(fault, |test| gone.contains(test.id.as_str())).is_empty();
        }
        shown
    }
}

/// What the ids of a test or fault and of the same one in another dialect have in common.
fn name(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, name)| name)
}
