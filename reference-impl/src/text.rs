//! Texts. Nearly all are short, so short ones are stored inline.

use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;

/// How many bytes are stored inline.
pub(crate) const INSIDE: usize = 16;
/// The high bit of each byte of a word, which no ASCII byte has.
pub(crate) const HIGH_BITS: u128 = u128::from_le_bytes([0x80; INSIDE]);

/// A text as the packet has it. Nearly always UTF-8; a text that is not can still be stored and compared.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text(Storage);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Storage {
    /// Zeros follow the text, so that two texts are equal if their words are.
    Inside { length: u8, bytes: Bytes },
    /// A text that is too long to be stored inline.
    Apart(Box<[u8]>),
}

/// Aligned, so that they are read and written as words.
#[derive(Clone, PartialEq, Eq, Hash)]
#[repr(align(8))]
struct Bytes([u8; INSIDE]);

impl Text {
    /// A text of these bytes.
    pub fn from_bytes(text: &[u8]) -> Self {
        let Some(length) = u8::try_from(text.len()).ok().filter(|&length| usize::from(length) <= INSIDE) else {
            return Self(Storage::Apart(text.into()));
        };
        let mut bytes = [0; INSIDE];
        bytes[..text.len()].copy_from_slice(text);
        Self(Storage::Inside { length, bytes: Bytes(bytes) })
    }

    /// A text of at most 16 bytes, the first one lowest, with zeros after the last.
    #[inline]
    pub(crate) fn of_word(word: u128, length: u8) -> Self {
        Self(Storage::Inside { length, bytes: Bytes(word.to_le_bytes()) })
    }

    /// The bytes of a short text as one word, with zeros after them, and how many they are; `None` for a long text.
    #[inline]
    pub(crate) fn word(&self) -> Option<(u128, u8)> {
        match &self.0 {
            Storage::Inside { length, bytes } => Some((u128::from_le_bytes(bytes.0), *length)),
            Storage::Apart(_) => None,
        }
    }

    /// The same, if the text is UTF-8. ASCII is checked first: most texts are ASCII, and it is quick to see.
    #[inline]
    pub(crate) fn unicode_word(&self) -> Option<(u128, u8)> {
        self.word().filter(|(word, _)| word.to_le_bytes().is_ascii() || self.is_unicode())
    }

    /// Whether it is UTF-8.
    pub(crate) fn is_unicode(&self) -> bool {
        self.as_str().is_some()
    }

    /// The bytes of the text, without length or padding.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Storage::Inside { length, bytes } => &bytes.0[..usize::from(*length)],
            Storage::Apart(bytes) => bytes,
        }
    }

    /// The text as a `str`; `None` if it is not UTF-8.
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
