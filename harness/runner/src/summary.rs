//! The sums of a run: counts for each type and direction, and the results that need attention.

use std::collections::BTreeMap;
use std::mem::discriminant;

pub use crate::headline::Headline;
use crate::incomplete::incomplete;
use crate::record::RunRecord;
use crate::results::{CauseOfTests, DialectPlan, FindingRecord, Plan, RunEnd, Tally, TestResult};
use crate::status::{CellStatus, severity};
use variant_corpus::test::{TestId, TestParts};
use variant_corpus::verdict::{Severity, Verdict};
use variant_corpus::{Class, FRAMING, PACKET};
use variant_values::handshake::Op;

/// Names that test ids have in place of a type, with their labels in reports.
pub const OF_ALL: [(&str, &str); 2] = [(PACKET, "any packet"), (FRAMING, "length prefix")];

/// The label of a layout in reports: its own name, unless it is in [`OF_ALL`].
pub fn label(layout: &str) -> &str {
    OF_ALL.iter().find(|(of_all, _)| *of_all == layout).map_or(layout, |(_, label)| label)
}

/// The sums of a record.
#[derive(Debug)]
pub struct Summary<'a> {
    /// The first line of the record: which tests were planned, on which implementation.
    pub plan: &'a Plan,
    /// The cells, by dialect, layout and direction (`decode` or `encode`).
    pub cells: BTreeMap<(String, String, String), Cell>,
    /// Every result that is red or amber, expected or not, in the order of the record.
    pub findings: Vec<&'a TestResult>,
    /// Every open test that ran, in the order of the record.
    pub open: Vec<&'a TestResult>,
    /// Every test that passed and has a line of its own.
    pub passed: Vec<&'a TestResult>,
    /// Every refusal that came with a reason, in the order of the record.
    pub refused: Vec<&'a TestResult>,
    /// How often each verdict was given.
    pub verdicts: BTreeMap<Verdict, Counts>,
    /// Why tests failed, those of the most tests first.
    pub causes: &'a [CauseOfTests],
    /// What is known about the implementation, and shows in the run.
    pub known_findings: Vec<&'a FindingRecord>,
    /// The last line of the record.
    pub end: &'a RunEnd,
    /// The tests that were skipped, because others of their kind crashed or hung.
    pub skipped: Vec<&'a TestId>,
    /// How many tests did not run, and why; `None` if the run is complete.
    pub incomplete: Option<String>,
    /// How many tests are recorded, and how many were planned, where the record has no end.
    pub cut: Option<(usize, usize)>,
    /// How many replies have the right value, but do not report the consumed length.
    pub length_not_told: usize,
    /// How many tests of claimed types were not run because the handshake does not claim `reencode`.
    pub not_reencoded: usize,
}

/// Numbers of tests, authored and derived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests directly from a case.
    pub authored: usize,
    /// Tests that follow from a case by a rule.
    pub derived: usize,
}

impl Counts {
    /// Authored and derived tests together.
    pub fn sum(self) -> usize {
        self.authored + self.derived
    }

    fn of(&mut self, derived: bool) -> &mut usize {
        if derived { &mut self.derived } else { &mut self.authored }
    }
}

/// How many types there are, were tested, and passed: in one dialect or in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ids {
    /// All types of the dialect.
    pub all: usize,
    /// Types with a test that ran.
    pub tested: usize,
    /// Types that pass every direction they support.
    pub supported: usize,
    /// Types that pass both ways.
    pub both: usize,
}

impl Ids {
    /// How many types pass, as every report says it: `20 of 27 types pass both ways (3 not claimed or not tested)`.
    pub fn sentence(self) -> String {
        let Self { all, tested, supported, both } = self;
        let one_way =
            if supported > both { format!(", {supported} in every direction they support") } else { String::new() };
        let untested =
            if tested < all { format!(" ({} not claimed or not tested)", all - tested) } else { String::new() };
        format!("{both} of {all} types pass both ways{one_way}{untested}")
    }
}

