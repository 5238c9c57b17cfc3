//! The order check: does a test fail only because of the requests before it? The smallest test of each kind of failure is sent
//! again to a fresh process. If one passes there, state is kept between requests, and all that fails is sent again in other
//! orders, those of such kinds first: what passes in one of them shows that state and nothing else. What fails in each is a
//! failure like others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use variant_codec::Refusal;
use variant_corpus::Class;
use variant_corpus::test::{Rule, Test, TestId, Variants, hash};
use variant_corpus::verdict::Verdict;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Outcome};

use super::detail::{self, Extent};
use super::executor::Executor;
use super::plan::{DialectTests, RunError, checking};
use super::result_sink::ResultSink;
use crate::judge::Judgement;
use crate::results::Detail;

/// So many kinds of failures each get a process of their own. Of more, a few share one: the fewer, the less was sent before.
const ALONE: usize = 16;
const TOGETHER: usize = 8;
/// So long is looked for state.
const SUSPICION: Duration = Duration::from_secs(5);
/// How many tests that pass there are sent alone several times: one that fails now and then is not to be blamed on order.
pub(super) const CONFIRMED: usize = 4;
/// How many times.
const TIMES: usize = 6;

/// How many times in a row: a map of two keys in Go is in its own order seven times of eight.
const AGAIN: usize = 64;

/// In how many other orders what has not passed yet is sent again.
const ORDERS: usize = 4;
/// By how many processes in each order: the less each gets, the less was sent before. Where there is time for it, each gets one
/// of its own.
const PROCESSES: usize = 64;

/// After this time, no more is sent again: a program may take a second to start.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.variants == Variants::None || sink.end.executed < 2 {
        return Ok(());
    }
    let tests = smallest(parts, sink);
    let mut dependent = confirmed(&tests, executor);
    if !dependent.is_empty() {
        let kinds = dependent.iter().map(|(_, test)| kind(test, sink)).collect();
        let began = Instant::now();
        dependent.extend(after_what_is_right(parts, began, executor, sink));
        let known: BTreeSet<&TestId> = dependent.iter().map(|(_, test)| &test.id).collect();
        let left = failing(parts, sink).filter(|(_, test)| !known.contains(&test.id)).collect();
        dependent.extend(in_other_orders(left, &kinds, began, executor, sink));
    }
    let mut known = BTreeSet::new();
    dependent.retain(|(_, test)| known.insert(&test.id));
    for (part, test) in dependent {
        record(part, sink, test);
    }
    sink.check()
}

/// A test, and the part of the run that it is in.
type Sent<'p, 'a> = (&'p DialectTests<'a>, &'p Test);

/// The tests of these that fail only after others.
fn confirmed<'p, 'a>(tests: &[Sent<'p, 'a>], executor: &mut Executor<'_>) -> Vec<Sent<'p, 'a>> {
    let mut confirmed = Vec::new();
    let began = Instant::now();
    let processes = tests.len().div_ceil(TOGETHER).max(tests.len().min(ALONE));
    for process in 0..processes {
        if began.elapsed() > SUSPICION || !executor.implementation.restart() {
            break;
        }
        // What is refused leaves the least behind, and what is allowed objects the most.
        let mut sent: Vec<Sent<'p, 'a>> = tests[process..].iter().step_by(processes).copied().collect();
        sent.sort_by_key(|(_, test)| (test.case.objects, test.expected.class != Class::Invalid));
        let passed = passing(&sent, executor);
        for (sent, passed) in sent.into_iter().zip(passed) {
            let times = if confirmed.len() < CONFIRMED { TIMES } else { 1 };
            if passed && passes_alone(sent, executor, times) && (times == 1 || is_steady(sent, executor)) {
                confirmed.push(sent);
            }
        }
    }
    confirmed
}

/// The failures that pass behind requests that are answered rightly: what a refusal leaves behind is mostly gone then.
fn after_what_is_right<'p, 'a>(
    parts: &'p [DialectTests<'a>],
    began: Instant,
    executor: &mut Executor<'_>,
    sink: &ResultSink<'_>,
) -> Vec<Sent<'p, 'a>> {
    let sent = || parts.iter().flat_map(|part| part.tests.iter().map(move |test| (part, test)));
    let is_calm = |(_, test): &Sent<'_, '_>| {
        let is_plain = test.expected.class == Class::Canonical && test.rule.is_none();
        is_plain && sink.claims(test) && sink.not_passed(&test.id).is_none() && sink.run.selects(test, Rule::Alone)
    };
    // Who reads may keep one thing, and who writes another.
    let of = |op| sent().filter(|sent| sent.1.op == op).find(is_calm);
    let calm: Vec<Sent<'p, 'a>> = [Op::Decode, Op::Encode].into_iter().filter_map(of).collect();
    let failing: Vec<Sent<'p, 'a>> = failing(parts, sink).collect();
    let mut dependent = Vec::new();
    // The first of them may be answered wrongly, for what was before.
    for tests in failing.chunks(PROCESSES).take_while(|_| !calm.is_empty() && began.elapsed() < PATIENCE / 2) {
        let behind = |test: &Sent<'p, 'a>| [calm.as_slice(), &calm, &[*test]].concat();
        let passed = passing(&tests.iter().flat_map(behind).collect::<Vec<_>>(), executor);
        for (test, passed) in tests.iter().zip(passed.chunks(2 * calm.len() + 1)) {
            if passed[calm.len()..].iter().all(|passed| *passed) {
                dependent.push(*test);
            }
        }
    }
    dependent
}

