//! Texts: short ones live inside, for nearly all are.

use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;

/// How many bytes live inside.
pub(crate) const INSIDE: usize = 16;
/// The bits that no ASCII byte has.
pub(crate) const HIGH_BITS: u128 = u128::from_le_bytes([0x80; INSIDE]);

/// A text as the packet has it. Nearly always UTF-8; what is not can still be held and compared.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text(Held);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Held {
    /// Zeros behind the text, so that two are equal where their words are.
    Inside { length: u8, bytes: Bytes },
    /// More than would fit inside.
    Apart(Box<[u8]>),
}

/// Where words stand, so that they are read and written as such.
#[derive(Clone, PartialEq, Eq, Hash)]
#[repr(align(8))]
struct Bytes([u8; INSIDE]);

impl Text {
    /// A text of these bytes.
    pub fn from_bytes(text: &[u8]) -> Self {
        let Some(length) = u8::try_from(text.len()).ok().filter(|&length| usize::from(length) <= INSIDE) else {
            return Self(Held::Apart(text.into()));
        };
        let mut bytes = [0; INSIDE];
        bytes[..text.len()].copy_from_slice(text);
        Self(Held::Inside { length, bytes: Bytes(bytes) })
    }

    /// A text of at most 16 bytes, the first one lowest and zeros behind the last.
    #[inline]
    pub(crate) fn of_word(word: u128, length: u8) -> Self {
        Self(Held::Inside { length, bytes: Bytes(word.to_le_bytes()) })
    }

    /// The bytes of a short text as one word, zeros behind them, and how many they are.
    #[inline]
    pub(crate) fn word(&self) -> Option<(u128, u8)> {
        match &self.0 {
            Held::Inside { length, bytes } => Some((u128::from_le_bytes(bytes.0), *length)),
            Held::Apart(_) => None,
        }
    }

    /// The same, where it is UTF-8. Most are ASCII, and that is seen at once.
    #[inline]
    pub(crate) fn unicode_word(&self) -> Option<(u128, u8)> {
        self.word().filter(|(word, _)| word.to_le_bytes().is_ascii() || self.is_unicode())
    }

    /// Whether it is UTF-8.
    pub(crate) fn is_unicode(&self) -> bool {
        self.as_str().is_some()
    }

    /// The bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Held::Inside { length, bytes } => &bytes.0[..usize::from(*length)],
            Held::Apart(bytes) => bytes,
        }
    }

    /// The text, where it is Unicode.
    pub fn as_str(&self) -> Option<&str> {
        core::str::from_utf8(self.as_bytes()).ok()
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::of_word(0, 0)
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_str() {
            Some(text) => write!(f, "{text:?}"),
            None => write!(f, "{:02x?}", self.as_bytes()),
        }
    }
}