/// One type in one direction: numbers of tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cell {
    /// Whether it is about decoding, which is shown by invalid cases too.
    pub decodes: bool,
    /// Tests with the verdict `pass`.
    pub passed: Counts,
    /// Tests that ran and are not open.
    pub judged: Counts,
    /// Authored tests of canonical cases that passed.
    pub canonical_passed: usize,
    /// Authored tests of invalid cases that passed.
    pub invalid_passed: usize,
    /// Tests of what the implementation does not claim.
    pub not_claimed: usize,
    /// Open tests, whose replies are recorded and not judged.
    pub open: usize,
    /// Red tests, expected or not.
    pub red: Counts,
    /// Red tests that an expected failure covers.
    pub known: Counts,
    /// Amber tests, expected or not.
    pub amber: usize,
    /// Tests that did not run, or were skipped.
    pub not_run: usize,
}

impl Cell {
    /// The status that the grid shows.
    pub fn mark(&self) -> CellStatus {
        let judged = self.judged.authored;
        let enough = self.canonical_passed > 0 && (!self.decodes || self.invalid_passed > 0);
        if self.red.sum() > self.known.sum() {
            if self.red.authored == 0 { CellStatus::Within } else { CellStatus::Fail }
        } else if self.red.sum() > 0 {
            CellStatus::Known
        } else if judged == 0 && self.not_run > 0 {
            CellStatus::NotRun
        } else if judged == 0 && self.not_claimed > 0 {
            CellStatus::Unclaimed
        } else if judged == 0 {
            CellStatus::None
        } else if self.amber == 0 && self.not_run == 0 && enough {
            CellStatus::Ok
        } else {
            CellStatus::Part
        }
    }

    /// How many of the judged authored tests passed: `3/4`; empty if none was judged.
    pub fn counts(&self) -> String {
        if self.judged.authored > 0 {
            format!("{}/{}", self.passed.authored, self.judged.authored)
        } else {
            String::new()
        }
    }
}

/// The derived tests of a type, both directions together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct DerivedCell {
    /// The status that the grid shows.
    pub mark: CellStatus,
    /// How many passed.
    pub passed: usize,
    /// How many ran and are not open.
    pub judged: usize,
}

impl DerivedCell {
    /// How many of the judged tests passed: `3/4`; empty if none was judged.
    pub fn counts(&self) -> String {
        if self.judged > 0 { format!("{}/{}", self.passed, self.judged) } else { String::new() }
    }
}

/// One type in both directions.
#[derive(Debug, Clone, Copy)]
pub struct TypeScore {
    /// The results of decoding it.
    pub decode: Cell,
    /// The results of encoding and reencoding it.
    pub encode: Cell,
}

impl TypeScore {
    /// The status of its two cells in the grid: decode, then encode.
    pub fn marks(&self) -> [CellStatus; 2] {
        [self.decode.mark(), self.encode.mark()]
    }

    /// Its derived tests, both directions together.
    pub fn derived(&self) -> DerivedCell {
        let sum = |counts: fn(&Cell) -> Counts| counts(&self.decode).derived + counts(&self.encode).derived;
        let (passed, judged, red) = (sum(|cell| cell.passed), sum(|cell| cell.judged), sum(|cell| cell.red));
        let mark = match judged {
            0 => CellStatus::None,
            _ if passed == judged => CellStatus::Ok,
            _ if red == 0 => CellStatus::Part,
            _ if red == sum(|cell| cell.known) => CellStatus::Known,
            _ => CellStatus::Fail,
        };
        DerivedCell { mark, passed, judged }
    }

    /// Whether there is no test of it.
    pub fn is_empty(&self) -> bool {
        self.marks() == [CellStatus::None; 2]
    }

    /// Whether all that was tested is ok.
    pub fn is_fine(&self) -> bool {
        self.marks().into_iter().all(|mark| mark == CellStatus::Ok || mark.is_untested())
    }

    /// Whether it passes in every direction that is tested: one that is not claimed does not count against the other.
    fn passes_supported(&self) -> bool {
        self.is_fine() && !self.marks().into_iter().all(CellStatus::is_untested)
    }
}

