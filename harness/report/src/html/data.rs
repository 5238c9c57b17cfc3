//! The cases of a record as the page's script reads them. Each text and each line of a listing is stored once.

use std::collections::HashMap;

use indexmap::IndexSet;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::groups::{GroupView, Groups};
use crate::repeat::{around, whole};
use variant_corpus::test::TestParts;
use variant_corpus::verdict::spelled;
use variant_corpus::{Class, Level};
use variant_runner::record::RunRecord;
use variant_runner::results::{Detail, DetailSide, DialectPlan, Refused, TestResult};
use variant_runner::status::{CellStatus, TestStatus};
use variant_runner::summary::label;
use variant_values::handshake::Op;
use variant_values::handshake::Relaxation;
use variant_values::row::Row;
use variant_values::sanitize;

/// The block of JSON in the page. Numbers in other fields are indices into its first three lists.
#[derive(Debug, Serialize)]
pub(super) struct Data<'a> {
    /// Verdicts as reports write them, each with its cell status.
    verdicts: IndexSet<(String, CellStatus)>,
    texts: IndexSet<String>,
    lines: IndexSet<ListingLine>,
    /// The command that repeats a test: its text before the test's id, and after it.
    again: [String; 2],
    /// The command that repeats all.
    whole: String,
    dialects: Vec<DialectData>,
    groups: &'a [GroupView],
    /// The index of a case in its type's `cases`, by dialect, layout and name.
    #[serde(skip)]
    cases: HashMap<(String, String, String), usize>,
}

/// Offset, bytes, field, meaning.
type ListingLine = (Option<usize>, String, String, String);

#[derive(Debug, Serialize)]
struct DialectData {
    name: String,
    types: Vec<TypeData>,
}

#[derive(Debug, Serialize)]
struct TypeData {
    id: Option<usize>,
    name: String,
    label: String,
    /// Derived tests that passed: they are counted, not written out.
    derived: usize,
    cases: Vec<CaseData>,
}

#[derive(Debug, Serialize)]
struct CaseData {
    name: String,
    class: Class,
    tests: Vec<TestData>,
}

#[derive(Debug, Serialize)]
struct TestData {
    /// The operation: `decode`, `encode` or `reencode`.
    o: String,
    /// The rule of a derived test; empty for an authored one.
    #[serde(skip_serializing_if = "str::is_empty")]
    r: String,
    /// The index of its verdict in [`Data::verdicts`].
    v: usize,
    /// The index of its group in [`Data::groups`].
    #[serde(skip_serializing_if = "Option::is_none")]
    g: Option<usize>,
    /// Whether its level is `should`: good practice only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    l: bool,
    /// Whether it is an expected failure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    k: bool,
    /// The erratum by which the reply follows the other reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Whether the consumed length was not reported.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    n: bool,
    /// The distinctions that the reply does not make, as its handshake declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    x: Vec<Relaxation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<Vec<String>>,
    /// The reasons for a refusal: ours, and the implementation's.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Refused>,
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<DetailData>,
}

/// Numbers are indices into [`Data::texts`]; empty texts are left out.
#[derive(Debug, Serialize)]
struct DetailData {
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<usize>,
    /// The packet that was sent, as indices into [`Data::lines`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packet: Vec<usize>,
    /// The expected side, if it is a sentence.
    #[serde(rename = "es", skip_serializing_if = "Option::is_none")]
    expected: Option<usize>,
    /// The actual side, if it is a sentence.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    actual: Option<usize>,
    /// Pairs of indices into [`Data::lines`], expected and actual; `null` where one side lacks the field.
    rows: Vec<[Option<usize>; 2]>,
}

impl<'a> Data<'a> {
    /// The data of a record. Types without a case are kept, since the grid links to them. In a case, authored tests
    /// come before derived ones, and for each rule decode before encode.
    pub(super) fn of(recorded: &RunRecord, groups: &'a Groups<'_>) -> Self {
        let dialect = |dialect: &DialectPlan| DialectData {
            name: sanitize::line(&dialect.name),
            types: dialect
                .types
                .iter()
                .map(|name| sanitize::line(name))
                .enumerate()
                .map(|(id, name)| TypeData::new(Some(id), &name))
                .collect(),
        };
        let mut data = Self {
            again: around(&recorded.plan).map(|part| sanitize::line(&part)),
            whole: sanitize::line(&whole(&recorded.plan)),
            dialects: recorded.plan.dialects.iter().map(dialect).collect(),
            groups: &groups.all,
            verdicts: IndexSet::new(),
            texts: IndexSet::new(),
            lines: IndexSet::new(),
            cases: HashMap::new(),
        };
        for record in &recorded.verdicts {
            data.add(record, groups.place(&record.test));
        }
        for tally in &recorded.tallies {
            let of = sanitize::line(&tally.of);
            let (dialect, layout) = of.split_once('/').unwrap_or(("", &of));
            data.type_of(dialect, layout).derived += tally.pass;
        }
        for case in data.dialects.iter_mut().flat_map(|dialect| &mut dialect.types).flat_map(|of| &mut of.cases) {
            case.tests.sort_by(|a, b| (natural(&a.r), &a.o).cmp(&(natural(&b.r), &b.o)));
        }
        data
    }

