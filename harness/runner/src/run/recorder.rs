//! From an answer to a line of the record.

use std::collections::BTreeSet;
use std::io::{self, Write};

use variant_specs::Reading;

use super::{Run, RunError, Totals, detail};
use crate::judge::{Finding, Judge};
use crate::record::Recorded;
use crate::results::{Detail, End, TestResult, Writer};
use crate::status::{is_unanswered, severity};
use variant_corpus::findings::{JudgedTest, Tracker};
use variant_corpus::test::Test;
use variant_corpus::verdict::{Reason, Severity, Verdict};
use variant_corpus::{Class, Level};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::Outcome;

/// Where findings go: the record, its counts, and the claims that they are held against.
pub(super) struct Ledger<'e, W: Write> {
    writer: Writer<W>,
    findings: &'e mut Tracker,
    pub(super) totals: Totals,
    /// Where recorded answers were not given again.
    departures: Vec<String>,
    /// How many asks were repeated.
    pub(super) repeated: usize,
    /// The asks that it did not survive, or answered with nonsense.
    deadly: BTreeSet<String>,
    error: Option<io::Error>,
}

impl<'e, W: Write> Ledger<'e, W> {
    pub(super) fn new(writer: Writer<W>, findings: &'e mut Tracker) -> Self {
        Self {
            writer,
            findings,
            totals: Totals::default(),
            departures: Vec::new(),
            repeated: 0,
            deadly: BTreeSet::new(),
            error: None,
        }
    }

    /// Ends the record. Of a selection it is not known which expected failures were not true.
    pub(super) fn close(self, complete: bool, all: bool) -> Result<Totals, RunError> {
        let Self { writer, findings, totals, mut departures, repeated, .. } = self;
        let mut stale = if all && complete { findings.stale() } else { Vec::new() };
        stale.append(&mut departures);
        let totals = Totals { stale: stale.len(), complete, ..totals };
        let end = End { executed: totals.executed, complete, repeated, stale };
        writer.end(end).map_err(RunError::Record)?;
        Ok(totals)
    }

    /// Counts an ask that passed; whether that is all that is said of it, as of those that were derived.
    fn tally(&mut self, test: &Test) -> bool {
        let Some(rule) = test.rule else { return false };
        let class = test.expected.class.name();
        let verdict = Verdict::Pass;
        self.findings.covers(JudgedTest { test: &test.id, class, verdict, reason: None, severity: Severity::Green });
        self.writer.tally(rule.name(), &format!("{}/{}", test.dialect, test.layout), test.op.name());
        true
    }

    /// Counts a verdict and writes its line.
    fn put(&mut self, mut record: TestResult) {
        let severity = severity(&record);
        let covered = self.findings.covers(record.judged());
        match severity {
            Severity::Red if !covered => self.totals.red += 1,
            Severity::Amber if !covered => self.totals.amber += 1,
            Severity::Red | Severity::Amber | Severity::Green | Severity::Neutral => {}
        }
        if is_deadly(record.verdict) {
            self.deadly.insert(record.test.clone());
        }
        record.expected_failure = covered && severity >= Severity::Amber;
        if let Err(error) = self.writer.verdict(record) {
            self.error.get_or_insert(error);
        }
    }

    /// Whether it did not survive this ask, or answered nonsense.
    pub(super) fn has_died(&self, test: &str) -> bool {
        self.deadly.contains(test)
    }

    pub(super) fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::NotClaimed => {}
            Verdict::NotRun => self.totals.not_run += 1,
            Verdict::Pass
            | Verdict::NonCanonical
            | Verdict::Fail
            | Verdict::Crashed
            | Verdict::TimedOut
            | Verdict::Garbled
            | Verdict::OrderDependent
            | Verdict::Nondeterministic
            | Verdict::Resource
            | Verdict::Relaxed
            | Verdict::Open => self.totals.executed += 1,
        }
    }
}

/// Judges and records the answers in one dialect.
pub(super) struct Recorder<'a, 'e, W: Write> {
    pub(super) run: &'a Run<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) handshake: &'a Handshake,
    pub(super) ledger: &'a mut Ledger<'e, W>,
}

impl<W: Write> Recorder<'_, '_, W> {
    /// Whether an ask need not be sent: it is not claimed, or an earlier record has its verdict. Then it is recorded.
    pub(super) fn is_settled(&mut self, test: &Test) -> bool {
        if !self.claims(test) {
            self.ledger.put(record(test, Verdict::NotClaimed, None));
            return true;
        }
        match self.run.resume.as_ref().map_or(Recorded::Absent, |resume| resume.recorded(test)) {
            Recorded::Absent => false,
            Recorded::Passed => {
                self.ledger.count(Verdict::Pass);
                self.ledger.tally(test)
            }
            Recorded::Result(record) => {
                self.ledger.count(record.verdict);
                self.compare_with_recorded(record);
                self.ledger.put(record.clone());
                true
            }
        }
    }