/// The failures that pass in another order; every second process gets those of suspected kinds. If whatever of a type and
/// operation comes first in a process passes, all of them do.
fn in_other_orders<'p, 'a>(
    left: Vec<Sent<'p, 'a>>,
    suspected: &BTreeSet<Kind<'p>>,
    began: Instant,
    executor: &mut Executor<'_>,
    sink: &ResultSink<'_>,
) -> Vec<Sent<'p, 'a>> {
    // Whether it was the first in a process already, and the test.
    let mut left: Vec<(bool, Sent<'p, 'a>)> = left.into_iter().map(|sent| (false, sent)).collect();
    // Of each type and operation, whether all passed that came first in a process.
    let (mut dependent, mut firsts) = (Vec::new(), BTreeMap::new());
    let (orders, mut started) = (Instant::now(), 0);
    for round in 0..ORDERS {
        left.sort_by_cached_key(|(was_first, (_, test))| (*was_first, hash(&format!("{round} {}", test.id))));
        left = in_turn(left, |(_, (_, test))| suspected.contains(&kind(test, sink)));
        let mut led: BTreeSet<(&str, Op)> = firsts.keys().copied().collect();
        let (mut leading, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(_, (_, test))| led.insert((&*test.layout, test.op)));
        let mut of_op: BTreeMap<Op, usize> = BTreeMap::new();
        leading.sort_by_cached_key(|(_, (_, test))| {
            let place = of_op.entry(test.op).or_default();
            *place += 1;
            *place
        });
        left = [leading, others].concat();
        let mut failed = Vec::new();
        let each = (orders.elapsed() / started.max(1)).saturating_mul(u32::try_from(left.len()).unwrap_or(u32::MAX));
        let has_time = round > 0 && began.elapsed() + each < PATIENCE;
        let processes = if has_time { left.len() } else { PROCESSES.min(left.len()) };
        for process in 0..processes {
            let mut tests: Vec<_> = left[process..].iter().step_by(processes).copied().collect();
            // What is allowed objects leaves the most behind.
            if round % 2 == 0 {
                tests.sort_by_key(|(_, (_, test))| test.case.objects);
            }
            if began.elapsed() > PATIENCE {
                failed.extend(tests);
                continue;
            }
            executor.implementation.restart();
            started += 1;
            let passed = passing(&tests.iter().map(|(_, sent)| *sent).collect::<Vec<_>>(), executor);
            let (_, (_, first)) = tests[0];
            *firsts.entry((&*first.layout, first.op)).or_insert(true) &= passed[0];
            for (place, ((was_first, sent), passed)) in tests.into_iter().zip(passed).enumerate() {
                // What is kept may be why it is refused.
                if passed && (place == 0 || sent.1.expected.class != Class::Invalid) {
                    dependent.push(sent);
                } else {
                    failed.push((was_first || place == 0, sent));
                }
            }
        }
        // What passes in no other order is of no order.
        let is_last = failed.len() == left.len() || failed.iter().all(|(was_first, _)| *was_first);
        left = failed;
        if is_last {
            break;
        }
    }
    // Of a type that never came first, the others of its operation speak.
    let first_passes = |(_, test): &Sent<'_, '_>| {
        let mut of_op = firsts.iter().filter(|((_, op), _)| *op == test.op).peekable();
        let mut all_of_op = || of_op.peek().is_some() && of_op.all(|(_, passed)| *passed);
        firsts.get(&(&*test.layout, test.op)).copied().unwrap_or_else(&mut all_of_op)
    };
    dependent.extend(left.into_iter().map(|(_, sent)| sent).filter(first_passes));
    dependent
}

/// The suspected and the others in turn, as long as there are both.
fn in_turn<T>(all: Vec<T>, is_suspected: impl Fn(&T) -> bool) -> Vec<T> {
    let (suspected, others): (Vec<T>, Vec<T>) = all.into_iter().partition(is_suspected);
    let (mut suspected, mut others) = (suspected.into_iter(), others.into_iter());
    let mut mixed = Vec::new();
    while suspected.len() > 0 || others.len() > 0 {
        mixed.extend(suspected.next());
        mixed.extend(others.next());
    }
    mixed
}

