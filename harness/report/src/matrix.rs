//! The matrix: every implementation, in every dialect that it speaks, type by type: what it reads and writes, exactly and safely.

mod markdown;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;

pub use self::markdown::markdown;
use variant_corpus::CorpusId;
use variant_corpus::findings::{self, Finding, Findings};
use variant_corpus::rarity::Rarity;
use variant_corpus::test::TestParts;
use variant_runner::ability::word;
use variant_runner::record::RunRecord;
use variant_runner::results::{DialectPlan, Plan};
use variant_runner::run::claims_nothing;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Ability, DialectScore, Summary, TypeScore};
use variant_values::sanitize::counted;

/// The results of every implementation. They do not depend on the machine or the time of the run.
#[derive(Debug)]
pub struct Matrix {
    pub corpus: CorpusId,
    /// The names of all dialects, the newest first.
    pub dialects: Vec<String>,
    /// The implementations, each with the result of its run or why it was not run: the reference codec, then the adapters by name.
    pub implementations: Vec<(ImplementationRow, Result<Ran, String>)>,
}

/// An implementation, and where it comes from.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ImplementationRow {
    /// Its name as `conform run` takes it; `reference` is the codec of this project.
    pub name: String,
    /// What it is, in one line; may be empty.
    pub about: String,
    /// Where it comes from; may be empty.
    pub home: String,
    /// Its page of findings, from the root of the project.
    pub findings: Option<String>,
    /// Its page, from the root of the site; `None` if there is no site.
    pub page: Option<String>,
}

/// An implementation that was run.
#[derive(Debug, Serialize)]
pub struct Ran {
    pub(crate) mark: CellStatus,
    /// Its status in a few words.
    pub(crate) said: String,
    pub(crate) version: String,
    pub(crate) language: String,
    /// The version of the corpus of its record.
    corpus: String,
    /// Whether every test ran.
    pub complete: bool,
    /// Whether it supports no type, so that nothing was required of it.
    pub claims_nothing: bool,
    /// Failures that no list expects.
    pub failures: usize,
    /// Failures and warnings that its list expects.
    pub known: usize,
    /// Claims about it that are no longer true, a sentence each.
    pub stale: Vec<String>,
    pub(crate) dialects: Vec<DialectRow>,
}

/// A dialect, as one implementation speaks it.
#[derive(Debug, Serialize)]
pub(crate) struct DialectRow {
    pub(crate) name: String,
    /// The status of its worst cell.
    pub(crate) mark: CellStatus,
    /// `Godot 4.4–4.6 (godot-4.4)`.
    pub(crate) title: String,
    pub(crate) score: DialectScore,
    /// The score in words.
    pub(crate) said: String,
    /// In the order of their ids, then what belongs to no type.
    pub(crate) types: Vec<TypeRow>,
}

/// What can be said of a type.
#[derive(Debug, Serialize)]
pub(crate) struct TypeRow {
    /// Absent for `packet` and `framing`, which belong to no type.
    pub(crate) id: Option<usize>,
    pub(crate) layout: String,
    /// The engines' name of it, like `Transform3D`.
    pub(crate) name: String,
    pub(crate) abilities: [AbilityCell; 4],
    /// Where its known failures are explained, from the root of the project: the gravest first.
    pub(crate) findings: Vec<String>,
}

/// Whether a type has an ability.
#[derive(Debug, Serialize)]
pub(crate) struct AbilityCell {
    pub(crate) ability: Ability,
    pub(crate) mark: CellStatus,
    /// The status as people read it, like `yes`.
    word: &'static str,
    /// `12 right, 1 wrong`.
    evidence: String,
}

impl Ran {
    /// The result of a record; `folder` is that of the adapter, from the root of the project.
    pub fn of(recorded: &RunRecord, known: &Findings, folder: &str) -> Self {
        let summary = Summary::of(recorded);
        let findings = findings(recorded, known, folder);
        let handshake = &recorded.plan.handshake;
        let dialect = |plan: &DialectPlan| dialect_row(plan, &summary, &findings);
        let mut ran = Self {
            mark: CellStatus::None,
            said: String::new(),
            version: handshake.version.clone(),
            language: handshake.language.clone(),
            corpus: recorded.plan.corpus.version.clone(),
            complete: recorded.end.complete,
            claims_nothing: claims_nothing(recorded),
            failures: summary.failures(),
            known: summary.known(),
            stale: recorded.end.stale.clone(),
            dialects: recorded.plan.dialects.iter().map(dialect).collect(),
        };
        (ran.mark, ran.said) = ran.status();
        ran
    }

    /// What it reads and writes in its newest dialect: `Godot 4.4–4.6 (godot-4.4): reads 39 of 39 types, writes 39, …`.
    pub fn newest(&self) -> String {
        self.dialects.first().map(|dialect| format!("{}: {}", dialect.title, dialect.said)).unwrap_or_default()
    }

    fn status(&self) -> (CellStatus, String) {
        let is_whole = self.dialects.iter().all(|dialect| dialect.mark == CellStatus::Ok);
        let mark = match (self.unexpected(), self.known) {
            (Some(what), _) => return (CellStatus::Fail, format!("{}; {what}", self.newest())),
            (None, 0) if is_whole => CellStatus::Ok,
            (None, 0) => CellStatus::Warning,
            (None, _) => CellStatus::Known,
        };
        (mark, self.newest())
    }

