//! The gate: two records of one implementation, and what changed from the first to the second.
//!
//! It needs no list of known failures: a failure that is in the first record is not reported.

mod change;
mod comparable;
mod markdown;
mod text;

use std::collections::{BTreeMap, HashSet};

pub use change::{ChangeKind, TestChange};
pub use comparable::comparable;
pub use markdown::markdown;
pub use text::render;

use indexmap::IndexSet;
use strum::VariantArray as _;

use crate::causes::is_alone;
use crate::groups::{Group, NAMED, Weight, extent, groups};
use variant_corpus::test::{Rule, TestId, TestParts};
use variant_corpus::verdict::Verdict;
use variant_runner::incomplete::incomplete;
use variant_runner::record::{RunRecord, TestRecord};
use variant_runner::results::{DialectPlan, TestResult};
use variant_runner::status::CellStatus;
use variant_runner::summary::Summary;
use variant_values::glob::TestGlob;
use variant_values::handshake::Op;
use variant_values::sanitize::{counted, line};

/// What changed from the baseline to the head.
#[derive(Debug)]
pub struct Gate<'a> {
    /// The baseline: the record that the head is compared with.
    pub base: &'a RunRecord,
    /// The head: the record that is judged.
    pub head: &'a RunRecord,
    /// The tests that changed; those that fail the gate come first.
    pub changes: Vec<TestChange<'a>>,
    /// Claims that were true in the baseline and no longer are, a sentence each.
    pub stale: Vec<&'a str>,
    /// Cases that the baseline does not have and that pass: they are counted, not shown.
    pub added_well: usize,
    /// Whether the two were run on different corpora: what only one of them has is shown, and does not count.
    pub other_corpus: bool,
    /// Why the head is incomplete, like `3216 tests did not run: …`; `None` if it is complete.
    pub incomplete: Option<String>,
}

/// Changes that have one cause; or, where none is known, one verdict before and one now.
#[derive(Debug)]
pub struct ChangeGroup<'a> {
    /// What is wrong, or was, in one sentence.
    pub headline: String,
    /// The simplest change.
    pub(crate) sample: TestChange<'a>,
    /// The others, the simplest first.
    pub(crate) others: Vec<TestChange<'a>>,
    /// What they are about: `everyday, 2 types: String, NodePath; 12 tests`.
    pub extent: String,
}

impl<'a> Gate<'a> {
    /// Compares the head with the baseline `base`.
    ///
    /// # Errors
    /// The same errors as [`comparable()`]; also if the head's selection is not a valid glob.
    pub fn of(base: &'a RunRecord, head: &'a RunRecord) -> Result<Self, String> {
        comparable(base, &head.plan)?;
        let other_corpus = base.plan.corpus != head.plan.corpus;
        let (before, now) = (Results::of(base), Results::of(head));
        let mut gate = Self {
            base,
            head,
            changes: Vec::new(),
            stale: Vec::new(),
            added_well: 0,
            other_corpus,
            incomplete: incomplete(head),
        };
        let mut added_well = HashSet::new();
        let kept_state = before.verdicts.values().any(|result| result.verdict == Verdict::OrderDependent);
        for test in before.tests_with(&now, head.plan.selection.only.as_deref())? {
            let case = test.parts().case;
            match change::between(test, before.recorded(test), now.recorded(test), other_corpus, kept_state) {
                Some(change) if change.is_quiet() => {
                    added_well.insert(case);
                }
                Some(change) => gate.changes.push(change),
                None => {}
            }
        }
        gate.changes.sort_by_key(TestChange::order);
        let changed = gate.cases();
        gate.added_well = added_well.iter().filter(|case| !changed.contains_key(*case)).count();
        let known: HashSet<&String> = base.end.stale.iter().collect();
        gate.stale = head.end.stale.iter().filter(|claim| !known.contains(claim)).map(String::as_str).collect();
        Ok(gate)
    }

    /// Whether there is nothing to report.
    pub fn is_silent(&self) -> bool {
        self.changes.is_empty() && self.stale.is_empty() && self.added_well == 0 && self.incomplete.is_none()
    }

