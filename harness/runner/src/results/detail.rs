//! What a record has of a reply: the text as it came, and what a person needs to fix a failure.

use serde::{Deserialize, Serialize};
use variant_codec::Framing;
use variant_corpus::test::hash;
use variant_values::implementation::Ending;
use variant_values::row::{Columns, Row};

/// A reply as it came. A text that is longer than a bound is cut, and ends with its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedReply {
    /// A value, valid or not.
    Value {
        json: String,
        /// The bytes consumed, if reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<u64>,
    },
    Bytes(String),
    /// A refusal, in the words of the implementation.
    Refused(String),
    /// That it is not supported, in the words of the implementation.
    Unsupported(String),
    /// None: the process ended.
    Crashed(Ending),
    /// None: the process hung.
    TimedOut(Ending),
}

/// What tells a text that is cut from others: `70000 letters, #00…`.
pub fn digest_of(text: &str) -> String {
    format!("{} letters, #{:016x}", text.chars().count(), hash(text))
}

impl RecordedReply {
    /// As people read it: JSON, hex or words.
    pub fn text(&self) -> String {
        match self {
            Self::Value { json: text, .. } | Self::Bytes(text) => text.clone(),
            Self::Refused(why) => format!("refused: {why}"),
            Self::Unsupported(why) => format!("unsupported: {why}"),
            Self::Crashed(ending) => format!("crashed: {ending}"),
            Self::TimedOut(ending) => format!("timed out: {ending}"),
        }
    }
}

/// What a person needs to fix a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Detail {
    /// What was sent: hex or JSON.
    pub sent: String,
    /// Whether the request allowed objects.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub objects: bool,
    /// The length in front of the packet, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// The packet that was sent, field by field; empty where a value was sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packet: Vec<Row>,
    /// The expected packet or value by fields, or a sentence.
    pub expected: DetailSide,
    /// The packet or value that came back by fields, or a sentence.
    pub actual: DetailSide,
    /// The rule that the reply breaks, in one sentence.
    pub rule: String,
    /// Where a document describes that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// A sentence about the reply, like `bytes in reply to decode`; empty if there is nothing to add.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The file and line of the case: `FILE:LINE`.
    pub place: String,
    /// What the adapter printed outside the protocol for this test; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub noise: String,
    /// Of a generated test: requests like it that were answered right, as `sent`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

impl Detail {
    /// Whether a listing has more rows than conform writes.
    pub(crate) fn is_too_long(&self) -> bool {
        [&self.packet, self.expected.rows(), self.actual.rows()].iter().any(|rows| rows.len() > MOST_ROWS + 1)
    }
}

/// A packet or a value, field by field; or a sentence if there is neither. In JSON, an array of rows or a string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DetailSide {
    /// A sentence, like `refused: truncated at 8`.
    Sentence(String),
    Rows(Vec<Row>),
}

/// A listing has at most this many rows, and one more that says how many are left out. The time to compare two listings
/// grows with the square of their length.
pub(crate) const MOST_ROWS: usize = 200;

impl Default for DetailSide {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

impl DetailSide {
    /// Its rows; empty for a sentence.
    pub fn rows(&self) -> &[Row] {
        match self {
            Self::Rows(rows) => rows,
            Self::Sentence(_) => &[],
        }
    }

    /// Two sides as text, a line for each row. Both have the same columns, so rows that are the same are the same lines.
    pub fn aligned(sides: [&Self; 2]) -> [Vec<String>; 2] {
        let rows = || sides.into_iter().flat_map(Self::rows);
        let columns = Columns::of(rows());
        sides.map(|side| match side {
            Self::Rows(rows) => rows.iter().map(|row| columns.line(row)).collect(),
            Self::Sentence(sentence) => vec![sentence.clone()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_both_sides_have_is_the_same_line_in_both() {
        let row = |name: &str| Row { name: name.into(), meaning: "type 23".into(), ..Row::default() };
        let sides = [vec![row("header")], vec![row("header"), row("strings[0].length")]].map(DetailSide::Rows);
        let [short, long] = DetailSide::aligned([&sides[0], &sides[1]]);
        assert_eq!(short, ["header             type 23"]);
        assert_eq!(long, ["header             type 23", "strings[0].length  type 23"]);
    }

    #[test]
    fn a_sentence_is_one_line_beside_rows() {
        let rows = DetailSide::Rows(vec![Row { offset: Some(8), bytes: "01".into(), ..Row::default() }]);
        let [sentence, rows] = DetailSide::aligned([&DetailSide::Sentence("refused: truncated at 8".into()), &rows]);
        assert_eq!((sentence, rows), (vec!["refused: truncated at 8".into()], vec!["8  01".into()]));
    }
}
