//! Campaigns on disk, as JSONL: a line for the settings, a line for each finding, a line for the end; then the next
//! dialect.

use std::io;
use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use variant_causes::{Difference, Generated, joined};
use variant_syntax::input::{self, InputError};
use variant_wire::diagnostic::json_words;
use variant_wire::version::other_schema;

use super::campaign::{CampaignPlan, CampaignResult, CampaignTally};
use super::signature::Signature;

/// The version of these lines.
const SCHEMA: u32 = 3;

/// Why records cannot be read.
#[derive(Debug, Error)]
pub enum CampaignRecordError {
    /// The file cannot be read.
    #[error("{0}: {1}")]
    Unreadable(String, InputError),
    /// A line cannot be read.
    #[error("{0}:{1}: cannot be read: {2}")]
    UnreadableLine(String, usize, io::Error),
    /// A line is not one of a campaign.
    #[error("{0}:{1}: is not a line of a campaign: {words}", words = json_words(.2))]
    Line(String, usize, serde_json::Error),
    /// Another version of conform wrote it.
    #[error("{0}:{1}: this is schema {2}, and this conform reads {SCHEMA}: run `conform diff` again")]
    OtherSchema(String, usize, u32),
    /// A campaign begins before the one before it ends.
    #[error("{0}:{1}: a second campaign starts before the end of the first")]
    Second(String, usize),
    /// A finding or an end comes before any campaign.
    #[error("{0}:{1}: no campaign has started")]
    None(String, usize),
    /// The last campaign does not end.
    #[error("{0}: the end is missing: the campaign did not finish; run it again")]
    Unfinished(String),
    /// The file has no campaign.
    #[error("{0}: this is not a campaign; `conform diff --out` writes one")]
    Empty(String),
}

/// A campaign that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignRecord {
    /// What was sent: the dialect, the seed.
    pub settings: CampaignSettings,
    /// The findings, in the order in which they were seen first.
    pub findings: Vec<FoundRecord>,
    /// The numbers, and whether all requests were sent.
    pub end: CampaignEnd,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum CampaignLine {
    Diff(CampaignSettings),
    Finding(Box<FoundRecord>),
    End(CampaignEnd),
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignSettings {
    schema: u32,
    conform: String,
    /// Name and version of each participant.
    participants: Vec<(String, String)>,
    /// The dialect's name, like `godot-3`.
    pub dialect: String,
    seed: u64,
    cases: u64,
    /// The digest of the corpus that the seed packets are from.
    seeds: String,
}

/// A finding as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRecord {
    /// What it is about, and who is taken to be wrong.
    pub signature: Signature,
    /// What the replies lack, and where.
    pub cause: Difference,
    /// The id of the divergence that allows it; absent if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<String>,
    /// Why it is expected, from a `findings.yaml`; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The layouts in its smallest packet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<String>,
    /// How many requests show it.
    pub count: u64,
    /// The number of the batch in which it was seen first.
    pub batch: u64,
    /// The length of its smallest packet, in bytes.
    pub bytes: usize,
    /// The lines of the report, without the title and the command.
    pub shown: Vec<String>,
    /// The command that shows it again; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub repeat: String,
}

impl FoundRecord {
    /// The report below its title.
    pub fn in_full(&self) -> String {
        let repeat = (!self.repeat.is_empty()).then(|| format!("  repeat: {}", self.repeat));
        self.shown.iter().cloned().chain(repeat).collect::<Vec<_>>().join("\n")
    }

    /// Whether a divergence allows it, or a list expects it.
    pub fn is_explained(&self) -> bool {
        self.legal.is_some() || self.expected.is_some()
    }
}

/// How a campaign ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignEnd {
    /// How many requests, by verdict.
    pub tally: CampaignTally,
    /// Whether all requests were sent.
    pub complete: bool,
}

impl CampaignRecord {
    /// The record of a campaign that has ended; `seeds` is the digest of the corpus.
    pub fn of(
        plan: &CampaignPlan,
        dialect: &str,
        participants: Vec<(String, String)>,
        seeds: String,
        findings: Vec<FoundRecord>,
        result: &CampaignResult,
    ) -> Self {
        let settings = CampaignSettings {
            schema: SCHEMA,
            conform: env!("CARGO_PKG_VERSION").to_owned(),
            participants,
            dialect: dialect.to_owned(),
            seed: plan.seed,
            cases: plan.cases,
            seeds,
        };
        Self { settings, findings, end: CampaignEnd { tally: result.tally, complete: result.complete } }
    }

    /// The record as JSONL.
    pub fn lines(&self) -> String {
        let findings = self.findings.iter().cloned().map(Box::new).map(CampaignLine::Finding);
        let lines = [CampaignLine::Diff(self.settings.clone())]
            .into_iter()
            .chain(findings)
            .chain([CampaignLine::End(self.end)]);
        // Plain data cannot fail to become JSON.
        lines.map(|line| serde_json::to_string(&line).unwrap_or_default() + "\n").collect()
    }

