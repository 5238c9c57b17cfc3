//! What is asked about bytes.

use variant_codec::Framing;
use variant_specs::{Dialect, JudgedBy, Specs, newest_first};

/// What is asked about bytes, and what is known of them.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The dialect that is meant; without one, all that engines speak.
    pub dialect: Option<&'a Dialect>,
    /// Whether each packet has its length in front, and which; absent: whatever fits.
    pub framing: Option<Option<Framing>>,
    /// So many bytes at the beginning are no part of it; absent: looked for.
    pub offset: Option<usize>,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// A packet has at most so many rows.
    pub rows: usize,
}

impl Default for Question<'_> {
    fn default() -> Self {
        Self { dialect: None, framing: None, offset: None, judged_by: JudgedBy::Engines, rows: 2000 }
    }
}

impl<'a> Question<'a> {
    /// The dialects that are asked, the newest first: all that engines speak, in every precision that they have.
    pub(super) fn dialects(&self, specs: &'a Specs) -> Vec<&'a Dialect> {
        let doubles = specs.doubles.iter().filter(|double| specs.spoken().any(|dialect| dialect.name == double.base()));
        let known = |dialect: &&Dialect| self.judged_by == JudgedBy::Engines || !dialect.documents.is_empty();
        let mut all: Vec<&Dialect> = newest_first(specs.spoken().chain(doubles)).into_iter().filter(known).collect();
        if let Some(dialect) = self.dialect
            && !all.iter().any(|other| other.name == dialect.name)
        {
            all.insert(0, dialect);
        }
        all
    }
}
