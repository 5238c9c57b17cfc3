//! From an answer to a line of the record.

use std::collections::BTreeMap;
use std::io::{self, Write};

use variant_corpus::Class;
use variant_corpus::test::{Rule, Test, TestId};
use variant_corpus::verdict::{Reason, Verdict};
use variant_specs::{JudgedBy, Shape};
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Answer, Outcome};

use super::detail::{self, Extent};
use super::plan::{DialectTests, Run, RunError};
use crate::judge::{Judge, Judgement};
use crate::record_writer::RecordWriter;
use crate::results::{Detail, DetailSide, Origin, RunEnd, TestResult};

/// Once a record has so many bytes, failures are kept in short: it must be read again, and fit in memory.
const LONG: usize = 48 << 20;

/// Where results go: the record, its totals, and the recorded answers that they are compared with.
pub(super) struct ResultSink<'a> {
    pub(super) run: &'a Run<'a>,
    handshake: &'a Handshake,
    writer: RecordWriter<&'a mut dyn Write>,
    /// The last line of the record, as far as it is known.
    pub(super) end: RunEnd,
    pub(super) not_run: usize,
    not_passed: BTreeMap<TestId, NotPassed>,
    /// How many letters the long replies may still have together, so that a record stays of a size that can be read.
    room: usize,
    error: Option<io::Error>,
}

#[derive(Debug)]
pub(super) struct NotPassed {
    pub(super) verdict: Verdict,
    /// The path of the first field that is not as expected.
    pub(super) field: Option<String>,
    /// The reply, as its line shows it.
    pub(super) actual: DetailSide,
}

impl<'a> ResultSink<'a> {
    pub(super) fn new(run: &'a Run<'a>, handshake: &'a Handshake, writer: RecordWriter<&'a mut dyn Write>) -> Self {
        Self {
            run,
            handshake,
            writer,
            end: RunEnd::default(),
            not_run: 0,
            not_passed: BTreeMap::new(),
            room: 16 << 20,
            error: None,
        }
    }

    /// Ends the record of a run that nothing stopped, or that something did.
    pub(super) fn close(self, stopped: Option<String>) -> Result<(), RunError> {
        self.writer.end(RunEnd { complete: stopped.is_none() && self.not_run == 0, stopped, ..self.end })?;
        Ok(())
    }

    /// What became of a test; `None` if it passed.
    pub(super) fn not_passed(&self, test: &TestId) -> Option<&NotPassed> {
        self.not_passed.get(test)
    }

    /// Whether a test is sent. One that is not supported is recorded as that.
    pub(super) fn sends_or_records(&mut self, test: &Test) -> bool {
        let sends = self.claims(test) || self.is_beyond(test);
        if !sends {
            self.put_unsupported(test);
        }
        sends
    }

    fn put_unsupported(&mut self, test: &Test) {
        self.write(TestResult { verdict: Verdict::NotSupported, ..unjudged(self.run, test) });
    }

    /// Whether a value that is not supported stands in a container that is: it need not be read, but must not come back as
    /// another.
    fn is_beyond(&self, test: &Test) -> bool {
        let is_case = test.rule.is_none() && test.expected.class == Class::Canonical;
        let is_plain = is_case && test.case.framing.is_none() && !test.case.objects;
        let reads = test.op == Op::Decode && self.handshake.ops.contains(&Op::Decode);
        is_plain && reads && self.handshake.claims(&test.layout, Op::Decode) && !self.claims(test)
    }

    /// Whether it claims ints too, in the operation of a test.
    pub(super) fn claims_ints(&self, part: &DialectTests<'_>, test: &Test) -> bool {
        let int = part.judge.dialect.type_of_shape(Shape::Int);
        int.is_some_and(|int| self.handshake.claims(&part.judge.dialect.layout(int).name, test.op))
    }

    pub(super) fn claims(&self, test: &Test) -> bool {
        test.is_claimed(self.handshake, test.op)
    }

    /// Judges an answer and records it, with details unless it passed. Returns whether the record can still be written.
    pub(super) fn record(&mut self, judge: &Judge<'_>, test: &Test, outcome: &Outcome) -> bool {
        let judgement = judge.judge(test, outcome);
        let is_another = matches!(outcome.answer, Answer::Value { .. } | Answer::Invalid { .. })
            && matches!(judgement.verdict, Verdict::Fail(_));
        if !is_another && !self.claims(test) {
            self.put_unsupported(test);
            return self.error.is_none();
        }
        self.count(judgement.verdict);
        self.put(judge, test, judgement, outcome, None);
        self.error.is_none()
    }

