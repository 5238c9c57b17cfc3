//! How packets are explained: in which dialect, and how much of them.

use variant_codec::{Codec, Framing, Options};
use variant_specs::{Dialect, JudgedBy};

/// Explains packets in one dialect.
#[derive(Debug, Clone, Copy)]
pub struct Explainer<'d> {
    pub dialect: &'d Dialect,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// The length prefix that they have.
    pub framing: Option<Framing>,
    /// Rows are made of at most so many fields.
    pub most: usize,
    /// Whether bytes, paths and texts are uncut, as in a listing of the corpus.
    pub uncut: bool,
    /// Whether the reader allows objects.
    pub objects: bool,
}

impl<'d> Explainer<'d> {
    /// Explains bare packets as the engines of a dialect read them.
    pub fn new(dialect: &'d Dialect) -> Self {
        Self { dialect, judged_by: JudgedBy::Engines, framing: None, most: usize::MAX, uncut: false, objects: true }
    }

    pub(super) fn codec(&self) -> Codec {
        Codec::new(self.dialect, self.judged_by).with(Options { objects: self.objects })
    }
}
