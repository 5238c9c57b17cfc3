//! The order check: does a test fail only because of the requests before it? The smallest test of each kind of failure is sent
//! again to a fresh process. If it passes there, what it shows is state that is kept between requests.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use variant_corpus::test::{Rule, Test, TestId, Variants};
use variant_corpus::verdict::Verdict;
use variant_values::implementation::Outcome;

use super::executor::Executor;
use super::result_sink::ResultSink;
use super::{DialectTests, RunError, detail};
use crate::judge::Judgement;
use crate::results::{Detail, DetailSide};

/// Of this many kinds, those of the most failures, each test gets a process of its own. The others share one: what fails
/// there too, may fail because of the tests before it there.
const ALONE: usize = 3;
/// How many tests that pass in the shared process are sent alone too.
const CONFIRMED: usize = 4;
/// In how many fresh processes a test has to pass: one that fails now and then is not to be blamed on order.
const TIMES: usize = 6;

/// The id of the order check of a test.
pub(super) fn id(test: &Test) -> TestId {
    test.id.by(Rule::Alone)
}

/// Records the failures that depend on order.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.derivation == Variants::None || sink.totals.executed < 2 {
        return Ok(());
    }
    let tests = smallest(parts, sink);
    confirm(&tests, executor, sink);
    sink.check()
}

/// Records the tests that fail only after others.
fn confirm(tests: &[(&DialectTests<'_>, &Test)], executor: &mut Executor<'_>, sink: &mut ResultSink<'_>) {
    if tests.is_empty() || !executor.implementation.restart() {
        return;
    }
    let mut passed = vec![false; tests.len()];
    let together: Vec<&Test> = tests.iter().map(|(_, test)| *test).collect();
    executor.repeat(&together, &mut |place, outcome| {
        passed[place] = passes(tests[place], &outcome);
        true
    });
    let mut sent_alone = 0;
    for (place, &(part, test)) in tests.iter().enumerate() {
        // The first one was alone in the shared process, so far.
        if !passed[place] && !(1..ALONE).contains(&place) {
            continue;
        }
        if passed[place] && sent_alone == CONFIRMED {
            continue;
        }
        sent_alone += usize::from(passed[place]);
        if let Some(outcome) = passes_alone(part, test, executor) {
            record(part, sink, test, &outcome);
        }
    }
}

/// The outcome of a test that passes whenever it is the first in a fresh process.
fn passes_alone(part: &DialectTests<'_>, test: &Test, executor: &mut Executor<'_>) -> Option<Outcome> {
    let mut last = None;
    for _ in 0..TIMES {
        executor.implementation.restart();
        last = executor.once(test);
        last.as_ref().filter(|outcome| passes((part, test), outcome))?;
    }
    last
}

/// The smallest test of each kind of failure, by type, operation and verdict: those of the most failures first. What got no
/// answer has been sent alone already.
fn smallest<'p, 'a>(parts: &'p [DialectTests<'a>], sink: &ResultSink<'_>) -> Vec<(&'p DialectTests<'a>, &'p Test)> {
    let is_selected = |test: &Test| sink.run.only.as_ref().is_none_or(|only| only.is_match(&id(test)));
    let mut kinds = BTreeMap::new();
    for (part, test) in parts.iter().flat_map(|part| part.tests.iter().map(move |test| (part, test))) {
        let Some(verdict) = sink.failed(&test.id) else { continue };
        // What is declared or costs too much is right: it would pass alone too.
        let fails = matches!(verdict, Verdict::Fail(_) | Verdict::NonCanonical);
        if !fails || sink.has_died(&test.id) || !is_selected(test) {
            continue;
        }
        let size = (test.rule.is_some(), test.packet().map_or(0, |packet| packet.bytes.len()));
        let (count, least, found) =
            kinds.entry((&test.dialect, &test.layout, test.op, verdict)).or_insert((0, size, (part, test)));
        *count += 1;
        if size < *least {
            (*least, *found) = (size, (part, test));
        }
    }
    let mut kinds: Vec<_> = kinds.into_values().collect();
    kinds.sort_by_key(|(count, ..)| Reverse(*count));
    kinds.into_iter().map(|(_, _, found)| found).collect()
}

fn passes((part, test): (&DialectTests<'_>, &Test), outcome: &Outcome) -> bool {
    matches!(part.judge.judge(test, outcome).verdict, Verdict::Pass | Verdict::DeclaredLoss)
}

fn record(part: &DialectTests<'_>, sink: &mut ResultSink<'_>, test: &Test, outcome: &Outcome) {
    let alone = Test { id: id(test), rule: Some(Rule::Alone), ..test.clone() };
    let note = "failed in this run, after other requests, and passes when it is sent alone to a fresh process";
    let judgement = Judgement::noted(Verdict::OrderDependent, note);
    let failed = sink.failed(&test.id).map(|verdict| verdict.to_string()).unwrap_or_default();
    let detail = Detail {
        expected: DetailSide::Sentence("the same reply, whatever was sent before".to_owned()),
        actual: DetailSide::Sentence(format!("after other requests: {failed}; alone: pass")),
        rule: "the reply to a request does not depend on earlier requests".to_owned(),
        ..detail::detail(sink.run, &part.judge, test, &judgement, outcome)
    };
    sink.put_repeated(&alone, judgement.verdict, detail);
}
