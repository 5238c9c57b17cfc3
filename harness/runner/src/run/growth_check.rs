//! The growth check: whether time grows with the square of what is read. One array of many ints is decoded, and one of
//! eight times as many, each alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use variant_codec::{Array, Value};
use variant_corpus::test::{Rule, Test, Variants};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, Expectation, MaskedPacket};
use variant_specs::{Dialect, Shape};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Outcome};
use variant_values::sanitize::time;
use variant_values::value_text::ExpectedValue;

use super::executor::Executor;
use super::plan::{DialectTests, RunError, checking};
use super::result_sink::ResultSink;

/// The elements of both packets.
const FEW: u32 = 20_000;
const MANY: u32 = 160_000;
/// The time for an element may grow by this factor: caches and allocators cost something too.
const MOST: f64 = 4.0;
/// Less than this is not measured: starting to work costs as much.
const STEP: Duration = Duration::from_millis(10);
/// How often both are measured at most.
const TIMES: usize = 3;

/// Measures both in the first dialect whose arrays are decoded, and records the cost with a test of an array.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if sink.run.variants != Variants::All {
        return Ok(());
    }
    let suitable = |part: &DialectTests<'_>, test: &Test| {
        let dialect = part.judge.dialect;
        let array = dialect.type_of_shape(Shape::Array);
        let plain = test.rule.is_none() && test.op == Op::Decode && test.expected.class == Class::Canonical;
        array.is_some_and(|entry| *dialect.layout(entry).name == *test.layout)
            && plain
            && test.case.framing.is_none()
            && sink.run.selects(test, Rule::Grown)
            && sink.claims(test)
            && sink.claims_ints(part, test)
    };
    let found =
        parts.iter().find_map(|part| part.tests.iter().find(|test| suitable(part, test)).map(|test| (part, test)));
    let Some((part, test)) = found else { return Ok(()) };
    let Some([few, many]) = pair(part.judge.dialect, test) else { return Ok(()) };
    // The first request of a process costs more.
    let Some(outcome) = executor.once(&few) else { return Ok(()) };
    if !matches!(outcome.answer, Answer::Value { .. }) {
        record(part, sink, &few, &outcome, None);
    } else if let Some((outcome, measured)) = measure(executor, &few, &many) {
        record(part, sink, &many, &outcome, Some(measured));
    }
    sink.check()
}

/// The shortest time that each of the two packets took.
type Measured = [Duration; 2];

/// How many times as long an element takes among many.
fn factor([few, many]: Measured) -> f64 {
    many.as_secs_f64() / few.max(STEP).as_secs_f64() * f64::from(FEW) / f64::from(MANY)
}

/// Measures both, again if it seems to be too much: other work on the machine may have cost it.
fn measure(executor: &mut Executor<'_>, few: &Test, many: &Test) -> Option<(Outcome, Measured)> {
    // The shorter of two: one that waited for other work would hide what the larger one costs.
    let mut measured = [cost(executor, few)?.1, Duration::MAX];
    let mut times = 0;
    loop {
        let (_, few_took) = cost(executor, few)?;
        let (outcome, many_took) = cost(executor, many)?;
        measured = [measured[0].min(few_took), measured[1].min(many_took)];
        times += 1;
        if times == TIMES || factor(measured) <= MOST || !matches!(outcome.answer, Answer::Value { .. }) {
            return Some((outcome, measured));
        }
    }
}

/// Sends a test alone, and returns how long it took.
fn cost(executor: &mut Executor<'_>, test: &Test) -> Option<(Outcome, Duration)> {
    let began = Instant::now();
    Some((executor.once(test)?, began.elapsed()))
}

/// Records what was replied, judged like any test, and then what it cost.
fn record(
    part: &DialectTests<'_>,
    sink: &mut ResultSink<'_>,
    test: &Test,
    outcome: &Outcome,
    measured: Option<Measured>,
) {
    let mut judgement = part.judge.judge(test, outcome);
    // Counted even if it was not tried: where it passed before, that is a loss.
    sink.not_run += usize::from(judgement.verdict == Verdict::NotRun);
    if let Some(measured) = measured {
        let ([few, many], factor) = (measured.map(time), factor(measured));
        if matches!(outcome.answer, Answer::TimedOut(_)) {
            judgement.note = format!("{}; {FEW} elements took {few}", judgement.note);
        } else if judgement.verdict == Verdict::Pass && factor > MOST {
            judgement.verdict = Verdict::Resource;
            judgement.note =
                format!("{FEW} elements took {few} and {MANY} took {many}: {factor:.1} times as long for each");
        }
    }
    sink.put(&part.judge, test, judgement, outcome, None);
}

/// The test of the larger packet, with a test of an array.
pub fn grown(dialect: &Dialect, beside: &Test) -> Option<Test> {
    pair(dialect, beside).map(|[_, many]| many)
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
            packet: Some(MaskedPacket::whole(bytes)),
            rejects: None,
        };
        Test { expected: Arc::new(expected), ..checking(beside, Rule::Grown) }
    }))
}
