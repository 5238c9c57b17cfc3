//! The sums of a run: counts for each type and direction, and the results that need attention.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::mem::discriminant;

use serde::Serialize;
use strum::VariantArray as _;

pub use crate::ability::{Ability, Evidence, TypeScore};
use crate::incomplete::incomplete;
use crate::record::RunRecord;
use crate::results::{CauseOfTests, DialectPlan, FindingRecord, OF_ALL, Plan, RunEnd, TestResult, label};
use crate::status::{CellStatus, severity};
use variant_corpus::rarity::Rarity;
use variant_corpus::test::{TestId, TestParts};
use variant_corpus::verdict::{Severity, Verdict};
use variant_values::handshake::Op;
use variant_values::sanitize::counted;

#[derive(Debug)]
pub struct Summary<'a> {
    /// The first line of the record: which tests were planned, on which implementation.
    pub plan: &'a Plan,
    /// What can be said of each type, by dialect and layout.
    types: BTreeMap<(String, String), TypeScore>,
    /// Every result that is a failure or a warning, expected or not, in the order of the record.
    pub findings: Vec<&'a TestResult>,
    /// Every undecided test that ran, in the order of the record.
    pub undecided: Vec<&'a TestResult>,
    /// Every test that passed and has a line of its own.
    pub passed: Vec<&'a TestResult>,
    /// How often each verdict was given.
    pub verdicts: BTreeMap<Verdict, Counts>,
    /// How often a list expects each.
    known: BTreeMap<Verdict, Counts>,
    /// Why tests failed, those of the most tests first.
    pub causes: &'a [CauseOfTests],
    /// What is known about the implementation, and shows in the run.
    pub known_findings: Vec<&'a FindingRecord>,
    /// The last line of the record.
    pub end: &'a RunEnd,
    /// How many tests did not run, and why; `None` if the run is complete.
    pub incomplete: Option<String>,
    /// How many tests are recorded, and how many were planned, where the record has no end.
    pub cut: Option<(usize, usize)>,
    /// How many replies have the right value, but do not report the consumed length.
    pub length_not_told: usize,
}

/// Numbers of tests, of cases and of variants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests directly from a case.
    pub of_cases: usize,
    /// Tests that follow from a case by a rule.
    pub variants: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    pub verdict: Verdict,
    pub counts: Counts,
    /// How many of them a list expects.
    pub known: Counts,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.of_cases += other.of_cases;
        self.variants += other.variants;
    }

    pub fn sum(self) -> usize {
        self.of_cases + self.variants
    }
}

/// How many types of a dialect have each ability. Dialects are never summed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DialectScore {
    pub all: usize,
    /// Types that are read; `None` if no type is said to be.
    pub reads: Option<usize>,
    /// Types that are written; `None` if no type is said to be.
    pub writes: Option<usize>,
    pub exact: Option<usize>,
    pub safe: Option<usize>,
    /// Types that are said to be supported.
    pub claimed: usize,
    /// Types that have every ability that is claimed of them.
    pub whole: usize,
    /// Whether it was asked to read some type, and to write one.
    asked: [bool; 2],
}

impl DialectScore {
    fn add(&mut self, score: &TypeScore) {
        self.all += usize::from(score.has_values());
        self.whole += usize::from(score.has_values() && score.is_whole());
        let is_claimed = score.marks().iter().any(|mark| !mark.is_untested());
        self.claimed += usize::from(score.has_values() && is_claimed);
        for (asked, mark) in self.asked.iter_mut().zip(score.marks()) {
            *asked |= score.has_values() && mark != CellStatus::None;
        }
        let counts = [&mut self.reads, &mut self.writes, &mut self.exact, &mut self.safe];
        for (mark, count) in score.marks().into_iter().zip(counts) {
            if score.has_values() && !mark.is_untested() {
                *count = Some(count.unwrap_or(0) + usize::from(mark == CellStatus::Ok));
            }
        }
    }

    /// How many types have an ability; `None` if no type is said to have it.
    pub fn count(self, ability: Ability) -> Option<usize> {
        match ability {
            Ability::Reads => self.reads,
            Ability::Writes => self.writes,
            Ability::Exact => self.exact,
            Ability::Safe => self.safe,
        }
    }

    /// What is read and written: `reads 16 of 39 types, writes 6`.
    pub fn short(self) -> String {
        self.said(&[Ability::Reads, Ability::Writes])
    }

    /// All four: `reads 16 of 39 types, writes 6, exact 4, safe 12`.
    pub fn sentence(self) -> String {
        self.said(Ability::VARIANTS)
    }

