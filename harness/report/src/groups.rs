//! The failures of a record by their causes.

use std::cmp::Reverse;
use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use variant_corpus::rarity::Rarity;
use variant_corpus::test::{TestId, TestParts};
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::results::TestResult;
use variant_runner::status::severity;
use variant_runner::summary::Summary;
use variant_values::sanitize::counted;

use crate::causes::is_alone;

/// A short extent names at most this many types.
pub(crate) const NAMED: usize = 8;

/// Failures that have one cause.
#[derive(Debug)]
pub struct Group<'a> {
    /// The id of its cause, as `results.jsonl` has it.
    pub id: String,
    /// What is wrong, in one sentence.
    pub headline: String,
    /// Its tests, in the order of the record. Those that a list expects are left out, unless all are expected.
    pub tests: Vec<&'a TestResult>,
    /// The engines' names of the types of the tests for which it matters, each once.
    pub types: Vec<String>,
    /// Those of the other tests, in which it matters less.
    pub lesser: Vec<String>,
    /// The only dialect in which it is seen, where several were tested.
    pub dialect: Option<String>,
    /// The test that shows it with the fewest bytes.
    pub smallest: &'a TestResult,
    /// Why it matters.
    pub weight: Weight,
    /// How many tests like these were not tried.
    pub skipped: usize,
    /// In how many tests a codec with this fault gives the same reply, and what to do.
    pub proof: Option<String>,
}

/// Why a cause matters. In this order every report shows causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// What ordinary programs exchange goes wrong.
    Everyday,
    /// Something else crashes, hangs or breaks the protocol.
    Unanswered,
    /// The reply depends on what was sent before.
    Unsteady,
    /// What must be refused is accepted.
    Hostile,
    /// What is rare goes wrong, or other bytes of the same value are written.
    Rare,
    /// It is good practice, or a warning.
    Warning,
    /// The implementation declares it.
    Declared,
}

impl Weight {
    /// In a word, in front of what a cause is about.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everyday => "everyday",
            Self::Unanswered => "no reply",
            Self::Unsteady => "state",
            Self::Hostile => "hostile input",
            Self::Rare => "rare",
            Self::Warning => "warning",
            Self::Declared => "declared loss",
        }
    }

    /// That of several tests: the gravest, but what is mostly legal is not called hostile.
    pub(crate) fn of_all(tests: &[&TestResult]) -> Option<Self> {
        let all: Vec<Self> = tests.iter().map(|test| Self::of(test)).collect();
        let least = all.iter().copied().min()?;
        let legal: Vec<Self> = all.into_iter().filter(|one| *one != Self::Hostile).collect();
        let is_mostly_legal = least == Self::Hostile && 2 * legal.len() >= tests.len();
        Some(legal.into_iter().min().filter(|_| is_mostly_legal).unwrap_or(least))
    }

    fn of(test: &TestResult) -> Self {
        match (severity(test), test.rarity) {
            _ if test.verdict == Verdict::DeclaredLoss => Self::Declared,
            (Severity::Right | Severity::Neutral | Severity::Warning, _) => Self::Warning,
            (Severity::Failure, Rarity::Everyday) if test.verdict != Verdict::NonCanonical => Self::Everyday,
            (Severity::Failure, _) if test.verdict == Verdict::OrderDependent => Self::Unsteady,
            (Severity::Failure, _) if test.verdict.is_unanswered() => Self::Unanswered,
            (Severity::Failure, Rarity::Hostile) => Self::Hostile,
            (Severity::Failure, Rarity::Everyday | Rarity::Rare) => Self::Rare,
        }
    }
}

impl Group<'_> {
    /// Its severity: that of its gravest test.
    pub fn severity(&self) -> Severity {
        self.tests.iter().map(|test| severity(test)).max().unwrap_or(Severity::Neutral)
    }

    /// Why it matters, and how many types and tests it is about: `everyday, 2 types: String, NodePath; 12 tests`. At most
    /// `most` types are named.
    pub fn extent(&self, most: usize) -> String {
        let skipped = if self.skipped > 0 { format!("; {} like them skipped", self.skipped) } else { String::new() };
        let proof = self.proof.as_ref().map(|proof| format!("; {proof}")).unwrap_or_default();
        let types: Vec<&str> = self.types.iter().map(String::as_str).collect();
        let alone = self.alone();
        let again = if alone > 0 { format!(", {alone} of them sent again alone") } else { String::new() };
        let extent = extent(&types, &self.lesser, self.tests.len() - alone, most);
        // What ordinary programs exchange is a small part of some.
        let is_hostile = |test: &&&TestResult| test.rarity == Rarity::Hostile && !is_alone(&test.test);
        let hostile = self.tests.iter().filter(is_hostile).count();
        let is_most = self.weight == Weight::Everyday && 2 * hostile > self.tests.len() - alone;
        let hostile = if is_most { format!(", {hostile} of them hostile input") } else { String::new() };
        format!("{}, {extent}{hostile}{again}{proof}{skipped}", self.why())
    }

    /// How many of its tests are others that were sent again, alone, because they depend on order: these are no tests more.
    pub fn alone(&self) -> usize {
        self.tests.iter().filter(|test| is_alone(&test.test)).count()
    }

    /// Why it matters, and where: `everyday`, `rare, Godot 3.1–3.6`.
    pub fn why(&self) -> String {
        let dialect = self.dialect.as_ref().map(|dialect| format!(", {dialect}")).unwrap_or_default();
        format!("{}{dialect}", self.weight.name())
    }
}