    /// Whether the gate passes: the head is complete, no change fails it, and no claim is newly stale.
    pub fn is_green(&self) -> bool {
        self.stale.is_empty() && self.incomplete.is_none() && !self.changes.iter().any(|change| change.gates)
    }

    /// The cases that changed, each with the kind of its gravest change.
    fn cases(&self) -> BTreeMap<&'a str, ChangeKind> {
        let mut cases = BTreeMap::new();
        for change in &self.changes {
            cases.entry(change.test.parts().case).or_insert(change.kind);
        }
        cases
    }

    /// The counts of each kind of change, the gravest first: `2 cases broken, 1 fixed`. Empty if nothing changed.
    pub fn headline(&self) -> String {
        let mut parts = Vec::new();
        let cases = self.cases();
        for &kind in ChangeKind::VARIANTS {
            let count = cases.values().filter(|of| **of == kind).count();
            if count > 0 {
                let cases = if parts.is_empty() { if count == 1 { " case" } else { " cases" } } else { "" };
                parts.push(format!("{count}{cases} {kind}"));
            }
        }
        if self.added_well > 0 {
            parts.push(format!("{} new and as expected", self.added_well));
        }
        if !self.stale.is_empty() {
            parts.push(format!("{} no longer true", counted(self.stale.len(), "expectation")));
        }
        if self.incomplete.is_some() {
            parts.push("incomplete".to_owned());
        }
        if parts.is_empty() {
            parts.push(format!("nothing changed in {}", counted(self.head.end.executed, "test")));
        }
        parts.join(", ")
    }

    /// What each dialect of the head reads and writes, and what it did before where that differs.
    pub fn abilities(&self) -> Vec<String> {
        if self.head.plan.selection.only.is_some() {
            return Vec::new();
        }
        let (before, now) = (Summary::of(self.base), Summary::of(self.head));
        let line = |dialect: &DialectPlan| {
            let [before, now] = [&before, &now].map(|summary| summary.score_of(dialect).sentence());
            let was = if before == now { String::new() } else { format!("; before: {before}") };
            line(&format!("{}: {now}{was}", dialect.title()))
        };
        self.head.plan.dialects.iter().map(line).collect()
    }

    /// The changes by their causes: what fails the gate first, then in the order of every report; declared losses last.
    pub fn groups(&self) -> Vec<ChangeGroup<'a>> {
        let (before, now) = (Summary::of(self.base), Summary::of(self.head));
        let (was, is) = (groups(&before), groups(&now));
        let [was, is]: [Vec<&Group<'_>>; 2] = [&was, &is].map(|groups| groups.all().collect());
        let place = |recorded: TestRecord<'_>, causes: &[&Group<'_>]| {
            let id = change::result(recorded)?.cause.as_deref()?;
            causes.iter().position(|cause| cause.id == id)
        };
        let causes = [is.as_slice(), &was].concat();
        let (is, was) = causes.split_at(is.len());
        let mut alike: BTreeMap<(bool, bool, usize, ChangeKind, String), Vec<TestChange<'a>>> = BTreeMap::new();
        for change in &self.changes {
            let place = place(change.now, is).or_else(|| Some(is.len() + place(change.before, was)?));
            let is_declared = place.is_some_and(|place| causes[place].weight == Weight::Declared);
            let verdicts = if place.is_none() { change.verdicts() } else { String::new() };
            let key = (is_declared, !change.gates, place.unwrap_or(usize::MAX), change.kind, verdicts);
            alike.entry(key).or_default().push(*change);
        }
        let groups = alike.into_iter().filter_map(|((_, _, place, _, verdicts), changes)| {
            let cause = causes.get(place).copied();
            let headline = cause.map_or(verdicts, |cause| cause.headline.clone());
            ChangeGroup::new(headline, cause, changes, &now)
        });
        groups.collect()
    }

    /// What the user can do if cases changed, or if those of another corpus do not count yet.
    pub fn advice(&self) -> Option<&'static str> {
        if self.other_corpus && self.changes.iter().any(TestChange::waits) {
            return Some(
                "the two have different corpora: what only one of them has does not count until the new results.jsonl is the baseline",
            );
        }
        (!self.changes.is_empty())
            .then_some("if these changes are intended, keep the new results.jsonl as the baseline")
    }
}

