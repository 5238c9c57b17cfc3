//! `results.jsonl`: the one record of a run, a line of JSON for each [`Record`]. Everything else is a view of it.

use serde::{Deserialize, Serialize};

use variant_corpus::test::{TestId, TestParts};
use variant_corpus::verdict::{Reason, Verdict};
use variant_corpus::{Class, CorpusId, Level};
use variant_specs::Reading;
use variant_wire::handshake::{Handshake, Op, Relaxation};

/// The version of the format; a record of another version cannot be read.
pub const SCHEMA: u32 = 3;

/// One line of a record; its `kind` is the variant's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Record {
    /// The first line: what was to be run, on what.
    Plan(Box<Plan>),
    /// The result of one test.
    Verdict(Box<TestResult>),
    /// How many derived tests passed.
    Tally(Tally),
    /// What is known about the implementation, and shows in this run: one for each finding, before the end.
    Finding(Box<FindingRecord>),
    /// The last line: without it the run did not end.
    End(RunEnd),
}

/// The first line of a record: which tests were planned, on which implementation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the format, which is [`SCHEMA`].
    pub schema: u32,
    /// The version of conform that wrote the record, like `0.1.0`.
    pub conform: String,
    /// The version and digest of the corpus.
    pub corpus: CorpusId,
    /// Which source wins where document and engine disagree: `engine` or `document`.
    #[serde(with = "reading")]
    pub reading: Reading,
    /// The engine version of `--engine`, which decides what is expected; absent for that of the handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
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
    /// How many tests are planned, authored and derived.
    pub tests: usize,
    /// How many cases the tests come from; a case of several dialects counts once.
    pub texts: usize,
}

/// The tests that were selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The glob over test ids; `--smoke` for those of a smoke run; absent for all.
    pub only: Option<String>,
    /// Whether derived tests are included.
    pub derived: bool,
    /// Whether only one in eight of them is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
}

impl Selection {
    /// How many of the derived tests are included, in words.
    pub fn derivation(&self) -> &'static str {
        match (self.derived, self.sampled) {
            (false, _) => "left out",
            (true, true) => "sampled",
            (true, false) => "included",
        }
    }
}

/// The types of a dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialectPlan {
    /// The dialect's name, like `godot-3`.
    pub name: String,
    /// The names of its layouts, like `vector2`, in the order of their type ids.
    pub types: Vec<String>,
}

/// The result of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test's id: `godot-3/vector2/negative-zero-keeps-its-sign:decode`.
    pub test: TestId,
    /// Where the test is from.
    pub origin: Origin,
    /// The class of what is expected: `canonical`, `readable`, `invalid` or `open`.
    pub class: Class,
    /// `must`, or `should` where the case is only good practice.
    pub level: Level,
    /// How the test ended: `pass`, `fail`, `crashed` and so on.
    pub verdict: Verdict,
    /// Why it failed; absent unless the verdict is `fail`.
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
    /// The id of its cause. No record has it: it is found where it is shown.
    #[serde(skip)]
    pub cause: Option<String>,
    /// Whether an expected failure covers it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expected_failure: bool,
    /// The id of the finding that it is expected by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// The reply, where it did not pass and there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<RecordedReply>,
    /// What a person needs to fix it; absent where it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
    /// Whether the reply has the right value, but does not report how many bytes it consumed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub length_not_told: bool,
    /// The words of `lossy` and `limits` that the handshake declares and this reply needed; often empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relaxed: Vec<Relaxation>,
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
    /// The parts of its id.
    pub fn id(&self) -> TestParts<'_> {
        self.test.parts()
    }

    /// Whether the test follows from a case by a rule.
    pub fn is_derived(&self) -> bool {
        self.origin == Origin::Derived
    }

    /// The reply as people read it; empty if there was none.
    pub fn reply_text(&self) -> String {
        self.reply.as_ref().map(RecordedReply::text).unwrap_or_default()
    }

    /// By this, the smallest test of several comes first: authored ones, then by what was sent.
    pub fn size(&self) -> (bool, usize) {
        (self.is_derived(), self.detail.as_ref().map_or(0, |detail| detail.sent.len()))
    }

    /// The file and line of its case, where they are recorded.
    pub fn place(&self) -> Option<(&str, usize)> {
        let (file, line) = self.detail.as_ref()?.place.rsplit_once(':')?;
        Some((file.trim_start_matches("../").trim_start_matches("./"), line.parse().unwrap_or(1).max(1)))
    }
}

/// Where a test is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A case has it.
    Authored,
    /// It follows from a case by a rule.
    Derived,
}

/// A reply as it came. A text that is longer than a bound is cut, and ends with its length and a hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedReply {
    /// A value, valid or not.
    Value {
        /// It as JSON.
        json: String,
        /// The bytes consumed, if reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<u64>,
    },
    /// A packet in hex.
    Bytes(String),
    /// A refusal, in the words of the implementation.
    Refused(String),
    /// That it is not supported, in the words of the implementation.
    Unsupported(String),
}

impl RecordedReply {
    /// As people read it: JSON, hex or words.
    pub fn text(&self) -> String {
        match self {
            Self::Value { json: text, .. } | Self::Bytes(text) => text.clone(),
            Self::Refused(why) => format!("refused: {why}"),
            Self::Unsupported(why) => format!("unsupported: {why}"),
        }
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
    /// The expected packet or value by fields, or a sentence.
    pub expected: DetailSide,
    /// The packet or value that came back by fields, or a sentence.
    pub actual: DetailSide,
    /// The rule that the reply breaks, in one sentence.
    pub rule: String,
    /// A sentence about the reply, like `bytes in reply to decode`; empty if there is nothing to add.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The file and line of the case: `FILE:LINE`.
    pub place: String,
    /// What the adapter printed outside the protocol for this test; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub noise: String,
}

impl Detail {
    /// Whether a listing has more rows than conform writes.
    pub(crate) fn is_too_long(&self) -> bool {
        [self.packet.as_slice(), self.expected.rows(), self.actual.rows()].iter().any(|rows| rows.len() > MOST_ROWS + 1)
    }
}

/// A packet or a value, field by field; or a sentence if there is neither. In JSON, an array of rows or a string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DetailSide {
    /// A sentence, like `refused: truncated at 8`.
    Sentence(String),
    /// A row for each field, in order.
    Rows(Vec<ListingRow>),
}

