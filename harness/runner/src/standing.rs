//! How implementations do at each type: what pages about the corpus and about many runs show of a record.

use crate::record::RunRecord;
use crate::summary::{Cell, Mark, Summary};
use variant_wire::sanitize;

/// An implementation's standing in every dialect that it was asked in.
#[derive(Debug)]
pub struct Standing<'a> {
    /// Name and version.
    pub name: String,
    summary: Summary<'a>,
}

/// One type in both directions.
#[derive(Debug, Clone, Copy)]
pub struct OfType {
    /// Reading.
    pub decode: Cell,
    /// Writing.
    pub encode: Cell,
}

impl<'a> Standing<'a> {
    /// The standing that a record shows.
    ///
    /// # Errors
    /// The record is of another corpus than this one: what it says of a type is about other cases.
    pub fn of(recorded: &'a RunRecord, corpus_digest: &str) -> Result<Self, String> {
        let plan = &recorded.plan;
        if plan.corpus.digest != corpus_digest {
            return Err(format!("it is of another corpus ({}): run it again", plan.corpus.named()));
        }
        if plan.selection.only.is_some() || !recorded.end.complete {
            return Err("it is not of a whole run: run it again, to its end and without --only".to_owned());
        }
        let name = format!("{} {}", plan.handshake.name, plan.handshake.version);
        Ok(Self { name: sanitize::short(name.trim_end(), 60), summary: Summary::of(recorded) })
    }

    /// Its standing at a type; `None` where it was not asked in that dialect.
    pub fn at(&self, dialect: &str, layout: &str) -> Option<OfType> {
        self.summary.plan.dialects.iter().find(|asked| asked.name == dialect)?;
        let cell = |op| self.summary.cell(dialect, layout, op);
        Some(OfType { decode: cell("decode"), encode: cell("encode") })
    }
}

impl OfType {
    /// What it comes to: decode, then encode.
    pub fn marks(&self) -> [Mark; 2] {
        [self.decode.mark(true), self.encode.mark(false)]
    }
}
