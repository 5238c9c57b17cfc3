//! A certificate: what was run, on what, and the result, small enough to keep with a release. All of it can be
//! computed again from `results.jsonl`.

mod profile;
mod verify;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use profile::Profile;
pub use verify::{missing, verify};

use variant_corpus::CorpusId;
use variant_corpus::test::Rule;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::{DialectPlan, TestResult};
use variant_runner::status::{CellStatus, severity};
use variant_runner::summary::{Summary, TypeScore};
use variant_values::handshake::Handshake;
use variant_values::sanitize::counted;

/// The version of the certificate's format.
const FORMAT: u32 = 4;

/// The result of a complete run: a record can have one only if no reply in it is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the certificate's format: 4.
    pub format: u32,
    /// The result in one sentence, for people.
    pub statement: String,
    /// What it certifies: `client`, `server`, `save-reader` or `engine`.
    pub profile: Profile,
    /// The version of `conform` that made the run, like `0.1.0`.
    pub conform: String,
    pub corpus: CorpusId,
    /// The version of the protocol that was spoken.
    pub protocol: u32,
    /// Which source wins where document and engine disagree: `engine` or `document`.
    pub judged_by: String,
    pub implementation: Handshake,
    /// What holds of each type of each dialect.
    pub types: Vec<TypeAbilities>,
    pub tests: Tests,
    /// The digest of `results.jsonl`: SHA-256, as `sha256:` and hex.
    pub results: String,
}

/// What holds of a type. An ability is absent if it is not supported, or nothing tests it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeAbilities {
    /// Dialect and layout, like `godot-3/vector2`.
    #[serde(rename = "type")]
    pub of: String,
    /// The type's id in the dialect, which packets have in their header.
    pub id: usize,
    /// Whether every everyday packet is decoded right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<bool>,
    /// Whether every everyday value is encoded right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<bool>,
    /// Whether what is rare is right too, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Whether hostile input is refused, and nothing crashes, hangs or takes too much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tests {
    /// Tests that were executed, variants included.
    pub executed: usize,
    /// Correct, apart from distinctions that the host language cannot make.
    pub declared_losses: usize,
    /// Warnings, without declared losses.
    pub warnings: usize,
    /// Tests that were not sent, because the implementation does not support them.
    pub not_supported: usize,
}

impl Certificate {
    /// The certificate of a record, whose bytes are `results`.
    pub fn of(recorded: &RunRecord, profile: Profile, results: &[u8]) -> Result<Self, String> {
        let summary = Summary::of(recorded);
        let plan = &recorded.plan;
        let types: Vec<TypeAbilities> = plan
            .dialects
            .iter()
            .flat_map(|dialect| {
                let types = summary.rows(dialect).filter_map(|(id, layout, score)| Some((id?, layout, score)));
                types.map(|(id, layout, score)| abilities(&dialect.name, id, layout, &score)).collect::<Vec<_>>()
            })
            .collect();
        if types.iter().all(|of| of.reads.is_none() && of.writes.is_none()) {
            return Err("nothing is supported: its handshake has no type that was tested".to_owned());
        }
        refuse(recorded, profile, &summary)?;
        Ok(Self {
            format: FORMAT,
            statement: statement(profile, &summary),
            profile,
            conform: plan.conform.clone(),
            corpus: plan.corpus.clone(),
            protocol: plan.handshake.protocol,
            judged_by: plan.judged_by.name().to_owned(),
            implementation: plan.handshake.clone(),
            types,
            tests: Tests {
                executed: recorded.end.executed,
                declared_losses: summary.count(Verdict::DeclaredLoss).sum(),
                warnings: summary.warnings(),
                not_supported: summary.count(Verdict::NotSupported).sum(),
            },
            results: digest(results),
        })
    }
}

/// How many replies are wrong, expected failures included.
pub fn wrong(summary: &Summary<'_>) -> usize {
    summary.findings.iter().filter(|finding| severity(finding) == Severity::Failure).count()
}

fn refuse(recorded: &RunRecord, profile: Profile, summary: &Summary<'_>) -> Result<(), String> {
    if let Some(only) = &recorded.plan.selection.only {
        return Err(format!("only {only} was tested; a certificate needs a complete run"));
    }
    if !recorded.plan.selection.variants {
        return Err("variants were left out; a certificate needs a complete run".to_owned());
    }
    if !recorded.end.complete {
        return Err("the run is incomplete: run it again".to_owned());
    }
    if recorded.end.late > 0 {
        let late = counted(recorded.end.late, "request");
        return Err(format!("{late} timed out, and did not when sent alone: run it again"));
    }
    let wrong = wrong(summary);
    if profile == Profile::Engine && wrong > 0 {
        return Err(format!("{} (known failures count too)", counted(wrong, "failure")));
    }
    // Whoever does not end as it should has no certificate, whatever it is for.
    let dies = |finding: &&&TestResult| finding.id().rule == Some(Rule::Exit.name());
    if let Some(finding) = summary.findings.iter().find(dies) {
        return Err(format!("it does not end as it should: {}", finding.test));
    }
    if let Some(what) = profile.lacks(summary) {
        return Err(what);
    }
    match recorded.end.stale.first() {
        Some(claim) => Err(format!("an expectation is no longer true: {claim}")),
        None => Ok(()),
    }
}

fn abilities(dialect: &str, id: usize, layout: &str, score: &TypeScore) -> TypeAbilities {
    let [reads, writes, exact, safe] =
        score.marks().map(|mark| (!mark.is_untested()).then_some(mark == CellStatus::Ok));
    TypeAbilities { of: format!("{dialect}/{layout}"), id, reads, writes, exact, safe }
}

fn statement(profile: Profile, summary: &Summary<'_>) -> String {
    let plan = summary.plan;
    let name = format!("{} {}", plan.handshake.name, plan.handshake.version);
    let of = |dialect: &DialectPlan| format!("{} {}", dialect.title(), summary.score_of(dialect).sentence());
    let dialects: Vec<String> = plan.dialects.iter().map(of).collect();
    let warnings = match summary.warnings() {
        0 => String::new(),
        count => format!("; {}", counted(count, "warning")),
    };
    let said = dialects.join("; ");
    format!("{} {}. {said}{warnings}", name.trim_end(), profile.states())
}

/// The SHA-256 of these bytes, as `sha256:` and 64 hex digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}
