//! Asks that are put again: twice in one process and once in a fresh one, each time in another order.

use std::collections::BTreeMap;
use std::io::Write;

use super::course::Course;
use super::recorder::{Ledger, Recorder, is_deadly};
use super::{Part, Run, RunError, detail};
use crate::judge::Finding;
use crate::results::Detail;
use variant_corpus::test::{Derivation, Rule, Test, hash};
use variant_corpus::verdict::Verdict;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::Outcome;

/// How many asks of a dialect are put again at most.
const SAMPLE: usize = 256;

/// When a question is put.
const ROUNDS: [&str; 3] = ["in one process", "again in the same process", "in a fresh process"];

/// The id of an ask that is put again.
pub(super) fn id(test: &Test) -> String {
    id_by(test, Rule::AskedAgain)
}

/// The id of an ask under one rule more.
pub(super) fn id_by(test: &Test, rule: Rule) -> String {
    let (case, op) = test.id.rsplit_once(':').unwrap_or((&test.id, ""));
    format!("{case}~{}:{op}", rule.name())
}

/// Asks a sample of each part again, and records whether the answers are the same.
pub(super) fn ask_again<W: Write>(
    run: &Run<'_>,
    parts: &[Part<'_>],
    handshake: &Handshake,
    course: &mut Course<'_>,
    ledger: &mut Ledger<'_, W>,
) -> Result<(), RunError> {
    if run.derivation == Derivation::None {
        return Ok(());
    }
    let mut trials: Vec<Trials> =
        parts.iter().map(|part| Trials::of(part, &run.recorder(part.dialect, handshake, ledger))).collect();
    if trials.iter().all(|trials| trials.tests.is_empty()) {
        return Ok(());
    }
    let mut rounds = 0;
    for round in 0..ROUNDS.len() {
        // Where no process holds anything, the second time was as fresh as the third would be.
        if round == 2 && !course.implementation.refresh() {
            break;
        }
        for trials in &mut trials {
            trials.send(round, course);
        }
        rounds += 1;
    }
    if course.unusable.is_some() {
        return Ok(());
    }
    for (part, trials) in parts.iter().zip(&trials) {
        let mut recorder = run.recorder(part.dialect, handshake, ledger);
        for (test, outcomes) in
            trials.tests.iter().zip(&trials.outcomes).filter(|(_, outcomes)| outcomes.len() == rounds)
        {
            record(&mut recorder, test, outcomes);
        }
        recorder.check()?;
    }
    Ok(())
}

/// Asks, and what came of each, time after time.
struct Trials {
    tests: Vec<Test>,
    outcomes: Vec<Vec<Outcome>>,
}

impl Trials {
    /// A sample of authored asks, as many of each type and operation.
    fn of<W: Write>(part: &Part<'_>, recorder: &Recorder<'_, '_, W>) -> Self {
        let mut cells: BTreeMap<_, Vec<&Test>> = BTreeMap::new();
        let suitable = |test: &&Test| {
            let selected = recorder.run.only.as_ref().is_none_or(|only| only.is_match(&id(test)));
            test.rule.is_none() && selected && recorder.claims(test) && !recorder.ledger.has_died(&test.id)
        };
        for test in part.tests.iter().filter(suitable) {
            cells.entry((&test.layout, test.op)).or_default().push(test);
        }
        let most = cells.values().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..most).flat_map(|turn| cells.values().filter_map(move |cell| cell.get(turn)));
        let tests: Vec<Test> = in_turn
            .take(SAMPLE)
            .map(|test| Test { id: id(test), rule: Some(Rule::AskedAgain), ..(*test).clone() })
            .collect();
        Self { outcomes: vec![Vec::new(); tests.len()], tests }
    }

    /// Asks all of them once more, in the order of this round.
    fn send(&mut self, round: usize, course: &mut Course<'_>) {
        let mut order: Vec<usize> = (0..self.tests.len()).collect();
        order.sort_by_cached_key(|place| hash(&format!("{round} {}", self.tests[*place].id)));
        let tests: Vec<&Test> = order.iter().map(|place| &self.tests[*place]).collect();
        let outcomes = &mut self.outcomes;
        course.repeat(&tests, &mut |place, outcome| outcomes[order[place]].push(outcome));
    }
}

/// Records whether all answers are the same.
fn record<W: Write>(recorder: &mut Recorder<'_, '_, W>, test: &Test, outcomes: &[Outcome]) {
    recorder.ledger.repeated += 1;
    let findings: Vec<Finding> = outcomes.iter().map(|outcome| recorder.judge.judge(test, outcome)).collect();
    let shown = |recorder: &Recorder<'_, '_, W>, trial: usize| {
        detail::detail(recorder.run, &recorder.judge, test, &findings[trial], &outcomes[trial])
    };
    if let Some(trial) = findings.iter().position(|finding| is_deadly(finding.verdict)) {
        let detail = shown(recorder, trial);
        if findings[trial].verdict == Verdict::NotRun {
            recorder.ledger.count(Verdict::NotRun);
        }
        recorder.file(test, &findings[trial], &outcomes[trial], Some(detail));
        return;
    }
    let mut finding = findings[0].clone();
    finding.reason = None;
    let first = (&findings[0], &outcomes[0]);
    let Some(other) = findings.iter().zip(outcomes).position(|other| !alike(recorder, first, other)) else {
        // What is wrong each time was said the first time.
        finding.verdict = Verdict::Pass;
        recorder.file(test, &finding, &outcomes[0], None);
        return;
    };
    finding.verdict = Verdict::Nondeterministic;
    finding.note = format!("two answers to one question: - {}, + {}", ROUNDS[0], ROUNDS[other]);
    let detail = Detail { expected: shown(recorder, 0).actual, note: finding.note.clone(), ..shown(recorder, other) };
    recorder.file(test, &finding, &outcomes[0], Some(detail));
}

/// Whether two answers to one question are the same. Two that are right are: bytes that nobody writes may differ.
fn alike<W: Write>(
    recorder: &Recorder<'_, '_, W>,
    (first, first_outcome): (&Finding, &Outcome),
    (other, other_outcome): (&Finding, &Outcome),
) -> bool {
    let right = |finding: &Finding| matches!(finding.verdict, Verdict::Pass | Verdict::Relaxed | Verdict::Resource);
    let observed = |finding, outcome| detail::observed(&recorder.judge, finding, outcome);
    right(first) && right(other)
        || (first.verdict, first.reason) == (other.verdict, other.reason)
            && observed(first, first_outcome) == observed(other, other_outcome)
}