/// A listing has at most this many rows, and one more that says how many are left out. The time to compare two listings
/// grows with the square of their length.
pub(crate) const MOST_ROWS: usize = 200;

/// A field of a packet, or of a value, which has neither offset nor bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ListingRow {
    /// The offset of its first byte; absent in a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Its bytes in hex, the middle of long ones left out; empty in a value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bytes: String,
    /// Its path, as in `names[1].padding`; in the last row of a long listing, how many rows are left out.
    pub name: String,
    /// What its bytes mean, or the field's value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub meaning: String,
}

impl Default for DetailSide {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

impl DetailSide {
    /// Its rows; empty for a sentence.
    pub fn rows(&self) -> &[ListingRow] {
        match self {
            Self::Rows(rows) => rows,
            Self::Sentence(_) => &[],
        }
    }

    /// Two sides as text, a line for each row. Both have the same columns, so rows that are the same are the same lines.
    pub fn aligned(sides: [&Self; 2]) -> [Vec<String>; 2] {
        let rows = || sides.into_iter().flat_map(Self::rows);
        let width = |column: fn(&ListingRow) -> usize| rows().map(column).max().unwrap_or(0);
        let offsets = width(|row| row.offset.map_or(0, |offset| offset.to_string().len()));
        let (bytes, names) = (width(|row| row.bytes.chars().count()), width(|row| row.name.chars().count()));
        let line = |row: &ListingRow| {
            let ListingRow { bytes: hex, name, meaning, .. } = row;
            let line = match row.offset {
                Some(offset) => format!("{offset:offsets$}  {hex:bytes$}  {name:names$}  {meaning}"),
                None => format!("{name:names$}  {meaning}"),
            };
            line.trim_end().to_owned()
        };
        sides.map(|side| match side {
            Self::Rows(rows) => rows.iter().map(line).collect(),
            Self::Sentence(sentence) => vec![sentence.clone()],
        })
    }
}

/// How many derived tests of one rule, type and operation passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The name of the rule that made them.
    pub rule: String,
    /// Dialect and layout: `godot-3/vector2`.
    #[serde(rename = "type")]
    pub of: String,
    /// `decode`, `encode` or `reencode`.
    pub op: Op,
    /// How many of them.
    pub pass: usize,
}

/// Why some tests failed: one fault, as far as their replies tell. No record has it: it is found where it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseOfTests {
    /// Its id, which the results of its tests name: `text-utf16-length`.
    pub id: String,
    /// What is wrong, in one sentence.
    pub headline: String,
    /// How many tests it has.
    pub tests: usize,
    /// How many tests like those were not tried, because those crashed or did not end.
    pub skipped: usize,
    /// The layouts of these tests.
    pub types: Vec<String>,
    /// The test that shows it with the fewest bytes.
    pub smallest: String,
}

/// A finding of the implementation's list that this run shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRecord {
    /// Its id, which the results of its tests name: the anchor on the page.
    pub id: String,
    /// What the implementation does wrong, in one sentence.
    pub finding: String,
    /// `critical`, `high`, `medium` or `low`; absent where the list does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// The page that describes it; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub page: String,
    /// How many tests it has.
    pub tests: usize,
}

impl FindingRecord {
    /// Where it is described: `adapters/mine/FINDINGS.md#its-id`, or only its id.
    pub fn place(&self) -> String {
        if self.page.is_empty() { self.id.clone() } else { format!("{}#{}", self.page, self.id) }
    }
}

/// The end of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// How many tests were executed, without those that ran again.
    pub executed: usize,
    /// The SHA-256 of all lines before this one: `sha256:` and 64 hex digits.
    pub digest: String,
    /// Whether the run reached its end: nothing stopped it, and no claimed test was left out.
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

/// A reading as records have it.
mod reading {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error};
    use variant_specs::Reading;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
    pub(super) fn serialize<S: Serializer>(reading: &Reading, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(reading.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Reading, D::Error> {
        let word = String::deserialize(from)?;
        let known = [Reading::Engine, Reading::Document].into_iter().find(|reading| reading.name() == word);
        known.ok_or_else(|| D::Error::custom(format!("{word:?} is no reading: `engine` or `document`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_both_sides_have_is_the_same_line_in_both() {
        let row = |name: &str| ListingRow { name: name.into(), meaning: "type 23".into(), ..ListingRow::default() };
        let sides = [vec![row("header")], vec![row("header"), row("strings[0].length")]].map(DetailSide::Rows);
        let [short, long] = DetailSide::aligned([&sides[0], &sides[1]]);
        assert_eq!(short, ["header             type 23"]);
        assert_eq!(long, ["header             type 23", "strings[0].length  type 23"]);
    }

    #[test]
    fn a_sentence_is_one_line_beside_rows() {
        let rows = DetailSide::Rows(vec![ListingRow { offset: Some(8), bytes: "01".into(), ..ListingRow::default() }]);
        let [sentence, rows] = DetailSide::aligned([&DetailSide::Sentence("refused: truncated at 8".into()), &rows]);
        assert_eq!((sentence, rows), (vec!["refused: truncated at 8".into()], vec!["8  01".into()]));
    }
}
