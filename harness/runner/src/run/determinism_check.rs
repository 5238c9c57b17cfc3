//! The determinism check: a sample of the tests is sent again, twice to one process and once to a fresh one, each time
//! in another order. Requests of all dialects take turns: whoever ignores the dialect of a request answers otherwise.

use std::collections::BTreeMap;

use variant_corpus::test::{Rule, Test, TestId, Variants, hash};
use variant_corpus::verdict::Verdict;
use variant_values::implementation::{Answer, Outcome};

use super::executor::Executor;
use super::result_sink::{ResultSink, is_deadly};
use super::{DialectTests, Run, RunError, detail};
use crate::judge::{Judge, Judgement};
use crate::results::Detail;

/// How many tests of a dialect are sent again at most.
const SAMPLE: usize = 256;

const ROUNDS: [&str; 3] = ["in one process", "again in the same process", "in a fresh process"];

/// The id of the determinism check of a test.
pub(super) fn id(test: &Test) -> TestId {
    test.id.by(Rule::AskedAgain)
}

/// Sends a sample of each dialect's tests again, and records whether the answers are the same.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.derivation == Variants::None {
        return Ok(());
    }
    let mut samples: Vec<TestSample> = parts.iter().map(|part| TestSample::of(part, sink)).collect();
    if samples.iter().all(|sample| sample.tests.is_empty()) {
        return Ok(());
    }
    let mut rounds = 0;
    for round in 0..ROUNDS.len() {
        // If nothing is kept between requests, the second round was as fresh as a third would be.
        if round == 2 && !executor.implementation.restart() {
            break;
        }
        send(round, parts, &mut samples, executor, sink.run);
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
struct TestSample {
    tests: Vec<Test>,
    outcomes: Vec<Vec<SeenOutcome>>,
}

/// An outcome, as far as it is needed when all have come: hundreds are kept, and each may be megabytes.
struct SeenOutcome {
    /// Without the value or the packet, if that is long.
    outcome: Outcome,
    /// What was made of a long one.
    long: Option<Box<Long>>,
}

struct Long {
    judgement: Judgement,
    observed: Option<String>,
    detail: Detail,
}

/// A longer answer is not kept, in bytes.
const LONG: usize = 4096;

impl SeenOutcome {
    fn new(outcome: Outcome, judge: &Judge<'_>, run: &Run<'_>, test: &Test) -> Self {
        if outcome.answer.size() <= LONG {
            return Self { outcome, long: None };
        }
        let judgement = judge.judge(test, &outcome);
        let observed = detail::observed(judge, test, &outcome);
        let detail = detail::detail(run, judge, test, &judgement, &outcome);
        let outcome = Outcome { answer: Answer::Bytes(Vec::new()), ..outcome };
        Self { outcome, long: Some(Box::new(Long { judgement, observed, detail })) }
    }

    fn judgement(&self, judge: &Judge<'_>, test: &Test) -> Judgement {
        self.long.as_ref().map_or_else(|| judge.judge(test, &self.outcome), |long| long.judgement.clone())
    }

    fn observed(&self, judge: &Judge<'_>, test: &Test) -> Option<String> {
        match &self.long {
            Some(long) => long.observed.clone(),
            None => detail::observed(judge, test, &self.outcome),
        }
    }

    fn detail(&self, run: &Run<'_>, judge: &Judge<'_>, test: &Test, judgement: &Judgement) -> Detail {
        match &self.long {
            Some(long) => long.detail.clone(),
            None => detail::detail(run, judge, test, judgement, &self.outcome),
        }
    }
}

impl TestSample {
    /// A sample of tests of cases, spread evenly over types and operations.
    fn of(part: &DialectTests<'_>, sink: &ResultSink<'_>) -> Self {
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
        Self { outcomes: tests.iter().map(|_| Vec::new()).collect(), tests }
    }
}

/// Sends all tests of all samples once more, in the order of this round.
fn send(
    round: usize,
    parts: &[DialectTests<'_>],
    samples: &mut [TestSample],
    executor: &mut Executor<'_>,
    run: &Run<'_>,
) {
    let places =
        |(of, sample): (usize, &TestSample)| (0..sample.tests.len()).map(move |place| (of, place)).collect::<Vec<_>>();
    let mut order: Vec<(usize, usize)> = samples.iter().enumerate().flat_map(places).collect();
    order.sort_by_cached_key(|(of, place)| hash(&format!("{round} {}", samples[*of].tests[*place].id)));
    let tests: Vec<&Test> = order.iter().map(|(of, place)| &samples[*of].tests[*place]).collect();
    let mut seen = Vec::with_capacity(tests.len());
    executor.repeat(&tests, &mut |place, outcome| {
        let (of, _) = order[place];
        seen.push((order[place], SeenOutcome::new(outcome, &parts[of].judge, run, tests[place])));
        true
    });
    for ((of, place), seen) in seen {
        samples[of].outcomes[place].push(seen);
    }
}

/// Records whether all answers are the same.
fn record(judge: &Judge<'_>, sink: &mut ResultSink<'_>, test: &Test, outcomes: &[SeenOutcome]) {
    let judgements: Vec<Judgement> = outcomes.iter().map(|seen| seen.judgement(judge, test)).collect();
    let run = sink.run;
    let shown = |round: usize| outcomes[round].detail(run, judge, test, &judgements[round]);
    if let Some(round) = judgements.iter().position(|judgement| is_deadly(judgement.verdict)) {
        if matches!(judgements[round].verdict, Verdict::NotRun | Verdict::Skipped) {
            sink.count(judgements[round].verdict);
            return;
        }
        sink.repeated += 1;
        sink.put(judge, test, judgements[round].clone(), &outcomes[round].outcome, Some(shown(round)));
        return;
    }
    sink.repeated += 1;
    let mut judgement = judgements[0].clone();
    let first = (&judgements[0], &outcomes[0]);
    let Some(other) = judgements.iter().zip(outcomes).position(|other| !is_same(judge, test, first, other)) else {
        // What is wrong each time is in the record already.
        judgement.verdict = Verdict::Pass;
        sink.put(judge, test, judgement, &outcomes[0].outcome, None);
        return;
    };
    judgement.verdict = Verdict::Nondeterministic;
    judgement.note = format!("two replies to one request: - {}, + {}", ROUNDS[0], ROUNDS[other]);
    let detail = Detail { expected: shown(0).actual, note: judgement.note.clone(), ..shown(other) };
    sink.put(judge, test, judgement, &outcomes[0].outcome, Some(detail));
}

/// Whether two answers to one request are the same. Two right answers are: bytes that engines leave unwritten may
/// differ.
fn is_same(
    judge: &Judge<'_>,
    test: &Test,
    (first, first_seen): (&Judgement, &SeenOutcome),
    (other, other_seen): (&Judgement, &SeenOutcome),
) -> bool {
    let right =
        |judgement: &Judgement| matches!(judgement.verdict, Verdict::Pass | Verdict::DeclaredLoss | Verdict::Resource);
    right(first) && right(other)
        || first.verdict == other.verdict && first_seen.observed(judge, test) == other_seen.observed(judge, test)
}