impl<'a> ChangeGroup<'a> {
    /// The status by which it is shown.
    fn mark(&self) -> CellStatus {
        match self.sample.kind {
            _ if self.sample.gates => CellStatus::Fail,
            ChangeKind::Fixed => CellStatus::Ok,
            ChangeKind::Broken | ChangeKind::Lost | ChangeKind::Changed | ChangeKind::Added => CellStatus::Warning,
        }
    }

    fn new(
        headline: String,
        cause: Option<&Group<'_>>,
        mut changes: Vec<TestChange<'a>>,
        of: &Summary<'_>,
    ) -> Option<Self> {
        let is_sample = |change: &TestChange<'_>| {
            let of = [change.now, change.before].into_iter().filter_map(change::result);
            of.map(|result| &result.test).any(|test| cause.is_some_and(|cause| cause.smallest.test == *test))
        };
        changes.sort_by_key(|change| (!is_sample(change), change.order(), change.size()));
        let types: IndexSet<&str> = changes.iter().map(|change| of.type_name(change.test.parts().layout)).collect();
        let extent = extent(&types.into_iter().collect::<Vec<_>>(), 0, changes.len(), NAMED);
        let weight = cause.map(|cause| format!("{}, ", cause.weight.name())).unwrap_or_default();
        let others = changes.split_off(1.min(changes.len()));
        Some(Self { headline, sample: changes.pop()?, others, extent: weight + &extent })
    }
}

/// The results of a record, by test.
struct Results<'a> {
    /// What depends on order has that result, and no second test.
    verdicts: BTreeMap<&'a TestId, &'a TestResult>,
    /// Every test of a case has a line, so these are all cases of the run.
    cases: HashSet<&'a str>,
    /// Dialect and layout, rule and operation of variants that passed.
    tallied: HashSet<(&'a str, &'a str, Op)>,
}

impl<'a> Results<'a> {
    fn of(recorded: &'a RunRecord) -> Self {
        let of_cases = recorded.verdicts.iter().filter(|verdict| !verdict.is_variant());
        let (alone, own): (Vec<&TestResult>, Vec<_>) =
            recorded.verdicts.iter().partition(|result| is_alone(&result.test));
        let mut verdicts: BTreeMap<&TestId, &TestResult> = own.iter().map(|result| (&result.test, *result)).collect();
        for result in alone {
            if let Some(own) = result.test.repeated().and_then(|test| verdicts.get_mut(&test)) {
                *own = result;
            }
        }
        Self {
            cases: of_cases.map(|verdict| verdict.id().case).collect(),
            verdicts,
            tallied: recorded.tallies.iter().map(|tally| (tally.of.as_str(), tally.rule.as_str(), tally.op)).collect(),
        }
    }

    /// The sorted ids of the tests that the head has a line for, and of those of the baseline that the head selects.
    fn tests_with(&self, head: &Self, only: Option<&str>) -> Result<Vec<&'a TestId>, String> {
        let glob = only.map(TestGlob::new).transpose()?;
        let selected = |test: &&&TestId| glob.as_ref().is_none_or(|glob| glob.is_match(test));
        let before = self.verdicts.keys().filter(selected);
        let mut tests: Vec<&TestId> = before.chain(head.verdicts.keys()).copied().collect();
        tests.sort_unstable();
        tests.dedup();
        Ok(tests)
    }

    /// The result of a test. A variant that passed has no line of its own: it passed if the record has its case
    /// and counts passed tests of its rule, or if it is a check that is recorded only where it fails.
    fn recorded(&self, test: &TestId) -> TestRecord<'a> {
        if let Some(verdict) = self.verdicts.get(test) {
            return TestRecord::Result(verdict);
        }
        let TestParts { case, of, rule, op, .. } = test.parts();
        let passed = rule.and_then(Rule::of).is_some_and(|rule| {
            matches!(rule, Rule::Alone | Rule::AskedAgain | Rule::Exit) || self.tallied.contains(&(of, rule.name(), op))
        });
        if passed && self.cases.contains(case) { TestRecord::Passed } else { TestRecord::Absent }
    }
}
