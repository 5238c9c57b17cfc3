//! A certificate: what was run, on what, and the result, small enough to keep with a release. All of it can be
//! computed again from `results.jsonl`, except for the digests of the program's files.

mod files;
mod verify;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use files::{FileDigest, file_digest, folder_digest};
pub use verify::{missing, verify};

use variant_corpus::CorpusId;
use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Cell, Summary, TypeScore};
use variant_values::handshake::Handshake;
use variant_values::sanitize::counted;

/// The version of the certificate's format.
const FORMAT: u32 = 1;

/// The result of a complete run: a record can have one only if no reply in it is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the certificate's format: 1.
    pub format: u32,
    /// The result in one sentence, for people.
    pub statement: String,
    /// The version of `conform` that made the run, like `0.1.0`.
    pub conform: String,
    /// The version and digest of the corpus.
    pub corpus: CorpusId,
    /// The version of the protocol that was spoken.
    pub protocol: u32,
    /// Which source wins where document and engine disagree: `engine` or `document`.
    pub reading: String,
    /// The handshake of the implementation.
    pub implementation: Handshake,
    /// The files of the command that was run, and the adapter's folder if it has one.
    pub files: Vec<FileDigest>,
    /// The results of each type of each dialect.
    pub types: Vec<TypeTotals>,
    /// Counts of tests over all types.
    pub tests: Tests,
    /// The digest of `results.jsonl`: SHA-256, as `sha256:` and hex.
    pub results: String,
}

/// The result of a type in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeTotals {
    /// Dialect and layout, like `godot-3/vector2`.
    #[serde(rename = "type")]
    pub of: String,
    /// The type's id in the dialect, which packets have in their header.
    pub id: usize,
    /// The result of decoding; absent if it was not claimed or not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode: Option<DirectionTotals>,
    /// The result of encoding; absent if it was not claimed or not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode: Option<DirectionTotals>,
}

/// Tests of a type in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionTotals {
    /// Authored tests that passed.
    pub passed: usize,
    /// Authored tests that were judged.
    pub of: usize,
    /// Derived tests that passed.
    pub derived_passed: usize,
    /// Derived tests that were judged.
    pub derived_of: usize,
    /// Whether nothing is amber, and enough tests ran.
    pub green: bool,
}

/// Counts of tests over all types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// Tests that were executed, derived ones included.
    pub executed: usize,
    /// Correct, apart from distinctions that the host language cannot make.
    pub relaxed: usize,
    /// Amber results, relaxed ones included.
    pub amber: usize,
    /// Tests that were not sent, because the implementation does not claim them.
    pub not_claimed: usize,
}

/// Why there is no certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCertified {
    /// Only the tests of this glob ran.
    #[error("only {0} was tested; a certificate needs a complete run")]
    Selection(String),
    /// Only authored tests ran.
    #[error("derived tests were left out; a certificate needs a complete run")]
    NoDerived,
    /// The run is incomplete: not every test ran.
    #[error("the run is incomplete: run it again")]
    Incomplete,
    /// This many replies are wrong, expected failures included.
    #[error("{} (known failures count too)", counted(*.0, "failure"))]
    Wrong(usize),
    /// This claim about the implementation is no longer true.
    #[error("an expectation is no longer true: {0}")]
    Stale(String),
    /// The handshake claims none of the tested types.
    #[error("nothing is claimed: its handshake has no type that was tested")]
    NothingClaimed,
}

impl Certificate {
    /// The certificate of a record, whose bytes are `results`.
    ///
    /// # Errors
    /// If the run was not whole, a reply is wrong, a claim is stale, or no type is claimed.
    pub fn of(recorded: &RunRecord, results: &[u8], files: Vec<FileDigest>) -> Result<Self, NotCertified> {
        let summary = Summary::of(recorded);
        refuse(recorded, &summary)?;
        let plan = &recorded.plan;
        let types: Vec<TypeTotals> = plan
            .dialects
            .iter()
            .flat_map(|dialect| {
                let types = summary.rows(dialect).filter_map(|(id, layout, score)| Some((id?, layout, score)));
                types.map(|(id, layout, score)| totals(&dialect.name, id, layout, score)).collect::<Vec<_>>()
            })
            .collect();
        if types.iter().all(|of| of.decode.is_none() && of.encode.is_none()) {
            return Err(NotCertified::NothingClaimed);
        }
        let amber = summary.amber();
        Ok(Self {
            format: FORMAT,
            statement: statement(recorded, &types, amber),
            conform: plan.conform.clone(),
            corpus: plan.corpus.clone(),
            protocol: plan.handshake.protocol,
            reading: plan.reading.name().to_owned(),
            implementation: plan.handshake.clone(),
            files,
            types,
            tests: Tests {
                executed: recorded.end.executed,
                relaxed: summary.count(Verdict::Relaxed).sum(),
                amber,
                not_claimed: summary.count(Verdict::NotClaimed).sum(),
            },
            results: digest(results),
        })
    }
}

/// How many replies are wrong, expected failures included.
pub fn wrong(summary: &Summary<'_>) -> usize {
    summary.cells.values().map(|cell| cell.red.sum()).sum()
}

fn refuse(recorded: &RunRecord, summary: &Summary<'_>) -> Result<(), NotCertified> {
    let wrong = wrong(summary);
    if let Some(only) = &recorded.plan.selection.only {
        return Err(NotCertified::Selection(only.clone()));
    }
    if !recorded.plan.selection.derived {
        return Err(NotCertified::NoDerived);
    }
    if !recorded.end.complete {
        return Err(NotCertified::Incomplete);
    }
    if wrong > 0 {
        return Err(NotCertified::Wrong(wrong));
    }
    match recorded.end.stale.first() {
        Some(claim) => Err(NotCertified::Stale(claim.clone())),
        None => Ok(()),
    }
}

fn totals(dialect: &str, id: usize, layout: &str, score: TypeScore) -> TypeTotals {
    let way = |cell: Cell| {
        let mark = cell.mark();
        (!mark.is_untested()).then_some(DirectionTotals {
            passed: cell.passed.authored,
            of: cell.judged.authored,
            derived_passed: cell.passed.derived,
            derived_of: cell.judged.derived,
            green: mark == CellStatus::Ok,
        })
    };
    TypeTotals { of: format!("{dialect}/{layout}"), id, decode: way(score.decode), encode: way(score.encode) }
}

fn statement(recorded: &RunRecord, types: &[TypeTotals], amber: usize) -> String {
    let plan = &recorded.plan;
    let green = |totals: &Option<DirectionTotals>| totals.is_some_and(|totals| totals.green);
    let both = types.iter().filter(|of| green(&of.decode) && green(&of.encode)).count();
    let dialects: Vec<&str> = plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
    let name = format!("{} {}", plan.handshake.name, plan.handshake.version);
    let reservations = if amber > 0 { format!("; {amber} amber replies") } else { String::new() };
    format!(
        "{} gives no wrong reply in {} to what it claims: {both} of {} types pass both ways{reservations}",
        name.trim_end(),
        dialects.join(", "),
        types.len()
    )
}

/// The SHA-256 of these bytes, as `sha256:` and 64 hex digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}
