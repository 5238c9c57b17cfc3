//! A record of the same run that did not come to its end: what it says need not be asked again.

use std::collections::HashMap;
use std::io::BufRead;

use crate::results::{Plan, Record, TestResult};
use variant_corpus::test::Test;
use variant_corpus::verdict::Verdict;
use variant_wire::handshake::changes;

/// What an earlier record says.
#[derive(Debug)]
pub struct ResumeState {
    plan: Plan,
    verdicts: HashMap<String, TestResult>,
    /// The derived asks that passed are counted, where it has its footer.
    tallied: Option<usize>,
    complete: bool,
}

impl ResumeState {
    /// Reads a record, whole or cut short: a disk was full, or the run was killed.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it, and at which line.
    pub fn read(input: impl BufRead) -> Result<Self, String> {
        let mut lines = input.lines().enumerate();
        let first = lines.next().and_then(|(_, line)| line.ok()).unwrap_or_default();
        let Ok(Record::Plan(plan)) = serde_json::from_str(&first) else {
            return Err("the first line is no plan, so nothing is known of that run; run it anew".to_owned());
        };
        let mut resume = Self { plan: *plan, verdicts: HashMap::new(), tallied: None, complete: false };
        let mut tallied = 0;
        for (index, line) in lines {
            let line = line.map_err(|error| format!("line {} cannot be read: {error}", index + 1))?;
            match serde_json::from_str(&line) {
                Ok(Record::Verdict(verdict)) => {
                    resume.verdicts.insert(verdict.test.clone(), *verdict);
                }
                Ok(Record::Tally(tally)) => tallied += tally.pass,
                Ok(Record::End(end)) => {
                    (resume.tallied, resume.complete) = (Some(tallied), end.complete);
                }
                Ok(Record::Plan(_)) => return Err(format!("line {} is a second plan", index + 1)),
                // The line that was being written.
                Err(_) => break,
            }
        }
        Ok(resume)
    }

    /// How many verdicts it has.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Whether nothing is left to be asked.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether it is of the run that has this plan and these asks.
    ///
    /// # Errors
    /// In what it is another.
    pub fn check<'a>(&self, plan: &Plan, tests: impl Iterator<Item = &'a Test>) -> Result<(), String> {
        self.check_plan(plan).map_err(|what| format!("that record is of another run: {what}"))?;
        let Some(tallied) = self.tallied else { return Ok(()) };
        let passed = tests.filter(|test| test.rule.is_some() && !self.verdicts.contains_key(&test.id)).count();
        if passed == tallied {
            return Ok(());
        }
        Err(format!("that record counts {tallied} derived asks that passed, and by its plan there are {passed}"))
    }

    fn check_plan(&self, plan: &Plan) -> Result<(), String> {
        let before = &self.plan;
        let named =
            |plan: &Plan| plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect::<Vec<_>>().join(", ");
        let selected = |plan: &Plan| {
            let only = plan.selection.only.as_deref().unwrap_or("everything");
            format!("{only}, derived asks {}", if plan.selection.derived { "made" } else { "not made" })
        };
        let same = |what: &str, before: &str, now: &str| {
            if before == now { Ok(()) } else { Err(format!("{what} {before}, and now {now}")) }
        };
        same("by conform", &before.conform, &plan.conform)?;
        same("on the corpus", &before.corpus.digest, &plan.corpus.digest)?;
        same("in the reading", &before.reading, &plan.reading)?;
        same("in", &named(before), &named(plan))?;
        same("of", &selected(before), &selected(plan))?;
        same("with a plan of asks:", &before.tests.to_string(), &plan.tests.to_string())?;
        if before.handshake == plan.handshake {
            return Ok(());
        }
        Err(format!("with another hello: {}", changes(&before.handshake, &plan.handshake)))
    }

    /// What it says of an ask: its line, or nothing but that it passed.
    pub(crate) fn verdict(&self, test: &Test) -> Option<Option<&TestResult>> {
        match self.verdicts.get(&test.id) {
            Some(record) if matches!(record.verdict, Verdict::NotRun | Verdict::NotClaimed) => None,
            Some(record) => Some(Some(record)),
            None if test.rule.is_some() && self.tallied.is_some() => Some(None),
            None => None,
        }
    }
}
