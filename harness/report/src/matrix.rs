//! The matrix: every implementation, in every dialect that it speaks, type by type and direction by direction.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use self::markdown::markdown;
use variant_corpus::CorpusId;
use variant_corpus::findings::{self, Findings};
use variant_corpus::test::TestParts;
use variant_runner::record::RunRecord;
use variant_runner::results::DialectPlan;
use variant_runner::run::claims_nothing;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Cell, DerivedCell, Summary, TypeScore, direction};
use variant_values::handshake::Op;
use variant_values::sanitize::counted;

/// The results of every implementation. They do not depend on the machine or the time of the run.
#[derive(Debug)]
pub struct Matrix {
    /// The version and digest of the corpus.
    pub corpus: CorpusId,
    /// The implementations: the reference codec, then the adapters by name.
    pub implementations: Vec<ImplementationRow>,
}

/// An implementation, where it comes from, and the result of its run.
#[derive(Debug, Serialize)]
pub struct ImplementationRow {
    /// Its name as `conform run` takes it; `reference` is the codec of this project.
    pub name: String,
    /// What it is, in one line; may be empty.
    pub about: String,
    /// Where it comes from; may be empty.
    pub home: String,
    /// The command that installs it, from the root of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// Its page of findings, from the root of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<String>,
    /// The way from the matrix page to the page of its findings, and to that of its run.
    #[serde(skip)]
    pub pages: [Option<String>; 2],
    /// The result of its run.
    #[serde(flatten)]
    pub attempt: Attempt,
}

/// The result of a run.
#[derive(Debug, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Attempt {
    /// It was run, with this result.
    Run(Box<Ran>),
    /// It was not run, for example because it could not be started.
    NotRun {
        /// The reason, as reports show it.
        why: String,
    },
}

/// An implementation that was run.
#[derive(Debug, Serialize)]
pub struct Ran {
    /// Its version, from the handshake; may be empty.
    pub version: String,
    /// The language that it is written in, from the handshake; may be empty.
    pub language: String,
    /// Whether every test ran.
    pub complete: bool,
    /// Whether it claims no type, so that nothing was required of it.
    #[serde(skip)]
    pub unclaimed: bool,
    /// Red tests that no list expects.
    pub red: usize,
    /// Amber tests that no list expects.
    pub amber: usize,
    /// Red and amber tests that its list expects.
    pub known: usize,
    /// Claims about it that are no longer true, a sentence each.
    pub stale: Vec<String>,
    /// The dialects that it was tested in.
    pub dialects: Vec<DialectRow>,
}

/// A dialect, as one implementation speaks it.
#[derive(Debug, Serialize)]
pub struct DialectRow {
    /// The dialect's name, like `godot-3`.
    pub name: String,
    /// The status of its worst cell.
    pub mark: CellStatus,
    /// How many types it has.
    pub ids: usize,
    /// Types with a test that ran.
    pub tested: usize,
    /// Types that pass both ways.
    pub green: usize,
    /// How many types pass, in words.
    pub said: String,
    /// Its types in the order of their ids, then what belongs to no type.
    pub types: Vec<TypeRow>,
}

/// The results of a type in both directions.
#[derive(Debug, Serialize)]
pub struct TypeRow {
    /// The type's id; absent for `packet` and `framing`, which belong to no type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    /// The name of the layout, like `vector2`; or `packet` or `framing`.
    pub layout: String,
    /// The results of decoding bytes.
    pub decode: CellRow,
    /// The results of writing bytes, by `encode` or `reencode`.
    pub encode: CellRow,
    /// Its derived tests, both directions together.
    pub derived: DerivedCell,
}

/// The results of a type in one direction.
#[derive(Debug, Serialize)]
pub struct CellRow {
    /// The status, written as `ok`, `part`, `known`, `within`, `fail`, `unclaimed`, `open`, `notrun` or `none`.
    pub mark: CellStatus,
    /// The status as people read it, like `not run`.
    pub word: &'static str,
    /// Authored tests that passed.
    pub passed: usize,
    /// Authored tests that were judged.
    pub judged: usize,
    /// The same as reports write it: `3/4`, or nothing.
    pub counts: String,
    /// All that is counted, in a sentence.
    pub title: String,
    /// Tests whose replies are only recorded.
    #[serde(skip)]
    pub(crate) open: usize,
    /// Where its known failures are explained, from the root of the project.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub findings: BTreeSet<String>,
}

