//! The gate: two records of one implementation, and what changed from the first to the second.
//!
//! It knows nothing of what is expected to fail: what failed before and fails alike is silence.

mod change;
mod comparable;
mod markdown;
mod text;

use std::collections::{BTreeMap, HashSet};

pub use change::{ChangeKind, State, TestChange};
pub use comparable::Refusal;
pub use markdown::markdown;
pub use text::render;

use super::points::family;
use variant_runner::incomplete::incomplete;
use variant_runner::record::RunRecord;
use variant_runner::results::{Plan, TestResult};
use variant_wire::version::numbers;

/// What changed.
#[derive(Debug)]
pub struct Gate<'a> {
    /// The record that it is compared with.
    pub base: &'a RunRecord,
    /// The record that is judged.
    pub head: &'a RunRecord,
    /// The cases in which something changed, those that fail the gate first.
    pub cases: Vec<CaseChange<'a>>,
    /// Claims that were true in the baseline and are no longer.
    pub stale: Vec<&'a str>,
    /// Cases that the baseline does not have and that are as they should be: they are counted, not shown.
    pub added_well: usize,
    /// Whether the head was run on a newer corpus.
    pub newer: bool,
    /// What the head lacks, and why.
    pub incomplete: Option<String>,
}

/// A case in which something changed.
#[derive(Debug)]
pub struct CaseChange<'a> {
    /// `godot-3/vector2/negative-zero-keeps-its-sign`.
    pub id: &'a str,
    /// What changed: the gravest first, authored before derived.
    pub tests: Vec<TestChange<'a>>,
}

/// Whether a run can be compared with a record, before it is made.
///
/// # Errors
/// Why not.
pub fn comparable(base: &RunRecord, head: &Plan) -> Result<(), Refusal> {
    comparable::check(&base.plan, base.end.complete, head)
}

/// How the gate is set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting<'a> {
    /// Cases of this corpus version and before gate, those newer than both it and the baseline do not.
    pub corpus_version: Option<&'a str>,
    /// Whatever changed gates: so that the baseline is kept up to date.
    pub strict: bool,
}

impl<'a> Gate<'a> {
    /// Compares two records.
    ///
    /// # Errors
    /// Why these two cannot be compared.
    pub fn of(base: &'a RunRecord, head: &'a RunRecord, setting: Setting<'_>) -> Result<Self, Refusal> {
        comparable::check(&base.plan, base.end.complete, &head.plan)?;
        let newer = base.plan.corpus.version != head.plan.corpus.version;
        let pinned =
            setting.corpus_version.is_some_and(|version| numbers(version) >= numbers(&head.plan.corpus.version));
        let rules = change::Rules { newer, added_gate: !newer || pinned, strict: setting.strict };
        let (before, now) = (Told::of(base), Told::of(head));
        let mut gate = Self {
            base,
            head,
            cases: Vec::new(),
            stale: Vec::new(),
            added_well: 0,
            newer,
            incomplete: incomplete(head),
        };
        let mut cases: BTreeMap<&str, Vec<TestChange<'a>>> = BTreeMap::new();
        let mut added_well = HashSet::new();
        for test in before.asks_with(&now, head.plan.selection.only.as_deref()).map_err(Refusal)? {
            let (case, _) = split(test);
            match change::between(test, before.state(test), now.state(test), rules) {
                Some(change) if change.is_quiet() => {
                    added_well.insert(case);
                }
                Some(change) => cases.entry(case).or_default().push(change),
                None => {}
            }
        }
        gate.added_well = added_well.iter().filter(|case| !cases.contains_key(*case)).count();
        gate.cases = cases.into_iter().map(|(id, tests)| CaseChange::new(id, tests)).collect();
        gate.cases.sort_by_key(|case| case.tests.first().map(TestChange::order));
        let known: HashSet<&String> = base.end.stale.iter().collect();
        gate.stale = head.end.stale.iter().filter(|claim| !known.contains(claim)).map(String::as_str).collect();
        Ok(gate)
    }

    /// Whether nothing at all is to be said.
    pub fn is_silent(&self) -> bool {
        self.cases.is_empty() && self.stale.is_empty() && self.added_well == 0 && self.incomplete.is_none()
    }

    /// Whether it is green.
    pub fn is_green(&self) -> bool {
        self.stale.is_empty() && self.incomplete.is_none() && !self.cases.iter().any(CaseChange::gates)
    }

