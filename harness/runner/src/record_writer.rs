//! Writes `results.jsonl`: line by line while a run goes, and once more when the causes are known.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, Seek, Write};
use std::time::{Duration, Instant};

use variant_syntax::input;

use crate::results::{CauseRecord, FindingRecord, Plan, Record, RunEnd, Tally, TestResult};

/// Results are flushed at least this often while more of them come, so that they survive a kill.
const KEPT_BACK: Duration = Duration::from_millis(100);

/// Writes the record of a run, each result as it comes.
pub(crate) struct RecordWriter<W: Write> {
    out: W,
    tallies: BTreeMap<(String, String, String), usize>,
    flushed: Instant,
}

impl<W: Write> RecordWriter<W> {
    /// Begins the record with its plan.
    pub(crate) fn new(out: W, plan: Plan) -> io::Result<Self> {
        let mut writer = Self { out, tallies: BTreeMap::new(), flushed: Instant::now() };
        writer.line(&Record::Plan(Box::new(plan)))?;
        writer.out.flush()?;
        Ok(writer)
    }

    /// Writes the line of one result.
    pub(crate) fn verdict(&mut self, verdict: TestResult) -> io::Result<()> {
        self.line(&Record::Verdict(Box::new(verdict)))?;
        if self.flushed.elapsed() > KEPT_BACK {
            self.out.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Counts a derived test that passed.
    pub(crate) fn tally(&mut self, rule: &str, of: &str, op: &str) {
        *self.tallies.entry((rule.to_owned(), of.to_owned(), op.to_owned())).or_default() += 1;
    }

    /// Ends the record: the tallies, the findings, the causes, then the footer.
    pub(crate) fn end(mut self, findings: Vec<FindingRecord>, causes: Vec<CauseRecord>, end: RunEnd) -> io::Result<W> {
        for ((rule, of, op), pass) in std::mem::take(&mut self.tallies) {
            self.line(&Record::Tally(Tally { rule, of, op, pass }))?;
        }
        for finding in findings {
            self.line(&Record::Finding(Box::new(finding)))?;
        }
        for cause in causes {
            self.line(&Record::Cause(Box::new(cause)))?;
        }
        self.line(&Record::End(end))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(&mut self, record: &Record) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, record)?;
        self.out.write_all(b"\n")
    }
}

/// Writes a record whose run has ended once more, with each result naming its cause: while the run goes, the causes are not
/// known. All other lines stay as they are.
///
/// # Errors
/// The record cannot be read, or the output cannot be written.
pub fn finish(record: &mut (impl BufRead + Seek), mut out: impl Write) -> io::Result<()> {
    let is = |line: &[u8], kind: &str| line.starts_with(format!("{{\"kind\":\"{kind}\"").as_bytes());
    let mut causes: HashMap<String, String> = HashMap::new();
    for line in input::lines(record.by_ref()) {
        let line = line?;
        if is(&line, "cause")
            && let Record::Cause(cause) = serde_json::from_slice(&line)?
        {
            causes.extend(cause.of.into_iter().map(|test| (test, cause.id.clone())));
        }
    }
    record.rewind()?;
    for line in input::lines(record) {
        let line = line?;
        let named = match is(&line, "verdict") || is(&line, "cause") {
            true => named(serde_json::from_slice(&line)?, &causes),
            false => None,
        };
        match named {
            Some(record) => serde_json::to_writer(&mut out, &record)?,
            None => out.write_all(&line)?,
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The line that a line becomes when causes are known; `None` if it stays as it is.
fn named(record: Record, causes: &HashMap<String, String>) -> Option<Record> {
    match record {
        Record::Verdict(result) => {
            let cause = causes.get(&result.test)?.clone();
            Some(Record::Verdict(Box::new(TestResult { cause: Some(cause), ..*result })))
        }
        Record::Cause(cause) => Some(Record::Cause(Box::new(CauseRecord { of: Vec::new(), ..*cause }))),
        Record::Plan(_) | Record::Tally(_) | Record::Finding(_) | Record::End(_) => None,
    }
}
