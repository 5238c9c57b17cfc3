//! Offset, bytes, meaning and value of each row, against each other.

use std::collections::BTreeMap;
use std::fmt;

use variant_codec::{F32, F64, Framing};
use variant_specs::{Dialect, JudgedBy, Layout, Shape, UnwrittenPadding};

use crate::kind::{FieldKind, FieldKinds};
use crate::{ByteToken, Case, CaseSide, Class, File, Row};
use variant_values::diagnostic::Problem;
use variant_values::fields::{FieldValue, fields_of, layout_of, long_word, word};
use variant_values::row::spaced;

pub(super) fn check(file: &File, case: &Case, dialect: &Dialect, problems: &mut Vec<Problem>) {
    let mut checker = Checker { file, case, dialect, problems };
    checker.case_side(case.by_engines(), JudgedBy::Engines);
    if let Some(document) = case.document_in(dialect) {
        checker.case_side(case.by_document(document), JudgedBy::Documents);
    }
    if let Some(written) = case.as_written() {
        checker.case_side(written, JudgedBy::Engines);
    }
}

struct Checker<'a> {
    file: &'a File,
    case: &'a Case,
    dialect: &'a Dialect,
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn case_side(&mut self, side: CaseSide<'_>, judged_by: JudgedBy) {
        let expectation = match side.expectation(self.dialect) {
            Ok(expectation) => expectation,
            Err(error) => return self.report(self.case.line, error),
        };
        let canonical = side.class == Class::Canonical;
        // What is only readable may be elsewhere, or not all read: the codec compares it.
        let value = expectation.value.as_ref().filter(|_| canonical);
        let layout = value.and_then(|value| layout_of(&value.value, &self.dialect.layouts));
        if self.file.is_of_a_type() && layout.is_some_and(|layout| layout.name != self.file.layout) {
            self.report(self.case.line, format!("its value is no {}", self.file.layout));
        }
        let (Some(listing), Some(packet)) = (side.listing, &expectation.packet) else { return };
        let fields = value.into_iter().flat_map(|value| fields_of(&value.value, &self.dialect.layouts));
        let mut fields: BTreeMap<String, FieldValue> = fields.map(|field| (field.path, field.value)).collect();
        let mut kinds = FieldKinds::new(self.dialect);
        let mut offset = 0;
        for (index, row) in listing.rows.iter().enumerate() {
            let line = listing.line + index;
            if row.offset != offset {
                self.report(line, format!("offset {}, but the rows before it end at {offset}", row.offset));
            }
            let bytes = &packet.bytes[offset..offset + row.len()];
            offset += row.len();
            self.row(line, row, bytes, &mut kinds, side, &mut fields);
        }
        let literal = |row: &Row| row.tokens.iter().all(|token| matches!(token, ByteToken::Byte(_)));
        let is_own = canonical && self.file.is_of(self.dialect) && judged_by == JudgedBy::Engines;
        if is_own && !listing.rows.first().is_some_and(literal) {
            self.report(listing.line, "in a dialect's file, headers are literal bytes".to_owned());
        }
        if let Some((path, datum)) = fields.into_iter().find(|(path, datum)| must_have_a_row(path, datum)) {
            self.report(self.case.line, format!("the value has {path} = {datum}, but no row of the listing has it"));
        }
    }

    fn row<'r>(
        &mut self,
        line: usize,
        row: &'r Row,
        bytes: &[u8],
        kinds: &mut FieldKinds<'r>,
        side: CaseSide<'_>,
        fields: &mut BTreeMap<String, FieldValue>,
    ) {
        let (kind, width) = match kinds.next(row, bytes) {
            Ok(field) => (field.kind, field.width),
            Err(error) => return self.report(line, error),
        };
        let cut = width.is_some_and(|width| bytes.len() < width);
        if cut && side.class.has_value() {
            return self.report(line, format!("{} has {} bytes", row.name, bytes.len()));
        }
        if width.is_some_and(|width| bytes.len() > width) {
            return self.report(line, format!("{} has {} bytes, more than its type has", row.name, bytes.len()));
        }
        if row.tokens.contains(&ByteToken::Unwritten) {
            if kind != FieldKind::Padding {
                self.report(line, "?? is only for rows named padding".to_owned());
            } else if self.dialect.rules.unwritten_padding == UnwrittenPadding::None {
                self.report(line, format!("{} writes its padding; ?? is not allowed here", self.dialect.name));
            }
        }
        if cut || kind == FieldKind::Repeat {
            // Only the codec compares what one row for several fields contains.
            fields.retain(|path, _| kind != FieldKind::Repeat || !belongs(path, &row.name));
            return;
        }
        self.meaning(line, row, kind, bytes, side);
        if let Some(field) = fields.remove(&row.name) {
            self.value(line, row, kind, bytes, &field);
        }
    }

    fn meaning(&mut self, line: usize, row: &Row, kind: FieldKind, bytes: &[u8], side: CaseSide<'_>) {
        if row.meaning.is_empty() {
            let carries = matches!(
                kind,
                FieldKind::Bool | FieldKind::Int | FieldKind::Real | FieldKind::Id | FieldKind::Text | FieldKind::Bytes
            );
            let not_text = kind == FieldKind::Text && std::str::from_utf8(bytes).is_err();
            // The value says what is repeated.
            let repeated = row.tokens.iter().any(|token| matches!(token, ByteToken::Repeat(..)));
            if side.class.has_value() && carries && !not_text && !repeated {
                self.report(line, format!("{} has no MEANING; write what the bytes mean", row.name));
            }
            return;
        }
        let first = row.meaning.split_whitespace().next().unwrap_or_default();
        let agrees = match kind {
            FieldKind::Header => header_agrees(&row.meaning, bytes),
            FieldKind::Word | FieldKind::Count(_) => {
                first.trim_end_matches(',').parse::<i64>().ok().is_none_or(|number| {
                    let word = word(bytes);
                    number == i64::from(word)
                        || number == i64::from(word.cast_signed())
                        || number == i64::from(word & 0x7fff_ffff)
                })
            }
            FieldKind::Bool => first.parse().ok() == Some(word(bytes) != 0),
            FieldKind::Int => first.parse::<i64>().ok() == Some(signed(bytes)),
            FieldKind::Id => first.parse::<u64>().ok() == bytes.try_into().ok().map(u64::from_le_bytes),
            FieldKind::Real => real_agrees(first, bytes),
            // If a decoder reads only part of the text, the meaning may be that part.
            FieldKind::Text => text_of(&row.meaning).is_some_and(|text| match side.class {
                Class::Readable => contains(bytes, text.as_bytes()),
                Class::Canonical | Class::Invalid | Class::Undecided => text.as_bytes() == bytes,
            }),
            FieldKind::Bytes => row.meaning.starts_with(&format!("\"{}\"", hex::encode(bytes))),
            FieldKind::Prefix => Framing::ALL.into_iter().any(|framing| {
                let prefix = bytes.try_into().map(|prefix| framing.length(prefix));
                first.trim_end_matches(',').parse().ok() == prefix.ok()
            }),
            FieldKind::Nul | FieldKind::Padding | FieldKind::Unread | FieldKind::Repeat => true,
        };
        // Bytes that are not a text may be described in words.
        let described = kind == FieldKind::Text && !side.class.has_value() && !row.meaning.starts_with('"');
        if !agrees && !described {
            self.report(
                line,
                format!("{}: MEANING {:?} does not match the bytes {}", row.name, row.meaning, shown(bytes)),
            );
        }
    }

    fn value(&mut self, line: usize, row: &Row, kind: FieldKind, bytes: &[u8], field: &FieldValue) {
        let agrees = match field {
            FieldValue::Header(name) => {
                // The type of an array's elements is an id like that of a header, and has no flags.
                let entry = self.dialect.type_of(word(bytes) & self.dialect.header.id_mask);
                let layout = entry.map(|entry| self.dialect.layout(entry));
                // Engines write null for an object that is none.
                let is_null = |layout: &Layout| self.case.encode && layout.shape == Shape::Empty;
                layout.is_some_and(|layout| layout.name == *name || is_null(layout))
            }
            FieldValue::Count(count) => usize::try_from(word(bytes) & 0x7fff_ffff) == Ok(*count),
            FieldValue::Bool(bool) => (word(bytes) != 0) == *bool,
            FieldValue::Int(int) if kind == FieldKind::Word => i64::from(word(bytes)) == *int,
            FieldValue::Int(int) => signed(bytes) == *int,
            FieldValue::Id(id) if kind == FieldKind::Word => u64::from(word(bytes)) == *id,
            FieldValue::Id(id) => bytes == id.to_le_bytes(),
            FieldValue::Single(single) => same_single(*single, bytes),
            FieldValue::Double(double) if bytes.len() == 4 => {
                F32(word(bytes)).widen() == *double
                    || self.case.encode && F32(word(bytes)) == double.nearest()
                    || double.get().is_nan() && F32(word(bytes)).get().is_nan()
            }
            FieldValue::Double(double) => same_double(*double, bytes),
            // What engines write as another text, as what is no Unicode, the reference codec says.
            FieldValue::Text(text) => {
                let may_be_another = self.case.encode || text.as_str().is_none();
                text.as_bytes() == bytes || may_be_another && std::str::from_utf8(bytes).is_ok()
            }
            FieldValue::Bytes(value) => value == bytes,
        };
        if !agrees {
            self.report(line, format!("{}: the value has {field}, but the bytes are {}", row.name, shown(bytes)));
        }
    }

    fn report(&mut self, line: usize, message: impl fmt::Display) {
        self.problems.push(self.file.problem(line, format!("case {}: {message}", self.case.name)));
    }
}

