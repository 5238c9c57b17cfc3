//! The determinism check: a sample of the tests is sent again, twice to one process and once to a fresh one, each time
//! in another order. Requests of all dialects take turns: whoever ignores the dialect of a request answers otherwise.

use std::collections::BTreeMap;

use variant_codec::Codec;
use variant_corpus::test::{Rule, Test, Variants, hash};
use variant_corpus::verdict::{Severity, Verdict};
use variant_values::compare::{is_packet_but_for_losses, is_value_but_for_losses};
use variant_values::implementation::{Answer, Outcome};

use super::detail::{self, Extent};
use super::executor::Executor;
use super::order_check;
use super::plan::{DialectTests, Run, RunError, checking};
use super::result_sink::ResultSink;
use crate::judge::{Judge, Judgement};
use crate::results::Detail;

/// How many tests of a dialect are sent again at most.
const SAMPLE: usize = 256;

const ROUNDS: [&str; 3] = ["in one process", "again in the same process", "in a fresh process"];

/// Sends a sample of each dialect's tests again, and records whether the answers are the same.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.variants == Variants::None {
        return Ok(());
    }
    let mut samples: Vec<TestSample> = parts.iter().map(|part| TestSample::of(part, sink)).collect();
    if samples.iter().all(|sample| sample.tests.is_empty()) {
        return Ok(());
    }
    let mut rounds = 0;
    // If nothing is kept between requests, the second round was as fresh as a third would be.
    while rounds < 2 || rounds < ROUNDS.len() && executor.implementation.restart() {
        send(rounds, parts, &mut samples, executor, sink.run);
        rounds += 1;
    }
    if executor.stopped.is_some() {
        return Ok(());
    }
    let mixed: Vec<_> =
        parts.iter().zip(&samples).flat_map(|(part, sample)| sample.mixed().map(move |test| (part, test))).collect();
    let is_chance = mixed.into_iter().take(order_check::CONFIRMED).any(|sent| {
        executor.implementation.restart();
        !order_check::is_steady(sent, executor)
    });
    for (part, sample) in parts.iter().zip(&samples) {
        for (test, outcomes) in sample.tests.iter().zip(&sample.outcomes) {
            if outcomes.len() == rounds {
                record(&part.judge, sink, test, outcomes, is_chance);
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
    judgement: Judgement,
    /// The reply as far as it can be compared, a long one cut; `None` if there is none.
    reply: Option<String>,
    /// Without the value or the packet, if that is long.
    outcome: Outcome,
    /// What was made of a long one.
    long: Option<Detail>,
}

/// A longer answer is not kept, in bytes of its packet or JSON.
const LONG: usize = 4096;

impl SeenOutcome {
    fn new(outcome: Outcome, judge: &Judge<'_>, run: &Run<'_>, test: &Test) -> Self {
        let judgement = judge.judge(test, &outcome);
        let reply = detail::observed(judge, test, &outcome);
        let length = match &outcome.answer {
            Answer::Value { value, .. } => detail::json(value, judge).len(),
            Answer::Invalid { json, .. } => json.len(),
            Answer::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        if length <= LONG {
            return Self { judgement, reply, outcome, long: None };
        }
        let long = Some(detail::detail(run, judge, test, &judgement, &outcome, Extent::FULL));
        Self { judgement, reply, outcome: Outcome { answer: Answer::Bytes(Vec::new()), ..outcome }, long }
    }

    fn detail(&self, run: &Run<'_>, judge: &Judge<'_>, test: &Test) -> Detail {
        let long = self.long.clone();
        long.unwrap_or_else(|| detail::detail(run, judge, test, &self.judgement, &self.outcome, Extent::FULL))
    }
}

impl TestSample {
    /// A sample of tests of cases, spread evenly over types and operations.
    fn of(part: &DialectTests<'_>, sink: &ResultSink<'_>) -> Self {
        let mut cells: BTreeMap<_, Vec<&Test>> = BTreeMap::new();
        let suitable = |test: &&Test| {
            let died = || sink.not_passed(&test.id).is_some_and(|known| known.verdict.is_lost());
            test.rule.is_none() && sink.run.selects(test, Rule::AskedAgain) && sink.claims(test) && !died()
        };
        for test in part.tests.iter().filter(suitable) {
            cells.entry((&test.layout, test.op)).or_default().push(test);
        }
        let most = cells.values().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..most).flat_map(|turn| cells.values().filter_map(move |cell| cell.get(turn)));
        let tests: Vec<Test> = in_turn.take(SAMPLE).map(|test| checking(test, Rule::AskedAgain)).collect();
        Self { outcomes: tests.iter().map(|_| Vec::new()).collect(), tests }
    }

    /// Those that were wrong in one round, and right in another.
    fn mixed(&self) -> impl Iterator<Item = &Test> {
        let both = |(test, seen): &(&Test, &Vec<SeenOutcome>)| {
            let is_wrong = |seen: &SeenOutcome| seen.judgement.severity(test) == Severity::Failure;
            seen.iter().any(is_wrong) && !seen.iter().all(is_wrong)
        };
        self.tests.iter().zip(&self.outcomes).filter(both).map(|(test, _)| test)
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
        seen.push((order[place], SeenOutcome::new(outcome, &parts[order[place].0].judge, run, tests[place])));
        true
    });
    for ((of, place), seen) in seen {
        samples[of].outcomes[place].push(seen);
    }
}

/// Records whether all answers are the same. One that is wrong by chance is wrong.
fn record(judge: &Judge<'_>, sink: &mut ResultSink<'_>, test: &Test, outcomes: &[SeenOutcome], is_chance: bool) {
    let (run, first) = (sink.run, &outcomes[0]);
    if let Some(seen) = outcomes.iter().find(|seen| seen.judgement.verdict.is_lost()) {
        if seen.judgement.verdict.did_not_run() {
            sink.count(seen.judgement.verdict);
            return;
        }
        sink.put(judge, test, seen.judgement.clone(), &seen.outcome, Some(seen.detail(run, judge, test)));
        return;
    }
    let mut judgement = first.judgement.clone();
    let Some(other) = outcomes.iter().position(|other| !is_same(judge, first, other)) else {
        // What is wrong each time is in the record already.
        judgement.verdict = Verdict::Pass;
        sink.put(judge, test, judgement, &first.outcome, None);
        return;
    };
    let is_wrong = |seen: &SeenOutcome| seen.judgement.severity(test) == Severity::Failure;
    let (wrong, right) = (outcomes.iter().position(is_wrong), outcomes.iter().position(|seen| !is_wrong(seen)));
    // What was wrong at first is in the record already.
    let was_right = || test.id.repeated().is_some_and(|first| sink.not_passed(&first).is_none());
    if let (Some(wrong), Some(right)) = (wrong, right)
        && was_right()
    {
        let note = format!("{}, but right {}", ROUNDS[wrong], ROUNDS[right]);
        let seen = &outcomes[wrong];
        let verdict = if is_chance { seen.judgement.verdict } else { Verdict::OrderDependent };
        let judgement = Judgement { verdict, note, ..seen.judgement.clone() };
        let detail = Detail { note: judgement.note.clone(), ..seen.detail(run, judge, test) };
        sink.put(judge, test, judgement, &seen.outcome, Some(detail));
        return;
    }
    judgement.verdict = Verdict::Nondeterministic;
    judgement.note = format!("two replies to one request: - {}, + {}", ROUNDS[0], ROUNDS[other]);
    let expected = first.detail(run, judge, test).actual;
    let detail = Detail { expected, note: judgement.note.clone(), ..outcomes[other].detail(run, judge, test) };
    sink.put(judge, test, judgement, &first.outcome, Some(detail));
}

/// Whether two answers to one request are the same. Two right answers are: bytes that engines leave unwritten may
/// differ. What is declared as lost may differ in wrong ones too.
fn is_same(judge: &Judge<'_>, first: &SeenOutcome, other: &SeenOutcome) -> bool {
    let right = |seen: &SeenOutcome| {
        matches!(seen.judgement.verdict, Verdict::Pass | Verdict::DeclaredLoss | Verdict::Resource)
    };
    let is_alike = || first.reply == other.reply || is_same_but_for_losses(judge, first, other);
    right(first) && right(other) || first.judgement.verdict == other.judgement.verdict && is_alike()
}

fn is_same_but_for_losses(judge: &Judge<'_>, first: &SeenOutcome, other: &SeenOutcome) -> bool {
    if first.long.is_some() || other.long.is_some() {
        return false;
    }
    match (&first.outcome.answer, &other.outcome.answer) {
        (Answer::Value { value: one, used }, Answer::Value { value: again, used: used_again }) => {
            used == used_again && is_value_but_for_losses(one, again, judge.lossy, &judge.dialect.layouts)
        }
        (Answer::Bytes(one), Answer::Bytes(again)) => {
            is_packet_but_for_losses(one, again, judge.lossy, &Codec::new(judge.dialect, judge.judged_by))
        }
        _ => false,
    }
}
