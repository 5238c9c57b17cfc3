//! `results.jsonl`: the one record of a run, a line of JSON for each [`Record`]. Everything else is a view of it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use variant_corpus::CorpusId;
use variant_corpus::findings::JudgedTest;
use variant_corpus::verdict::{Reason, Verdict};
use variant_wire::handshake::{Handshake, Lossy};

/// The version of the record.
pub const SCHEMA: u32 = 2;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Record {
    /// The first line: what was to be run, on what.
    Plan(Box<Plan>),
    /// The result of one test.
    Verdict(Box<TestResult>),
    /// How many derived tests passed.
    Tally(Tally),
    /// The last line: without it the run did not end.
    End(End),
}

/// What was planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of this program.
    pub conform: String,
    /// The corpus.
    pub corpus: CorpusId,
    /// `engine` or `document`.
    pub reading: String,
    /// The tests that were selected.
    pub selection: Selection,
    /// The dialects that are tested, in order.
    pub dialects: Vec<DialectPlan>,
    /// The handshake of the implementation.
    pub handshake: Handshake,
    /// The implementation as `conform run` names it, to repeat a test.
    pub implementation: String,
    /// The options that run the same tests again, each with a space before it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// How many tests there are.
    pub tests: usize,
    /// How many cases there are, as written.
    pub texts: usize,
}

/// The tests that were selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The glob over test ids; `--smoke` for those of a smoke run; absent for all.
    pub only: Option<String>,
    /// Whether derived tests are included.
    pub derived: bool,
}

/// The types of a dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialectPlan {
    /// Its name.
    pub name: String,
    /// Its layouts in the order of their ids.
    pub types: Vec<String>,
}

/// The result of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test's id: `godot-3/vector2/negative-zero-keeps-its-sign:decode`.
    pub test: String,
    /// `authored` or `derived`.
    pub origin: String,
    /// `canonical`, `readable`, `invalid` or `open`.
    pub class: String,
    /// `must` or `should`.
    pub level: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The offset of the first byte that is not as expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The first field that is not as expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The erratum by which the reply follows the other reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erratum: Option<String>,
    /// Whether an expected failure covers it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expected_failure: bool,
    /// What a person needs to fix it; absent where it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
    /// The right value, but how many bytes it took was not reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub length_not_told: bool,
    /// What was relaxed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relaxed: Vec<Lossy>,
    /// The reply to what is `open` or `readable`: a value as JSON, a packet as hex, or `refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The engines that reply the same to what is `open` or `readable`; absent where none was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<Vec<String>>,
    /// The reasons for a refusal that is right, where the reply gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refused>,
}

impl TestResult {
    /// What known findings are held against.
    pub fn judged(&self) -> JudgedTest<'_> {
        let Self { test, class, level, verdict, reason, .. } = self;
        let severity = verdict.severity_at(level == "should", class == "canonical");
        JudgedTest { test, class, verdict: *verdict, reason: *reason, severity }
    }

    /// Whether the test follows from a case by a rule.
    pub fn is_derived(&self) -> bool {
        self.origin == "derived"
    }

    /// The file and line of its case, where they are recorded.
    pub fn place(&self) -> Option<(&str, usize)> {
        let (file, line) = self.detail.as_ref()?.place.rsplit_once(':')?;
        Some((file.trim_start_matches("../").trim_start_matches("./"), line.parse().unwrap_or(1).max(1)))
    }
}

/// Two reasons for one refusal. They need not agree: any refusal of what is invalid passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The corpus's: kind and offset, as in `truncated at 8`.
    pub ours: String,
    /// The implementation's own words.
    pub theirs: String,
}

