//! What a run comes to: counts per type and direction, and what needs a look.

use std::collections::BTreeMap;

pub use crate::headline::Headline;
use crate::incomplete::incomplete;
pub use crate::mark::{Mark, status_of};
use crate::record::RunRecord;
use crate::results::{DialectPlan, End, Plan, Tally, TestResult};
use variant_corpus::verdict::{Severity, Verdict};
use variant_corpus::{FRAMING, PACKET};

/// What is asked of no single type, under the name that people read.
pub const OF_ALL: [(&str, &str); 2] = [(PACKET, "any packet"), (FRAMING, "length in front")];

/// The name of a layout that people read.
pub fn label(layout: &str) -> &str {
    OF_ALL.iter().find(|(of_all, _)| *of_all == layout).map_or(layout, |(_, label)| label)
}

/// A record, folded.
#[derive(Debug)]
pub struct Summary<'a> {
    /// What was to be run.
    pub plan: &'a Plan,
    /// The cells, by dialect, layout and operation.
    pub cells: BTreeMap<(String, String, String), Cell>,
    /// Every verdict that is red or amber, expected or not, in the order of the record.
    pub findings: Vec<&'a TestResult>,
    /// Every open ask that was answered, in the order of the record.
    pub open: Vec<&'a TestResult>,
    /// Every refusal that came with a reason, in the order of the record.
    pub refused: Vec<&'a TestResult>,
    /// How often each verdict was given, authored and derived.
    pub verdicts: BTreeMap<Verdict, Counts>,
    /// The end.
    pub end: &'a End,
    /// What it lacks, and why.
    pub incomplete: Option<String>,
    /// Asks whose consumed length was not told.
    pub length_not_told: usize,
}

/// Authored and derived, never added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Asks that a person wrote.
    pub authored: usize,
    /// Asks that follow from them.
    pub derived: usize,
}

/// Type ids, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ids {
    /// All of the dialect.
    pub all: usize,
    /// Those of which anything was asked.
    pub asked: usize,
    /// Those green in every direction that was asked.
    pub green: usize,
    /// Those green in both directions.
    pub both: usize,
}

/// One type in one direction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cell {
    /// Authored asks that passed.
    pub passed: usize,
    /// Authored asks that were judged: neither open nor unclaimed.
    pub judged: usize,
    /// Derived asks that passed.
    pub derived_passed: usize,
    /// Derived asks that were judged.
    pub derived_judged: usize,
    /// Canonical cases that passed.
    pub canonical_passed: usize,
    /// Invalid cases that passed.
    pub invalid_passed: usize,
    /// Asks not claimed.
    pub not_claimed: usize,
    /// Asks recorded only.
    pub open: usize,
    /// Red, expected or not.
    pub red: usize,
    /// Of the red, those that were derived.
    pub derived_red: usize,
    /// Of the red, those that an expected failure covers.
    pub known: usize,
    /// Amber.
    pub amber: usize,
    /// Asks that were not run.
    pub not_run: usize,
}

impl Cell {
    /// What it comes to, in this direction.
    pub fn mark(&self, decode: bool) -> Mark {
        if self.red > self.known {
            if self.red == self.derived_red { Mark::RedWithin } else { Mark::Red }
        } else if self.red > 0 {
            Mark::Known
        } else if self.judged == 0 && self.not_claimed > 0 {
            Mark::NotClaimed
        } else if self.judged == 0 && self.not_run == 0 {
            Mark::Empty
        } else if self.amber == 0
            && self.not_run == 0
            && self.canonical_passed > 0
            && (!decode || self.invalid_passed > 0)
        {
            Mark::Green
        } else {
            Mark::Amber
        }
    }
}

