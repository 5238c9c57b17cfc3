//! A whole recorded run in memory, from which every report is made.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use crate::results::{
    CauseOfTests, FindingRecord, MOST_ROWS, Plan, Record, RunEnd, SCHEMA, Tally, TestResult, digest_text,
};
use sha2::{Digest, Sha256};
use variant_corpus::test::Rule;
use variant_corpus::verdict::Verdict;
use variant_values::diagnostic::{Problem, json_words};
use variant_values::input;
use variant_values::version::other_schema;

const NO_PLAN: &str = "there is no plan, the first line of a record: this is no results.jsonl, or it is empty";

/// A run has at most this many tests, so sums of such counts do not overflow.
const MOST_TESTS: usize = 1 << 24;

/// A recorded run whose numbers agree with each other.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// The first line: which tests were planned, on which implementation.
    pub plan: Plan,
    /// Every test result that was written out, as recorded.
    pub verdicts: Vec<TestResult>,
    /// Variants that passed, counted by rule, type and operation.
    pub tallies: Vec<Tally>,
    /// Why tests failed, the causes of failures first, those of the most tests first. They are in no file: empty until
    /// somebody finds them.
    pub causes: Vec<CauseOfTests>,
    /// What is known about the implementation, and shows in the run.
    pub findings: Vec<FindingRecord>,
    /// The last line: totals, and whether the run is complete.
    pub end: RunEnd,
    /// Whether the last line is there. Without it the run was killed, or the record cut.
    pub ended: bool,
}

/// What a record says about one test.
#[derive(Debug, Clone, Copy)]
pub enum TestRecord<'a> {
    /// Nothing: it was not tested.
    Absent,
    /// It passed, and was only counted.
    Passed,
    /// It has this result, which is not only counted.
    Result(&'a TestResult),
}

/// Why a `results.jsonl` cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RecordError {
    /// The line that is wrong, from 1; 0 if that is no single line.
    line: usize,
    message: String,
}

impl RecordError {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }

    pub fn in_file(&self, path: &Path) -> Problem {
        Problem { file: path.display().to_string(), line: self.line, message: self.message.clone() }
    }
}

impl RunRecord {
    /// Reads a whole `results.jsonl`, and checks that its numbers agree.
    pub fn read(input: impl BufRead) -> Result<Self, RecordError> {
        let (mut plan, mut end) = (None, None);
        let (mut verdicts, mut tallies) = (Vec::new(), Vec::new());
        let mut findings = Vec::new();
        let mut cut = None;
        let mut digest = Sha256::new();
        for (number, line) in (1..).zip(input::lines(input)) {
            // Only of the last line there may be a part.
            if let Some(error) = cut {
                return Err(error);
            }
            let line = line.map_err(|error| RecordError::at(number, format!("cannot be read: {error}")))?;
            if number == 1
                && let Some(schema) = other_schema(&line, Some("plan"), SCHEMA)
            {
                let why = format!("this is schema {schema}, and this conform reads {SCHEMA}: run the tests again");
                return Err(RecordError::at(1, why));
            }
            let record = match serde_json::from_slice(&line) {
                Ok(record) => record,
                Err(error) => {
                    let why = RecordError::at(number, format!("this is not a result: {}", json_words(&error)));
                    if number == 1 || !error.is_eof() {
                        return Err(why);
                    }
                    cut = Some(why);
                    continue;
                }
            };
            if !matches!(record, Record::End(_)) {
                digest.update(&line);
                digest.update(b"\n");
            }
            match record {
                Record::Plan(read) if number == 1 => plan = Some(*read),
                _ if number == 1 => return Err(RecordError::at(1, NO_PLAN)),
                Record::Plan(_) => {
                    let why = "this is a second plan, but a record has one run: keep each in its own file";
                    return Err(RecordError::at(number, why));
                }
                _ if end.is_some() => return Err(RecordError::at(number, "this is after the footer")),
                Record::Verdict(test) if test.detail.as_ref().is_some_and(|detail| detail.is_too_long()) => {
                    let why = format!("this listing has more than {MOST_ROWS} rows, which conform never writes");
                    return Err(RecordError::at(number, why));
                }
                Record::Verdict(verdict) => verdicts.push(*verdict),
                Record::Tally(tally) => tallies.push(tally),
                Record::Finding(finding) => findings.push(*finding),
                Record::End(read) => end = Some(read),
            }
        }
        let plan = plan.ok_or_else(|| RecordError::at(1, NO_PLAN))?;
        let ended = end.is_some();
        // The record has ended, so this is more than it.
        if let Some(error) = cut.filter(|_| ended) {
            return Err(error);
        }
        let end = end.unwrap_or_default();
        let recorded = Self { plan, verdicts, tallies, causes: Vec::new(), findings, end, ended };
        recorded.check()?;
        if recorded.ended && recorded.end.digest != digest_text(digest) {
            return Err(RecordError::at(
                0,
                "its lines are not those that were recorded (the digest in its last line is of others): this record was changed",
            ));
        }
        Ok(recorded)
    }

