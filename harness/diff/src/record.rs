//! Campaigns on disk, as JSONL: a line for the settings, a line for each finding, a line for the end; then the next
//! dialect. Shards are joined here.

use std::collections::BTreeMap;
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

/// Why records cannot be read or merged.
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
    #[error("{0}: the end is missing: that shard did not finish; run it again")]
    Unfinished(String),
    /// The file has no campaign.
    #[error("{0}: this is not a campaign; `conform diff --out` writes one")]
    Empty(String),
    /// Two files have the same shard.
    #[error("{0}: shard {1}/{2} is in {3} already")]
    Twice(String, u64, u64, String),
    /// Two files are of different campaigns.
    #[error("{0}: belongs to another campaign than {1}: {2}")]
    Other(String, String, &'static str),
    /// A shard ended before all its requests were sent.
    #[error("{0}: its shard is not complete; run it again")]
    Incomplete(String),
    /// Some shards are missing: up to eight of them, like `2/4, 3/4`.
    #[error("missing: shard {0}")]
    Missing(String),
    /// The campaign of one dialect cannot be merged.
    #[error("{0}: {1}")]
    Dialect(String, Box<CampaignRecordError>),
}

/// A campaign or a shard that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignRecord {
    /// What was sent: the dialect, the shard, the seed, the limits.
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