impl ImplementationRow {
    /// Its status, and the same in a few words.
    pub fn status(&self) -> (CellStatus, String) {
        match &self.attempt {
            Attempt::NotRun { why } => (CellStatus::NotRun, format!("not run: {why}")),
            Attempt::Run(ran) => ran.status(),
        }
    }
}

impl Ran {
    /// The result of a record; `folder` is that of the adapter, from the root of the project.
    pub fn of(recorded: &RunRecord, known: &Findings, folder: &str) -> Self {
        let summary = Summary::of(recorded);
        let findings = findings(recorded, known, folder);
        let handshake = &recorded.plan.handshake;
        let dialect = |plan: &DialectPlan| dialect_row(plan, &summary, &findings);
        Self {
            version: handshake.version.clone(),
            language: handshake.language.clone(),
            complete: recorded.end.complete,
            unclaimed: claims_nothing(recorded),
            red: summary.red(),
            amber: summary.amber(),
            known: summary.known(),
            stale: recorded.end.stale.clone(),
            dialects: recorded.plan.dialects.iter().map(dialect).collect(),
        }
    }

    /// How many types pass both ways, of how many.
    pub fn green(&self) -> (usize, usize) {
        self.dialects.iter().fold((0, 0), |sum, of| (sum.0 + of.green, sum.1 + of.ids))
    }

    fn status(&self) -> (CellStatus, String) {
        let (green, ids) = self.green();
        match (self.unexpected(), self.known) {
            (Some(what), _) => (CellStatus::Fail, what),
            (None, 0) if green == ids => (CellStatus::Ok, "conforms".to_owned()),
            (None, 0) => (CellStatus::Part, "no failure in what it claims".to_owned()),
            (None, known) => (CellStatus::Known, counted(known, "known failure")),
        }
    }

    /// What is not as its list says, like `incomplete` or `2 not as expected`; `None` if all is.
    pub fn unexpected(&self) -> Option<String> {
        match self.red + self.stale.len() {
            _ if !self.complete => Some("incomplete".to_owned()),
            _ if self.unclaimed => Some("claims no type".to_owned()),
            0 => None,
            wrong => Some(format!("{wrong} not as expected")),
        }
    }

    /// Whether the run is complete, and every failure is as its list says.
    pub fn is_as_expected(&self) -> bool {
        self.unexpected().is_none()
    }
}

impl Matrix {
    /// The implementations that were run.
    pub fn ran(&self) -> impl Iterator<Item = (&ImplementationRow, &Ran)> {
        self.implementations.iter().filter_map(|row| match &row.attempt {
            Attempt::Run(ran) => Some((row, ran.as_ref())),
            Attempt::NotRun { .. } => None,
        })
    }
}

/// A dialect: a row for each type, a column for each implementation that speaks it.
#[derive(Debug, Serialize)]
pub struct MatrixTable<'a> {
    /// The dialect's name, like `godot-3`.
    pub name: &'a str,
    /// The names of the implementations, one for each column.
    pub columns: Vec<&'a str>,
    /// Each type as the first implementation has it, and its cell in each column; `None` if there is no test.
    pub rows: Vec<(&'a TypeRow, Vec<Option<&'a TypeRow>>)>,
}

impl Matrix {
    /// A table for each dialect, by name.
    pub fn tables(&self) -> Vec<MatrixTable<'_>> {
        let mut dialects: BTreeMap<&str, (Vec<&str>, Vec<&DialectRow>)> = BTreeMap::new();
        for (row, ran) in self.ran() {
            for dialect in &ran.dialects {
                let (columns, rows) = dialects.entry(&dialect.name).or_default();
                columns.push(&row.name);
                rows.push(dialect);
            }
        }
        dialects.into_iter().map(|(name, (columns, dialects))| MatrixTable::new(name, columns, &dialects)).collect()
    }
}

