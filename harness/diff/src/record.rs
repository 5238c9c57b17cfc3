//! Campaigns on disk: one line what was asked, a line a finding, one line how it ended; the next dialect's behind it.
//! Shards are joined here.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::campaign::{Outcome, Plan, Tally};
use super::signature::Signature;

/// The version of these lines.
const SCHEMA: u32 = 1;

/// A campaign, or its shard, that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What was asked.
    pub asked: Asked,
    /// What was found.
    pub findings: Vec<Found>,
    /// How it ended.
    pub end: End,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Line {
    Diff(Asked),
    Finding(Found),
    End(End),
}

/// What was asked: records that differ in anything but the shard are not of one campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    schema: u32,
    conform: String,
    /// Name and version of each side.
    sides: Vec<(String, String)>,
    /// The dialect.
    pub dialect: String,
    seed: u64,
    cases: u64,
    depth: usize,
    size: usize,
    /// Of the packets to begin with.
    seeds: String,
    /// Which part, and of how many.
    pub shard: (u64, u64),
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What it is.
    pub signature: Signature,
    /// The divergence by which it is legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<String>,
    /// Why it is expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// How often.
    pub count: u64,
    /// The batch in which it was seen first.
    pub batch: u64,
    /// The bytes of the smallest question: the smaller is kept.
    pub bytes: usize,
    /// How it is told.
    pub shown: Vec<String>,
    /// The command that shows it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub repeat: String,
}

impl Found {
    /// All that is told of it, below the line that names it.
    pub fn in_full(&self) -> String {
        let repeat = (!self.repeat.is_empty()).then(|| format!("  repeat: {}", self.repeat));
        self.shown.iter().cloned().chain(repeat).collect::<Vec<_>>().join("\n")
    }
}

/// How it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The numbers.
    pub tally: Numbers,
    /// Whether all was asked.
    pub complete: bool,
}

/// [`Tally`] as it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    pub asked: u64,
    pub agreed: u64,
    pub lossy: u64,
    pub unsupported: u64,
    pub parted: u64,
    pub beyond: u64,
}

impl From<&Tally> for Numbers {
    fn from(tally: &Tally) -> Self {
        let Tally { asked, agreed, lossy, unsupported, parted, beyond } = *tally;
        Self { asked, agreed, lossy, unsupported, parted, beyond }
    }
}

impl Record {
    /// The record of a campaign.
    pub fn of(
        plan: &Plan,
        dialect: &str,
        sides: Vec<(String, String)>,
        seeds: String,
        findings: Vec<Found>,
        outcome: &Outcome,
    ) -> Self {
        let asked = Asked {
            schema: SCHEMA,
            conform: env!("CARGO_PKG_VERSION").to_owned(),
            sides,
            dialect: dialect.to_owned(),
            seed: plan.seed,
            cases: plan.cases,
            depth: plan.extent.depth,
            size: plan.extent.size,
            seeds,
            shard: plan.shard,
        };
        Self { asked, findings, end: End { tally: (&outcome.tally).into(), complete: outcome.complete } }
    }

    /// As lines.
    pub fn lines(&self) -> String {
        let findings = self.findings.iter().cloned().map(Line::Finding);
        let lines = [Line::Diff(self.asked.clone())].into_iter().chain(findings).chain([Line::End(self.end)]);
        // Plain data cannot fail to become JSON.
        lines.map(|line| serde_json::to_string(&line).unwrap_or_default() + "\n").collect()
    }

