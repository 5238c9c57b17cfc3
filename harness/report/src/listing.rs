//! Listings of a record, taken apart again and laid side by side.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use variant_runner::results::{Detail, TestResult};

/// One line of a listing: of a packet with offset and bytes, of a value without.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// The offset of its first byte.
    pub offset: Option<usize>,
    /// Its bytes.
    pub bytes: String,
    /// The field; empty where the line is a sentence.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

/// What was expected and what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// What was expected.
    pub expected: Column,
    /// What came.
    pub actual: Column,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// A listing.
    Listing(Vec<Line>),
    /// Something said of the whole: `refused: truncated at 8`.
    Sentence(String),
}

impl Columns {
    /// The two sides of a recorded finding.
    pub fn of(record: &TestResult, detail: &Detail) -> Self {
        let packet = !record.test.ends_with(":decode");
        let listed = matches!(record.class.as_str(), "canonical" | "readable");
        // The answer itself stands where it could not be read as a value or packet.
        let said = detail.actual.len() <= 1 && detail.actual.first().is_none_or(|line| *line == detail.answer);
        Self {
            expected: if listed { listing(&detail.expected, packet) } else { sentence(&detail.expected) },
            actual: if said { sentence(&detail.actual) } else { listing(&detail.actual, packet) },
        }
    }

    /// Pairs of lines of the same field, in the order of both; `None` where one side lacks it.
    pub fn pairs(&self) -> Vec<(Option<&Line>, Option<&Line>)> {
        let (expected, actual) = (self.expected.lines(), self.actual.lines());
        let names = |lines: &[Line]| lines.iter().map(|line| line.name.clone()).collect::<Vec<_>>();
        let mut pairs = Vec::with_capacity(expected.len().max(actual.len()));
        for op in capture_diff_slices(Algorithm::Myers, &names(expected), &names(actual)) {
            let (old, new) = (op.old_range(), op.new_range());
            if matches!(op, DiffOp::Equal { .. }) {
                pairs.extend(old.zip(new).map(|(old, new)| (expected.get(old), actual.get(new))));
            } else {
                pairs.extend(old.map(|old| (expected.get(old), None)));
                pairs.extend(new.map(|new| (None, actual.get(new))));
            }
        }
        pairs
    }
}

impl Column {
    /// Its lines, where it is a listing.
    pub fn lines(&self) -> &[Line] {
        match self {
            Self::Listing(lines) => lines,
            Self::Sentence(_) => &[],
        }
    }
}

/// The lines of a packet's listing.
pub fn packet_lines(lines: &[String]) -> Vec<Line> {
    lines.iter().map(|line| packet_line(line)).collect()
}

fn sentence(lines: &[String]) -> Column {
    Column::Sentence(lines.join("\n"))
}

fn listing(lines: &[String], packet: bool) -> Column {
    Column::Listing(if packet { packet_lines(lines) } else { lines.iter().map(|line| value_line(line)).collect() })
}

/// `x.y   2.0`.
fn value_line(line: &str) -> Line {
    let (name, meaning) = column(line);
    Line { offset: None, bytes: String::new(), name: name.to_owned(), meaning: meaning.to_owned() }
}

/// ` 8  00 00 80 40  y.x  4.0`; the bytes are missing where there are none.
fn packet_line(line: &str) -> Line {
    let (first, rest) = column(line.trim_start());
    let Ok(offset) = first.parse() else { return value_line(line) };
    let (second, behind) = column(rest);
    let (bytes, (name, meaning)) = if is_bytes(second) { (second, column(behind)) } else { ("", column(rest)) };
    Line { offset: Some(offset), bytes: bytes.to_owned(), name: name.to_owned(), meaning: meaning.to_owned() }
}

/// The first column of a line, and the rest: columns are two spaces or more apart.
fn column(line: &str) -> (&str, &str) {
    let (first, rest) = line.split_once("  ").unwrap_or((line, ""));
    (first, rest.trim_start())
}

/// `00 01 … 02 (300 bytes)`.
fn is_bytes(column: &str) -> bool {
    let pair = |word: &str| word.len() == 2 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    column.split(' ').next().is_some_and(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(test: &str, class: &str, expected: &[&str], actual: &[&str], answer: &str) -> Columns {
        let record: TestResult = serde_json::from_value(serde_json::json!({
            "test": test, "origin": "authored", "class": class, "level": "must", "verdict": "fail"
        }))
        .unwrap();
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let detail =
            Detail { expected: lines(expected), actual: lines(actual), answer: answer.to_owned(), ..Detail::default() };
        Columns::of(&record, &detail)
    }

    #[test]
    fn a_packet_line_has_four_columns() {
        let line = |offset, bytes: &str, name: &str, meaning: &str| Line {
            offset: Some(offset),
            bytes: bytes.to_owned(),
            name: name.to_owned(),
            meaning: meaning.to_owned(),
        };
        assert_eq!(packet_line(" 8  00 00 80 40  y.x  4.0"), line(8, "00 00 80 40", "y.x", "4.0"));
        assert_eq!(packet_line("29  00 00 00  names[1].padding"), line(29, "00 00 00", "names[1].padding", ""));
        assert_eq!(
            packet_line("0    ?  truncated at 0: cannot be read"),
            line(0, "", "?", "truncated at 0: cannot be read")
        );
        assert_eq!(
            packet_line("8  61 … 62 (99 bytes)  text  \"a  b\""),
            line(8, "61 … 62 (99 bytes)", "text", "\"a  b\"")
        );
    }

    #[test]
    fn lines_of_one_field_stand_beside_each_other() {
        let sides = sides(
            "d/vector2/n:decode",
            "canonical",
            &["header  vector2", "x       1.0", "y       2.0"],
            &["header  vector3", "x       1.0", "z       2.0"],
            "{}",
        );
        let names: Vec<_> = sides
            .pairs()
            .into_iter()
            .map(|(expected, actual)| (expected.map(|line| line.name.as_str()), actual.map(|line| line.name.as_str())))
            .collect();
        assert_eq!(
            names,
            [(Some("header"), Some("header")), (Some("x"), Some("x")), (Some("y"), None), (None, Some("z"))]
        );
    }

    #[test]
    fn what_is_no_listing_stays_a_sentence() {
        let invalid =
            sides("d/int/n:decode", "invalid", &["refused: truncated at 4"], &["header  int", "value  7"], "{}");
        assert_eq!(invalid.expected, Column::Sentence("refused: truncated at 4".to_owned()));
        assert_eq!(invalid.actual.lines().len(), 2);
        let crashed =
            sides("d/int/n:decode", "canonical", &["header  int"], &["crashed: signal 11"], "crashed: signal 11");
        assert_eq!(crashed.actual, Column::Sentence("crashed: signal 11".to_owned()));
    }
}
