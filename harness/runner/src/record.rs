//! A whole recorded run, in memory: what every report is a view of.

use std::collections::HashSet;
use std::io::BufRead;

use crate::results;
use crate::results::{End, Plan, Record, Tally, TestResult};
use variant_corpus::verdict::Verdict;

/// A recorded run that ended, and whose numbers agree with each other.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// What was to be run, on what.
    pub plan: Plan,
    /// Every verdict that was written out, as recorded.
    pub verdicts: Vec<TestResult>,
    /// Derived asks that passed.
    pub tallies: Vec<Tally>,
    /// The end.
    pub end: End,
}

impl RunRecord {
    /// Reads a `results.jsonl`.
    ///
    /// # Errors
    /// A sentence: it is none, it did not end, or lines of it are missing or stand twice.
    pub fn read(input: impl BufRead) -> Result<Self, String> {
        let (mut plan, mut end) = (None, None);
        let (mut verdicts, mut tallies) = (Vec::new(), Vec::new());
        results::read(input, |record| match record {
            Record::Plan(read) => plan = Some(*read),
            Record::Verdict(verdict) => verdicts.push(*verdict),
            Record::Tally(tally) => tallies.push(tally),
            Record::End(read) => end = Some(read),
        })?;
        let (Some(plan), Some(end)) = (plan, end) else { return Err("the file is empty".to_owned()) };
        let recorded = Self { plan, verdicts, tallies, end };
        recorded.check()?;
        Ok(recorded)
    }

    /// Asks are told apart by their ids, and as many are recorded as were executed, those asked again included.
    fn check(&self) -> Result<(), String> {
        let mut seen = HashSet::with_capacity(self.verdicts.len());
        if let Some(twice) = self.verdicts.iter().find(|verdict| !seen.insert(verdict.test.as_str())) {
            return Err(format!("{:?} stands here twice", twice.test));
        }
        let tallied: usize = self.tallies.iter().map(|tally| tally.pass).sum();
        let ran = |verdict: &&TestResult| !matches!(verdict.verdict, Verdict::NotClaimed | Verdict::NotRun);
        let executed = self.verdicts.iter().filter(ran).count() + tallied;
        if executed != self.end.executed + self.end.repeated {
            return Err(format!(
                "{executed} asks were executed, and the footer says {}: this record was changed",
                self.end.executed
            ));
        }
        Ok(())
    }
}
