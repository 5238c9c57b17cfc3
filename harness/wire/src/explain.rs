//! A packet as a listing: offset, bytes, name and meaning of each field.

use std::fmt::Write;
use std::ops::Range;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Role, Span, Spans, Step, Trace};
use variant_specs::{Dialect, Reading, Scalar};

use crate::fields::FieldValue;
use crate::sanitize;

/// A packet as a listing, and what decoding it gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The fields, then a row for bytes that were not read.
    pub rows: Vec<ExplainedRow>,
    /// The type ids in its headers, each once. If decoding failed, also the word at that place, masked like an id.
    pub ids: Vec<u32>,
    /// The decoded value, or how the packet is refused.
    pub outcome: Result<Decoded, DecodeError>,
}

/// One row of a listing: a field, the length prefix of the packet, or bytes that were not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRow {
    /// The offset of the first byte, from 0.
    pub offset: usize,
    /// The bytes in hex; of more than 24, the first 16, the last 4 and how many there are.
    pub bytes: String,
    /// The path of the field; of one longer than 60 characters, only the end.
    pub name: String,
    /// The meaning of the bytes, in words; empty for bytes and padding.
    pub meaning: String,
}

/// Reads a packet with the reference codec of a dialect, with objects allowed.
pub fn explain(packet: &[u8], dialect: &Dialect, reading: Reading) -> Explanation {
    explain_beginning(packet, dialect, reading, usize::MAX).0
}

/// As [`explain`], with the rows of at most so many fields, and how many more fields there are.
pub fn explain_beginning(packet: &[u8], dialect: &Dialect, reading: Reading, most: usize) -> (Explanation, usize) {
    let codec = Codec::new(dialect, reading).with(variant_codec::Options { objects: true });
    let mut trace = Beginning { fields: Spans::default(), most };
    let outcome = codec.decode_traced(packet, &mut trace);
    let trace = trace.fields;
    let mut rows: Vec<_> = trace.spans.iter().take(most).map(|span| row(packet, span, dialect, reading)).collect();
    let read = trace.spans.last().map_or(0, |span| span.bytes.end);
    let (name, meaning) = match &outcome {
        Ok(_) => ("trailing", "bytes after the packet".to_owned()),
        Err(error) => ("?", format!("{error}: cannot be read")),
    };
    if read < packet.len() || outcome.is_err() {
        rows.push(ExplainedRow { offset: read, bytes: hex(&packet[read..]), name: name.to_owned(), meaning });
    }
    let headers = trace.spans.iter().filter(|span| matches!(span.role, Role::Header(_)));
    let unread = outcome.as_ref().err().map(|error| error.at..error.at.saturating_add(4));
    let words = headers.map(|span| span.bytes.clone()).chain(unread).filter_map(|bytes| packet.get(bytes));
    let mut ids = Vec::new();
    for id in words.map(|bytes| word(bytes) & dialect.header.mask(reading)) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    (Explanation { rows, ids, outcome }, trace.spans.len().saturating_sub(most))
}

/// A trace with the paths of the first `most` fields: in values a thousand levels deep, those of all take megabytes.
struct Beginning {
    fields: Spans,
    most: usize,
}

impl Trace for Beginning {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, name: &str, role: Role) {
        if self.fields.spans.len() < self.most {
            self.fields.field(bytes, name, role);
        } else {
            self.fields.spans.push(Span { bytes, path: String::new(), role });
        }
    }

    fn enter(&mut self, step: Step<'_>) {
        self.fields.enter(step);
    }

    fn leave(&mut self) {
        self.fields.leave();
    }
}

/// The layouts of a type id in each dialect, as a sentence; `None` if the dialects agree.
pub fn collision<'d>(id: u32, dialects: impl Iterator<Item = &'d Dialect>) -> Option<String> {
    let mut layouts: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut without = Vec::new();
    for dialect in dialects {
        let Some(entry) = dialect.type_of(id) else {
            without.push(dialect.name.as_str());
            continue;
        };
        let layout = dialect.layout(entry).name.as_str();
        match layouts.iter_mut().find(|(other, _)| *other == layout) {
            Some((_, names)) => names.push(&dialect.name),
            None => layouts.push((layout, vec![&dialect.name])),
        }
    }
    if layouts.len() < 2 {
        return None;
    }
    let said = layouts.iter().map(|(layout, names)| format!("{layout} in {}", names.join(", ")));
    let nowhere = (!without.is_empty()).then(|| format!("no type in {}", without.join(", ")));
    Some(format!("type {id} is {}", said.chain(nowhere).collect::<Vec<_>>().join("; ")))
}

