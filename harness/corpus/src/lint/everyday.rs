//! Each type has cases of what ordinary programs exchange: without them nobody could say that a codec reads it.

use std::sync::Arc;

use variant_specs::{Dialect, JudgedBy};

use super::problem::in_dialect;
use crate::rarity::Rarity;
use crate::{Case, Class, Corpus, File};
use variant_values::diagnostic::Problem;
use variant_values::sanitize::counted;

/// A value that is its header has one case; of all others, one could be right by chance.
const LEAST: usize = 2;

/// Checks that each type of a dialect has enough everyday cases. Variants put each of them into containers.
pub(super) fn check(corpus: &Corpus, dialect: &Dialect, problems: &mut Vec<Problem>) {
    let cases = corpus.cases_of(dialect);
    for entry in dialect.types.iter().filter(|entry| dialect.rules.supports(dialect.layout(entry))) {
        let layout = &dialect.layout(entry).name;
        let of_type = |(file, _): &&(&File, &Arc<Case>)| file.layout == *layout;
        let canonical: Vec<&Case> = cases
            .iter()
            .filter(of_type)
            .map(|(_, case)| case.as_ref())
            // What a campaign saved is no ordinary value.
            .filter(|case| !case.name.starts_with("found-"))
            .filter(|case| case.side(JudgedBy::Engines, dialect).class == Class::Canonical)
            .collect();
        if canonical.is_empty() {
            continue; // `coverage` asks for one.
        }
        let (empty, full): (Vec<&Case>, Vec<&Case>) = canonical.iter().partition(|case| case.is_empty());
        let is_everyday = |case: &&&Case| !case.objects && corpus.rarity_of_case(case) == Rarity::Everyday;
        let (found, least) = match full.len() {
            0 => (empty.iter().filter(is_everyday).count(), 1),
            _ => (full.iter().filter(is_everyday).count(), LEAST),
        };
        if found < least {
            let message = format!(
                "type {} {layout} has {}, but needs {least}: ordinary values, without a rare tag",
                entry.id,
                counted(found, "everyday canonical case")
            );
            problems.push(in_dialect(dialect, message));
        }
    }
}