    fn add(&mut self, record: &TestResult, group: Option<usize>) {
        let TestParts { dialect, layout, name, rule, op, .. } = record.id();
        let [dialect, layout, name, rule] = [dialect, layout, name, rule.unwrap_or_default()].map(sanitize::line);
        let test = TestData { g: group, ..self.test(record, op, &rule) };
        let key = (dialect.clone(), layout.clone(), name.clone());
        let place = self.cases.get(&key).copied();
        let of_type = self.type_of(&dialect, &layout);
        let place = place.unwrap_or_else(|| {
            of_type.cases.push(CaseData { name, class: record.class, tests: Vec::new() });
            of_type.cases.len() - 1
        });
        if let Some(case) = of_type.cases.get_mut(place) {
            if rule.is_empty() {
                case.class = record.class;
            }
            case.tests.push(test);
        }
        self.cases.insert(key, place);
    }

    fn type_of(&mut self, dialect: &str, layout: &str) -> &mut TypeData {
        let dialects = &mut self.dialects;
        let place = dialects.iter().position(|known| known.name == dialect).unwrap_or_else(|| {
            dialects.push(DialectData { name: dialect.to_owned(), types: Vec::new() });
            dialects.len() - 1
        });
        let types = &mut dialects[place].types;
        let place = types.iter().position(|known| known.name == layout).unwrap_or_else(|| {
            types.push(TypeData::new(None, layout));
            types.len() - 1
        });
        &mut types[place]
    }

    fn test(&mut self, record: &TestResult, op: Op, rule: &str) -> TestData {
        let verdict = (spelled(record.verdict, record.reason), TestStatus::of(record).into());
        let refusal =
            |Refused { ours, theirs }: &Refused| Refused { ours: sanitize::line(ours), theirs: sanitize::line(theirs) };
        TestData {
            o: op.name().to_owned(),
            r: rule.to_owned(),
            v: self.verdicts.insert_full(verdict).0,
            g: None,
            l: record.level == Level::Should,
            k: record.expected_failure,
            e: record.erratum.as_deref().map(sanitize::line),
            at: record.at,
            field: record.field.as_deref().map(sanitize::line),
            n: record.length_not_told,
            x: record.relaxed.clone(),
            like: record.like.as_ref().map(|like| like.iter().map(|engine| sanitize::line(engine)).collect()),
            why: record.refusal.as_ref().map(refusal),
            d: record.detail.as_deref().map(|detail| self.detail(detail, &record.reply_text())),
        }
    }

    fn detail(&mut self, detail: &Detail, reply: &str) -> DetailData {
        let rows = pairs(detail.expected.rows(), detail.actual.rows());
        DetailData {
            rows: rows.into_iter().map(|pair| pair.map(|row| row.map(|row| self.line(row)))).collect(),
            packet: detail.packet.iter().map(|row| self.line(row)).collect(),
            expected: self.sentence(&detail.expected),
            actual: self.sentence(&detail.actual),
            sent: self.text(&detail.sent),
            answer: self.text(reply),
            rule: self.text(&detail.rule),
            note: self.text(&detail.note),
            place: self.text(&detail.place),
            noise: self.text(&detail.noise),
        }
    }

    fn line(&mut self, row: &Row) -> usize {
        let Row { offset, bytes, name, meaning } = row;
        self.lines.insert_full((*offset, sanitize::line(bytes), sanitize::line(name), sanitize::line(meaning))).0
    }

    fn sentence(&mut self, side: &DetailSide) -> Option<usize> {
        match side {
            DetailSide::Sentence(sentence) => Some(self.texts.insert_full(sanitize::lines(sentence)).0),
            DetailSide::Rows(_) => None,
        }
    }

    fn text(&mut self, text: &str) -> Option<usize> {
        (!text.is_empty()).then(|| self.texts.insert_full(sanitize::lines(text)).0)
    }
}

impl TypeData {
    fn new(id: Option<usize>, name: &str) -> Self {
        Self { id, name: name.to_owned(), label: label(name).to_owned(), derived: 0, cases: Vec::new() }
    }
}

/// Pairs of rows of the same field, in the order of both; `None` if one side lacks the field.
fn pairs<'a>(expected: &'a [Row], actual: &'a [Row]) -> Vec<[Option<&'a Row>; 2]> {
    let names = |rows: &'a [Row]| rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>();
    let mut pairs = Vec::with_capacity(expected.len().max(actual.len()));
    for op in capture_diff_slices(Algorithm::Myers, &names(expected), &names(actual)) {
        let (old, new) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            pairs.extend(old.zip(new).map(|(old, new)| [expected.get(old), actual.get(new)]));
        } else {
            pairs.extend(old.map(|old| [expected.get(old), None]));
            pairs.extend(new.map(|new| [None, actual.get(new)]));
        }
    }
    pairs
}

/// The sort key of a rule: `truncated-at-9` comes before `truncated-at-10`.
fn natural(rule: &str) -> (&str, i64) {
    let digits = rule.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |last| last + 1);
    (&rule[..digits], rule[digits..].parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_field_are_a_pair() {
        let rows = |names: [&str; 3]| names.map(|name| Row { name: name.to_owned(), ..Row::default() });
        let (expected, actual) = (rows(["header", "x", "y"]), rows(["header", "x", "z"]));
        let names: Vec<_> = pairs(&expected, &actual)
            .into_iter()
            .map(|pair| pair.map(|row| row.map(|row| row.name.as_str())))
            .collect();
        assert_eq!(names, [[Some("header"); 2], [Some("x"); 2], [Some("y"), None], [None, Some("z")]]);
    }
}
