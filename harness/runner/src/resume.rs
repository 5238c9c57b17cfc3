//! Resuming a run from its unfinished record: tests with a result in it are not sent again.

use std::collections::HashMap;
use std::io::{self, BufRead};

use thiserror::Error;

use crate::results::{Plan, Record, TestResult};
use variant_corpus::test::Test;
use variant_corpus::verdict::Verdict;
use variant_wire::handshake::changes;

/// The results of an earlier record.
#[derive(Debug)]
pub struct ResumeState {
    plan: Plan,
    verdicts: HashMap<String, TestResult>,
    /// The number of derived tests that passed, if it has its footer.
    tallied: Option<usize>,
    complete: bool,
}

/// The result of a test in an earlier record.
pub(crate) enum Earlier<'a> {
    /// Its line.
    Recorded(&'a TestResult),
    /// It passed, and is only counted.
    Counted,
}

/// Why a run cannot be resumed from a record.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// The run is unknown.
    #[error("the first line is not a plan, so nothing is known of that run; start a new run")]
    NoPlan,
    /// The record cannot be read at a line, from 1.
    #[error("line {0} cannot be read: {1}")]
    Io(usize, io::Error),
    /// There is a second plan at a line, from 1.
    #[error("line {0} is a second plan")]
    SecondPlan(usize),
    /// The record is of another run; the sentence says what differs.
    #[error("that record is of another run: {0}")]
    OtherRun(String),
    /// The record does not count as many derived tests as its plan has.
    #[error("that record counts {counted} derived tests that passed, and by its plan there are {planned}")]
    OtherCount {
        /// By the record.
        counted: usize,
        /// By the plan.
        planned: usize,
    },
}

impl ResumeState {
    /// Reads a record, complete or cut short because a disk was full or the run was killed.
    ///
    /// # Errors
    /// [`ResumeError`], with the line.
    pub fn read(input: impl BufRead) -> Result<Self, ResumeError> {
        let mut lines = input.lines().enumerate();
        let first = lines.next().and_then(|(_, line)| line.ok()).unwrap_or_default();
        let Ok(Record::Plan(plan)) = serde_json::from_str(&first) else {
            return Err(ResumeError::NoPlan);
        };
        let mut resume = Self { plan: *plan, verdicts: HashMap::new(), tallied: None, complete: false };
        let mut tallied = 0;
        for (index, line) in lines {
            let line = line.map_err(|error| ResumeError::Io(index + 1, error))?;
            match serde_json::from_str(&line) {
                Ok(Record::Verdict(verdict)) => {
                    resume.verdicts.insert(verdict.test.clone(), *verdict);
                }
                Ok(Record::Tally(tally)) => tallied += tally.pass,
                Ok(Record::End(end)) => {
                    (resume.tallied, resume.complete) = (Some(tallied), end.complete);
                }
                Ok(Record::Plan(_)) => return Err(ResumeError::SecondPlan(index + 1)),
                // The line that was being written.
                Err(_) => break,
            }
        }
        Ok(resume)
    }

    /// How many results it has, without those that are only counted.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Whether it has no result.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Whether no test is left.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Checks that it is of the run with this plan and these tests.
    ///
    /// # Errors
    /// What differs.
    pub fn check<'a>(&self, plan: &Plan, tests: impl Iterator<Item = &'a Test>) -> Result<(), ResumeError> {
        self.check_plan(plan)?;
        let Some(counted) = self.tallied else { return Ok(()) };
        let planned = tests.filter(|test| test.rule.is_some() && !self.verdicts.contains_key(&test.id)).count();
        if planned == counted { Ok(()) } else { Err(ResumeError::OtherCount { counted, planned }) }
    }

    fn check_plan(&self, plan: &Plan) -> Result<(), ResumeError> {
        let before = &self.plan;
        let named =
            |plan: &Plan| plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect::<Vec<_>>().join(", ");
        let selected = |plan: &Plan| {
            let only = plan.selection.only.as_deref().unwrap_or("everything");
            format!("{only}, derived tests {}", if plan.selection.derived { "made" } else { "not made" })
        };
        let same = |what: &str, before: &str, now: &str| {
            if before == now { Ok(()) } else { Err(ResumeError::OtherRun(format!("{what} {before}, and now {now}"))) }
        };
        same("by conform", &before.conform, &plan.conform)?;
        same("on the corpus", &before.corpus.digest, &plan.corpus.digest)?;
        same("in the reading", &before.reading, &plan.reading)?;
        same("in", &named(before), &named(plan))?;
        same("of", &selected(before), &selected(plan))?;
        same("with a plan of tests:", &before.tests.to_string(), &plan.tests.to_string())?;
        if before.handshake == plan.handshake {
            return Ok(());
        }
        let changes = changes(&before.handshake, &plan.handshake);
        Err(ResumeError::OtherRun(format!("with another handshake: {changes}")))
    }

    /// The result of a test; `None` if it is still to be sent.
    pub(crate) fn verdict(&self, test: &Test) -> Option<Earlier<'_>> {
        match self.verdicts.get(&test.id) {
            Some(record) if matches!(record.verdict, Verdict::NotRun | Verdict::NotClaimed) => None,
            Some(record) => Some(Earlier::Recorded(record)),
            None if test.rule.is_some() && self.tallied.is_some() => Some(Earlier::Counted),
            None => None,
        }
    }
}