    /// How many tests have a result.
    pub fn recorded(&self) -> usize {
        self.verdicts.len() + self.tallies.iter().map(|tally| tally.pass).sum::<usize>()
    }

    /// Whether no source says what is right in any test that ran. What only repeats tests decides nothing.
    pub fn decides_nothing(&self) -> bool {
        let decides = |result: &TestResult| result.verdict.was_executed() && result.verdict != Verdict::Undecided;
        !self.verdicts.iter().any(|result| decides(result) && !is_repetition(result))
            && self.tallies.iter().all(|tally| tally.rule.is_some_and(Rule::is_repetition))
    }

    /// Adds what another campaign found.
    fn add(&mut self, other: Self) {
        add_new(&mut self.plan.dialects, other.plan.dialects, |one, other| one.name == other.name);
        self.plan.tests += other.plan.tests;
        self.tallies.extend(other.tallies);
        self.end.executed += other.end.executed;
        self.end.complete &= other.end.complete;
        self.ended &= other.ended;
        let (verdicts, findings) = (&mut self.verdicts, &mut self.findings);
        add_new(verdicts, other.verdicts, |one, other| one.test == other.test);
        add_new(findings, other.findings, |one, other| one.id == other.id);
    }

    fn check_twice(&self) -> Result<(), RecordError> {
        let mut seen = HashSet::with_capacity(self.verdicts.len());
        match self.verdicts.iter().find(|verdict| !seen.insert(verdict.test.as_str())) {
            Some(twice) => Err(RecordError::at(0, format!("{:?} occurs twice", twice.test.to_string()))),
            None => Ok(()),
        }
    }

    /// Checks that no test is missing or in it twice, and that as many were executed as the footer says.
    fn check(&self) -> Result<(), RecordError> {
        if self.plan.campaign.is_some() {
            return self.check_twice();
        }
        let counts = [self.plan.tests, self.end.executed, self.end.repeated];
        let counts = counts.into_iter().chain(self.tallies.iter().map(|tally| tally.pass));
        if let Some(count) = counts.into_iter().find(|count| *count > MOST_TESTS) {
            let most = format!("a run has at most {MOST_TESTS}: the record is damaged; run it again");
            return Err(RecordError::at(0, format!("it counts {count} tests, but {most}")));
        }
        let (recorded, planned) = (self.recorded(), self.plan.tests + self.end.repeated);
        if self.ended && recorded != planned {
            let why =
                format!("it has {recorded} tests, but {planned} were planned: the record is damaged; run it again");
            return Err(RecordError::at(0, why));
        }
        self.check_twice()?;
        if !self.ended {
            return Ok(());
        }
        // A test that is repeated counts where it could not be, too.
        let counts = |result: &&TestResult| result.verdict.was_executed() || is_repetition(result);
        let executed = recorded - self.verdicts.iter().filter(|result| !counts(result)).count();
        let footer = self.end.executed + self.end.repeated;
        if executed == footer {
            return Ok(());
        }
        let why = format!("{executed} tests ran, but the footer says {footer}: this record was changed");
        Err(RecordError::at(0, why))
    }
}

fn is_repetition(result: &TestResult) -> bool {
    result.id().last_rule().is_some_and(Rule::is_repetition)
}

/// Adds those that are not there yet.
fn add_new<T>(known: &mut Vec<T>, others: Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    let new: Vec<T> = others.into_iter().filter(|other| !known.iter().any(|one| is_same(one, other))).collect();
    known.extend(new);
}

/// The last line of a record, if it is there.
pub fn end_of(input: impl BufRead) -> Option<RunEnd> {
    let last = serde_json::from_slice(&input::lines(input).last()?.ok()?);
    if let Ok(Record::End(end)) = last { Some(end) } else { None }
}

/// The records of several campaigns against one implementation as one: what several of them found is there once.
pub fn joined(records: Vec<(String, RunRecord)>) -> Result<RunRecord, String> {
    let mut records = records.into_iter();
    let Some((first, mut all)) = records.next() else { return Err("there is no record".to_owned()) };
    for (name, record) in records {
        if all.plan.campaign.is_none() || record.plan.campaign.is_none() {
            return Err(format!("{first} and {name}: only records of `conform diff` are joined"));
        }
        if all.plan.handshake != record.plan.handshake || all.plan.corpus != record.plan.corpus {
            return Err(format!("{first} and {name} are of different implementations, versions or corpora"));
        }
        all.add(record);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{RunRecord, SCHEMA};

    #[test]
    fn a_record_of_another_schema_is_named_as_one() {
        let first = br#"{"kind":"plan","schema":1,"conform":"0.0.9","hello":{},"asks":3}"#;
        let told = format!("this is schema 1, and this conform reads {SCHEMA}: run the tests again");
        assert_eq!(RunRecord::read(first.as_slice()).unwrap_err().to_string(), told);
    }
}