    /// What is not as its list says, like `incomplete` or `2 failures`; `None` if all is.
    pub fn unexpected(&self) -> Option<String> {
        if !self.complete {
            return Some("incomplete".to_owned());
        }
        if self.claims_nothing {
            return Some("supports no type".to_owned());
        }
        let mut said = Vec::new();
        if self.failures > 0 {
            said.push(counted(self.failures, "failure"));
        }
        if !self.stale.is_empty() {
            said.push(format!("{} no longer true", counted(self.stale.len(), "expectation")));
        }
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// Whether the run is complete, and every failure is as its list says.
    pub fn is_as_expected(&self) -> bool {
        self.unexpected().is_none()
    }
}

impl Matrix {
    /// The implementations that were run.
    pub fn ran(&self) -> impl Iterator<Item = (&ImplementationRow, &Ran)> {
        self.implementations.iter().filter_map(|(row, ran)| Some((row, ran.as_ref().ok()?)))
    }

    /// A table for each dialect, the newest first.
    pub(crate) fn tables(&self) -> Vec<MatrixTable<'_>> {
        let mut dialects: IndexMap<&str, Vec<(&ImplementationRow, &DialectRow)>> = IndexMap::new();
        for name in &self.dialects {
            dialects.entry(name).or_default();
        }
        for (row, ran) in self.ran() {
            for dialect in &ran.dialects {
                dialects.entry(&dialect.name).or_default().push((row, dialect));
            }
        }
        dialects.into_iter().filter_map(|(name, columns)| MatrixTable::new(name, &columns)).collect()
    }
}

/// A dialect: a row for each type, a column for each implementation that speaks it.
#[derive(Debug, Serialize)]
pub(crate) struct MatrixTable<'a> {
    name: &'a str,
    title: &'a str,
    columns: Vec<&'a ImplementationRow>,
    /// Each type as the first implementation has it, and as each column does; `None` if there is no test.
    rows: Vec<(&'a TypeRow, Vec<Option<&'a TypeRow>>)>,
}

impl<'a> MatrixTable<'a> {
    fn new(name: &'a str, columns: &[(&'a ImplementationRow, &'a DialectRow)]) -> Option<Self> {
        let (_, first) = columns.first()?;
        let cell = |dialect: &'a DialectRow, layout: &str| {
            dialect.types.iter().find(|row| row.layout == layout && !row.is_empty())
        };
        let cells =
            |of: &'a TypeRow| (of, columns.iter().map(|(_, dialect)| cell(dialect, &of.layout)).collect::<Vec<_>>());
        let rows = first.types.iter().map(cells).filter(|(_, cells)| cells.iter().any(Option::is_some));
        let (title, rows) = (first.title.as_str(), rows.collect());
        Some(Self { name, title, columns: columns.iter().map(|(of, _)| *of).collect(), rows })
    }
}

/// An implementation on a page.
#[derive(Debug, Serialize)]
pub(crate) struct Card<'a> {
    #[serde(flatten)]
    pub(crate) row: &'a ImplementationRow,
    #[serde(flatten)]
    pub(crate) ran: &'a Ran,
}

impl TypeRow {
    /// Whether there is no test of it.
    pub(crate) fn is_empty(&self) -> bool {
        self.abilities.iter().all(|cell| cell.mark == CellStatus::None)
    }
}

/// Dialect and layout of a type.
type TypeKey = (String, String);

/// Whether a report has a row for what it has no tests of: not if it is no type's, nor if only a selection was run.
pub(crate) fn has_empty_row(plan: &Plan, id: Option<usize>) -> bool {
    id.is_some() && plan.selection.only.is_none()
}

pub(crate) fn dialect_row(
    plan: &DialectPlan,
    summary: &Summary<'_>,
    findings: &BTreeMap<TypeKey, Vec<String>>,
) -> DialectRow {
    let row = |(id, layout, score): (Option<usize>, &str, TypeScore)| {
        let place = (plan.name.clone(), layout.to_owned());
        let cell = |ability: Ability| {
            let (mark, evidence) = (score.mark(ability), score.evidence(ability).said());
            AbilityCell { ability, mark, word: word(mark), evidence }
        };
        TypeRow {
            id,
            layout: layout.to_owned(),
            name: plan.type_name(layout).to_owned(),
            abilities: [Ability::Reads, Ability::Writes, Ability::Exact, Ability::Safe].map(cell),
            findings: findings.get(&place).cloned().unwrap_or_default(),
        }
    };
    let score = summary.score_of(plan);
    DialectRow {
        name: plan.name.clone(),
        title: plan.title(),
        mark: summary.mark_of(plan),
        said: score.sentence(),
        score,
        types: summary.rows(plan).map(row).collect(),
    }
}

/// Where the known failures of each type are explained: the gravest first, then those of most everyday tests.
fn findings(recorded: &RunRecord, known: &Findings, folder: &str) -> BTreeMap<TypeKey, Vec<String>> {
    let mut everyday: BTreeMap<TypeKey, BTreeMap<&str, usize>> = BTreeMap::new();
    let known: BTreeMap<&str, &Finding> = known.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    for record in &recorded.verdicts {
        // A record from elsewhere may be of another list.
        let Some((id, _)) = record.finding.as_deref().and_then(|id| known.get_key_value(id)) else { continue };
        let TestParts { dialect, layout, .. } = record.id();
        let here = everyday.entry((dialect.to_owned(), layout.to_owned())).or_default();
        *here.entry(id).or_default() += usize::from(record.rarity == Rarity::Everyday);
    }
    let ordered = |found: BTreeMap<&str, usize>| {
        let mut found: Vec<(&str, usize)> = found.into_iter().collect();
        let severity = |id: &str| known.get(id).and_then(|finding| finding.severity);
        found.sort_by_key(|(id, tests)| (severity(id).is_none(), severity(id), Reverse(*tests)));
        found.into_iter().map(|(id, _)| format!("{folder}/{}#{id}", findings::PAGE)).collect()
    };
    everyday.into_iter().map(|(place, found)| (place, ordered(found))).collect()
}
