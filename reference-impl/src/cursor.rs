//! A place in the input: the only code that takes bytes from it.

use crate::error::{DecodeError, Refusal};

/// What is left of the input, and how much there was, so that a field costs one comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    whole: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self { rest: input, whole: input.len() }
    }

    /// The offset of the next byte.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.whole - self.rest.len()
    }

    /// How many bytes are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next `length` bytes, or `truncated` at the first of them.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(|| self.refuse(Refusal::Truncated))?;
        self.rest = rest;
        Ok(bytes)
    }

    /// The next `N` bytes, which are not consumed; `None` if fewer are left.
    #[inline]
    pub(crate) fn ahead<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.rest.first_chunk()
    }

    /// The next `N` bytes, or `truncated` at the first of them.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(|| self.refuse(Refusal::Truncated))?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// The next four bytes as a little-endian word, or `truncated` at the first of them.
    #[inline]
    pub(crate) fn word(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    /// A refusal of the field that begins here.
    #[cold]
    pub(crate) fn refuse(&self, kind: Refusal) -> DecodeError {
        refused(self.at(), kind)
    }
}

/// A refusal of the field that begins at this offset. Callers keep the offset, not a copy of the cursor: that was just
/// written, and in other pieces than it would be read, which is slow.
#[cold]
pub(crate) fn refused(at: usize, kind: Refusal) -> DecodeError {
    DecodeError { at, kind }
}

/// How many bytes of padding follow `length` bytes: packets and texts end at a multiple of 4.
#[inline]
pub(crate) fn padding(length: usize) -> usize {
    length.wrapping_neg() % 4
}
