//! Scores of types: what pages about the corpus and about many runs show of a record.

use crate::record::RunRecord;
use crate::summary::{Summary, TypeScore};
use variant_values::sanitize;

/// An implementation's score at every type of the dialects that it was tested in.
#[derive(Debug)]
pub struct Scores<'a> {
    /// The implementation's name and version from its handshake, in at most 60 characters.
    pub name: String,
    summary: Summary<'a>,
}

/// Why a record has no scores.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// The record is of another corpus, so its results are about other cases. The version and digest of that corpus.
    #[error("it belongs to another corpus ({0}): run it again")]
    OtherCorpus(String),
    /// The run was interrupted, or ran only a selection of tests.
    #[error("it is not a complete run: run it again to the end, without --only")]
    Partial,
}

impl<'a> Scores<'a> {
    /// The scores of a record.
    ///
    /// # Errors
    /// The record is of another corpus, or not of a whole run.
    pub fn of(recorded: &'a RunRecord, corpus_digest: &str) -> Result<Self, ScoreError> {
        let plan = &recorded.plan;
        if plan.corpus.digest != corpus_digest {
            return Err(ScoreError::OtherCorpus(plan.corpus.named()));
        }
        if plan.selection.only.is_some() || !recorded.end.complete {
            return Err(ScoreError::Partial);
        }
        let name = format!("{} {}", plan.handshake.name, plan.handshake.version);
        Ok(Self { name: sanitize::short(name.trim_end(), 60), summary: Summary::of(recorded) })
    }

    /// The score at a type; `None` where it was not tested in that dialect.
    pub fn at(&self, dialect: &str, layout: &str) -> Option<TypeScore> {
        self.summary.plan.dialects.iter().find(|tested| tested.name == dialect)?;
        Some(self.summary.score(dialect, layout))
    }
}
