//! A place in the input: the only code that takes bytes from it.

use crate::error::{DecodeError, Refusal};

/// The input and how far it has been read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    input: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self { input, at: 0 }
    }

    /// The offset of the next byte.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.input.len() - self.at
    }

    /// The next `length` bytes, or `truncated` at the first of them.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        match self.input[self.at..].get(..length) {
            Some(bytes) => {
                self.at += length;
                Ok(bytes)
            }
            None => Err(self.refuse(Refusal::Truncated)),
        }
    }

    /// The next `N` bytes, or `truncated` at the first of them.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.input[self.at..].first_chunk() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.refuse(Refusal::Truncated)),
        }
    }

    /// The next word.
    #[inline]
    pub(crate) fn word(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    /// A refusal of the field that begins here.
    #[cold]
    pub(crate) fn refuse(&self, kind: Refusal) -> DecodeError {
        DecodeError { at: self.at, kind }
    }
}

/// Bytes of padding behind `length` bytes: packets and texts end on 4.
#[inline]
pub(crate) fn padding(length: usize) -> usize {
    length.wrapping_neg() % 4
}
