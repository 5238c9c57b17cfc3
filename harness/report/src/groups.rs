//! The failures of a record by their causes.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use variant_corpus::test::TestParts;
use variant_corpus::verdict::Severity;
use variant_runner::results::TestResult;
use variant_runner::status::{is_unanswered, severity};
use variant_runner::summary::{Summary, label};
use variant_values::sanitize::counted;

/// A short extent names at most this many types.
const NAMED: usize = 8;

/// Failures that have one cause.
#[derive(Debug)]
pub struct Group<'a> {
    /// The id of its cause, as `results.jsonl` has it.
    pub id: String,
    /// What is wrong, in one sentence.
    pub headline: String,
    /// Its tests, in the order of the record. Those that a list expects are left out, unless all are expected.
    pub tests: Vec<&'a TestResult>,
    /// The layouts of these tests, each once.
    pub types: Vec<&'a str>,
    /// The test that shows it with the fewest bytes.
    pub smallest: &'a TestResult,
    /// Whether a list expects all of it.
    pub known: bool,
    /// How many tests like these were not tried.
    pub skipped: usize,
    /// In how many tests a codec with this fault gives the same reply, and what to do.
    pub proof: Option<String>,
}

impl Group<'_> {
    /// Whether there was no valid reply: a crash, a timeout, or a reply that breaks the protocol.
    pub fn is_unanswered(&self) -> bool {
        is_unanswered(self.smallest.verdict)
    }

    /// Its severity: that of its gravest test.
    pub fn severity(&self) -> Severity {
        self.tests.iter().map(|test| severity(test)).max().unwrap_or(Severity::Neutral)
    }

    /// How many tests of which types: `12 tests, 2 types: string, node_path; 3 like them skipped`.
    pub fn extent(&self) -> String {
        self.extent_of(usize::MAX)
    }

    /// The same with the first types only, if there are many.
    pub(crate) fn short_extent(&self) -> String {
        self.extent_of(NAMED)
    }

    fn extent_of(&self, most: usize) -> String {
        let mut types: Vec<String> = self.types.iter().map(|layout| label(layout).to_owned()).collect();
        if types.len() > most {
            types.truncate(most - 2);
            types.push(format!("and {} more", self.types.len() - types.len()));
        }
        let skipped = if self.skipped > 0 { format!("; {} like them skipped", self.skipped) } else { String::new() };
        let tests = counted(self.tests.len(), "test");
        let proof = self.proof.as_ref().map(|proof| format!("; {proof}")).unwrap_or_default();
        format!("{tests}, {}: {}{proof}{skipped}", counted(self.types.len(), "type"), types.join(", "))
    }
}

/// The groups of a record: crashes and hangs first, then red ones, then those of the most tests.
pub fn groups<'a>(summary: &Summary<'a>) -> Vec<Group<'a>> {
    let mut tests: HashMap<&str, Vec<&'a TestResult>> = HashMap::new();
    // A record of an earlier version has no causes: then a verdict of a type is a group.
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
        let group = group(cause.id.clone(), cause.headline.clone(), all, Some(&cause.smallest))?;
        let told =
            [cause.proof.as_deref(), cause.advice.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; ");
        Some(Group { skipped: cause.skipped, proof: Some(told).filter(|told| !told.is_empty()), ..group })
    });
    let mut groups: Vec<Group<'a>> = named.collect();
    groups.extend(others.into_iter().filter_map(|(name, all)| group(name.replace(' ', "-"), name, all, None)));
    let order = |group: &Group<'_>| {
        (group.known, std::cmp::Reverse((group.is_unanswered(), group.severity(), group.tests.len())))
    };
    groups.sort_by_key(order);
    groups
}

fn group<'a>(id: String, headline: String, all: Vec<&'a TestResult>, smallest: Option<&str>) -> Option<Group<'a>> {
    let unexpected: Vec<&TestResult> = all.iter().copied().filter(|test| !test.expected_failure).collect();
    let known = unexpected.is_empty();
    let tests = if known { all } else { unexpected };
    let named = tests.iter().copied().find(|test| smallest == Some(test.test.as_str()));
    let smallest = named.or_else(|| tests.iter().copied().min_by_key(|test| test.size()))?;
    let types: IndexSet<&str> = tests.iter().map(|test| test.id().layout).collect();
    Some(Group { id, headline, tests, types: types.into_iter().collect(), smallest, known, skipped: 0, proof: None })
}
