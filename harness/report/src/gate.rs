//! The gate: two records of one implementation, and what changed from the first to the second.
//!
//! It needs no list of known failures: a failure that is in the first record is not reported.

mod change;
mod comparable;
mod markdown;
mod text;

use std::collections::{BTreeMap, HashSet};

use change::Compared;
pub use change::{ChangeKind, TestChange};
pub use comparable::comparable;
pub use markdown::markdown;
pub use text::render;

use indexmap::IndexSet;
use strum::VariantArray as _;

use crate::causes::is_alone;
use crate::groups::{Group, NAMED, Weight, extent, groups, types};
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
    /// Whether the two were run on different corpora: what only the head's has is shown, and does not count.
    pub other_corpus: bool,
    /// Why the head is incomplete, like `3216 tests did not run: …`; `None` if it is complete.
    pub incomplete: Option<String>,
}

/// Changes that have one cause; or, where none is known, one verdict before and one now.
#[derive(Debug)]
pub struct ChangeGroup<'a> {
    /// What is wrong, or was, in one sentence.
    pub headline: String,
    /// The gravest that happened to one of its tests.
    pub(crate) kind: ChangeKind,
    /// Whether one of them fails the gate.
    gates: bool,
    /// The simplest change.
    pub(crate) sample: TestChange<'a>,
    /// The others, the simplest first.
    pub(crate) others: Vec<TestChange<'a>>,
    /// What they are about: `everyday, 2 types: String, NodePath; 12 tests`.
    pub extent: String,
}

impl<'a> Gate<'a> {
    /// Compares the head with the baseline `base`.
    pub fn of(base: &'a RunRecord, head: &'a RunRecord) -> Result<Self, String> {
        comparable(base, &head.plan)?;
        let other_corpus = base.plan.corpus != head.plan.corpus;
        let same_selection = base.plan.selection == head.plan.selection;
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
        let of = Compared { other_corpus, same_selection, kept_state };
        for test in before.tests_with(&now, head.plan.selection.only.as_deref())? {
            let case = test.parts().case;
            match change::between(test, before.recorded(test), now.recorded(test), of) {
                Some(change) if change.is_quiet() => {
                    added_well.insert(case);
                }
                Some(change) => gate.changes.push(change),
                None => {}
            }
        }
        gate.changes.sort_by_key(TestChange::order);
        let changed: HashSet<&str> = gate.changes.iter().map(|change| change.test.parts().case).collect();
        gate.added_well = added_well.difference(&changed).count();
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

    /// Whether something is worse, even where it is known and passes the gate.
    fn is_worse(&self) -> bool {
        !self.is_green() || self.changes.iter().any(|change| change.kind == ChangeKind::Broken)
    }

    /// The status by which its headline is shown.
    fn mark(&self) -> CellStatus {
        if self.is_worse() { CellStatus::Fail } else { CellStatus::Ok }
    }

    /// The counts of each kind of change, the gravest first: `2 cases broken (5 tests, 1 known), 1 fixed`.
    pub fn headline(&self) -> String {
        let mut parts = Vec::new();
        for &kind in ChangeKind::VARIANTS {
            let changes: Vec<&TestChange<'_>> = self.changes.iter().filter(|change| change.kind == kind).collect();
            let cases: HashSet<&str> = changes.iter().map(|change| change.test.parts().case).collect();
            if cases.is_empty() {
                continue;
            }
            let count = if parts.is_empty() { counted(cases.len(), "case") } else { cases.len().to_string() };
            let mut more = Vec::new();
            if changes.len() > cases.len() {
                more.push(counted(changes.len(), "test"));
            }
            // Variants that passed have no line of their own, so those of a case that is gone cannot be counted.
            let had_variants = kind == ChangeKind::Lost && self.base.plan.selection.variants;
            if had_variants && changes.iter().any(|change| change.is_gone()) {
                more.push("with all variants".to_owned());
            }
            more.extend(known(&changes));
            let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
            parts.push(format!("{count} {kind}{more}"));
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
        // A campaign says nothing of a type as a whole.
        if self.head.plan.selection.only.is_some() || self.head.plan.campaign.is_some() {
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
        let place_of = |recorded: TestRecord<'_>, causes: &[&Group<'_>]| {
            let id = change::result(recorded)?.cause.as_deref()?;
            causes.iter().position(|cause| cause.id == id)
        };
        let causes = [is.as_slice(), &was].concat();
        let (is, was) = causes.split_at(is.len());
        let place = |change: &TestChange<'_>| {
            place_of(change.now, is).or_else(|| Some(is.len() + place_of(change.before, was)?))
        };
        let places: Vec<Option<usize>> = self.changes.iter().map(place).collect();
        let changes = || self.changes.iter().zip(&places);
        // What is broken, and what was wrong and is so otherwise now, is one group of its cause.
        let broken: HashSet<usize> =
            changes().filter(|(change, _)| change.kind == ChangeKind::Broken).filter_map(|(_, place)| *place).collect();
        let kind = |change: &TestChange<'_>, place: Option<usize>| match change.kind {
            ChangeKind::Changed if place.is_some_and(|place| broken.contains(&place)) => ChangeKind::Broken,
            kind => kind,
        };
        let mut alike: BTreeMap<(usize, ChangeKind, String), Vec<TestChange<'a>>> = BTreeMap::new();
        for (change, place) in changes() {
            let verdicts = if place.is_none() { change.verdicts() } else { String::new() };
            let key = (place.unwrap_or(usize::MAX), kind(change, *place), verdicts);
            alike.entry(key).or_default().push(*change);
        }
        let groups = alike.into_iter().filter_map(|((place, kind, verdicts), changes)| {
            let cause = causes.get(place).copied();
            let headline = cause.map_or(verdicts, |cause| cause.headline.clone());
            let is_declared = cause.is_some_and(|cause| cause.weight == Weight::Declared);
            Some((is_declared, ChangeGroup::new(headline, kind, cause, changes, &now)?))
        });
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by_key(|(is_declared, group)| (*is_declared, !group.gates));
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// What the user can do if cases changed, or if those of another corpus do not count yet.
    pub fn advice(&self) -> Option<&'static str> {
        if self.other_corpus && self.changes.iter().any(TestChange::waits) {
            return Some(
                "the two have different corpora: what only the new one has does not count until the new results.jsonl is the baseline",
            );
        }
        (!self.changes.is_empty())
            .then_some("if these changes are intended, keep the new results.jsonl as the baseline")
    }
}