impl<'a> Summary<'a> {
    /// The sums of a record.
    pub fn of(recorded: &'a RunRecord) -> Self {
        let mut summary = Self {
            plan: &recorded.plan,
            cells: BTreeMap::new(),
            findings: Vec::new(),
            open: Vec::new(),
            passed: Vec::new(),
            refused: Vec::new(),
            verdicts: BTreeMap::new(),
            causes: &recorded.causes,
            known_findings: recorded.findings.iter().filter(|finding| finding.tests > 0).collect(),
            end: &recorded.end,
            skipped: Vec::new(),
            incomplete: incomplete(recorded),
            cut: (!recorded.ended).then(|| (recorded.recorded(), recorded.plan.tests)),
            length_not_told: 0,
            not_reencoded: 0,
        };
        for verdict in &recorded.verdicts {
            summary.verdict(verdict);
        }
        for tally in &recorded.tallies {
            summary.tally(tally);
        }
        summary
    }

    fn tally(&mut self, tally: &Tally) {
        let (dialect, layout) = tally.of.split_once('/').unwrap_or(("", &tally.of));
        let cell = self.cell_mut(dialect, layout, tally.op);
        cell.passed.derived += tally.pass;
        cell.judged.derived += tally.pass;
        self.verdicts.entry(Verdict::Pass).or_default().derived += tally.pass;
    }

    fn verdict(&mut self, record: &'a TestResult) {
        let derived = record.is_derived();
        *self.verdicts.entry(record.verdict).or_default().of(derived) += 1;
        self.length_not_told += usize::from(record.length_not_told);
        if record.verdict == Verdict::Skipped {
            self.skipped.push(&record.test);
        }
        let TestParts { dialect, layout, op, .. } = record.id();
        let handshake = &self.plan.handshake;
        if record.verdict == Verdict::NotClaimed && op == Op::Reencode && !handshake.ops.contains(&Op::Reencode) {
            self.not_reencoded += usize::from(handshake.claims(layout, Op::Reencode));
        }
        let cell = self.cell_mut(dialect, layout, op);
        let severity = severity(record);
        if record.verdict == Verdict::NotClaimed {
            cell.not_claimed += 1;
        } else if record.verdict == Verdict::Open {
            cell.open += 1;
        } else if matches!(record.verdict, Verdict::NotRun | Verdict::Skipped) {
            cell.not_run += 1;
        } else {
            *cell.judged.of(derived) += 1;
        }
        if record.verdict == Verdict::Pass {
            *cell.passed.of(derived) += 1;
            cell.canonical_passed += usize::from(!derived && record.class == Class::Canonical);
            cell.invalid_passed += usize::from(!derived && record.class == Class::Invalid);
        }
        if severity == Severity::Red {
            *cell.red.of(derived) += 1;
            *cell.known.of(derived) += usize::from(record.expected_failure);
        }
        cell.amber += usize::from(severity == Severity::Amber);
        if record.refusal.is_some() {
            self.refused.push(record);
        }
        if severity >= Severity::Amber {
            self.findings.push(record);
        } else if record.verdict == Verdict::Open {
            self.open.push(record);
        } else if record.verdict == Verdict::Pass {
            self.passed.push(record);
        }
    }

    fn cell_mut(&mut self, dialect: &str, layout: &str, op: Op) -> &mut Cell {
        let direction = direction(op);
        let empty = Cell { decodes: direction == "decode", ..Cell::default() };
        self.cells.entry((dialect.to_owned(), layout.to_owned(), direction.to_owned())).or_insert(empty)
    }

    /// Whether the record has any test of this dialect.
    pub fn touches(&self, dialect: &str) -> bool {
        self.cells.keys().any(|(of, ..)| of == dialect)
    }

    /// Unexpected findings of a severity.
    fn unexpected(&self, wanted: Severity) -> usize {
        self.findings.iter().filter(|finding| !finding.expected_failure && severity(finding) == wanted).count()
    }

    /// Red tests that no list expects.
    pub fn red(&self) -> usize {
        self.unexpected(Severity::Red)
    }

    /// Amber tests that no list expects.
    pub fn amber(&self) -> usize {
        self.unexpected(Severity::Amber)
    }