    fn said(self, abilities: &[Ability]) -> String {
        let part = |ability: &Ability| Some(format!("{} {}", ability.name(), self.count(*ability)?));
        let mut parts: Vec<String> = abilities.iter().filter_map(part).collect();
        parts.first_mut().iter_mut().for_each(|first| **first += &format!(" of {}", counted(self.all, "type")));
        let parts = parts.join(", ");
        match (self.reads, self.writes) {
            (None, None) => "no everyday test of reading or writing".to_owned(),
            (Some(_), None) if self.asked[1] => parts + " (does not write)",
            (None, Some(_)) if self.asked[0] => parts + " (does not read)",
            _ => parts,
        }
    }
}

impl<'a> Summary<'a> {
    pub fn of(recorded: &'a RunRecord) -> Self {
        let mut summary = Self {
            plan: &recorded.plan,
            types: BTreeMap::new(),
            findings: Vec::new(),
            undecided: Vec::new(),
            passed: Vec::new(),
            verdicts: BTreeMap::new(),
            known: BTreeMap::new(),
            causes: &recorded.causes,
            known_findings: known(recorded),
            end: &recorded.end,
            incomplete: incomplete(recorded),
            cut: (!recorded.ended).then(|| (recorded.recorded(), recorded.plan.tests)),
            length_not_told: 0,
        };
        for verdict in &recorded.verdicts {
            summary.verdict(verdict);
        }
        summary.contained(&recorded.verdicts);
        for tally in &recorded.tallies {
            summary.verdicts.entry(Verdict::Pass).or_default().variants += tally.pass;
        }
        summary
    }

    fn verdict(&mut self, record: &'a TestResult) {
        let is_variant = record.is_variant();
        let one = Counts { of_cases: usize::from(!is_variant), variants: usize::from(is_variant) };
        self.verdicts.entry(record.verdict).or_default().add(one);
        if record.expected_failure {
            self.known.entry(record.verdict).or_default().add(one);
        }
        self.length_not_told += usize::from(record.length_not_told);
        let TestParts { dialect, layout, .. } = record.id();
        if record.id().container().is_none() {
            self.types.entry((dialect.to_owned(), layout.to_owned())).or_default().add(record);
        }
        match record.verdict {
            _ if severity(record) >= Severity::Warning => self.findings.push(record),
            Verdict::Undecided => self.undecided.push(record),
            Verdict::Pass => self.passed.push(record),
            _ => {}
        }
    }

    /// Adds the tests in which a value is in a container. Where the container itself is wrong, they say nothing of the value.
    fn contained(&mut self, verdicts: &[TestResult]) {
        let mut said: Vec<(&TestResult, &str)> = Vec::new();
        for record in verdicts {
            let Some(container) = record.id().container() else { continue };
            let (own, layout) = (record.id().layout, self.type_of(record));
            if layout != own || container == own || !self.container_mark(record, container).is_wrong() {
                said.push((record, layout));
            }
        }
        for (record, layout) in said {
            self.types.entry((record.id().dialect.to_owned(), layout.to_owned())).or_default().add(record);
        }
    }

