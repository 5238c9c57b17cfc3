//! What stands at a leaf.

use std::fmt;

use variant_codec::{F32, F64, Numbers, Text};

/// What stands at a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    /// The type of a value.
    Header(String),
    /// A count of elements.
    Count(usize),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An id, or another unsigned number.
    Id(u64),
    /// A 32-bit real.
    Single(F32),
    /// A 64-bit real.
    Double(F64),
    /// Text.
    Text(Text),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Datum {
    /// One of these numbers.
    pub(super) fn number(numbers: &Numbers, index: usize) -> Self {
        match numbers {
            Numbers::Bytes(bytes) => Self::Int(i64::from(bytes[index])),
            Numbers::Int32(ints) => Self::Int(i64::from(ints[index])),
            Numbers::Int64(ints) => Self::Int(ints[index]),
            Numbers::Float32(floats) => Self::Single(floats[index]),
            Numbers::Float64(floats) => Self::Double(floats[index]),
        }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(layout) => f.write_str(layout),
            Self::Count(count) => write!(f, "{count}"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Int(int) => write!(f, "{int}"),
            Self::Id(id) => write!(f, "{id}"),
            Self::Single(float) if float.get().is_nan() => write!(f, "{:#010x}", float.0),
            Self::Single(float) => write!(f, "{:?}", float.get()),
            Self::Double(float) if float.get().is_nan() => write!(f, "{:#018x}", float.0),
            Self::Double(float) => write!(f, "{:?}", float.get()),
            Self::Text(text) => match text.as_str() {
                Some(text) => f.write_str(&json(text)),
                None => write!(f, "{}", hex::encode(text.as_bytes())),
            },
            Self::Bytes(bytes) => f.write_str(&hex::encode(bytes)),
        }
    }
}

/// A text as JSON writes it: one line, quoted.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| format!("{text:?}"))
}
