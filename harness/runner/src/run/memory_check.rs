//! The memory check: which tests make an implementation take too much memory.
//!
//! The system keeps the peak of a process, so the run itself costs nothing. If the peak was too high, everything is
//! sent once more to a fresh process, in batches and then one by one, and the peak is reset in between.

use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::Verdict;
use variant_wire::implementation::Outcome;

use super::determinism_check::id_by;
use super::executor::Executor;
use super::result_sink::{ResultSink, is_deadly};
use super::{DialectTests, RunError, detail};

/// How many tests are measured together. Only if they take too much is each measured alone.
const BATCH: usize = 256;

/// The id of the memory check of a test.
pub(super) fn id(test: &Test) -> String {
    id_by(test, Rule::Weighed)
}

/// Finds and records the tests whose answers take too much memory.
pub(super) fn check(
    parts: &[DialectTests<'_>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    if executor.implementation.overgrowth().is_none() {
        return Ok(());
    }
    executor.implementation.refresh();
    executor.implementation.overgrowth();
    for part in parts {
        let survived = |test: &&Test| sink.claims(test) && !sink.has_died(&test.id);
        let tests: Vec<&Test> = part.tests.iter().filter(survived).collect();
        for batch in tests.chunks(BATCH) {
            if growth(executor, batch, &mut |_| {}).is_none() {
                continue;
            }
            for test in batch {
                let mut last = None;
                let bytes = growth(executor, &[*test], &mut |outcome| last = Some(outcome));
                if let (Some(bytes), Some(outcome)) = (bytes, last) {
                    record(part, sink, test, &outcome, bytes);
                }
            }
        }
        sink.check()?;
    }
    Ok(())
}

/// Bytes by which the memory grew for these tests, if that was too much.
fn growth(executor: &mut Executor<'_>, tests: &[&Test], report: &mut dyn FnMut(Outcome)) -> Option<u64> {
    executor.repeat(tests, &mut |_, outcome| report(outcome));
    executor.implementation.overgrowth()
}

fn record(part: &DialectTests<'_>, sink: &mut ResultSink<'_>, test: &Test, outcome: &Outcome, bytes: u64) {
    let test = Test { id: id(test), rule: Some(Rule::Weighed), ..test.clone() };
    let mut judgement = part.judge.judge(&test, outcome);
    if matches!(judgement.verdict, Verdict::NotRun | Verdict::Skipped) {
        return;
    }
    sink.repeated += 1;
    // Everything else that is wrong is in the record already.
    if !is_deadly(judgement.verdict) {
        judgement.verdict = Verdict::Resource;
        (judgement.reason, judgement.erratum, judgement.at, judgement.field) = (None, None, None, None);
        let packet = test.expected.packet.as_ref().map(|packet| format!(" for {} bytes", packet.bytes.len()));
        judgement.note = format!("it took {} MiB of memory{}", bytes >> 20, packet.unwrap_or_default());
    }
    let detail = detail::detail(sink.run, &part.judge, &test, &judgement, outcome);
    sink.put(&part.judge, &test, judgement, outcome, Some(detail));
}