impl<'a> ChangeGroup<'a> {
    /// The status by which it is shown.
    fn mark(&self) -> CellStatus {
        match self.kind {
            _ if self.gates => CellStatus::Fail,
            ChangeKind::Fixed => CellStatus::Ok,
            ChangeKind::Broken | ChangeKind::Lost | ChangeKind::Changed | ChangeKind::Added => CellStatus::Warning,
        }
    }

    fn new(
        headline: String,
        kind: ChangeKind,
        cause: Option<&Group<'_>>,
        mut changes: Vec<TestChange<'a>>,
        of: &Summary<'_>,
    ) -> Option<Self> {
        let is_sample = |change: &TestChange<'_>| {
            let of = [change.now, change.before].into_iter().filter_map(change::result);
            of.map(|result| &result.test).any(|test| cause.is_some_and(|cause| cause.smallest.test == *test))
        };
        let gates = changes.iter().any(|change| change.gates);
        changes.sort_by_key(|change| (!is_sample(change), change.order(), change.size()));
        // A cause may be of everyday tests, and what changed only of others.
        let wrong: Vec<&TestResult> = changes.iter().filter_map(TestChange::wrong).collect();
        let weight = cause.and_then(|_| Weight::of_all(&wrong));
        let all = || changes.iter().map(|change| of.type_name(change.test.parts().layout).to_owned());
        let [types, lesser] = match weight {
            Some(weight) => types(of, &wrong, weight),
            None => [all().collect::<IndexSet<_>>().into_iter().collect(), Vec::new()],
        };
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        let mut extent = extent(&types, &lesser, changes.len(), NAMED);
        let others = changes.iter().filter(|change| change.kind != kind).count();
        if others > 0 {
            extent += &format!(", {others} of them {}", ChangeKind::Changed);
        }
        extent.extend(known(&changes.iter().collect::<Vec<_>>()).map(|known| format!(", {known}")));
        let weight = weight.map(|weight| format!("{}, ", weight.name())).unwrap_or_default();
        let others = changes.split_off(1.min(changes.len()));
        Some(Self { headline, kind, gates, sample: changes.pop()?, others, extent: weight + &extent })
    }
}

/// How many of these are failures that a list expects now: `3 known`, `all known`.
fn known(changes: &[&TestChange<'_>]) -> Option<String> {
    match changes.iter().filter(|change| change.is_known()).count() {
        0 => None,
        known if known == changes.len() => Some("all known".to_owned()),
        known => Some(format!("{known} known")),
    }
}

/// The results of a record, by test.
struct Results<'a> {
    /// What depends on order has that result, and no second test.
    verdicts: BTreeMap<&'a TestId, &'a TestResult>,
    /// Every test of a case has a line, so these are all cases of the run.
    cases: HashSet<&'a str>,
    /// Dialect and layout, rule and operation of variants that passed.
    tallied: HashSet<(&'a str, Option<Rule>, Op)>,
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
            tallied: recorded.tallies.iter().map(|tally| (tally.of.as_str(), tally.rule, tally.op)).collect(),
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
            matches!(rule, Rule::Alone | Rule::AskedAgain | Rule::Exit) || self.tallied.contains(&(of, Some(rule), op))
        });
        if passed && self.cases.contains(case) { TestRecord::Passed } else { TestRecord::Absent }
    }
}
