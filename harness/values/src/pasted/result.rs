//! What a pasted text has: bytes, or why there are none.

use crate::sanitize::short;

/// Bytes, and how they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pasted {
    /// The bytes that were meant.
    pub bytes: Vec<u8>,
    /// Whether they were written as hex.
    pub is_hex: bool,
    /// Whether the text says itself that bytes are left out; these are the first.
    pub is_cut: bool,
    /// What to do, if a file has a text that is meant as bytes, but cannot be read; its letters are the bytes then.
    pub refused: Option<PastedError>,
}

/// Why a text is no bytes: a sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PastedError {
    /// There is nothing in it.
    #[error("there are no bytes here")]
    Empty,
    /// A number that is no byte.
    #[error("{0} is not a byte: bytes go from 0 to 255")]
    TooLarge(String),
    /// An escape that there is not.
    #[error("byte {0} of the string is an escape that is not of C, Python or JavaScript, like \\x05, \\005 or \\n")]
    Escape(usize),
    /// A dump whose bytes are not known.
    #[error(
        "this is a dump, but not one that is read here: `xxd FILE`, `hexdump -C FILE` and, in gdb, `x/64xb` print those"
    )]
    Dump,
    /// What gdb prints, with bytes left out.
    #[error("gdb left bytes out: type `set print repeats 0` and `set print elements 0` first")]
    Repeats,
    /// Hex in which a digit is missing, or is one too many.
    #[error("{0} is hex, but has an odd number of digits: {1}")]
    OddHex(String, usize),
    /// None of the forms.
    #[error(
        "{0} is neither hex (two digits a byte), [5, 0, …], {{0x05, 0x00, …}}, <<5, 0>>, <Buffer 05 00>, b'\\x05', \"\\005\" nor base64"
    )]
    NoForm(String),
}

impl PastedError {
    /// Whether bytes were meant, and it says what to do.
    pub(crate) fn is_advice(&self) -> bool {
        matches!(self, Self::Dump | Self::Repeats | Self::OddHex(..) | Self::TooLarge(_))
    }

    /// None of the forms.
    pub(super) fn no_form(text: &str) -> Self {
        Self::NoForm(quoted(text))
    }

    /// Hex with so many digits, which is an odd number.
    pub(super) fn odd_hex(text: &str, digits: usize) -> Self {
        Self::OddHex(quoted(text), digits)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", short(text, 60))
}
