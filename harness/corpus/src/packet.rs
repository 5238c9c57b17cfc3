//! A packet with its gaps.

use std::ops::Range;

use bytes::Bytes;

/// A packet, some of whose bytes engines leave as they were.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MaskedPacket {
    /// The bytes; unwritten ones are zero.
    pub bytes: Bytes,
    /// Ranges of bytes that are not compared.
    pub unwritten: Vec<Range<usize>>,
}

impl MaskedPacket {
    /// A packet of which every byte counts.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), unwritten: Vec::new() }
    }

    /// Other bytes with the same gaps.
    pub(crate) fn with_bytes(&self, bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), unwritten: self.unwritten.clone() }
    }

    /// The same packet between other bytes.
    pub(crate) fn between(&self, before: &[u8], behind: &[u8]) -> Self {
        let moved = |range: &Range<usize>| before.len() + range.start..before.len() + range.end;
        Self {
            bytes: [before, &self.bytes, behind].concat().into(),
            unwritten: self.unwritten.iter().map(moved).collect(),
        }
    }

    /// Its first word: the header, unless a length is in front. `None` if it is shorter than 4 bytes.
    pub fn header(&self) -> Option<u32> {
        self.bytes.first_chunk().copied().map(u32::from_le_bytes)
    }

    /// The first place where `other` differs, apart from unwritten bytes.
    pub fn first_difference(&self, other: &[u8]) -> Option<usize> {
        let differs =
            |at: &usize| self.bytes[*at] != other[*at] && !self.unwritten.iter().any(|range| range.contains(at));
        let common = self.bytes.len().min(other.len());
        (0..common).find(differs).or((self.bytes.len() != other.len()).then_some(common))
    }
}