/// How many types and tests something is about, at most `most` types by name, and in how many it matters less:
/// `2 types: String, NodePath, and Array, where it matters less; 12 tests`.
pub(crate) fn extent(types: &[&str], lesser: &[String], tests: usize, most: usize) -> String {
    let named = if types.len() > most { most - 2 } else { types.len() };
    let more = if named < types.len() { format!(", and {} more", types.len() - named) } else { String::new() };
    let named = types[..named].join(", ");
    format!("{}: {named}{more}{}; {}", counted(types.len(), "type"), lesser_types(lesser), counted(tests, "test"))
}

/// The types in which it matters less, behind the others: by name, if they are few.
pub(crate) fn lesser_types(types: &[String]) -> String {
    match types {
        [] => String::new(),
        [one] => format!(", and {one}, where it matters less"),
        [one, other] => format!(", and {one} and {other}, where it matters less"),
        more => format!(", and {} that matter less", more.len()),
    }
}

/// The groups of a record, each list by weight and those of the most types first, of these what is proved.
#[derive(Debug)]
pub struct Groups<'a> {
    /// What no list expects.
    pub unexpected: Vec<Group<'a>>,
    /// What the handshake declares, which counts as right.
    pub declared: Vec<Group<'a>>,
    /// What a list expects.
    pub known: Vec<Group<'a>>,
}

impl<'a> Groups<'a> {
    /// All of them, in this order.
    pub fn all(&self) -> impl Iterator<Item = &Group<'a>> {
        self.unexpected.iter().chain(&self.declared).chain(&self.known)
    }
}

/// Groups what went wrong in a run.
pub fn groups<'a>(summary: &Summary<'a>) -> Groups<'a> {
    let mut tests: HashMap<&str, Vec<&'a TestResult>> = HashMap::new();
    // Tests that no corpus here has get no cause: then a verdict of a type is a group.
    let mut others: IndexMap<String, Vec<&'a TestResult>> = IndexMap::new();
    for finding in &summary.findings {
        if let Some(cause) = finding.cause.as_deref() {
            tests.entry(cause).or_default().push(finding);
            continue;
        }
        let TestParts { layout, op, .. } = finding.id();
        let name = format!("{layout}:{} {}", op.name(), finding.verdict);
        others.entry(name).or_default().push(finding);
    }
    let named = summary.causes.iter().filter_map(|cause| {
        let all = tests.remove(cause.id.as_str())?;
        let group = group(summary, cause.id.clone(), cause.headline.clone(), all, &cause.samples)?;
        let told = [cause.proof.as_deref(), cause.advice.as_deref()];
        let told = told.into_iter().flatten().collect::<Vec<_>>().join("; ");
        Some(Group { skipped: cause.skipped, proof: Some(told).filter(|told| !told.is_empty()), ..group })
    });
    let mut groups: Vec<Group<'a>> = named.collect();
    groups.extend(others.into_iter().filter_map(|(name, all)| group(summary, name.replace(' ', "-"), name, all, &[])));
    // Of as many types, what is proved comes first.
    groups.sort_by_key(|group| {
        (group.weight, Reverse(group.types.len()), group.proof.is_none(), Reverse(group.tests.len()))
    });
    let is_known = |group: &Group<'_>| group.tests.iter().all(|test| test.expected_failure);
    let (known, new): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_known);
    let (declared, unexpected) = new.into_iter().partition(|group| group.weight == Weight::Declared);
    Groups { unexpected, declared, known }
}

/// The engines' names of the types for which failures matter so much, each once, and those of the others. Of a value that was
/// put into a container, the container is to blame where others fail too.
pub(crate) fn types(summary: &Summary<'_>, tests: &[&TestResult], weight: Weight) -> [Vec<String>; 2] {
    let (put_in, by_itself): (Vec<&TestResult>, Vec<&TestResult>) =
        tests.iter().partition(|test| test.id().container().is_some());
    let blamed = if by_itself.iter().any(|test| Weight::of(test) == weight) { by_itself } else { put_in };
    let (meant, others): (Vec<&TestResult>, Vec<&TestResult>) =
        blamed.into_iter().partition(|test| Weight::of(test) == weight);
    let layouts = |tests: &[&TestResult]| -> IndexSet<String> {
        tests.iter().map(|test| summary.type_name(summary.type_of(test)).to_owned()).collect()
    };
    let (types, lesser) = (layouts(&meant), layouts(&others));
    let lesser = lesser.difference(&types).cloned().collect();
    [types.into_iter().collect(), lesser]
}

fn group<'a>(
    summary: &Summary<'_>,
    id: String,
    headline: String,
    all: Vec<&'a TestResult>,
    samples: &[TestId],
) -> Option<Group<'a>> {
    let unexpected: Vec<&TestResult> = all.iter().copied().filter(|test| !test.expected_failure).collect();
    let tests = if unexpected.is_empty() { all } else { unexpected };
    let weight = Weight::of_all(&tests)?;
    // What shows nothing else is shown, and of that what matters most.
    let places: HashMap<&TestId, usize> = samples.iter().enumerate().map(|(place, id)| (id, place)).collect();
    let is_less = |test: &&&TestResult| {
        let place = places.get(&test.test);
        (place.is_none(), Weight::of(test) != weight, place.copied(), test.size())
    };
    let smallest = tests.iter().min_by_key(is_less).copied()?;
    let [types, lesser] = types(summary, &tests, weight);
    let dialects: IndexSet<&str> = tests.iter().map(|test| test.id().dialect).collect();
    let is_one = dialects.len() == 1 && summary.plan.dialects.len() > 1;
    let dialect = summary.plan.dialects.iter().find(|dialect| is_one && dialects.contains(dialect.name.as_str()));
    let dialect = dialect.map(|dialect| dialect.engines().to_owned());
    Some(Group { id, headline, tests, types, lesser, dialect, smallest, weight, skipped: 0, proof: None })
}