    /// Reads all of a file: a campaign for each dialect.
    ///
    /// # Errors
    /// Why there is none, or one that is not whole.
    pub fn read(path: &Path) -> Result<Vec<Self>, String> {
        let said = |why: String| format!("{}: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| said(format!("cannot be read: {error}")))?;
        let mut records = Vec::new();
        let mut begun: Option<(Asked, Vec<Found>)> = None;
        for (number, line) in text.lines().enumerate() {
            let here = |why: &str| said(format!("line {}: {why}", number + 1));
            let line = serde_json::from_str(line).map_err(|error| here(&format!("is not of a campaign: {error}")))?;
            match (line, begun.take()) {
                (Line::Diff(asked), None) if asked.schema != SCHEMA => {
                    let (schema, why) = (asked.schema, "and this program reads");
                    return Err(said(format!("its lines have version {schema}, {why} {SCHEMA}")));
                }
                (Line::Diff(asked), None) => begun = Some((asked, Vec::new())),
                (Line::Finding(found), Some((asked, mut findings))) => {
                    findings.push(found);
                    begun = Some((asked, findings));
                }
                (Line::End(end), Some((asked, findings))) => records.push(Self { asked, findings, end }),
                (Line::Diff(_), Some(_)) => return Err(here("a second campaign begins, and the first has no end")),
                (Line::Finding(_) | Line::End(_), None) => return Err(here("no campaign has begun")),
            }
        }
        if begun.is_some() {
            return Err(said("it has no end: that shard was not finished; run it again".to_owned()));
        }
        if records.is_empty() {
            return Err(said("there is no campaign in it; `conform diff --out` writes one".to_owned()));
        }
        Ok(records)
    }

    /// Joins the shards of several campaigns, one for each dialect.
    ///
    /// # Errors
    /// As [`Record::merge`].
    pub fn merge_all(records: &[(String, Self)]) -> Result<Vec<Self>, String> {
        let mut dialects: Vec<&str> = Vec::new();
        for (_, record) in records {
            if !dialects.contains(&record.asked.dialect.as_str()) {
                dialects.push(&record.asked.dialect);
            }
        }
        let of = |dialect: &str| -> Vec<(String, Self)> {
            records.iter().filter(|(_, record)| record.asked.dialect == dialect).cloned().collect()
        };
        dialects
            .into_iter()
            .map(|dialect| Self::merge(&of(dialect)).map_err(|why| format!("{dialect}: {why}")))
            .collect()
    }

    /// Joins the shards of one campaign.
    ///
    /// # Errors
    /// Which shard is missing, there twice, not of this campaign, or not finished.
    fn merge(records: &[(String, Self)]) -> Result<Self, String> {
        let Some(((first_file, first), rest)) = records.split_first() else {
            return Err("no record is named".to_owned());
        };
        let mut shards: BTreeMap<u64, &str> = BTreeMap::new();
        for (file, record) in records {
            let (shard, shards_of) = record.asked.shard;
            if let Some(twin) = shards.insert(shard, file) {
                return Err(format!("{file}: shard {shard}/{shards_of} is in {twin} already"));
            }
        }
        for (file, record) in rest {
            let like = Asked { shard: record.asked.shard, ..first.asked.clone() };
            if record.asked != like || record.asked.shard.1 != first.asked.shard.1 {
                return Err(format!(
                    "{file}: is not of the campaign of {first_file}: {}",
                    record.asked.parts_from(&first.asked)
                ));
            }
        }
        if let Some((file, _)) = records.iter().find(|(_, record)| !record.end.complete) {
            return Err(format!("{file}: its shard was not asked to its end; run it again"));
        }
        let all = first.asked.shard.1;
        // How many there are is what a file says: the first few tell enough.
        let mut missing = (1..=all).filter(|shard| !shards.contains_key(shard)).map(|shard| format!("{shard}/{all}"));
        let named: Vec<String> = missing.by_ref().take(8).collect();
        if !named.is_empty() {
            let more = if missing.next().is_some() { ", and more" } else { "" };
            return Err(format!("missing: shard {}{more}", named.join(", ")));
        }
        Ok(Self {
            asked: Asked { shard: (1, 1), ..first.asked.clone() },
            findings: join(records.iter().flat_map(|(_, record)| &record.findings)),
            end: End { tally: sum(records.iter().map(|(_, record)| record.end.tally)), complete: true },
        })
    }

    /// For a person.
    pub fn shown(&self) -> String {
        let mut text = String::new();
        for found in &self.findings {
            let times = if found.count == 1 { "once".to_owned() } else { format!("{} times", found.count) };
            text.push_str(&format!("{}, {times}\n{}\n\n", found.signature, found.in_full()));
        }
        let names: Vec<&str> = self.asked.sides.iter().map(|(name, _)| name.as_str()).collect();
        let tally = self.end.tally;
        text.push_str(&format!(
            "{}: {}: {} questions, {} agreed, {} parted\n",
            names.join(" against "),
            self.asked.dialect,
            tally.asked,
            tally.agreed,
            tally.parted
        ));
        text
    }

    /// Whether there is a finding that nothing explains.
    pub fn is_open(&self) -> bool {
        self.findings.iter().any(|found| found.legal.is_none() && found.expected.is_none())
    }
}

impl Asked {
    /// In what it is another campaign.
    fn parts_from(&self, other: &Self) -> &'static str {
        if self.sides != other.sides {
            "other sides, or other versions of them"
        } else if self.seed != other.seed {
            "another seed"
        } else if self.shard.1 != other.shard.1 {
            "another number of shards"
        } else if self.cases != other.cases {
            "another number of cases"
        } else if self.seeds != other.seeds {
            "another corpus"
        } else {
            "other limits, or another version of this program"
        }
    }
}

/// Findings with the same signature are one: counts add up, and of two witnesses the smaller is kept.
fn join<'a>(findings: impl Iterator<Item = &'a Found>) -> Vec<Found> {
    let mut joined: Vec<Found> = Vec::new();
    for found in findings {
        let same = |other: &&mut Found| other.signature == found.signature && other.legal == found.legal;
        match joined.iter_mut().find(same) {
            None => joined.push(found.clone()),
            Some(other) => {
                let count = other.count + found.count;
                let batch = other.batch.min(found.batch);
                if (found.bytes, found.batch) < (other.bytes, other.batch) {
                    *other = found.clone();
                }
                (other.count, other.batch) = (count, batch);
            }
        }
    }
    joined.sort_by_key(|found| found.batch);
    joined
}

fn sum(tallies: impl Iterator<Item = Numbers>) -> Numbers {
    tallies.fold(Numbers::default(), |sum, tally| Numbers {
        asked: sum.asked + tally.asked,
        agreed: sum.agreed + tally.agreed,
        lossy: sum.lossy + tally.lossy,
        unsupported: sum.unsupported + tally.unsupported,
        parted: sum.parted + tally.parted,
        beyond: sum.beyond + tally.beyond,
    })
}
