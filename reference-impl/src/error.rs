//! Why a packet or a value is refused.

use alloc::string::String;
use core::fmt;

/// What is wrong with a packet; its names are those of `rejects:` in the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// A field of fixed size does not fit in the bytes left.
    Truncated,
    /// A length or count is negative, or goes beyond the bytes left.
    Length,
    /// The id is no type of this dialect.
    UnknownType,
    /// A header bit is set that this dialect refuses.
    UnknownFlag,
    /// A text is not UTF-8.
    BadUtf8,
    /// A path has more values than the dialect allows.
    TooDeep,
    /// An object in a form that is not allowed here.
    BadObject,
    /// A type or form that the dialect names but does not support.
    UnsupportedForm,
}

impl Refusal {
    /// The word for it in `rejects:`, like `bad-utf8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Length => "length",
            Self::UnknownType => "unknown-type",
            Self::UnknownFlag => "unknown-flag",
            Self::BadUtf8 => "bad-utf8",
            Self::TooDeep => "too-deep",
            Self::BadObject => "bad-object",
            Self::UnsupportedForm => "unsupported-form",
        }
    }

    /// The refusal of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|refusal| refusal.name() == name)
    }

    /// Every refusal, in the order of the enum.
    pub const ALL: [Self; 8] = [
        Self::Truncated,
        Self::Length,
        Self::UnknownType,
        Self::UnknownFlag,
        Self::BadUtf8,
        Self::TooDeep,
        Self::BadObject,
        Self::UnsupportedForm,
    ];
}

/// A refused packet. Displays as `truncated at 8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError {
    /// The first byte of the field that cannot be right, counted from the start of the packet.
    pub at: usize,
    /// What is wrong with it.
    pub kind: Refusal,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind.name(), self.at)
    }
}

impl core::error::Error for DecodeError {}

/// A value that the dialect cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EncodeError {
    /// The dialect has no type of this layout.
    NoSuchType(String),
    /// The integer needs 64 bits, and the dialect has 32.
    IntOutOfRange(i64),
    /// The numbers are not those of the layout in this precision: another count, or another width.
    WrongNumbers(String),
    /// A text is not UTF-8.
    BadUtf8,
    /// A text or container is longer than 2^31 - 1.
    TooLong,
    /// A path has more values than the dialect allows.
    TooDeep,
    /// The dialect does not support the value in this form.
    UnsupportedForm(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchType(layout) => write!(f, "the dialect has no type {layout}"),
            Self::IntOutOfRange(int) => write!(f, "{int} does not fit in 32 bits, and the dialect has no wider int"),
            Self::WrongNumbers(layout) => write!(f, "not the numbers of a {layout} in this precision"),
            Self::BadUtf8 => f.write_str("a text is not UTF-8"),
            Self::TooLong => f.write_str("longer than 2147483647"),
            Self::TooDeep => f.write_str("nested deeper than the dialect allows"),
            Self::UnsupportedForm(layout) => write!(f, "the dialect does not support this form of {layout}"),
        }
    }
}

impl core::error::Error for EncodeError {}
