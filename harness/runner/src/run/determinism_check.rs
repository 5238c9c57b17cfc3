//! The determinism check: a sample of the tests is sent again, twice to one process and once to a fresh one, each time
//! in another order.

use std::collections::BTreeMap;

use variant_corpus::test::{Derivation, Rule, Test, hash};
use variant_corpus::verdict::Verdict;
use variant_wire::implementation::Outcome;

use super::executor::Executor;
use super::result_sink::{ResultSink, is_deadly};
use super::{Part, RunError, detail};
use crate::judge::{Judge, Judgement};
use crate::results::Detail;

/// How many tests of a dialect are sent again at most.
const SAMPLE: usize = 256;

const ROUNDS: [&str; 3] = ["in one process", "again in the same process", "in a fresh process"];

/// The id of the determinism check of a test.
pub(super) fn id(test: &Test) -> String {
    id_by(test, Rule::AskedAgain)
}

/// The id of a test under one more rule.
pub(super) fn id_by(test: &Test, rule: Rule) -> String {
    let (case, op) = test.id.rsplit_once(':').unwrap_or((&test.id, ""));
    format!("{case}~{}:{op}", rule.name())
}

/// Sends a sample of each dialect's tests again, and records whether the answers are the same.
pub(super) fn check(
    parts: &[Part<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.derivation == Derivation::None {
        return Ok(());
    }
    let mut samples: Vec<Sample> = parts.iter().map(|part| Sample::of(part, sink)).collect();
    if samples.iter().all(|sample| sample.tests.is_empty()) {
        return Ok(());
    }
    let mut rounds = 0;
    for round in 0..ROUNDS.len() {
        // If nothing is kept between requests, the second round was as fresh as a third would be.
        if round == 2 && !executor.implementation.refresh() {
            break;
        }
        for sample in &mut samples {
            sample.send(round, executor);
        }
        rounds += 1;
    }
    if executor.stopped.is_some() {
        return Ok(());
    }
    for (part, sample) in parts.iter().zip(&samples) {
        for (test, outcomes) in sample.tests.iter().zip(&sample.outcomes) {
            if outcomes.len() == rounds {
                record(&part.judge, sink, test, outcomes);
            }
        }
        sink.check()?;
    }
    Ok(())
}

/// Tests, and the outcomes of each, round by round.
struct Sample {
    tests: Vec<Test>,
    outcomes: Vec<Vec<Outcome>>,
}

impl Sample {
    /// A sample of authored tests, spread evenly over types and operations.
    fn of(part: &Part<'_>, sink: &ResultSink<'_>) -> Self {
        let mut cells: BTreeMap<_, Vec<&Test>> = BTreeMap::new();
        let suitable = |test: &&Test| {
            let selected = sink.run.only.as_ref().is_none_or(|only| only.is_match(&id(test)));
            test.rule.is_none() && selected && sink.claims(test) && !sink.has_died(&test.id)
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

    /// Sends all of them once more, in the order of this round.
    fn send(&mut self, round: usize, executor: &mut Executor<'_>) {
        let mut order: Vec<usize> = (0..self.tests.len()).collect();
        order.sort_by_cached_key(|place| hash(&format!("{round} {}", self.tests[*place].id)));
        let tests: Vec<&Test> = order.iter().map(|place| &self.tests[*place]).collect();
        let outcomes = &mut self.outcomes;
        executor.repeat(&tests, &mut |place, outcome| outcomes[order[place]].push(outcome));
    }
}

/// Records whether all answers are the same.
fn record(judge: &Judge<'_>, sink: &mut ResultSink<'_>, test: &Test, outcomes: &[Outcome]) {
    let judgements: Vec<Judgement> = outcomes.iter().map(|outcome| judge.judge(test, outcome)).collect();
    let run = sink.run;
    let shown = |round: usize| detail::detail(run, judge, test, &judgements[round], &outcomes[round]);
    if let Some(round) = judgements.iter().position(|judgement| is_deadly(judgement.verdict)) {
        if matches!(judgements[round].verdict, Verdict::NotRun | Verdict::Skipped) {
            sink.count(judgements[round].verdict);
            return;
        }
        sink.repeated += 1;
        sink.put(judge, test, judgements[round].clone(), &outcomes[round], Some(shown(round)));
        return;
    }
    sink.repeated += 1;
    let mut judgement = Judgement { reason: None, ..judgements[0].clone() };
    let first = (&judgements[0], &outcomes[0]);
    let Some(other) = judgements.iter().zip(outcomes).position(|other| !is_same(judge, first, other)) else {
        // What is wrong each time is in the record already.
        judgement.verdict = Verdict::Pass;
        sink.put(judge, test, judgement, &outcomes[0], None);
        return;
    };
    judgement.verdict = Verdict::Nondeterministic;
    judgement.note = format!("two answers to one request: - {}, + {}", ROUNDS[0], ROUNDS[other]);
    let detail = Detail { expected: shown(0).actual, note: judgement.note.clone(), ..shown(other) };
    sink.put(judge, test, judgement, &outcomes[0], Some(detail));
}

/// Whether two answers to one request are the same. Two right answers are: bytes that engines leave unwritten may
/// differ.
fn is_same(
    judge: &Judge<'_>,
    (first, first_outcome): (&Judgement, &Outcome),
    (other, other_outcome): (&Judgement, &Outcome),
) -> bool {
    let right =
        |judgement: &Judgement| matches!(judgement.verdict, Verdict::Pass | Verdict::Relaxed | Verdict::Resource);
    right(first) && right(other)
        || (first.verdict, first.reason) == (other.verdict, other.reason)
            && detail::observed(judge, first, first_outcome) == detail::observed(judge, other, other_outcome)
}
