//! The exit check: what an implementation does at the end of its input, after all tests.

use variant_corpus::PACKET;
use variant_corpus::test::{Rule, Test};
use variant_values::implementation::Outcome;

use super::executor::Executor;
use super::result_sink::ResultSink;
use super::{DialectTests, Run, checking, detail};
use crate::judge::{Judge, Judgement};
use crate::results::{Detail, DetailSide};

/// Ends the implementation. If something goes wrong, records it with a test that is about no type.
pub(super) fn check(parts: &[DialectTests<'_>], executor: &mut Executor<'_>, sink: &mut ResultSink<'_>) {
    let Some(outcome) = executor.implementation.finish() else { return };
    let tests = || parts.iter().flat_map(|part| part.tests.iter().map(move |test| (part, test)));
    let run = || tests().filter(|(_, test)| sink.claims(test));
    let of_none = run().find(|(_, test)| *test.layout == *PACKET);
    let Some((DialectTests { judge, .. }, test)) = of_none.or_else(|| run().next()) else { return };
    let test = checking(test, Rule::Exit);
    sink.repeated += 1;
    let judgement = judge.judge(&test, &outcome);
    let detail = detail(sink.run, judge, &test, &judgement, &outcome);
    sink.put(judge, &test, judgement, &outcome, Some(detail));
}

/// What a person needs to know of it.
pub(super) fn detail(
    run: &Run<'_>,
    judge: &Judge<'_>,
    test: &Test,
    judgement: &Judgement,
    outcome: &Outcome,
) -> Detail {
    Detail {
        sent: "the end of input".to_owned(),
        packet: Vec::new(),
        expected: DetailSide::Sentence("it exits with status 0".to_owned()),
        rule: "an adapter replies to everything, and exits with status 0 at the end of its input".to_owned(),
        ..detail::detail(run, judge, test, judgement, outcome)
    }
}
