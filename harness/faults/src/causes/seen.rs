//! What is seen of failures without a model, as a headline.

use std::collections::{BTreeMap, BTreeSet};

use variant_runner::results::label;
use variant_values::handshake::Op;

/// What no request repeats is of no type.
pub(super) const BY_ITSELF: &str = "; no request alone makes that happen";

/// What is seen of failures without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Layouts, and the engines' names of their types: of several dialects, those of the first.
    pub(super) types: BTreeMap<String, String>,
    pub(super) fields: BTreeSet<String>,
    pub(super) what: String,
    /// The same, in the words of all its replies.
    pub(super) as_said: Option<String>,
    /// Whether nothing but values in containers is wrong.
    pub(super) is_inner: bool,
}

impl Seen {
    pub(super) fn join(&mut self, other: Self) {
        for (layout, name) in other.types {
            self.types.entry(layout).or_insert(name);
        }
        self.fields.extend(other.fields);
        self.is_inner &= other.is_inner;
        self.as_said = self.as_said.take().filter(|said| other.as_said.as_ref() == Some(said));
    }

    pub(super) fn headline(&self, ops: &[Op]) -> String {
        if self.what.ends_with(BY_ITSELF) {
            return self.what.clone();
        }
        let ops: Vec<&str> = ops.iter().map(|op| op.name()).collect();
        let first = if self.fields.is_empty() { String::new() } else { format!(", first at {}", some(&self.fields)) };
        let within = if self.is_inner { " within containers" } else { "" };
        // Of many, the names are no help.
        let types = if self.types.len() > NAMED {
            // What is of no type is none.
            let count = self.types.keys().filter(|layout| label(layout) == layout.as_str()).count();
            format!("{count} types")
        } else {
            some(&self.types.values().cloned().collect())
        };
        let what = self.as_said.as_ref().unwrap_or(&self.what);
        format!("{types}, {}: {what}{within}{first}", ops.join(", "))
    }
}

/// So many names are listed.
const NAMED: usize = 6;

/// The first few of these, and how many more there are.
pub(super) fn some(names: &BTreeSet<String>) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