impl<'a> MatrixTable<'a> {
    fn new(name: &'a str, columns: Vec<&'a str>, dialects: &[&'a DialectRow]) -> Self {
        let cells = |of: &TypeRow| -> Vec<Option<&'a TypeRow>> {
            let cell = |row: &&TypeRow| row.layout == of.layout && !row.is_empty();
            dialects.iter().map(|dialect| dialect.types.iter().find(cell)).collect()
        };
        let types = dialects.first().map(|dialect| dialect.types.as_slice()).unwrap_or_default();
        let rows = types.iter().map(|of| (of, cells(of))).filter(|(_, cells)| cells.iter().any(Option::is_some));
        Self { name, columns, rows: rows.collect() }
    }
}

impl TypeRow {
    fn is_empty(&self) -> bool {
        [self.decode.mark, self.encode.mark] == [CellStatus::None; 2]
    }

    /// Whether there is no test of it, not even one whose reply is only recorded.
    pub(crate) fn is_untested(&self) -> bool {
        self.is_empty() && self.decode.open + self.encode.open == 0
    }
}

/// Dialect, layout and direction.
pub(crate) type Place = (String, String, &'static str);

pub(crate) fn dialect_row(
    plan: &DialectPlan,
    summary: &Summary<'_>,
    findings: &BTreeMap<Place, BTreeSet<String>>,
) -> DialectRow {
    let cell = |layout: &str, op: &'static str, cell: &Cell| {
        let place = (plan.name.clone(), layout.to_owned(), op);
        CellRow { findings: findings.get(&place).cloned().unwrap_or_default(), ..CellRow::of(cell) }
    };
    let row = |(id, layout, score): (Option<usize>, &str, TypeScore)| TypeRow {
        id,
        layout: layout.to_owned(),
        decode: cell(layout, "decode", &score.decode),
        encode: cell(layout, "encode", &score.encode),
        derived: score.derived(),
    };
    let ids = summary.ids_of(plan);
    DialectRow {
        name: plan.name.clone(),
        mark: summary.mark_of(plan),
        ids: ids.all,
        tested: ids.tested,
        green: ids.both,
        said: ids.sentence(),
        types: summary.rows(plan).map(row).collect(),
    }
}

impl CellRow {
    pub(crate) fn of(cell: &Cell) -> Self {
        let mark = cell.mark();
        Self {
            mark,
            word: mark.word(),
            passed: cell.passed.authored,
            judged: cell.judged.authored,
            counts: cell.counts(),
            title: title(cell),
            open: cell.open,
            findings: BTreeSet::new(),
        }
    }
}

/// What a cell counts, in a sentence.
fn title(cell: &Cell) -> String {
    let direction = if cell.decodes { "decode" } else { "encode" };
    let mut title = format!("{direction}: {}", cell.mark().means());
    for (count, what) in [
        (cell.judged.authored, "authored tests judged"),
        (cell.passed.authored, "of them passed"),
        (cell.red.sum(), "red"),
        (cell.known.sum(), "of them known failures"),
        (cell.amber, "amber"),
        (cell.open, "open"),
        (cell.not_claimed, "not claimed"),
        (cell.not_run, "not run"),
    ] {
        if count > 0 {
            title.push_str(&format!("; {count} {what}"));
        }
    }
    title
}

fn place(dialect: &str, layout: &str, op: Op) -> Place {
    (dialect.to_owned(), layout.to_owned(), direction(op))
}

/// Where the known failures of each cell are explained.
fn findings(recorded: &RunRecord, known: &Findings, folder: &str) -> BTreeMap<Place, BTreeSet<String>> {
    let mut findings: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    let known: BTreeSet<&str> = known.findings.iter().map(|finding| finding.id.as_str()).collect();
    for record in &recorded.verdicts {
        // A record from elsewhere may be of another list.
        let Some(id) = record.finding.as_deref().filter(|id| known.contains(id)) else { continue };
        let TestParts { dialect, layout, op, .. } = record.id();
        let from_root = format!("{folder}/{}#{id}", findings::PAGE);
        findings.entry(place(dialect, layout, op)).or_default().insert(from_root);
    }
    findings
}
