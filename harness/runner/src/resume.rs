//! A record of the same run that did not reach its end: its tests need not run again.

use std::collections::HashMap;
use std::io::BufRead;

use thiserror::Error;

use crate::record::{RecordError, TestRecord, lines};
use crate::results::{Plan, Record, TestResult};
use variant_corpus::test::Test;
use variant_corpus::verdict::Verdict;
use variant_wire::handshake::changes;

/// The results of an earlier run.
#[derive(Debug)]
pub struct ResumeState {
    plan: Plan,
    verdicts: HashMap<String, TestResult>,
    /// How many derived tests passed, including those that ran again; known once the footer is read.
    tallied: Option<usize>,
    /// How many tests ran again.
    repeated: usize,
    complete: bool,
}

/// Why a run cannot be resumed from a record.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// The record is of another run; the sentence says what differs.
    #[error("that record belongs to another run: {0}")]
    OtherRun(String),
    /// The record does not count as many derived tests as its plan has.
    #[error("that record counts {counted} passed derived tests, but its plan has {planned}")]
    OtherCount {
        /// Derived tests that passed, according to the record.
        counted: usize,
        /// Derived tests of the plan that have no line of their own in the record.
        planned: usize,
    },
}

impl ResumeState {
    /// Reads a record, complete or cut short because a disk was full or the run was killed.
    ///
    /// # Errors
    /// It does not begin with a plan of this schema, or is damaged before its last line.
    pub fn read(input: impl BufRead) -> Result<Self, RecordError> {
        let mut lines = lines(input);
        let plan = match lines.next() {
            Some(Ok(Record::Plan(plan))) => plan,
            Some(Err(error @ (RecordError::OtherSchema(_) | RecordError::Unreadable(..)))) => return Err(error),
            Some(_) | None => return Err(RecordError::NoPlan),
        };
        let mut resume = Self { plan: *plan, verdicts: HashMap::new(), tallied: None, repeated: 0, complete: false };
        let mut tallied = 0;
        for record in lines {
            match record {
                Ok(Record::Verdict(verdict)) => {
                    resume.verdicts.insert(verdict.test.clone(), *verdict);
                }
                Ok(Record::Tally(tally)) => tallied = tally.pass.saturating_add(tallied),
                Ok(Record::Plan(_) | Record::Cause(_) | Record::Finding(_)) => {}
                Ok(Record::End(end)) => {
                    (resume.tallied, resume.repeated, resume.complete) = (Some(tallied), end.repeated, end.complete);
                }
                // The line that was being written.
                Err(RecordError::NoResult(..)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(resume)
    }

    /// How many results it has.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Whether it has no result.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Whether no test is left to run.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Checks that the record is of a run with this plan and these tests.
    ///
    /// # Errors
    /// The record is of another run; the message says what differs.
    pub fn check<'a>(&self, plan: &Plan, tests: impl Iterator<Item = &'a Test>) -> Result<(), ResumeError> {
        self.check_plan(plan)?;
        let Some(counted) = self.tallied else { return Ok(()) };
        let (mut planned, mut with_a_line) = (0, 0);
        for test in tests {
            if self.verdicts.contains_key(&test.id) {
                with_a_line += 1;
            } else if test.rule.is_some() {
                planned += 1;
            }
        }
        // The plan does not have what ran again. Of that, what passed is counted, and the rest has lines.
        let again = self.repeated.saturating_sub(self.verdicts.len() - with_a_line);
        let counted = counted.saturating_sub(again);
        if planned == counted { Ok(()) } else { Err(ResumeError::OtherCount { counted, planned }) }
    }

    fn check_plan(&self, plan: &Plan) -> Result<(), ResumeError> {
        let before = &self.plan;
        let named =
            |plan: &Plan| plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect::<Vec<_>>().join(", ");
        let selected = |plan: &Plan| {
            let only = plan.selection.only.as_deref().unwrap_or("everything");
            format!("{only}, derived tests {}", plan.selection.derivation())
        };
        let same = |what: &str, before: &str, now: &str| {
            if before == now { Ok(()) } else { Err(ResumeError::OtherRun(format!("{what} {before}, now {now}"))) }
        };
        let engine = |plan: &Plan| plan.engine.as_deref().unwrap_or("of the handshake").to_owned();
        let named_by = |plan: &Plan| format!("conform run {}", plan.implementation).trim_end().to_owned();
        same("by conform", &before.conform, &plan.conform)?;
        same("of", &named_by(before), &named_by(plan))?;
        same("on the corpus", &before.corpus.digest, &plan.corpus.digest)?;
        same("in the reading", &before.reading, &plan.reading)?;
        same("for the engine", &engine(before), &engine(plan))?;
        same("in", &named(before), &named(plan))?;
        same("of", &selected(before), &selected(plan))?;
        same("with a plan of tests:", &before.tests.to_string(), &plan.tests.to_string())?;
        if before.handshake == plan.handshake {
            return Ok(());
        }
        let changes = changes(&before.handshake, &plan.handshake);
        Err(ResumeError::OtherRun(format!("with another handshake: {changes}")))
    }

    /// What it says about a test.
    pub(crate) fn recorded(&self, test: &Test) -> TestRecord<'_> {
        match self.verdicts.get(&test.id) {
            Some(record) if matches!(record.verdict, Verdict::NotRun | Verdict::NotClaimed) => TestRecord::Absent,
            Some(record) => TestRecord::Result(record),
            None if test.rule.is_some() && self.tallied.is_some() => TestRecord::Passed,
            None => TestRecord::Absent,
        }
    }
}