    /// Reads all campaigns of a file: one for each dialect.
    ///
    /// # Errors
    /// The file cannot be read, a line is wrong or of another version, or a campaign is missing or has no end.
    pub fn read(path: &Path) -> Result<Vec<Self>, CampaignRecordError> {
        let file = || path.display().to_string();
        let text = input::reader(path).map_err(|error| CampaignRecordError::Unreadable(file(), error))?;
        let mut records = Vec::new();
        let mut begun: Option<(CampaignSettings, Vec<FoundRecord>)> = None;
        for (number, line) in (1..).zip(input::lines(text)) {
            let line = line.map_err(|error| CampaignRecordError::UnreadableLine(file(), number, error))?;
            if begun.is_none()
                && let Some(schema) = other_schema(&line, Some("diff"), SCHEMA)
            {
                return Err(CampaignRecordError::OtherSchema(file(), number, schema));
            }
            let line =
                serde_json::from_slice(&line).map_err(|error| CampaignRecordError::Line(file(), number, error))?;
            match (line, begun.take()) {
                (CampaignLine::Diff(settings), None) => begun = Some((settings, Vec::new())),
                (CampaignLine::Finding(found), Some((settings, mut findings))) => {
                    findings.push(*found);
                    begun = Some((settings, findings));
                }
                (CampaignLine::End(end), Some((settings, findings))) => records.push(Self { settings, findings, end }),
                (CampaignLine::Diff(_), Some(_)) => return Err(CampaignRecordError::Second(file(), number)),
                (CampaignLine::Finding(_) | CampaignLine::End(_), None) => {
                    return Err(CampaignRecordError::None(file(), number));
                }
            }
        }
        match (begun, records.is_empty()) {
            (Some(_), _) => Err(CampaignRecordError::Unfinished(file())),
            (None, true) => Err(CampaignRecordError::Empty(file())),
            (None, false) => Ok(records),
        }
    }

    /// The record as text: the findings, then the numbers.
    pub fn shown(&self) -> String {
        by_cause(&self.findings).iter().map(|cause| cause.shown() + "\n").collect::<String>() + &self.summary()
    }

    /// The numbers, on one line.
    pub fn summary(&self) -> String {
        let names: Vec<&str> = self.settings.participants.iter().map(|(name, _)| name.as_str()).collect();
        let CampaignTally { sent, agreed, disagreed, .. } = self.end.tally;
        let (names, dialect) = (names.join(" against "), &self.settings.dialect);
        format!("{names}: {dialect}: {sent} requests, {agreed} agreed, {disagreed} disagreed\n")
    }

    /// Whether there is a finding that nothing explains.
    pub fn is_open(&self) -> bool {
        self.findings.iter().any(|found| !found.is_explained())
    }
}

/// Findings of one cause: of one fault, whatever the types and operations are.
#[derive(Debug)]
pub struct CampaignCause<'a> {
    /// Its id, as reports of runs have it: `text-utf16-length`.
    pub id: String,
    /// What is wrong, in one sentence.
    pub headline: String,
    /// Its findings, the one with the smallest packet first.
    pub findings: Vec<&'a FoundRecord>,
}

/// The id of each finding's cause, in the light of all others.
pub fn cause_ids(findings: &[FoundRecord]) -> Vec<String> {
    let causes = by_cause(findings);
    let of =
        |found: &FoundRecord| causes.iter().find(|cause| cause.findings.iter().any(|one| std::ptr::eq(*one, found)));
    findings.iter().map(|found| of(found).map_or_else(String::new, |cause| cause.id.clone())).collect()
}

/// Findings by their causes, in the order in which they were seen.
pub fn by_cause<'a>(findings: impl IntoIterator<Item = &'a FoundRecord>) -> Vec<CampaignCause<'a>> {
    type Sides<'a> = (&'a str, &'a [String], &'a [String]);
    let mut by_sides: IndexMap<Sides<'_>, Vec<&FoundRecord>> = IndexMap::new();
    for found in findings {
        let Signature { dialect, odd, others, .. } = &found.signature;
        by_sides.entry((dialect, odd, others)).or_default().push(found);
    }
    let mut causes = Vec::new();
    for findings in by_sides.into_values() {
        let found: Vec<_> =
            findings.iter().map(|found| generated(&found.signature, &found.cause, &found.layouts)).collect();
        let mut of_these: IndexMap<(String, String), Vec<&FoundRecord>> = IndexMap::new();
        for (found, cause) in findings.into_iter().zip(joined(&found)) {
            of_these.entry(cause).or_default().push(found);
        }
        causes.extend(of_these.into_iter().map(|((id, headline), mut findings)| {
            findings.sort_by_key(|found| (found.bytes, found.batch));
            CampaignCause { id, headline, findings }
        }));
    }
    causes
}

pub(super) fn generated<'a>(of: &'a Signature, difference: &'a Difference, layouts: &'a [String]) -> Generated<'a> {
    Generated { difference, layout: &of.layout, op: of.op, layouts }
}

impl CampaignCause<'_> {
    /// The cause as text: its headline, who shows it and how often, and its smallest request in full.
    pub fn shown(&self) -> String {
        let full = self.findings.first().map_or_else(String::new, |found| found.in_full());
        format!("{}\n  {}\n{full}\n", self.headline, self.extent())
    }

    /// Who shows it, how often, and where: `gd-com, 12 times: string, array; decode, reencode  (godot-3/text-text-end)`.
    pub fn extent(&self) -> String {
        let times: u64 = self.findings.iter().map(|found| found.count).sum();
        let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
        let each = |of: fn(&Signature) -> &str| {
            let all: IndexSet<&str> = self.findings.iter().map(|found| of(&found.signature)).collect();
            all.into_iter().collect::<Vec<_>>().join(", ")
        };
        let (types, ops) = (each(|of| &of.layout), each(|of| of.op.name()));
        let (odd, dialect) = self
            .findings
            .first()
            .map_or_else(Default::default, |found| (found.signature.odd.join(", "), found.signature.dialect.as_str()));
        format!("{odd}, {times}: {types}; {ops}  ({dialect}/{})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::CampaignRecord;

    #[test]
    fn a_campaign_of_another_schema_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("campaign.jsonl");
        fs::write(&path, "{\"kind\":\"diff\",\"schema\":1,\"peers\":[]}\n").unwrap();
        let told =
            format!("{}:1: this is schema 1, and this conform reads 3: run `conform diff` again", path.display());
        assert_eq!(CampaignRecord::read(&path).unwrap_err().to_string(), told);
    }
}
