//! The matrix: every implementation, in every dialect that it speaks, type by type and direction by direction.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use self::markdown::markdown;
use variant_corpus::CorpusId;
use variant_corpus::findings::{self, Tracker};
use variant_corpus::verdict::Verdict;
use variant_corpus::verdict::spelled;
use variant_corpus::{FRAMING, PACKET};
use variant_runner::record::RunRecord;
use variant_runner::results::DialectPlan;
use variant_runner::summary::{Cell, Summary, direction, parts};
use variant_wire::handshake::{Lossy, Op, Types};

/// The version of the form of `matrix.json`.
pub const SCHEMA: u32 = 1;

/// Who does what. Nothing in it changes from one machine or hour to the next.
#[derive(Debug, Serialize)]
pub struct Matrix {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of this program.
    pub conform: String,
    /// The corpus.
    pub corpus: CorpusId,
    /// Whose word counts: `engine`.
    pub reading: String,
    /// The implementations: the reference codec, then the adapters by name.
    pub implementations: Vec<Row>,
}

/// An implementation.
#[derive(Debug, Serialize)]
pub struct Row {
    /// As `conform run` names it; `reference` is the codec of this project.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// Where it comes from.
    pub home: String,
    /// The command that installs it, from the root of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// Its page of findings, from the root of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<String>,
    /// What came of it.
    #[serde(flatten)]
    pub attempt: Attempt,
}

/// What came of a run.
#[derive(Debug, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Attempt {
    /// It was run.
    Run(Box<Ran>),
    /// It was not.
    NotRun {
        /// Why.
        why: String,
    },
}

/// An implementation that was run.
#[derive(Debug, Serialize)]
pub struct Ran {
    /// The version that it says it has.
    pub version: String,
    /// The language that it says it is written in.
    pub language: String,
    /// What it claims.
    pub claims: Claims,
    /// Whether all was asked that there was to ask.
    pub complete: bool,
    /// Red asks that no list expects.
    pub red: usize,
    /// Amber asks that no list expects.
    pub amber: usize,
    /// Findings that its list expects.
    pub known: usize,
    /// Claims of its list that were not true.
    pub stale: Vec<String>,
    /// How often each verdict was given.
    pub verdicts: Verdicts,
    /// The dialects that it was asked in.
    pub dialects: Vec<DialectRow>,
}

/// What an implementation claims.
#[derive(Debug, Serialize)]
pub struct Claims {
    /// Dialects; those that are not under `dialects` of the run were not asked.
    pub dialects: Vec<String>,
    /// Operations.
    pub ops: Vec<Op>,
    /// Layouts; `null`: all.
    pub types: Option<Types>,
    /// What its language cannot tell apart.
    pub lossy: Vec<Lossy>,
}

/// How often each verdict was given, as `fail/wrong-value`; what people wrote and what follows from it, never added up.
#[derive(Debug, Default, Serialize)]
pub struct Verdicts {
    /// To asks that a person wrote.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub authored: BTreeMap<String, usize>,
    /// To asks that follow from them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub derived: BTreeMap<String, usize>,
}

/// A dialect, as one implementation speaks it.
#[derive(Debug, Serialize)]
pub struct DialectRow {
    /// Its name.
    pub name: String,
    /// The worst of it.
    pub mark: &'static str,
    /// How many type ids it has.
    pub ids: usize,
    /// Those of which anything was asked.
    pub asked: usize,
    /// Those that conform in both directions.
    pub green: usize,
    /// Its types in the order of their ids, then what belongs to no type.
    pub types: Vec<TypeRow>,
}

/// A type in both directions.
#[derive(Debug, Serialize)]
pub struct TypeRow {
    /// Its id; absent for what belongs to no type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    /// Its layout.
    pub layout: String,
    /// From bytes.
    pub decode: CellRow,
    /// To bytes, by encoding or by encoding again.
    pub encode: CellRow,
}

/// A type in one direction.
#[derive(Debug, Default, Serialize)]
pub struct CellRow {
    /// `ok` `part` `known` `within` `fail` `unclaimed` `open` `notrun` `none`.
    pub mark: &'static str,
    /// The word for people.
    pub word: &'static str,
    /// Authored asks that passed.
    pub passed: usize,
    /// Authored asks that were judged.
    pub judged: usize,
    /// Derived asks that passed.
    pub derived_passed: usize,
    /// Derived asks that were judged.
    pub derived_judged: usize,
    /// Asks that it does not claim, which is no success.
    pub not_claimed: usize,
    /// How often each verdict was given.
    pub verdicts: Verdicts,
    /// Where its known failures are explained, from the root of the project.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub findings: BTreeSet<String>,
}

impl Ran {
    /// What a record comes to; `folder` is that of the adapter, from the root of the project.
    pub fn of(recorded: &RunRecord, known: &Tracker, folder: &str) -> Self {
        let summary = Summary::of(recorded);
        let counts = counts(recorded);
        let findings = findings(recorded, known, folder);
        let handshake = &recorded.plan.handshake;
        let dialect = |plan: &DialectPlan| dialect(plan, &summary, &counts, &findings);
        Self {
            version: handshake.version.clone(),
            language: handshake.language.clone(),
            claims: Claims {
                dialects: handshake.dialects.clone(),
                ops: handshake.ops.clone(),
                types: handshake.types.clone(),
                lossy: handshake.lossy.clone(),
            },
            complete: recorded.end.complete,
            red: summary.red(),
            amber: summary.amber(),
            known: summary.known(),
            stale: recorded.end.stale.clone(),
            verdicts: sum(&counts),
            dialects: recorded.plan.dialects.iter().map(dialect).collect(),
        }
    }