/// What was sent. Records of one campaign differ only in the shard.
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
    depth: usize,
    size: usize,
    /// The digest of the corpus that the seed packets are from.
    seeds: String,
    /// Which shard, from 1, and of how many.
    pub shard: (u64, u64),
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
    /// How many of them are in a batch that was cut short, and is sent again if the campaign goes on.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cut: u64,
    /// The number of the batch in which it was seen first.
    pub batch: u64,
    /// The length of its smallest packet, in bytes. Of two shards' records, the one with the shorter packet is kept.
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

    fn is_same(&self, other: &Self) -> bool {
        self.signature == other.signature && self.legal == other.legal
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
    /// If not, how many batches of the shard were: it goes on there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batches: Option<u64>,
    /// What is in `tally` of a batch that was cut short, and is sent again if the campaign goes on.
    #[serde(default, skip_serializing_if = "CampaignTally::is_none")]
    pub cut: CampaignTally,
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
            depth: plan.limits.depth,
            size: plan.limits.size,
            seeds,
            shard: plan.shard,
        };
        let batches = Some(result.batches).filter(|_| !result.complete);
        Self {
            settings,
            findings,
            end: CampaignEnd { tally: result.tally, complete: result.complete, batches, cut: result.cut },
        }
    }

    /// This record, with what a campaign found that went on where it ended.
    ///
    /// # Errors
    /// They are not of the same shard of the same campaign. The message says what differs.
    pub fn and_then(&self, later: &Self) -> Result<Self, &'static str> {
        let (settings, next) = (&self.settings, &later.settings);
        match settings.difference(next) {
            Some(difference) => Err(difference),
            None if settings.shard != next.shard => Err("another shard"),
            None => {
                let mut end = later.end;
                end.tally += self.end.tally.without(self.end.cut);
                // What the cut batch shows is found again, unless the later campaign ended within that batch.
                let earlier = self.findings.iter().map(|found| {
                    let again = later.findings.iter().any(|other| other.is_same(found));
                    let cut = if again { found.cut } else { 0 };
                    FoundRecord { count: found.count.saturating_sub(cut), cut: 0, ..found.clone() }
                });
                let earlier: Vec<FoundRecord> = earlier.collect();
                let findings = join(earlier.iter().chain(&later.findings));
                Ok(Self { settings: next.clone(), findings, end })
            }
        }
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

    /// Joins the shards of several campaigns, one for each dialect.
    ///
    /// # Errors
    /// A shard is missing, present twice, of another campaign, or not complete.
    pub fn merge_all(records: &[(String, Self)]) -> Result<Vec<Self>, CampaignRecordError> {
        let mut by_dialect: Vec<(&str, Vec<&(String, Self)>)> = Vec::new();
        for record in records {
            let dialect = record.1.settings.dialect.as_str();
            match by_dialect.iter_mut().find(|(other, _)| *other == dialect) {
                Some((_, shards)) => shards.push(record),
                None => by_dialect.push((dialect, vec![record])),
            }
        }
        let merge = |(dialect, shards): (&str, Vec<&(String, Self)>)| {
            Self::merge(&shards).map_err(|error| CampaignRecordError::Dialect(dialect.to_owned(), Box::new(error)))
        };
        by_dialect.into_iter().map(merge).collect()
    }

    /// Joins the shards of one campaign.
    fn merge(records: &[&(String, Self)]) -> Result<Self, CampaignRecordError> {
        let [(first_file, first), ..] = records else { return Err(CampaignRecordError::Missing("1".to_owned())) };
        let mut shards: BTreeMap<u64, &str> = BTreeMap::new();
        for (file, record) in records {
            let (shard, all) = record.settings.shard;
            if let Some(twin) = shards.insert(shard, file) {
                return Err(CampaignRecordError::Twice(file.clone(), shard, all, twin.to_owned()));
            }
        }
        for (file, record) in records {
            if let Some(difference) = record.settings.difference(&first.settings) {
                return Err(CampaignRecordError::Other(file.clone(), first_file.clone(), difference));
            }
        }
        if let Some((file, _)) = records.iter().find(|(_, record)| !record.end.complete) {
            return Err(CampaignRecordError::Incomplete(file.clone()));
        }
        let all = first.settings.shard.1;
        // A file may claim any number of shards: the first few are enough.
        let mut missing = (1..=all).filter(|shard| !shards.contains_key(shard)).map(|shard| format!("{shard}/{all}"));
        let named: Vec<String> = missing.by_ref().take(8).collect();
        if !named.is_empty() {
            let more = if missing.next().is_some() { ", and more" } else { "" };
            return Err(CampaignRecordError::Missing(named.join(", ") + more));
        }
        let mut tally = CampaignTally::default();
        records.iter().for_each(|(_, record)| tally += record.end.tally);
        Ok(Self {
            settings: CampaignSettings { shard: (1, 1), ..first.settings.clone() },
            findings: join(records.iter().flat_map(|(_, record)| &record.findings)),
            end: CampaignEnd { tally, complete: true, batches: None, cut: CampaignTally::default() },
        })
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

impl CampaignSettings {
    /// The first setting that makes it another campaign; `None` if both are shards of one.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let same = [
            ("different participants or versions", self.participants == other.participants),
            ("another seed", self.seed == other.seed),
            ("a different number of shards", self.shard.1 == other.shard.1),
            ("a different number of cases", self.cases == other.cases),
            ("another corpus", self.seeds == other.seeds),
            ("other limits", (self.depth, self.size) == (other.depth, other.size)),
            ("a different version of conform", self.conform == other.conform),
        ];
        same.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
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

/// Findings with the same signature are one: counts add up, and the smaller packet is kept.
fn is_none(count: &u64) -> bool {
    *count == 0
}

fn join<'a>(findings: impl Iterator<Item = &'a FoundRecord>) -> Vec<FoundRecord> {
    let mut joined: Vec<FoundRecord> = Vec::new();
    for found in findings {
        match joined.iter_mut().find(|other| other.is_same(found)) {
            None => joined.push(found.clone()),
            Some(other) => {
                let count = other.count + found.count;
                let cut = other.cut + found.cut;
                let batch = other.batch.min(found.batch);
                if (found.bytes, found.batch) < (other.bytes, other.batch) {
                    *other = found.clone();
                }
                (other.count, other.cut, other.batch) = (count, cut, batch);
            }
        }
    }
    joined.sort_by_key(|found| found.batch);
    joined
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
