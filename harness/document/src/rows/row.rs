//! A row of a table, and how one is made.

use std::fmt;

use serde::{Serialize, Serializer};
use strum::IntoStaticStr;
use variant_specs::{Dialect, Layout, Scalar};

/// The rows of one form of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// When the form is used, or what it is repeated for; empty if it is the only one.
    pub when: String,
    pub rows: Vec<DocumentRow>,
}

/// One row of a table: a field of the packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRow {
    /// Where it begins, counted from the start of the header.
    pub offset: Offset,
    /// Its length in bytes; `None`: as many as the length before it says.
    pub length: Option<usize>,
    /// What its bytes are: an integer, a float, text or data.
    pub kind: FieldType,
    /// Its name, as listings have it.
    pub name: String,
}

/// As a page has it: offset, length, type and name.
impl Serialize for DocumentRow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let length = self.length.map_or_else(|| "N".to_owned(), |length| length.to_string());
        [self.offset.to_string().as_str(), length.as_str(), self.kind.name(), self.name.as_str()].serialize(to)
    }
}

/// Where a field begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offset {
    /// At this byte of the packet.
    At(usize),
    /// Once for each element: the first at `base`, the next `step` bytes later.
    Each { base: usize, step: usize },
    /// So many bytes after the place where its part begins: what is repeated, or follows something else.
    In(usize),
    /// So many bytes after the beginning, and after a text with its padding.
    AfterText(usize),
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "{at}"),
            Self::Each { base, step: 1 } => write!(f, "{base}+i"),
            Self::Each { base, step } => write!(f, "{base}+{step}i"),
            Self::In(at) => write!(f, "X+{at}"),
            Self::AfterText(at) => write!(f, "{at}+P"),
        }
    }
}

/// What a field is: the word in the column of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
pub enum FieldType {
    Integer,
    Float,
    /// Text or data, as long as a length before it says.
    Bytes,
    Byte,
    Value,
}

impl FieldType {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

pub(super) fn row(offset: Offset, length: Option<usize>, kind: FieldType, name: impl Into<String>) -> DocumentRow {
    DocumentRow { offset, length, kind, name: name.into() }
}

pub(super) fn word(at: usize, name: &str) -> DocumentRow {
    row(Offset::At(at), Some(4), FieldType::Integer, name)
}

pub(super) fn part(when: &str, rows: Vec<DocumentRow>) -> Part {
    Part { when: when.to_owned(), rows }
}

/// A length and a text from this place on.
pub(super) fn text(at: fn(usize) -> Offset, base: usize, name: &str) -> [DocumentRow; 2] {
    let dotted = if name.is_empty() { String::new() } else { format!("{name}.") };
    [
        row(at(base), Some(4), FieldType::Integer, format!("{dotted}length")),
        row(at(base + 4), None, FieldType::Bytes, format!("{dotted}text")),
    ]
}

/// How many bytes a number takes in this dialect's precision, and what it is.
pub(super) fn scalar(dialect: &Dialect, layout: &Layout) -> (usize, FieldType) {
    match dialect.scalar(layout) {
        Scalar::Byte => (1, FieldType::Byte),
        Scalar::Int32 => (4, FieldType::Integer),
        Scalar::Int64 => (8, FieldType::Integer),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => (4, FieldType::Float),
        Scalar::Float64 => (8, FieldType::Float),
    }
}