    /// What is not as its list says; none where all is.
    pub fn unexpected(&self) -> Option<String> {
        match self.red + self.stale.len() {
            _ if !self.complete => Some("incomplete".to_owned()),
            0 => None,
            wrong => Some(format!("{wrong} not as expected")),
        }
    }

    /// Whether all is as its list says.
    pub fn is_as_expected(&self) -> bool {
        self.unexpected().is_none()
    }
}

impl Matrix {
    /// Those that were run.
    pub fn ran(&self) -> impl Iterator<Item = (&Row, &Ran)> {
        self.implementations.iter().filter_map(|row| match &row.attempt {
            Attempt::Run(ran) => Some((row, ran.as_ref())),
            Attempt::NotRun { .. } => None,
        })
    }
}

/// Dialect, layout and direction.
type Place = (String, String, &'static str);

fn dialect(
    plan: &DialectPlan,
    summary: &Summary<'_>,
    counts: &BTreeMap<Place, Verdicts>,
    findings: &BTreeMap<Place, BTreeSet<String>>,
) -> DialectRow {
    let cell = |layout: &str, op: &'static str| {
        let place = (plan.name.clone(), layout.to_owned(), op);
        let cell = summary.cell(&plan.name, layout, op);
        let verdicts = counts.get(&place).map(Verdicts::copy).unwrap_or_default();
        CellRow::of(&cell, op, verdicts, findings.get(&place).cloned().unwrap_or_default())
    };
    let row = |id: Option<usize>, layout: &str| TypeRow {
        id,
        layout: layout.to_owned(),
        decode: cell(layout, "decode"),
        encode: cell(layout, "encode"),
    };
    let ids = summary.ids_of(plan);
    let typed = plan.types.iter().enumerate().map(|(id, layout)| row(Some(id), layout));
    DialectRow {
        name: plan.name.clone(),
        mark: summary.mark_of(plan).name(),
        ids: ids.all,
        asked: ids.asked,
        green: ids.both,
        types: typed.chain([PACKET, FRAMING].map(|layout| row(None, layout))).collect(),
    }
}

impl CellRow {
    fn of(cell: &Cell, op: &str, verdicts: Verdicts, findings: BTreeSet<String>) -> Self {
        let mark = cell.mark(op == "decode");
        Self {
            mark: mark.name(),
            word: mark.word(),
            passed: cell.passed,
            judged: cell.judged,
            derived_passed: cell.derived_passed,
            derived_judged: cell.derived_judged,
            not_claimed: cell.not_claimed,
            verdicts,
            findings,
        }
    }
}

impl Verdicts {
    fn add(&mut self, derived: bool, verdict: String, number: usize) {
        *(if derived { &mut self.derived } else { &mut self.authored }).entry(verdict).or_default() += number;
    }

    fn copy(&self) -> Self {
        Self { authored: self.authored.clone(), derived: self.derived.clone() }
    }
}

fn place(dialect: &str, layout: &str, op: &str) -> Place {
    (dialect.to_owned(), layout.to_owned(), direction(op))
}

fn counts(recorded: &RunRecord) -> BTreeMap<Place, Verdicts> {
    let mut counts: BTreeMap<Place, Verdicts> = BTreeMap::new();
    for record in &recorded.verdicts {
        let (dialect, layout, op) = parts(&record.test);
        let verdicts = counts.entry(place(dialect, layout, op)).or_default();
        verdicts.add(record.origin == "derived", spelled(record.verdict, record.reason), 1);
    }
    for tally in &recorded.tallies {
        let (dialect, layout) = tally.of.split_once('/').unwrap_or(("", &tally.of));
        let verdicts = counts.entry(place(dialect, layout, &tally.op)).or_default();
        verdicts.add(true, spelled(Verdict::Pass, None), tally.pass);
    }
    counts
}

fn sum(counts: &BTreeMap<Place, Verdicts>) -> Verdicts {
    let mut sum = Verdicts::default();
    for verdicts in counts.values() {
        verdicts.authored.iter().for_each(|(verdict, number)| sum.add(false, verdict.clone(), *number));
        verdicts.derived.iter().for_each(|(verdict, number)| sum.add(true, verdict.clone(), *number));
    }
    sum
}

/// Where the known failures of each cell are explained.
fn findings(recorded: &RunRecord, known: &Tracker, folder: &str) -> BTreeMap<Place, BTreeSet<String>> {
    let mut findings: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    for record in recorded.verdicts.iter().filter(|record| record.expected_failure) {
        let (dialect, layout, op) = parts(&record.test);
        let ids = known.covering(record.judged());
        let from_root = ids.map(|id| format!("{folder}/{}#{id}", findings::PAGE));
        findings.entry(place(dialect, layout, op)).or_default().extend(from_root);
    }
    findings
}
