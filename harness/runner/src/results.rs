//! `results.jsonl`: the one record of a run. Everything else is a view of it.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
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
    /// What is said of one ask.
    Verdict(Box<TestResult>),
    /// How many derived asks passed.
    Tally(Tally),
    /// The last line: without it the run did not end.
    End(End),
}

/// What was to be run.
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
    /// What was selected.
    pub selection: Selection,
    /// Ids and layouts of each dialect that was asked, in order.
    pub dialects: Vec<DialectPlan>,
    /// What the implementation said of itself.
    pub handshake: Handshake,
    /// How `conform run` names it, to repeat a case.
    pub implementation: String,
    /// The options beside it that ask the same again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// How many asks there are.
    pub tests: usize,
    /// How many texts: cases as written.
    pub texts: usize,
}

/// What was selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The glob over ask ids.
    pub only: Option<String>,
    /// Whether derived asks were included.
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

/// What is said of one ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The ask.
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
    /// The first byte that is not as expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The first field that is not as expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The erratum by which the answer follows the other reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erratum: Option<String>,
    /// Whether an expected failure covers it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expected_failure: bool,
    /// Everything that a person needs to mend it; absent for what passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
    /// The right value, but its length was not told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub length_not_told: bool,
    /// What was relaxed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relaxed: Vec<Lossy>,
    /// The answer to what is `open` or `readable`: a value as JSON, a packet as hex, or `refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// For an answer to what is `open` or `readable`, the engines that answer the same; absent where none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<Vec<String>>,
    /// Why it rightly refused, where it says so.
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

/// Derived asks that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The rule.
    pub rule: String,
    /// Dialect and layout: `godot-3/vector2`.
    #[serde(rename = "type")]
    pub of: String,
    /// `decode`, `encode` or `reencode`.
    pub op: String,
    /// How many.
    pub pass: usize,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How many asks were executed.
    pub executed: usize,
    /// Whether all of the plan was.
    pub complete: bool,
    /// How many asks were answered again, to see whether the answer is the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: usize,
    /// Claims about this implementation that were not true, a sentence each: expected failures, recorded answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How old a verdict may get before it is where a kill cannot reach it.
const KEPT_BACK: Duration = Duration::from_millis(100);

/// Writes the record of a run, each verdict as it comes.
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

    /// Records a verdict.
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

    /// Counts a derived ask that passed.
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

/// Reads a record, telling `each` of its lines in order, and refuses one that did not end.
///
/// # Errors
/// A sentence that says what is wrong with the record, and at which line.
pub fn read(input: impl BufRead, mut each: impl FnMut(Record)) -> Result<(), String> {
    let mut ended = None;
    let (mut planned, mut told) = (0, 0);
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.map_err(|error| format!("line {number} cannot be read: {error}"))?;
        let record: Record =
            serde_json::from_str(&line).map_err(|error| format!("line {number} is no result: {error}"))?;
        match (&record, number) {
            (Record::Plan(plan), 1) if plan.schema == SCHEMA => {}
            (Record::Plan(plan), 1) => {
                return Err(format!("this is schema {}, and this conform reads {SCHEMA}", plan.schema));
            }
            (_, 1) => return Err("the first line is no plan; this is no results.jsonl".to_owned()),
            (Record::Plan(_), _) => {
                return Err(format!(
                    "line {number} is a second plan, and a record is of one run: keep each in a file of its own"
                ));
            }
            _ if ended.is_some() => return Err(format!("line {number} stands behind the footer")),
            _ => {}
        }
        match &record {
            Record::Plan(plan) => planned = plan.tests,
            Record::Verdict(_) => told += 1,
            Record::Tally(tally) => told += tally.pass,
            Record::End(end) => ended = Some(end.repeated),
        }
        each(record);
    }
    let Some(repeated) = ended else {
        return Err("the footer is missing: the run did not end; go on with --resume, or run it again".to_owned());
    };
    if told != planned + repeated {
        return Err(format!(
            "it tells of {told} asks, and {} were planned: the record is damaged; run it again",
            planned + repeated
        ));
    }
    Ok(())
}
