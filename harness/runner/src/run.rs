//! A run: all tests of some dialects are sent to one implementation, judged and recorded.

mod detail;
mod determinism_check;
mod executor;
mod exit_check;
mod growth_check;
mod order_check;
mod plan;
mod result_sink;

pub use growth_check::grown;
pub use plan::{Planned, Run, RunError, reencode_where_that_is_all};

use std::io::Write;

use variant_corpus::rarity::Rarity;
use variant_corpus::test::Test;
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, Level};
use variant_values::implementation::Implementation;

use self::executor::Executor;
use self::plan::DialectTests;
use self::result_sink::ResultSink;
use crate::record::RunRecord;
use crate::record_writer::RecordWriter;
use crate::results::{OF_ALL, TestResult};

/// Whether tests of types are required, and the implementation supports none of them.
pub fn claims_nothing(recorded: &RunRecord) -> bool {
    let of_type = |test: &TestResult| OF_ALL.iter().all(|(of_all, _)| *of_all != test.id().layout);
    let required = |test: &&TestResult| {
        of_type(test) && !test.is_variant() && test.class == Class::Canonical && test.level == Level::Must
    };
    let mut required = recorded.verdicts.iter().filter(required).peekable();
    required.peek().is_some() && required.all(|test| test.verdict == Verdict::NotSupported)
}

impl Run<'_> {
    /// Plans the run and runs it. Writes each result to `out` as it comes; `progress` gets the tests done, and all.
    ///
    /// # Errors
    /// Any [`RunError`]; what was recorded so far is in `out`.
    pub fn run(
        &self,
        implementation: &mut dyn Implementation,
        out: impl Write,
        progress: &dyn Fn(usize, usize),
    ) -> Result<(), RunError> {
        let handshake = implementation.handshake().clone();
        let planned = self.planned(&handshake)?;
        self.run_planned(planned, implementation, out, progress)
    }

    /// [`Run::run`], with the tests that [`Run::planned`] made for this implementation.
    ///
    /// # Errors
    /// Any [`RunError`]; what was recorded so far is in `out`.
    pub fn run_planned(
        &self,
        Planned { plan, parts }: Planned<'_>,
        implementation: &mut dyn Implementation,
        mut out: impl Write,
        progress: &dyn Fn(usize, usize),
    ) -> Result<(), RunError> {
        let handshake = implementation.handshake().clone();
        let planned = plan.tests;
        let mut executor = Executor::new(implementation, self.interrupt, progress, planned);
        let writer = RecordWriter::new(&mut out as &mut dyn Write, plan, &self.known)?;
        let mut sink = ResultSink::new(self, &handshake, writer);
        // What is everyday comes first: none of it is skipped because the adapter hangs on what is hostile, and neither is the
        // growth check. Then come the other cases, which say more than variants. Each keeps its order, so that what a refusal
        // leaves behind is seen.
        let (everyday, rest): (Vec<_>, Vec<_>) = parts.iter().map(|part| self.split(part, &mut sink)).unzip();
        executor.skip(planned - everyday.iter().chain(&rest).map(Vec::len).sum::<usize>());
        send(&parts, &everyday, &mut executor, &mut sink)?;
        growth_check::check(&parts, &mut executor, &mut sink)?;
        send(&parts, &rest, &mut executor, &mut sink)?;
        // Tests are repeated only if all ran once.
        if sink.not_run == 0 {
            determinism_check::check(&parts, &mut executor, &mut sink)?;
            order_check::check(&parts, &mut executor, &mut sink)?;
        }
        if executor.stopped.is_none() {
            exit_check::check(&parts, &mut executor, &mut sink);
            sink.check()?;
        }
        sink.end.late = executor.implementation.late();
        let is_idle = sink.end.executed == 0 && !self.interrupt.is_set();
        sink.close(executor.stopped.as_ref().map(ToString::to_string))?;
        match executor.stopped {
            Some(error) if is_idle => Err(error.into()),
            Some(_) | None => Ok(()),
        }
    }

    /// The tests of a dialect that are sent, those that are everyday and the others. What is not supported is recorded as that.
    fn split<'t>(&self, part: &'t DialectTests<'_>, sink: &mut ResultSink<'_>) -> (Vec<&'t Test>, Vec<&'t Test>) {
        let sent = part.tests.iter().filter(|test| sink.sends_or_records(test));
        let (everyday, mut rest): (Vec<_>, Vec<_>) =
            sent.partition(|test| self.corpus.rarity(test) == Rarity::Everyday);
        rest.sort_by_key(|test| test.rule.is_some());
        (everyday, rest)
    }
}

/// Sends these tests of each dialect.
fn send(
    parts: &[DialectTests<'_>],
    tests: &[Vec<&Test>],
    executor: &mut Executor<'_>,
    sink: &mut ResultSink<'_>,
) -> Result<(), RunError> {
    for (part, tests) in parts.iter().zip(tests) {
        executor.send(tests, &mut |test, outcome| sink.record(&part.judge, test, &outcome));
        sink.check()?;
    }
    Ok(())
}