/// As [`explain`], for a packet that has its length prefix.
pub fn explain_framed(input: &[u8], framing: Framing, dialect: &Dialect, reading: Reading) -> Explanation {
    let outcome =
        Codec::new(dialect, reading).with(variant_codec::Options { objects: true }).decode_framed(input, framing);
    let prefix = |meaning: String| ExplainedRow {
        offset: 0,
        bytes: hex(&input[..input.len().min(Framing::PREFIX)]),
        name: "prefix".to_owned(),
        meaning,
    };
    let Some((length, rest)) = input.split_first_chunk() else {
        return Explanation { rows: vec![prefix("the length is cut".to_owned())], ids: Vec::new(), outcome };
    };
    let length = framing.length(*length);
    let inside = rest.get(..length as usize);
    let mut rows = vec![prefix(format!(
        "{length} bytes follow{}",
        if inside.is_some() { "" } else { ", but the packet has fewer" }
    ))];
    let shifted = |row: ExplainedRow| ExplainedRow { offset: row.offset + Framing::PREFIX, ..row };
    let explained = explain(inside.unwrap_or(rest), dialect, reading);
    rows.extend(explained.rows.into_iter().map(shifted));
    let behind = inside.map_or(&[][..], |inside| &rest[inside.len()..]);
    if !behind.is_empty() {
        let offset = input.len() - behind.len();
        let meaning = "bytes after the frame".to_owned();
        rows.push(ExplainedRow { offset, bytes: hex(behind), name: "trailing".to_owned(), meaning });
    }
    Explanation { rows, ids: explained.ids, outcome }
}

fn row(packet: &[u8], span: &Span, dialect: &Dialect, reading: Reading) -> ExplainedRow {
    let bytes = &packet[span.bytes.clone()];
    ExplainedRow {
        offset: span.bytes.start,
        bytes: hex(bytes),
        name: tail(&span.path),
        meaning: meaning(bytes, span, dialect, reading),
    }
}

/// What the bytes of a field mean, in words: `type 2 int, no flags`.
pub fn meaning(bytes: &[u8], span: &Span, dialect: &Dialect, reading: Reading) -> String {
    match span.role {
        Role::Header(layout) => {
            let word = word(bytes);
            let mask = dialect.header.mask(reading);
            let flags = word & !mask;
            let name = &dialect.layouts.get(layout).name;
            let said = if flags == 0 { "no flags".to_owned() } else { format!("flags {:#x}", flags >> 16) };
            format!("type {} {name}, {said}", word & mask)
        }
        Role::Count if word(bytes) >> 31 == 1 && span.path.ends_with("name-count") => {
            format!("{}, new form", word(bytes) & 0x7fff_ffff)
        }
        Role::Count if word(bytes) >> 31 == 1 => format!("{}, shared", word(bytes) & 0x7fff_ffff),
        Role::Count | Role::Length | Role::Word => word(bytes).to_string(),
        Role::Flags => format!("{}{}", word(bytes), if word(bytes) & 1 == 1 { " absolute" } else { "" }),
        Role::Bool => (word(bytes) != 0).to_string(),
        // A `float` value is a double at any width, and is shown as one. A NaN is shown as its bits.
        Role::Number(Scalar::Float32) if is_float(span) => {
            let single = variant_codec::F32(word(bytes));
            let is_nan = single.get().is_nan();
            if is_nan { FieldValue::Single(single) } else { FieldValue::Double(single.widen()) }.to_string()
        }
        Role::Id => FieldValue::Id(long(bytes)).to_string(),
        Role::Number(scalar) => number(bytes, scalar),
        Role::Text => cut(&FieldValue::Text(variant_codec::Text::from_bytes(bytes)).to_string()),
        Role::Bytes | Role::Nul | Role::Padding => String::new(),
    }
}

/// Whether this is the number of a `float` value, not of a vector or an array.
fn is_float(span: &Span) -> bool {
    span.path.rsplit('.').next() == Some("value")
}

fn number(bytes: &[u8], scalar: Scalar) -> String {
    let value = match scalar {
        Scalar::Byte => FieldValue::Int(bytes.first().copied().map_or(0, i64::from)),
        Scalar::Int32 => FieldValue::Int(i64::from(word(bytes).cast_signed())),
        Scalar::Int64 => FieldValue::Int(long(bytes).cast_signed()),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => FieldValue::Single(variant_codec::F32(word(bytes))),
        Scalar::Float64 => FieldValue::Double(variant_codec::F64(long(bytes))),
    };
    value.to_string()
}

fn word(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_le_bytes)
}

fn long(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// Bytes in hex. Of more than 24, the first 16 and the last 4.
pub fn hex(bytes: &[u8]) -> String {
    let spaced = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    if bytes.len() <= 24 {
        return spaced(bytes);
    }
    format!("{} … {} ({} bytes)", spaced(&bytes[..16]), spaced(&bytes[bytes.len() - 4..]), bytes.len())
}

/// The end of a long path, where the name of the field is.
fn tail(path: &str) -> String {
    let letters = path.chars().count();
    if letters <= 60 { path.to_owned() } else { ['…'].into_iter().chain(path.chars().skip(letters - 59)).collect() }
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(59).chain(['…']).collect() }
}

/// The rows as aligned text, one line each, safe to print whatever the packet contains.
pub fn render(rows: &[ExplainedRow]) -> Vec<String> {
    let offsets = rows.iter().map(|row| row.offset.to_string().len()).max().unwrap_or(0);
    let bytes = rows.iter().map(|row| row.bytes.chars().count()).max().unwrap_or(0);
    let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let line = |row: &ExplainedRow| {
        let mut line = String::new();
        // Writing to a String cannot fail.
        let _ = write!(line, "{:offsets$}  {:bytes$}  {:names$}  {}", row.offset, row.bytes, row.name, row.meaning);
        sanitize::line(line.trim_end())
    };
    rows.iter().map(line).collect()
}
