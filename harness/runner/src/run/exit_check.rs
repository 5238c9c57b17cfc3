//! The exit check: what an implementation does at the end of its input, after all tests.

use variant_corpus::PACKET;
use variant_corpus::test::Rule;

use super::executor::Executor;
use super::plan::{DialectTests, checking};
use super::result_sink::ResultSink;

/// Ends the implementation. If something goes wrong, records it with a test that is about no type.
pub(super) fn check(parts: &[DialectTests<'_>], executor: &mut Executor<'_>, sink: &mut ResultSink<'_>) {
    let Some(outcome) = executor.implementation.finish() else { return };
    let tests = || parts.iter().flat_map(|part| part.tests.iter().map(move |test| (part, test)));
    let run = || tests().filter(|(_, test)| sink.claims(test));
    let of_none = run().find(|(_, test)| *test.layout == *PACKET);
    let Some((DialectTests { judge, .. }, test)) = of_none.or_else(|| run().next()) else { return };
    let test = checking(test, Rule::Exit);
    sink.put(judge, &test, judge.judge(&test, &outcome), &outcome, None);
}