    pub(super) fn claims(&self, test: &Test) -> bool {
        let framing = test.case.framing.is_none() || self.handshake.has_option("framing");
        let objects = !test.case.objects || self.handshake.has_option("objects");
        let layouts = test.layouts.iter().all(|layout| self.handshake.claims(layout, test.op));
        self.handshake.ops.contains(&test.op) && framing && objects && layouts
    }

    /// Judges an answer and records the finding, with its detail unless it passed.
    pub(super) fn record(&mut self, test: &Test, outcome: &Outcome) -> bool {
        let finding = self.judge.judge(test, outcome);
        self.ledger.count(finding.verdict);
        let shown = finding.verdict != Verdict::Pass;
        let detail = shown.then(|| detail::detail(self.run, &self.judge, test, &finding, outcome));
        self.file(test, &finding, outcome, detail)
    }

    /// Records a finding; whether the record can still be written.
    pub(super) fn file(&mut self, test: &Test, finding: &Finding, outcome: &Outcome, detail: Option<Detail>) -> bool {
        if finding.verdict == Verdict::Pass && self.ledger.tally(test) {
            return true;
        }
        let mut record = record(test, finding.verdict, Some(finding));
        record.detail = detail.map(Box::new);
        let observable = test.rule.is_none() && matches!(test.expected.class, Class::Open | Class::Readable);
        record.answer = observable.then(|| detail::observed(&self.judge, finding, outcome)).flatten();
        // What is recorded is the value, without how many bytes it took.
        let compared = record.answer.as_ref().filter(|_| finding.reason != Some(Reason::WrongLength));
        record.like = compared.and_then(|answer| self.like(&test.id, answer));
        record.refusal = detail::refused(&test.expected, outcome);
        self.compare_with_recorded(&record);
        self.ledger.put(record);
        self.ledger.error.is_none()
    }

    /// The end of a part: whether the record could be written.
    pub(super) fn check(&mut self) -> Result<(), RunError> {
        self.ledger.error.take().map_or(Ok(()), |error| Err(RunError::Record(error)))
    }

    /// The engines that were seen to answer so; nothing where none was asked.
    fn like(&self, test: &str, answer: &str) -> Option<Vec<String>> {
        let asked = self.run.corpus.observed.iter().filter_map(|engine| Some((engine, engine.answers.get(test)?)));
        let mut asked = asked.peekable();
        asked.peek()?;
        Some(asked.filter(|(_, recorded)| *recorded == answer).map(|(engine, _)| engine.short_name()).collect())
    }

    /// An engine whose answers are recorded must give them again.
    fn compare_with_recorded(&mut self, record: &TestResult) {
        let Some(answer) = &record.answer else { return };
        let mine = self.run.corpus.observed.iter().find(|observed| observed.is_of(self.handshake));
        let Some(observed) = mine.filter(|_| !self.run.recording && self.judge.reading == Reading::Engine) else {
            return;
        };
        let recorded = observed.answers.get(&record.test);
        if recorded != Some(answer) {
            let before = recorded.map_or("nothing", String::as_str);
            let sentence = format!(
                "{} answered {answer} to {}, and {before} is recorded: record it again with --record, and review the diff",
                observed.short_name(),
                record.test
            );
            self.ledger.departures.push(sentence);
        }
    }
}

/// Whether there was no reply to judge, for a reason of its own.
pub(super) fn is_deadly(verdict: Verdict) -> bool {
    is_unanswered(verdict) || verdict == Verdict::NotRun
}

/// A line without its detail.
fn record(test: &Test, verdict: Verdict, finding: Option<&Finding>) -> TestResult {
    TestResult {
        test: test.id.clone(),
        origin: if test.rule.is_some() { "derived" } else { "authored" }.to_owned(),
        class: test.expected.class.name().to_owned(),
        level: if test.level() == Level::Must { "must" } else { "should" }.to_owned(),
        verdict,
        reason: finding.and_then(|finding| finding.reason),
        at: finding.and_then(|finding| finding.at),
        field: finding.and_then(|finding| finding.field.clone()),
        erratum: finding.and_then(|finding| finding.erratum.clone()),
        expected_failure: false,
        detail: None,
        length_not_told: finding.is_some_and(|finding| finding.length_not_told),
        relaxed: finding.map(|finding| finding.relaxed.clone()).unwrap_or_default(),
        answer: None,
        like: None,
        refusal: None,
    }
}
