//! What a field holds.

use std::fmt;

use variant_codec::{F32, F64, Numbers, Text};

/// The value of one field: a number, a text, bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A header: the name of the layout.
    Header(String),
    /// How many elements, entries, names or properties there are.
    Count(usize),
    /// A truth value, written `true` or `false`.
    Bool(bool),
    /// A signed integer, widened to 64 bits.
    Int(i64),
    /// An id or another unsigned integer.
    Id(u64),
    /// A 32-bit float; a NaN is written as its bits.
    Single(F32),
    /// A 64-bit float; a NaN is written as its bits.
    Double(F64),
    /// Text, written as a JSON string.
    Text(Text),
    /// Bytes, written in hex.
    Bytes(Vec<u8>),
}

impl FieldValue {
    /// The number at an index, which must exist.
    pub(crate) fn number(numbers: &Numbers, index: usize) -> Self {
        match numbers {
            Numbers::Bytes(bytes) => Self::Int(i64::from(bytes[index])),
            Numbers::Int32(ints) => Self::Int(i64::from(ints[index])),
            Numbers::Int64(ints) => Self::Int(ints[index]),
            Numbers::Float32(floats) => Self::Single(floats[index]),
            Numbers::Float64(floats) => Self::Double(floats[index]),
        }
    }

    /// The number, if it is a float.
    pub(crate) fn real(&self) -> Option<f64> {
        match self {
            Self::Single(float) => Some(f64::from(float.get())),
            Self::Double(float) => Some(float.get()),
            _ => None,
        }
    }
}

impl fmt::Display for FieldValue {
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
                Some(text) => f.write_str(&serde_json::to_string(text).unwrap_or_default()),
                None => write!(f, "{}", hex::encode(text.as_bytes())),
            },
            Self::Bytes(bytes) => f.write_str(&hex::encode(bytes)),
        }
    }
}