    /// Red and amber tests that a list expects.
    pub fn known(&self) -> usize {
        self.findings.iter().filter(|finding| finding.expected_failure).count()
    }

    /// Counts the types of a dialect.
    pub fn ids_of(&self, dialect: &DialectPlan) -> Ids {
        let mut ids = Ids { all: dialect.types.len(), ..Ids::default() };
        for layout in &dialect.types {
            let score = self.score(&dialect.name, layout);
            let untested = |mark: CellStatus| mark.is_untested() || mark == CellStatus::NotRun;
            ids.tested += usize::from(!score.marks().into_iter().all(untested));
            ids.supported += usize::from(score.passes_supported());
            ids.both += usize::from(score.marks() == [CellStatus::Ok; 2]);
        }
        ids
    }

    /// The types that pass every direction they support, each like `godot-3/vector2`.
    pub fn green_ids(&self) -> Vec<String> {
        let of_dialect = |dialect: &'a DialectPlan| {
            let layouts =
                dialect.types.iter().filter(move |layout| self.score(&dialect.name, layout).passes_supported());
            layouts.map(move |layout| format!("{}/{layout}", dialect.name))
        };
        self.plan.dialects.iter().flat_map(of_dialect).collect()
    }

    /// Counts the types of all dialects of the run.
    pub fn ids(&self) -> Ids {
        self.plan.dialects.iter().map(|dialect| self.ids_of(dialect)).fold(Ids::default(), |sum, ids| Ids {
            all: sum.all + ids.all,
            tested: sum.tested + ids.tested,
            supported: sum.supported + ids.supported,
            both: sum.both + ids.both,
        })
    }

    /// The status of a dialect: that of its worst cell.
    pub fn mark_of(&self, dialect: &DialectPlan) -> CellStatus {
        let cells = || self.cells.iter().filter(|((name, _, _), _)| *name == dialect.name);
        let any = |wanted| cells().any(|(_, cell)| cell.mark() == wanted);
        let ids = self.ids_of(dialect);
        if any(CellStatus::Fail) || any(CellStatus::Within) {
            CellStatus::Fail
        } else if any(CellStatus::Known) {
            CellStatus::Known
        } else if ids.both == ids.all {
            CellStatus::Ok
        } else {
            CellStatus::Part
        }
    }

    /// How often each verdict was given, whatever its reason.
    pub fn totals(&self) -> Vec<(Verdict, Counts)> {
        let mut totals: Vec<(Verdict, Counts)> = Vec::new();
        for (verdict, counts) in &self.verdicts {
            match totals.last_mut() {
                Some((last, sum)) if discriminant(last) == discriminant(verdict) => {
                    sum.authored += counts.authored;
                    sum.derived += counts.derived;
                }
                Some(_) | None => totals.push((*verdict, *counts)),
            }
        }
        totals
    }

    /// How often a verdict was given.
    pub fn count(&self, verdict: Verdict) -> Counts {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    /// The cells of a type in both directions.
    pub fn score(&self, dialect: &str, layout: &str) -> TypeScore {
        let cell = |op: &str| {
            let empty = Cell { decodes: op == "decode", ..Cell::default() };
            self.cells.get(&(dialect.to_owned(), layout.to_owned(), op.to_owned())).copied().unwrap_or(empty)
        };
        TypeScore { decode: cell("decode"), encode: cell("encode") }
    }

    /// The rows of a dialect's table: its types by their ids, then what belongs to no type.
    pub fn rows(&self, dialect: &'a DialectPlan) -> impl Iterator<Item = (Option<usize>, &'a str, TypeScore)> {
        let types = dialect.types.iter().enumerate().map(|(id, layout)| (Some(id), layout.as_str()));
        let rows = types.chain(OF_ALL.map(|(layout, _)| (None, layout)));
        rows.map(|(id, layout)| (id, layout, self.score(&dialect.name, layout)))
    }
}

/// The direction of an operation: reencoding is shown with encoding.
pub fn direction(op: Op) -> &'static str {
    if op == Op::Decode { "decode" } else { "encode" }
}