/// Whether a listing must have a row for a field of the value. What is empty has no bytes.
fn must_have_a_row(path: &str, datum: &FieldValue) -> bool {
    let is_empty = matches!(datum, FieldValue::Text(text) if text.as_bytes().is_empty())
        || matches!(datum, FieldValue::Bytes(bytes) if bytes.is_empty());
    // `shared` is bit 31 of the count.
    !(is_empty || matches!(datum, FieldValue::Bool(_)) && path.ends_with("shared"))
}

/// Whether a field is among the elements that a row named `[*]…` lists.
fn belongs(path: &str, name: &str) -> bool {
    let prefix = name.split("[*]").next().unwrap_or_default();
    path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('['))
}

fn header_agrees(meaning: &str, bytes: &[u8]) -> bool {
    let Some(rest) = meaning.strip_prefix("type ") else { return true };
    let id: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let word = word(bytes);
    id.parse() == Ok(word & 0xff) || id.parse() == Ok(word & 0xffff) || id.parse() == Ok(word)
}

fn real_agrees(meaning: &str, bytes: &[u8]) -> bool {
    let hex = meaning.strip_prefix("0x").map(|hex| u64::from_str_radix(hex, 16));
    match (hex, bytes.len()) {
        (Some(bits), 4) => bits == Ok(u64::from(word(bytes))),
        (Some(bits), _) => bits.ok() == bytes.try_into().ok().map(u64::from_le_bytes),
        (None, 4) if meaning == "nan" => F32(word(bytes)).get().is_nan(),
        (None, 4) => meaning.parse::<f32>().ok().map(F32::from) == Some(F32(word(bytes))),
        (None, 8) if meaning == "nan" => F64(long_word(bytes)).get().is_nan(),
        (None, 8) => meaning.parse::<f64>().ok().map(F64::from) == Some(F64(long_word(bytes))),
        (None, _) => false,
    }
}

fn same_single(single: F32, bytes: &[u8]) -> bool {
    bytes.len() == 4
        && (single.0 == word(bytes)
            || single.get().is_nan() && single.0 == f32::NAN.to_bits() && F32(word(bytes)).get().is_nan())
}

fn same_double(double: F64, bytes: &[u8]) -> bool {
    let actual = F64(long_word(bytes));
    bytes.len() == 8 && (double == actual || double.0 == f64::NAN.to_bits() && actual.get().is_nan())
}

/// The text with which the meaning begins, as a JSON string.
fn text_of(meaning: &str) -> Option<String> {
    serde_json::Deserializer::from_str(meaning).into_iter().next()?.ok()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}

fn signed(bytes: &[u8]) -> i64 {
    match bytes.len() {
        1 => i64::from(bytes[0]),
        4 => i64::from(word(bytes).cast_signed()),
        _ => long_word(bytes).cast_signed(),
    }
}

/// The first bytes in hex.
fn shown(bytes: &[u8]) -> String {
    spaced(&bytes[..bytes.len().min(16)]) + if bytes.len() > 16 { " …" } else { "" }
}