    /// `2 cases broken, 1 mended`, in the order of their gravity; empty where nothing changed.
    pub fn headline(&self) -> String {
        let mut parts = Vec::new();
        for kind in ChangeKind::ALL {
            let count = self.cases.iter().filter(|case| case.kind() == Some(kind)).count();
            if count > 0 {
                let cases = if parts.is_empty() { if count == 1 { " case" } else { " cases" } } else { "" };
                parts.push(format!("{count}{cases} {}", kind.name()));
            }
        }
        if self.added_well > 0 {
            parts.push(format!("{} new and as expected", self.added_well));
        }
        if !self.stale.is_empty() {
            parts.push(format!("{} claims no longer true", self.stale.len()));
        }
        if self.incomplete.is_some() {
            parts.push("incomplete".to_owned());
        }
        parts.join(", ")
    }

    /// What can be done where it is red, or where newer cases wait.
    pub fn advice(&self) -> Option<String> {
        let waiting = self.cases.iter().any(|case| case.kind() == Some(ChangeKind::Added) && !case.gates());
        if self.newer && waiting {
            let version = &self.head.plan.corpus.version;
            return Some(format!(
                "cases that are newer than the baseline's corpus {} do not gate; they do with --corpus-version {version}",
                self.base.plan.corpus.version
            ));
        }
        (!self.cases.is_empty()).then(|| "where that is meant, keep the new results.jsonl as the baseline".to_owned())
    }
}

impl<'a> CaseChange<'a> {
    fn new(id: &'a str, mut tests: Vec<TestChange<'a>>) -> Self {
        tests.sort_by_key(TestChange::order);
        Self { id, tests }
    }

    /// Whether it fails the gate.
    pub fn gates(&self) -> bool {
        self.tests.iter().any(|test| test.gates)
    }

    /// The gravest that happened to it.
    pub fn kind(&self) -> Option<ChangeKind> {
        self.tests.first().map(|test| test.kind)
    }
}

/// What a record tells of each ask.
struct Told<'a> {
    verdicts: BTreeMap<&'a str, &'a TestResult>,
    /// Every authored ask has its line, so these are all cases of the run.
    cases: HashSet<&'a str>,
    /// Dialect and layout, rule and operation of derived asks that passed.
    tallied: HashSet<(&'a str, &'a str, &'a str)>,
}

impl<'a> Told<'a> {
    fn of(recorded: &'a RunRecord) -> Self {
        let authored = recorded.verdicts.iter().filter(|verdict| verdict.origin != "derived");
        Self {
            cases: authored.map(|verdict| split(&verdict.test).0).collect(),
            verdicts: recorded.verdicts.iter().map(|verdict| (verdict.test.as_str(), verdict)).collect(),
            tallied: recorded
                .tallies
                .iter()
                .map(|tally| (tally.of.as_str(), tally.rule.as_str(), tally.op.as_str()))
                .collect(),
        }
    }

    /// The asks that either tells of by name, in the order of their names; of a selection, what the selection has.
    fn asks_with(&self, other: &Self, only: Option<&str>) -> Result<Vec<&'a str>, String> {
        let only = only.map(variant_wire::glob::TestGlob::new).transpose().map_err(|error| error.to_string())?;
        let selected = |test: &&&str| only.as_ref().is_none_or(|only| only.is_match(test));
        let mut tests: Vec<&str> =
            self.verdicts.keys().chain(other.verdicts.keys()).filter(selected).copied().collect();
        tests.sort_unstable();
        tests.dedup();
        Ok(tests)
    }

    /// What it tells of an ask. Derived asks that passed have no line: where the case is there and the rule passed,
    /// this one did.
    fn state(&self, test: &str) -> State<'a> {
        if let Some(verdict) = self.verdicts.get(test) {
            return State::RunRecord(verdict);
        }
        let (case, rule) = split(test);
        let Some((rule, op)) = rule.and_then(|rule| rule.rsplit_once(':')) else { return State::Absent };
        let of = case.match_indices('/').nth(1).map_or(case, |(at, _)| &case[..at]);
        if self.cases.contains(case) && self.tallied.contains(&(of, family(rule), op)) {
            State::Passed
        } else {
            State::Absent
        }
    }
}

/// The case of an ask, and what stands behind the `~` of a derived one.
fn split(test: &str) -> (&str, Option<&str>) {
    match test.split_once('~') {
        Some((case, rule)) => (case, Some(rule)),
        None => (test.rsplit_once(':').map_or(test, |(case, _)| case), None),
    }
}
