//! Holds the list of known findings against the causes of a record.

use std::collections::{BTreeSet, HashMap};

use variant_corpus::findings::FILE;
use variant_corpus::test::TestParts;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::{CauseOfTests, FindingRecord, TestResult};
use variant_runner::status::severity;
use variant_values::glob::TestGlob;

/// Names the finding of each result that the list expects. In a `whole` run, what the list says and no result shows is
/// no longer true.
pub(crate) fn apply(recorded: &mut RunRecord, whole: bool) {
    let dialects: Vec<&str> = recorded.plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
    let mut list = List::of(&recorded.findings);
    for result in recorded.verdicts.iter_mut().filter(|result| severity(result) >= Severity::Warning) {
        result.finding = list.expects(result, &recorded.causes);
        result.expected_failure = result.finding.is_some();
    }
    for skipped in recorded.verdicts.iter().filter(|result| result.verdict == Verdict::Skipped) {
        list.sees(skipped);
    }
    if whole {
        recorded.end.stale.extend(list.stale(&dialects));
    }
    for finding in &mut recorded.findings {
        let shows = |result: &&TestResult| result.finding.as_deref() == Some(&finding.id);
        finding.tests = recorded.verdicts.iter().filter(shows).count();
    }
}

/// The id under which a list knows the cause of a result: that of the cause. Where nothing was answered and no fault explains it,
/// the same words may hide anything: there it is of one type in one direction, `timed-out-did-not-reply/vector2:decode`.
pub fn known_as(result: &TestResult, causes: &[CauseOfTests]) -> Option<String> {
    let id = result.cause.as_ref()?;
    let is_proved = causes.iter().any(|cause| cause.id == *id && cause.proof.is_some());
    let TestParts { layout, op, .. } = result.id();
    let is_anything = result.verdict.is_unanswered() && !is_proved;
    Some(if is_anything { format!("{id}/{layout}:{}", op.name()) } else { id.clone() })
}

/// A list of findings, and what of it is seen.
struct List<'a> {
    findings: &'a [FindingRecord],
    /// Each with its finding, and whether a test matched.
    globs: Vec<(TestGlob, &'a FindingRecord, bool)>,
    causes: HashMap<&'a str, &'a FindingRecord>,
    seen: BTreeSet<&'a str>,
}

impl<'a> List<'a> {
    fn of(findings: &'a [FindingRecord]) -> Self {
        let mut list = Self { findings, globs: Vec::new(), causes: HashMap::new(), seen: BTreeSet::new() };
        for finding in findings {
            list.causes.extend(finding.causes.iter().map(|cause| (cause.as_str(), finding)));
            let globs = finding.globs.iter().filter_map(|glob| TestGlob::new(glob).ok());
            list.globs.extend(globs.map(|glob| (glob, finding, false)));
        }
        list
    }

    /// The finding by which a failure is expected: that of a glob, or else that of its cause.
    fn expects(&mut self, result: &TestResult, causes: &[CauseOfTests]) -> Option<String> {
        let of_glob = self.sees(result);
        let of_cause = known_as(result, causes).and_then(|cause| self.causes.get_key_value(cause.as_str()));
        self.seen.extend(of_cause.map(|(cause, _)| *cause));
        of_glob.or(of_cause.map(|(_, finding)| *finding)).map(|finding| finding.id.clone())
    }

    /// The first finding with a glob that matches a test. All such globs are seen.
    fn sees(&mut self, result: &TestResult) -> Option<&'a FindingRecord> {
        let mut first = None;
        for (_, finding, is_seen) in self.globs.iter_mut().filter(|(glob, ..)| glob.is_match(&result.test)) {
            *is_seen = true;
            first.get_or_insert(*finding);
        }
        first
    }

    /// For each cause and glob that nothing shows in these dialects, a sentence that says what to do.
    fn stale(&self, dialects: &[&str]) -> Vec<String> {
        let mut stale = Vec::new();
        for finding in self.findings {
            let causes = finding.causes.iter().filter(|cause| !self.seen.contains(cause.as_str()));
            let causes: Vec<String> = causes.map(|cause| format!("the cause `{cause}`")).collect();
            let unseen = self.globs.iter().filter(|(_, of, is_seen)| of.id == finding.id && !is_seen);
            let in_runs = unseen.map(|(glob, ..)| glob).filter(|glob| !glob.written().contains("/generated-"));
            let tested = in_runs.filter(|glob| dialects.iter().any(|dialect| glob.can_match_in(dialect)));
            let globs = tested.map(|glob| format!("the tests `{}`", glob.written()));
            let unseen: Vec<String> = causes.into_iter().chain(globs).collect();
            // Of a list that others share, each may be theirs; but the finding has to show.
            if finding.shared && unseen.len() < finding.causes.len() + finding.globs.len() {
                continue;
            }
            let shared = if finding.shared { ", or name in `adapters` those that still show it" } else { "" };
            stale.extend(unseen.into_iter().map(|what| {
                let id = &finding.id;
                format!("{FILE}: `{id}` has {what}, and no failure of this run: delete it, or the whole finding if it is fixed{shared}")
            }));
        }
        stale
    }
}