/// Which of these pass, sent one after the other.
fn passing(tests: &[Sent<'_, '_>], executor: &mut Executor<'_>) -> Vec<bool> {
    let mut passed = vec![false; tests.len()];
    let sent: Vec<&Test> = tests.iter().map(|(_, test)| *test).collect();
    executor.repeat(&sent, &mut |place, outcome| {
        passed[place] = passes(tests[place], &outcome);
        true
    });
    passed
}

/// Whether a test passes so many times as the first in a fresh process.
fn passes_alone(sent: Sent<'_, '_>, executor: &mut Executor<'_>, times: usize) -> bool {
    (0..times).all(|_| {
        executor.implementation.restart();
        executor.once(sent.1).is_some_and(|outcome| passes(sent, &outcome))
    })
}

/// Whether a test that is sent again and again either stays right or stays wrong: what changes back is of chance.
pub(super) fn is_steady(sent: Sent<'_, '_>, executor: &mut Executor<'_>) -> bool {
    let passed = passing(&[sent; AGAIN], executor);
    passed.into_iter().skip_while(|passed| *passed).all(|passed| !passed)
}

/// The tests that failed. What got no answer has been sent alone already.
fn failing<'p, 'a>(parts: &'p [DialectTests<'a>], sink: &ResultSink<'_>) -> impl Iterator<Item = Sent<'p, 'a>> {
    parts.iter().flat_map(|part| part.tests.iter().map(move |test| (part, test))).filter_map(|(part, test)| {
        let verdict = sink.not_passed(&test.id)?.verdict;
        // What is declared or costs too much is right: it would pass alone too.
        let fails = matches!(verdict, Verdict::Fail(_) | Verdict::NonCanonical);
        (fails && sink.run.selects(test, Rule::Alone)).then_some((part, test))
    })
}

/// A kind of failure: a type, an operation, a verdict and how it looks.
type Kind<'p> = (&'p str, Op, Verdict, String);

fn kind<'p>(test: &'p Test, sink: &ResultSink<'_>) -> Kind<'p> {
    let verdict = sink.not_passed(&test.id).map_or(Verdict::Pass, |failed| failed.verdict);
    (&test.layout, test.op, verdict, look(test, sink))
}

/// The name of the field that is wrong, or why it must be refused.
fn look(test: &Test, sink: &ResultSink<'_>) -> String {
    let path = sink.not_passed(&test.id).and_then(|failed| failed.field.as_deref());
    let field = path.map(|path| path.rsplit('.').next().unwrap_or(path));
    let kind = || test.expected.rejects.as_ref().map(|rejects| rejects.kind.name());
    field.or_else(kind).unwrap_or_default().to_owned()
}

/// The smallest test of each kind of failure: those of the most failures first. How much stack is left for what nests deep
/// depends on how long a process runs, in Java: that shows no state.
fn smallest<'p, 'a>(parts: &'p [DialectTests<'a>], sink: &ResultSink<'_>) -> Vec<Sent<'p, 'a>> {
    let mut kinds = BTreeMap::new();
    let is_deep = |test: &Test| {
        test.is_deep() || test.expected.rejects.as_ref().is_some_and(|rejects| rejects.kind == Refusal::TooDeep)
    };
    for (part, test) in failing(parts, sink).filter(|(_, test)| !is_deep(test)) {
        let size = (test.rule.is_some(), test.packet().map_or(0, |packet| packet.bytes.len()));
        let (count, least, found) = kinds.entry(kind(test, sink)).or_insert((0, size, (part, test)));
        *count += 1;
        if size < *least {
            (*least, *found) = (size, (part, test));
        }
    }
    let mut kinds: Vec<_> = kinds.into_values().collect();
    kinds.sort_by_key(|(count, ..)| Reverse(*count));
    kinds.into_iter().map(|(_, _, found)| found).collect()
}

fn passes((part, test): Sent<'_, '_>, outcome: &Outcome) -> bool {
    matches!(part.judge.judge(test, outcome).verdict, Verdict::Pass | Verdict::DeclaredLoss)
}

fn record(part: &DialectTests<'_>, sink: &mut ResultSink<'_>, test: &Test) {
    let Some(failed) = sink.not_passed(&test.id) else { return };
    let note = format!("{} in this run, after other requests; right in another order", failed.verdict);
    let mut judgement = Judgement::noted(failed.verdict, &note);
    let outcome = Answer::NotRun(String::new()).into();
    let detail = Detail {
        actual: failed.actual.clone(),
        rule: "the reply to a request does not depend on earlier requests".to_owned(),
        ..detail::detail(sink.run, &part.judge, test, &judgement, &outcome, Extent::FULL)
    };
    judgement.verdict = Verdict::OrderDependent;
    sink.put(&part.judge, &checking(test, Rule::Alone), judgement, &outcome, Some(detail));
}
