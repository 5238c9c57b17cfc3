//! The growth check: whether time grows with the square of what is read. One array of many ints is decoded, and one of
//! eight times as many, each alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use variant_codec::{Array, Value};
use variant_corpus::test::{Derivation, Rule, Test, TestId};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, Expectation, MaskedPacket};
use variant_specs::{Dialect, Shape};
use variant_wire::handshake::Op;
use variant_wire::implementation::{Answer, Outcome};
use variant_wire::sanitize::time;
use variant_wire::value_text::ExpectedValue;

use super::executor::Executor;
use super::result_sink::{ResultSink, is_deadly};
use super::{DialectTests, RunError, detail};

/// The elements of both packets.
const FEW: u32 = 20_000;
const MANY: u32 = 160_000;
/// The time for an element may grow by this factor: caches and allocators cost something too.
const MOST: f64 = 4.0;
/// The system counts processor time in steps of about this length.
const STEP: Duration = Duration::from_millis(10);

/// The id of the growth check, if it is recorded with this test.
pub(super) fn id(test: &Test) -> TestId {
    test.id.by(Rule::Grown)
}

/// Measures both in the first dialect whose arrays are decoded, and records the cost with a test of an array.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.derivation != Derivation::All {
        return Ok(());
    }
    let suitable = |part: &DialectTests<'_>, test: &Test| {
        let is_array = part
            .judge
            .dialect
            .type_of_shape(Shape::Array)
            .is_some_and(|entry| *part.judge.dialect.layout(entry).name == *test.layout);
        let plain = test.rule.is_none() && test.op == Op::Decode && test.expected.class == Class::Canonical;
        let selected = sink.run.only.as_ref().is_none_or(|only| only.is_match(&id(test)));
        is_array
            && plain
            && test.case.framing.is_none()
            && selected
            && sink.claims(test)
            && sink.claims_ints(part, test)
    };
    let found =
        parts.iter().find_map(|part| part.tests.iter().find(|test| suitable(part, test)).map(|test| (part, test)));
    let Some((part, test)) = found else { return Ok(()) };
    let Some([few, many]) = pair(part.judge.dialect, test) else { return Ok(()) };
    // The first request of a process costs more.
    if cost(executor, &few).is_none_or(|(outcome, _)| !matches!(outcome.answer, Answer::Value { .. })) {
        return Ok(());
    }
    let mut measured = measure(executor, &few, &many);
    // Other work on the machine may have cost it: the second time decides.
    if measured.as_ref().is_some_and(|measured| measured.factor() > MOST && !measured.hung()) {
        measured = measure(executor, &few, &many);
    }
    if let Some(measured) = measured {
        record(part, sink, &many, &measured);
    }
    sink.check()
}

/// The processor time that each of the two packets took.
struct Measured {
    few: Duration,
    many: Duration,
    outcome: Outcome,
}

impl Measured {
    /// How many times as long an element takes among many.
    fn factor(&self) -> f64 {
        self.many.as_secs_f64() / self.few.max(STEP).as_secs_f64() * f64::from(FEW) / f64::from(MANY)
    }

    fn hung(&self) -> bool {
        matches!(self.outcome.answer, Answer::TimedOut(_))
    }
}

fn measure(executor: &mut Executor<'_>, few: &Test, many: &Test) -> Option<Measured> {
    let (_, few) = cost(executor, few)?;
    let (outcome, many) = cost(executor, many)?;
    Some(Measured { few, many, outcome })
}

/// Sends a test alone, and returns its processor time, or wall-clock time if the system does not report it.
fn cost(executor: &mut Executor<'_>, test: &Test) -> Option<(Outcome, Duration)> {
    let (before, began) = (executor.implementation.processor_time(), Instant::now());
    let mut last = None;
    executor.repeat(&[test], &mut |_, outcome| last = Some(outcome));
    let took =
        before.zip(executor.implementation.processor_time()).and_then(|(before, after)| after.checked_sub(before));
    Some((last?, took.unwrap_or_else(|| began.elapsed())))
}

fn record(part: &DialectTests<'_>, sink: &mut ResultSink<'_>, test: &Test, measured: &Measured) {
    let mut judgement = part.judge.judge(test, &measured.outcome);
    if matches!(judgement.verdict, Verdict::NotRun | Verdict::Skipped) {
        return;
    }
    sink.repeated += 1;
    if measured.hung() || !is_deadly(judgement.verdict) && measured.factor() > MOST {
        let (few, many) = (time(measured.few), time(measured.many));
        judgement.verdict = Verdict::Resource;
        judgement.reason = None;
        judgement.note = if measured.hung() {
            format!("{FEW} elements took {few}, and {MANY} got no reply after {many}")
        } else {
            let factor = measured.factor();
            format!("{FEW} elements took {few} and {MANY} took {many}: {factor:.1} times as long for each")
        };
    } else if !is_deadly(judgement.verdict) {
        // What is wrong of it is in the record of other tests.
        judgement.verdict = Verdict::Pass;
        judgement.reason = None;
    }
    let detail = (judgement.verdict != Verdict::Pass)
        .then(|| detail::detail(sink.run, &part.judge, test, &judgement, &measured.outcome));
    sink.put(&part.judge, test, judgement, &measured.outcome, detail);
}

/// The tests of both packets, with a test of an array.
fn pair(dialect: &Dialect, beside: &Test) -> Option<[Test; 2]> {
    let [array, int] = [Shape::Array, Shape::Int].map(|shape| dialect.type_of_shape(shape).map(|entry| entry.id));
    let (array, int) = array.zip(int)?;
    Some([FEW, MANY].map(|count| {
        let words = [array, count].into_iter().chain((0..count).flat_map(|_| [int, 7]));
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let items = (0..count).map(|_| Value::Int(7)).collect();
        let value = Value::Array(Array { items, ..Array::default() });
        let expected = Expectation {
            class: Class::Canonical,
            value: Some(Arc::new(ExpectedValue { value, any_nan: Vec::new() })),
            used: Some(bytes.len()),
            packet: Some(MaskedPacket { bytes: bytes.into(), unwritten: Vec::new() }),
            rejects: None,
        };
        Test { id: id(beside), rule: Some(Rule::Grown), expected: Arc::new(expected), ..beside.clone() }
    }))
}