impl<'a> Summary<'a> {
    /// What a record comes to.
    pub fn of(recorded: &'a RunRecord) -> Self {
        let mut summary = Self {
            plan: &recorded.plan,
            cells: BTreeMap::new(),
            findings: Vec::new(),
            open: Vec::new(),
            refused: Vec::new(),
            verdicts: BTreeMap::new(),
            end: &recorded.end,
            incomplete: incomplete(recorded),
            length_not_told: 0,
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
        let cell =
            self.cells.entry((dialect.to_owned(), layout.to_owned(), direction(&tally.op).to_owned())).or_default();
        cell.derived_passed += tally.pass;
        cell.derived_judged += tally.pass;
        self.verdicts.entry(Verdict::Pass).or_default().derived += tally.pass;
    }

    fn verdict(&mut self, record: &'a TestResult) {
        let derived = record.origin == "derived";
        let counts = self.verdicts.entry(record.verdict).or_default();
        *(if derived { &mut counts.derived } else { &mut counts.authored }) += 1;
        self.length_not_told += usize::from(record.length_not_told);
        let (dialect, layout, op) = parts(&record.test);
        let cell = self.cells.entry((dialect.to_owned(), layout.to_owned(), direction(op).to_owned())).or_default();
        let severity = severity(record);
        let passed = usize::from(record.verdict == Verdict::Pass);
        if record.verdict == Verdict::NotClaimed {
            cell.not_claimed += 1;
        } else if record.verdict == Verdict::Open {
            cell.open += 1;
        } else if record.verdict == Verdict::NotRun {
            cell.not_run += 1;
        } else if derived {
            cell.derived_judged += 1;
            cell.derived_passed += passed;
        } else {
            cell.judged += 1;
            cell.passed += passed;
            cell.canonical_passed += usize::from(record.class == "canonical") * passed;
            cell.invalid_passed += usize::from(record.class == "invalid") * passed;
        }
        cell.red += usize::from(severity == Severity::Red);
        cell.derived_red += usize::from(severity == Severity::Red && derived);
        cell.known += usize::from(severity == Severity::Red && record.expected_failure);
        cell.amber += usize::from(severity == Severity::Amber);
        if record.refusal.is_some() {
            self.refused.push(record);
        }
        if severity >= Severity::Amber {
            self.findings.push(record);
        } else if record.verdict == Verdict::Open {
            self.open.push(record);
        }
    }

    /// Whether anything is said of this dialect.
    pub fn touches(&self, dialect: &str) -> bool {
        self.cells.keys().any(|(of, ..)| of == dialect)
    }

    /// Unexpected findings of a colour.
    fn unexpected(&self, wanted: Severity) -> usize {
        self.findings.iter().filter(|finding| !finding.expected_failure && severity(finding) == wanted).count()
    }

    /// Red asks that no list expects.
    pub fn red(&self) -> usize {
        self.unexpected(Severity::Red)
    }

    /// Amber asks that no list expects.
    pub fn amber(&self) -> usize {
        self.unexpected(Severity::Amber)
    }

    /// Findings that a list expects.
    pub fn known(&self) -> usize {
        self.findings.iter().filter(|finding| finding.expected_failure).count()
    }

    /// The type ids of a dialect.
    pub fn ids_of(&self, dialect: &DialectPlan) -> Ids {
        let mut ids = Ids { all: dialect.types.len(), ..Ids::default() };
        for layout in &dialect.types {
            let [decode, encode] = self.marks(dialect, layout);
            ids.asked += usize::from(!is_silent(decode) || !is_silent(encode));
            ids.green += usize::from(self.is_green(dialect, layout));
            ids.both += usize::from(decode == Mark::Green && encode == Mark::Green);
        }
        ids
    }

    /// Decoding and encoding.
    fn marks(&self, dialect: &DialectPlan, layout: &str) -> [Mark; 2] {
        let cell = |op| self.cell(&dialect.name, layout, op);
        [cell("decode").mark(true), cell("encode").mark(false)]
    }

    /// Whether it is green wherever it was asked: a direction that is not claimed is not held against the other.
    fn is_green(&self, dialect: &DialectPlan, layout: &str) -> bool {
        let marks = self.marks(dialect, layout);
        !marks.into_iter().all(is_silent) && marks.into_iter().all(|mark| mark == Mark::Green || is_silent(mark))
    }

    /// The type ids that are green in every direction that was asked: `godot-3/vector2`.
    pub fn green_ids(&self) -> Vec<String> {
        let mut green = Vec::new();
        for dialect in &self.plan.dialects {
            let layouts = dialect.types.iter().filter(|layout| self.is_green(dialect, layout));
            green.extend(layouts.map(|layout| format!("{}/{layout}", dialect.name)));
        }
        green
    }

    /// The type ids of all dialects.
    pub fn ids(&self) -> Ids {
        self.plan.dialects.iter().map(|dialect| self.ids_of(dialect)).fold(Ids::default(), |sum, ids| Ids {
            all: sum.all + ids.all,
            asked: sum.asked + ids.asked,
            green: sum.green + ids.green,
            both: sum.both + ids.both,
        })
    }

    /// What a dialect comes to: its worst cell.
    pub fn mark_of(&self, dialect: &DialectPlan) -> Mark {
        let cells = || self.cells.iter().filter(|((name, _, _), _)| *name == dialect.name);
        let any = |wanted: Mark| cells().any(|((_, _, op), cell)| cell.mark(op == "decode") == wanted);
        let ids = self.ids_of(dialect);
        match [Mark::Red, Mark::RedWithin, Mark::Known].into_iter().find(|mark| any(*mark)) {
            Some(Mark::RedWithin) => Mark::Red,
            Some(mark) => mark,
            None if ids.both == ids.all => Mark::Green,
            None => Mark::Amber,
        }
    }

    /// How often a verdict was given.
    pub fn count(&self, verdict: Verdict) -> Counts {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    /// The cell of a type in a direction.
    pub fn cell(&self, dialect: &str, layout: &str, op: &str) -> Cell {
        self.cells.get(&(dialect.to_owned(), layout.to_owned(), op.to_owned())).copied().unwrap_or_default()
    }
}

fn is_silent(mark: Mark) -> bool {
    matches!(mark, Mark::NotClaimed | Mark::Empty)
}

/// How a recorded verdict weighs.
pub fn severity(record: &TestResult) -> Severity {
    record.judged().severity
}

/// Dialect, layout and operation of an ask id.
pub fn parts(test: &str) -> (&str, &str, &str) {
    let (case, op) = test.rsplit_once(':').unwrap_or((test, ""));
    let mut steps = case.splitn(3, '/');
    (steps.next().unwrap_or(""), steps.next().unwrap_or(""), op)
}

/// Reencoding proves both directions, and is shown with the second.
pub fn direction(op: &str) -> &'static str {
    if op == "decode" { "decode" } else { "encode" }
}