/// What a person needs to fix a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Detail {
    /// What was sent: hex or JSON.
    pub sent: String,
    /// The packet that was sent, field by field; empty where a value was sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packet: Vec<ListingRow>,
    /// What was expected.
    pub expected: Listing,
    /// What came back.
    pub actual: Listing,
    /// The reply as it came: hex, JSON or a sentence.
    pub answer: String,
    /// The rule in one sentence.
    pub rule: String,
    /// What else there is to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The file and line of the case.
    pub place: String,
    /// stderr and stray lines that belong to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub noise: String,
}

/// A packet or a value, field by field: an array of rows in JSON; or a string where there is neither.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Listing {
    /// `refused: truncated at 8`.
    Sentence(String),
    /// The fields.
    Rows(Vec<ListingRow>),
}

/// A field of a packet, or of a value, which has neither offset nor bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ListingRow {
    /// The offset of its first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Its bytes in hex, the middle of long ones left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bytes: String,
    /// Its path, as in `names[1].padding`; in the last row of a long listing, how many rows are left out.
    pub name: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub meaning: String,
}

impl Default for Listing {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

impl Listing {
    /// Its rows; none of a sentence.
    pub fn rows(&self) -> &[ListingRow] {
        match self {
            Self::Rows(rows) => rows,
            Self::Sentence(_) => &[],
        }
    }

    /// As aligned text, a line for each row.
    pub fn lines(&self) -> Vec<String> {
        let rows = match self {
            Self::Rows(rows) => rows,
            Self::Sentence(sentence) => return vec![sentence.clone()],
        };
        let width = |column: fn(&ListingRow) -> usize| rows.iter().map(column).max().unwrap_or(0);
        let offsets = width(|row| row.offset.map_or(0, |offset| offset.to_string().len()));
        let (bytes, names) = (width(|row| row.bytes.chars().count()), width(|row| row.name.chars().count()));
        let line = |row: &ListingRow| {
            let ListingRow { bytes: hex, name, meaning, .. } = row;
            match row.offset {
                Some(offset) => format!("{offset:offsets$}  {hex:bytes$}  {name:names$}  {meaning}"),
                None => format!("{name:names$}  {meaning}"),
            }
        };
        rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
    }
}

/// Derived tests that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The rule.
    pub rule: String,
    /// Dialect and layout: `godot-3/vector2`.
    #[serde(rename = "type")]
    pub of: String,
    /// `decode`, `encode` or `reencode`.
    pub op: String,
    /// How many of them.
    pub pass: usize,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How many tests were executed.
    pub executed: usize,
    /// Whether every test of the plan was.
    pub complete: bool,
    /// How many tests ran again, to see whether the reply is the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: usize,
    /// Claims about this implementation that are no longer true, a sentence each: expected failures, recorded replies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A result is flushed after at most this time, so that it survives a kill.
const KEPT_BACK: Duration = Duration::from_millis(100);

/// Writes the record of a run, each result as it comes.
pub struct Writer<W: Write> {
    out: W,
    tallies: BTreeMap<(String, String, String), usize>,
    flushed: Instant,
}

impl<W: Write> Writer<W> {
    /// Begins the record with its plan.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn new(out: W, plan: Plan) -> io::Result<Self> {
        let mut writer = Self { out, tallies: BTreeMap::new(), flushed: Instant::now() };
        writer.line(&Record::Plan(Box::new(plan)))?;
        writer.out.flush()?;
        Ok(writer)
    }

    /// Records a result.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn verdict(&mut self, verdict: TestResult) -> io::Result<()> {
        self.line(&Record::Verdict(Box::new(verdict)))?;
        if self.flushed.elapsed() > KEPT_BACK {
            self.out.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Counts a derived test that passed.
    pub fn tally(&mut self, rule: &str, of: &str, op: &str) {
        *self.tallies.entry((rule.to_owned(), of.to_owned(), op.to_owned())).or_default() += 1;
    }

    /// Ends the record: the tallies, then the footer.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn end(mut self, end: End) -> io::Result<W> {
        for ((rule, of, op), pass) in std::mem::take(&mut self.tallies) {
            self.line(&Record::Tally(Tally { rule, of, op, pass }))?;
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