    /// Writes the line of a judgement, or only counts a variant that passed. Unless it passed, it has details: these, or those of
    /// this answer.
    pub(super) fn put(
        &mut self,
        judge: &Judge<'_>,
        test: &Test,
        judgement: Judgement,
        outcome: &Outcome,
        detail: Option<Detail>,
    ) {
        self.end.repeated += usize::from(test.rule.is_some_and(Rule::is_repetition));
        let passed = judgement.verdict == Verdict::Pass;
        if passed && self.tally(test) {
            return;
        }
        let extent = if self.writer.written < LONG { Extent::FULL } else { Extent::SHORT };
        let told = || detail::detail(self.run, judge, test, &judgement, outcome, extent);
        let detail = (!passed).then(|| detail.unwrap_or_else(told));
        if let Some(detail) = &detail {
            let (verdict, field, actual) = (judgement.verdict, judgement.field.clone(), detail.actual.clone());
            self.not_passed.insert(test.id.clone(), NotPassed { verdict, field, actual });
        }
        // What is undecided only because an earlier engine is meant is no question of the corpus.
        let of_cases = test.rule.is_none() && test.expected.rejects.is_none();
        let observable = of_cases && matches!(test.expected.class, Class::Undecided | Class::Readable);
        let answer = observable.then(|| detail::observed(judge, test, outcome)).flatten();
        // Engines' answers are recorded without how many bytes they took.
        let compared = answer.as_ref().filter(|_| judgement.verdict != Verdict::Fail(Reason::WrongLength));
        let (reply, whole) = match &detail {
            Some(_) => detail::reply(judge, outcome, extent, &mut self.room),
            None => (None, None),
        };
        let record = TestResult {
            reply,
            whole,
            detail: detail.map(Box::new),
            length_not_told: judgement.length_not_told,
            like: compared.and_then(|answer| self.like(&test.id, answer)),
            answer,
            ..judged(self.run, test, judgement)
        };
        self.compare_with_recorded(&record);
        self.write(record);
    }

    /// Returns the first error in writing the record, if there was one.
    pub(super) fn check(&mut self) -> Result<(), RunError> {
        Ok(self.error.take().map_or(Ok(()), Err)?)
    }

    pub(super) fn count(&mut self, verdict: Verdict) {
        self.not_run += usize::from(verdict == Verdict::NotRun);
        self.end.executed += usize::from(verdict.was_executed());
    }

    /// Counts a variant that passed, and returns true. For the test of a case, which needs a line, returns false.
    fn tally(&mut self, test: &Test) -> bool {
        let Some(rule) = test.rule else { return false };
        let of = format!("{}/{}", test.dialect, test.layout);
        if let Err(error) = self.writer.tally(rule, &of, test.op) {
            self.error.get_or_insert(error);
        }
        true
    }

    fn write(&mut self, record: TestResult) {
        if let Err(error) = self.writer.verdict(record) {
            self.error.get_or_insert(error);
        }
    }

    /// The engines that gave this answer; `None` if no engine's answer is recorded.
    fn like(&self, test: &str, answer: &str) -> Option<Vec<String>> {
        let tested = self.run.corpus.observed.iter().filter_map(|engine| Some((engine, engine.answers.get(test)?)));
        let mut tested = tested.peekable();
        tested.peek()?;
        Some(tested.filter(|(_, recorded)| *recorded == answer).map(|(engine, _)| engine.short_name()).collect())
    }

    /// Notes a changed answer: an engine whose answers are recorded must give them again.
    fn compare_with_recorded(&mut self, record: &TestResult) {
        let Some(answer) = &record.answer else { return };
        let mine = self.run.corpus.observed.iter().find(|observed| observed.is_of(self.handshake));
        let Some(observed) = mine.filter(|_| !self.run.recording && self.run.judged_by == JudgedBy::Engines) else {
            return;
        };
        let recorded = observed.answers.get(record.test.as_str());
        if recorded != Some(answer) {
            let (name, test) = (observed.short_name(), &record.test);
            let before = recorded.map_or("nothing", String::as_str);
            self.end.stale.push(format!(
                "{name} replied {answer} to {test}, but {before} is recorded: record it again with --record, and review \
                 the diff",
            ));
        }
    }
}

impl Run<'_> {
    /// The line of a test that a campaign made.
    pub fn generated(&self, judge: &Judge<'_>, test: &Test, judgement: &Judgement, outcome: &Outcome) -> TestResult {
        let mut room = usize::MAX;
        let (reply, whole) = detail::reply(judge, outcome, Extent::FULL, &mut room);
        TestResult {
            origin: Origin::Generated,
            reply,
            whole,
            detail: Some(Box::new(detail::detail(self, judge, test, judgement, outcome, Extent::FULL))),
            ..judged(self, test, judgement.clone())
        }
    }
}

/// The line of a test that was judged, without the reply.
fn judged(run: &Run<'_>, test: &Test, judgement: Judgement) -> TestResult {
    let Judgement { verdict, at, field, erratum, losses, .. } = judgement;
    TestResult { verdict, at, field, erratum, losses, ..unjudged(run, test) }
}

fn unjudged(run: &Run<'_>, test: &Test) -> TestResult {
    TestResult {
        test: test.id.clone(),
        origin: if test.rule.is_some() { Origin::Variant } else { Origin::Case },
        class: test.expected.class,
        level: test.level(),
        rarity: run.corpus.rarity(test),
        verdict: Verdict::NotRun,
        at: None,
        field: None,
        erratum: None,
        cause: None,
        expected_failure: false,
        finding: None,
        reply: None,
        whole: None,
        detail: None,
        length_not_told: false,
        losses: Vec::new(),
        answer: None,
        like: None,
    }
}
