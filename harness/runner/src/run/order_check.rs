//! The order check: does a test fail only because of the requests before it? The smallest test of each cause is sent again
//! to a fresh process. If it passes there, what it shows is state that is kept between requests.

use std::collections::{BTreeSet, HashMap};

use variant_causes::Cause;
use variant_corpus::test::{Derivation, Rule, Test};
use variant_corpus::verdict::{Verdict, spelled};
use variant_wire::implementation::Outcome;

use super::determinism_check::id_of;
use super::executor::Executor;
use super::result_sink::ResultSink;
use super::{DialectTests, RunError, detail};
use crate::judge::Judgement;
use crate::results::{Detail, DetailSide};

/// Of this many causes, those of the most failures, each test gets a process of its own. The others share one: what fails
/// there too, may fail because of the tests before it there.
const ALONE: usize = 3;
/// How many tests that pass in the shared process are sent alone too.
const CONFIRMED: usize = 4;
/// In how many fresh processes a test has to pass: one that fails now and then is not to be blamed on order.
const TIMES: usize = 6;

/// The id and headline of the cause that all those tests have.
const CAUSE: &str = "depends-on-earlier-requests";
const HEADLINE: &str = "fails only after other requests: state is kept between requests";

/// The id of the order check of a test.
pub(super) fn id(test: &Test) -> String {
    alone(&test.id)
}

fn alone(test: &str) -> String {
    id_of(test, Rule::Alone)
}

/// Joins the failures to causes. Those that depend on order become one.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.derivation == Derivation::None || sink.totals.executed < 2 {
        return Ok(());
    }
    let causes = sink.join();
    let tests = smallest(&causes, parts, sink);
    let dependent = dependent(&tests, executor, sink);
    sink.joined = joined(causes, &dependent);
    sink.check()
}

/// The ids of the tests that fail only after others.
fn dependent<'p>(
    tests: &[(&'p DialectTests<'_>, &'p Test)],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> BTreeSet<&'p str> {
    let mut dependent = BTreeSet::new();
    if tests.is_empty() || !executor.implementation.refresh() {
        return dependent;
    }
    let mut passed = vec![false; tests.len()];
    let together: Vec<&Test> = tests.iter().map(|(_, test)| *test).collect();
    executor.repeat(&together, &mut |place, outcome| passed[place] = passes(tests[place], &outcome));
    let mut sent_alone = 0;
    for (place, &(part, test)) in tests.iter().enumerate() {
        // The first one was alone in the shared process, so far.
        if !passed[place] && !(1..ALONE).contains(&place) {
            continue;
        }
        if passed[place] && sent_alone == CONFIRMED {
            // Those like it were confirmed, or not.
            dependent.extend(Some(&*test.id).filter(|_| !dependent.is_empty()));
            continue;
        }
        sent_alone += usize::from(passed[place]);
        if let Some(outcome) = passes_alone(part, test, executor) {
            record(part, sink, test, &outcome);
            dependent.insert(&*test.id);
        }
    }
    dependent
}

/// The outcome of a test that passes whenever it is the first in a fresh process.
fn passes_alone(part: &DialectTests<'_>, test: &Test, executor: &mut Executor<'_>) -> Option<Outcome> {
    let mut last = None;
    for _ in 0..TIMES {
        executor.implementation.refresh();
        executor.repeat(&[test], &mut |_, outcome| last = Some(outcome));
        last.as_ref().filter(|outcome| passes((part, test), outcome))?;
    }
    last
}

/// The causes, in which those that these tests stand for are one.
fn joined(causes: Vec<Cause>, dependent: &BTreeSet<&str>) -> Vec<Cause> {
    let (of_order, mut others): (Vec<_>, Vec<_>) =
        causes.into_iter().partition(|cause| dependent.contains(cause.smallest.as_str()));
    let Some(largest) = of_order.iter().max_by_key(|cause| cause.tests.len()) else { return others };
    let smallest = alone(&largest.smallest);
    let amber = of_order.iter().all(|cause| cause.amber);
    let alone = of_order.iter().map(|cause| self::alone(&cause.smallest)).collect::<Vec<_>>();
    let types: BTreeSet<String> = of_order.iter().flat_map(|cause| cause.types.iter().cloned()).collect();
    let (tests, skipped) = of_order.into_iter().fold((alone, Vec::new()), |(mut tests, mut skipped), cause| {
        tests.extend(cause.tests);
        skipped.extend(cause.skipped);
        (tests, skipped)
    });
    let cause = Cause {
        id: CAUSE.to_owned(),
        headline: HEADLINE.to_owned(),
        types: types.into_iter().collect(),
        tests,
        smallest,
        amber,
        skipped,
    };
    others.insert(0, cause);
    others
}

/// The smallest test of each cause, with its dialect: those of the most failures first. Known failures need no look, and what
/// got no answer has been sent alone already.
fn smallest<'p, 'a>(
    causes: &[Cause],
    parts: &'p [DialectTests<'a>],
    sink: &ResultSink<'_>,
) -> Vec<(&'p DialectTests<'a>, &'p Test)> {
    // What is declared or costs too much is right: it would pass alone too.
    let fails = |cause: &&Cause| {
        sink.unexpected(&cause.smallest)
            .is_some_and(|(verdict, _)| matches!(verdict, Verdict::Fail | Verdict::NonCanonical))
    };
    let mut causes: Vec<&Cause> = causes.iter().filter(fails).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.tests.len()));
    let places: HashMap<&str, usize> = causes.iter().enumerate().map(|(at, cause)| (&*cause.smallest, at)).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let is_selected = |test: &Test| sink.run.only.as_ref().is_none_or(|only| only.is_match(&id(test)));
    let all = parts.iter().flat_map(|part| part.tests.iter().map(move |test| (part, test)));
    let found = all.filter_map(|(part, test)| Some((*places.get(test.id.as_str())?, part, test)));
    let mut found: Vec<_> = found.filter(|(_, _, test)| !sink.has_died(&test.id) && is_selected(test)).collect();
    found.sort_by_key(|(place, _, _)| *place);
    found.into_iter().map(|(_, part, test)| (part, test)).collect()
}

fn passes((part, test): (&DialectTests<'_>, &Test), outcome: &Outcome) -> bool {
    matches!(part.judge.judge(test, outcome).verdict, Verdict::Pass | Verdict::Relaxed)
}

fn record(part: &DialectTests<'_>, sink: &mut ResultSink<'_>, test: &Test, outcome: &Outcome) {
    let alone = Test { id: id(test), rule: Some(Rule::Alone), ..test.clone() };
    let note = "failed in this run, after other requests, and passes when it is sent alone to a fresh process";
    let judgement = Judgement::noted(Verdict::OrderDependent, note);
    let failed = sink.unexpected(&test.id).map(|(verdict, reason)| spelled(verdict, reason)).unwrap_or_default();
    let detail = Detail {
        expected: DetailSide::Sentence("the same reply, whatever was sent before".to_owned()),
        actual: DetailSide::Sentence(format!("after other requests: {failed}; alone: pass")),
        rule: "the reply to a request does not depend on earlier requests".to_owned(),
        ..detail::detail(sink.run, &part.judge, test, &judgement, outcome)
    };
    sink.put_repeated(&alone, judgement.verdict, detail);
}