    /// The type that a result says something of: that of the container into which a value was put, where there is no reply and
    /// the container is not right by itself.
    pub fn type_of<'r>(&self, record: &'r TestResult) -> &'r str {
        let own = record.id().layout;
        match record.id().container() {
            Some(container) if record.verdict.is_lost() && self.container_mark(record, container) != CellStatus::Ok => {
                container
            }
            _ => own,
        }
    }

    /// What can be said of a container in the direction of a test.
    fn container_mark(&self, record: &TestResult, container: &str) -> CellStatus {
        let TestParts { dialect, op, .. } = record.id();
        self.score(dialect, container).mark(if op == Op::Decode { Ability::Reads } else { Ability::Writes })
    }

    /// Whether the record has any test of this dialect.
    pub fn touches(&self, dialect: &str) -> bool {
        self.types.keys().any(|(of, _)| of == dialect)
    }

    fn unexpected(&self, wanted: Severity) -> usize {
        let is_wanted = |finding: &&&TestResult| !finding.expected_failure && severity(finding) == wanted;
        self.findings.iter().filter(is_wanted).filter(|finding| !self.is_again(finding)).count()
    }

    /// Whether this is a failure that is counted already: one of those that depend on order was sent again alone.
    pub fn is_again(&self, finding: &TestResult) -> bool {
        let is_own = |other: &&TestResult, id: &TestId| other.test == *id && !other.expected_failure;
        let first = finding.test.repeated().filter(|_| finding.verdict == Verdict::OrderDependent);
        first.is_some_and(|id| self.findings.iter().any(|other| is_own(other, &id)))
    }

    /// Failures that no list expects.
    pub fn failures(&self) -> usize {
        self.unexpected(Severity::Failure)
    }

    /// Warnings that no list expects. What is declared counts as right.
    pub fn warnings(&self) -> usize {
        self.unexpected(Severity::Warning) - self.declared()
    }

    /// What is right but for a declared loss, and in no list.
    pub fn declared(&self) -> usize {
        let is_declared = |of: &&&TestResult| of.verdict == Verdict::DeclaredLoss && !of.expected_failure;
        self.findings.iter().filter(is_declared).count()
    }

    /// Failures and warnings that a list expects.
    pub fn known(&self) -> usize {
        self.findings.iter().filter(|finding| finding.expected_failure).count()
    }

    /// How many types of a dialect have each ability.
    pub fn score_of(&self, dialect: &DialectPlan) -> DialectScore {
        let mut counts = DialectScore::default();
        dialect.types.iter().for_each(|layout| counts.add(&self.score(&dialect.name, layout)));
        counts
    }

    /// The dialect that a headline is about, the newest, and how many of its types have each ability.
    pub fn newest(&self) -> Option<(&'a DialectPlan, DialectScore)> {
        let dialect = self.plan.dialects.iter().find(|dialect| self.touches(&dialect.name))?;
        Some((dialect, self.score_of(dialect)))
    }

    /// The status of a dialect: that of its worst type.
    pub fn mark_of(&self, dialect: &DialectPlan) -> CellStatus {
        let types = || self.types.iter().filter(|((name, _), _)| *name == dialect.name);
        let any = |wanted| types().any(|(_, score)| score.marks().contains(&wanted));
        let score = self.score_of(dialect);
        let is_whole = score.whole == score.all && score.all > 0;
        let otherwise = if is_whole { CellStatus::Ok } else { CellStatus::Warning };
        [CellStatus::Fail, CellStatus::Known].into_iter().find(|mark| any(*mark)).unwrap_or(otherwise)
    }

    /// The engines' name of a layout, in the newest dialect that has it.
    pub fn type_name<'t>(&'t self, layout: &'t str) -> &'t str {
        let has = |dialect: &&DialectPlan| dialect.types.iter().any(|of| of == layout);
        self.plan.dialects.iter().find(has).map_or_else(|| label(layout), |dialect| dialect.type_name(layout))
    }

    /// How often each verdict was given, whatever its reason.
    pub fn totals(&self) -> Vec<Total> {
        let mut totals: Vec<Total> = Vec::new();
        for (&verdict, &counts) in &self.verdicts {
            let known = self.known.get(&verdict).copied().unwrap_or_default();
            match totals.last_mut() {
                Some(last) if discriminant(&last.verdict) == discriminant(&verdict) => {
                    last.counts.add(counts);
                    last.known.add(known);
                }
                Some(_) | None => totals.push(Total { verdict, counts, known }),
            }
        }
        totals
    }

    pub fn count(&self, verdict: Verdict) -> Counts {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    pub fn score(&self, dialect: &str, layout: &str) -> TypeScore {
        self.types.get(&(dialect.to_owned(), layout.to_owned())).copied().unwrap_or_default()
    }

    /// The rows of a dialect's table: its types by their ids, then what belongs to no type.
    pub fn rows(&self, dialect: &'a DialectPlan) -> impl Iterator<Item = (Option<usize>, &'a str, TypeScore)> {
        let types = dialect.types.iter().enumerate().map(|(id, layout)| (Some(id), layout.as_str()));
        let rows = types.chain(OF_ALL.map(|(layout, _)| (None, layout)));
        rows.map(|(id, layout)| (id, layout, self.score(&dialect.name, layout)))
    }
}

/// The findings that show: the gravest first, then those that everyday tests show, then those of the most tests.
fn known(recorded: &RunRecord) -> Vec<&FindingRecord> {
    let mut rarities: HashMap<&str, Rarity> = HashMap::new();
    for result in &recorded.verdicts {
        if let Some(finding) = result.finding.as_deref() {
            rarities.entry(finding).and_modify(|known| *known = result.rarity.min(*known)).or_insert(result.rarity);
        }
    }
    let mut known: Vec<&FindingRecord> = recorded.findings.iter().filter(|finding| finding.tests > 0).collect();
    known.sort_by_key(|known| {
        (known.severity.is_none(), known.severity, rarities.get(known.id.as_str()), Reverse(known.tests))
    });
    known
}
