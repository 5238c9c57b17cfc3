//! A certificate: what was run, on what, and what came of it, small enough to be kept beside a release. Everything in it
//! but the digests of the program's files can be computed again from `results.jsonl`.

mod files;
mod verify;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use files::{FileDigest, file_digest, folder_digest};
pub use verify::{asked, verify};

use variant_corpus::CorpusId;
use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_runner::summary::{Mark, Summary};
use variant_wire::handshake::Handshake;
use variant_wire::sanitize::counted;

/// The version of its form.
const FORMAT: u32 = 1;

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: u32,
    /// What it says, in a sentence.
    pub statement: String,
    /// The version of the program that wrote it.
    pub conform: String,
    /// The corpus.
    pub corpus: CorpusId,
    /// The version of the protocol that was spoken.
    pub protocol: u32,
    /// Whose word counted: `engine` or `document`.
    pub reading: String,
    /// What the implementation said of itself.
    pub implementation: Handshake,
    /// The files of the command that was run, and the adapter's folder where it has one.
    pub files: Vec<FileDigest>,
    /// Each type of each dialect.
    pub types: Vec<TypeTotals>,
    /// Asks in all.
    pub tests: Tests,
    /// SHA-256 of `results.jsonl`.
    pub results: String,
}

/// What came of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeTotals {
    /// `godot-3/vector2`.
    #[serde(rename = "type")]
    pub of: String,
    /// Its id.
    pub id: usize,
    /// Reading; absent where it is not claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode: Option<Totals>,
    /// Writing; absent where it is not claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode: Option<Totals>,
}

/// Asks of a type in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Authored asks that passed.
    pub passed: usize,
    /// Authored asks that were judged.
    pub of: usize,
    /// Derived asks that passed.
    pub derived_passed: usize,
    /// Derived asks that were judged.
    pub derived_of: usize,
    /// Whether nothing is amber, and enough was asked.
    pub green: bool,
}

/// Asks in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// Put and answered.
    pub executed: usize,
    /// Right but for what the host language cannot tell apart.
    pub relaxed: usize,
    /// Amber: relaxed ones too.
    pub amber: usize,
    /// Not put: not claimed.
    pub not_claimed: usize,
}

impl Certificate {
    /// The certificate of a record, whose bytes are `results`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(recorded: &RunRecord, results: &[u8], files: Vec<FileDigest>) -> Result<Self, String> {
        let summary = Summary::of(recorded);
        refuse(recorded, &summary)?;
        let plan = &recorded.plan;
        let count = |verdict| {
            let counts = summary.count(verdict);
            counts.authored + counts.derived
        };
        let types: Vec<TypeTotals> = plan
            .dialects
            .iter()
            .flat_map(|dialect| {
                let totals = |(id, layout): (usize, &String)| totals(&summary, &dialect.name, id, layout);
                dialect.types.iter().enumerate().map(totals).collect::<Vec<_>>()
            })
            .collect();
        if types.iter().all(|of| of.decode.is_none() && of.encode.is_none()) {
            return Err("nothing is claimed: its hello has no type of what was asked".to_owned());
        }
        let amber = summary.amber();
        Ok(Self {
            format: FORMAT,
            statement: statement(recorded, &types, amber),
            conform: plan.conform.clone(),
            corpus: plan.corpus.clone(),
            protocol: plan.handshake.protocol,
            reading: plan.reading.clone(),
            implementation: plan.handshake.clone(),
            files,
            types,
            tests: Tests {
                executed: recorded.end.executed,
                relaxed: count(Verdict::Relaxed),
                amber,
                not_claimed: count(Verdict::NotClaimed),
            },
            results: digest(results),
        })
    }
}

/// How many answers are wrong, expected or not.
pub fn wrong(summary: &Summary<'_>) -> usize {
    summary.cells.values().map(|cell| cell.red).sum()
}

/// What is wrong is not certified, expected or not.
fn refuse(recorded: &RunRecord, summary: &Summary<'_>) -> Result<(), String> {
    let wrong = wrong(summary);
    if let Some(only) = &recorded.plan.selection.only {
        return Err(format!("only {only} was asked; a certificate is of a whole run"));
    }
    if !recorded.plan.selection.derived {
        return Err("derived asks were left out; a certificate is of a whole run".to_owned());
    }
    if !recorded.end.complete {
        return Err("the run is incomplete; go on with --resume".to_owned());
    }
    if wrong > 0 {
        let are = if wrong == 1 { "is" } else { "are" };
        return Err(format!("{} {are} wrong (expected failures count, too)", counted(wrong, "answer")));
    }
    match recorded.end.stale.first() {
        Some(claim) => Err(format!("a claim about it is no longer true: {claim}")),
        None => Ok(()),
    }
}

fn totals(summary: &Summary<'_>, dialect: &str, id: usize, layout: &str) -> TypeTotals {
    let way = |op: &str| {
        let cell = summary.cell(dialect, layout, op);
        let mark = cell.mark(op == "decode");
        (!matches!(mark, Mark::NotClaimed | Mark::Empty)).then_some(Totals {
            passed: cell.passed,
            of: cell.judged,
            derived_passed: cell.derived_passed,
            derived_of: cell.derived_judged,
            green: mark == Mark::Green,
        })
    };
    TypeTotals { of: format!("{dialect}/{layout}"), id, decode: way("decode"), encode: way("encode") }
}

fn statement(recorded: &RunRecord, types: &[TypeTotals], amber: usize) -> String {
    let plan = &recorded.plan;
    let green = |totals: &Option<Totals>| totals.is_some_and(|totals| totals.green);
    let both = types.iter().filter(|of| green(&of.decode) && green(&of.encode)).count();
    let dialects: Vec<&str> = plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
    let name = format!("{} {}", plan.handshake.name, plan.handshake.version);
    let reservations = if amber > 0 { format!("; {amber} answers with a reservation") } else { String::new() };
    format!(
        "{} gives no wrong answer in {} to what it claims: {both} of {} type ids conform in both directions{reservations}",
        name.trim_end(),
        dialects.join(", "),
        types.len()
    )
}

/// `sha256:…`.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}
