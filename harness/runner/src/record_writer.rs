//! Writes `results.jsonl`, line by line while a run goes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use variant_corpus::test::Rule;
use variant_values::handshake::Op;

use crate::record::RunRecord;
use crate::results::{FindingRecord, Plan, Record, RunEnd, Tally, TestResult, digest_text};

/// Results are flushed at least this often while more of them come, so that they survive a kill.
const KEPT_BACK: Duration = Duration::from_millis(100);

pub(crate) struct RecordWriter<W: Write> {
    out: W,
    /// By type, rule and operation.
    tallies: BTreeMap<(String, Rule, Op), usize>,
    flushed: Instant,
    /// Of all lines so far.
    digest: Sha256,
    /// The bytes of all lines so far.
    pub(crate) written: usize,
}

impl<W: Write> RecordWriter<W> {
    /// Begins the record with its plan, and what is known of the implementation.
    pub(crate) fn new(out: W, plan: Plan, known: &[FindingRecord]) -> io::Result<Self> {
        let mut writer =
            Self { out, tallies: BTreeMap::new(), flushed: Instant::now(), digest: Sha256::new(), written: 0 };
        writer.line(&Record::Plan(Box::new(plan)))?;
        for finding in known {
            writer.line(&Record::Finding(Box::new(finding.clone())))?;
        }
        writer.out.flush()?;
        Ok(writer)
    }

    pub(crate) fn verdict(&mut self, verdict: TestResult) -> io::Result<()> {
        self.line(&Record::Verdict(Box::new(verdict)))?;
        if self.flushed.elapsed() > KEPT_BACK {
            self.out.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Counts a variant that passed. The counts of a type are written when the next type comes, so that a record that is
    /// cut has them.
    pub(crate) fn tally(&mut self, rule: Rule, of: &str, op: Op) -> io::Result<()> {
        if self.tallies.keys().next().is_some_and(|(known, ..)| known != of) {
            self.tallies()?;
        }
        *self.tallies.entry((of.to_owned(), rule, op)).or_default() += 1;
        Ok(())
    }

    fn tallies(&mut self) -> io::Result<()> {
        for ((of, rule, op), pass) in std::mem::take(&mut self.tallies) {
            self.line(&Record::Tally(Tally { rule: Some(rule), of, op, pass }))?;
        }
        Ok(())
    }

    /// Ends the record: the tallies, then the footer.
    pub(crate) fn end(mut self, end: RunEnd) -> io::Result<W> {
        self.tallies()?;
        let digest = digest_text(self.digest.clone());
        self.line(&Record::End(RunEnd { digest, ..end }))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(&mut self, record: &Record) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.digest.update(&line);
        self.written += line.len();
        self.out.write_all(&line)
    }
}

/// A record as JSONL, with the digest of its lines.
pub fn lines(record: &RunRecord) -> String {
    // Plain data cannot fail to become JSON, and memory can be written to.
    let mut lines = Vec::new();
    write(record, &mut lines).ok().and_then(|()| String::from_utf8(lines).ok()).unwrap_or_default()
}

/// Writes a record as JSONL, a line at once, with the digest of its lines.
///
/// # Errors
/// Those of `out`.
pub fn write(record: &RunRecord, out: impl Write) -> io::Result<()> {
    let mut writer = RecordWriter::new(out, record.plan.clone(), &record.findings)?;
    for verdict in &record.verdicts {
        writer.verdict(verdict.clone())?;
    }
    for tally in &record.tallies {
        writer.line(&Record::Tally(tally.clone()))?;
    }
    writer.end(record.end.clone())?;
    Ok(())
}
