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

#[derive(Debug, Default)]
pub(crate) struct PacketBuilder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) unwritten: Vec<Range<usize>>,
}

impl PacketBuilder {
    pub(crate) fn append(&mut self, bytes: &[u8], unwritten: &[Range<usize>]) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.unwritten.extend(unwritten.iter().map(|range| range.start + start..range.end + start));
    }

    pub(crate) fn build(self) -> MaskedPacket {
        MaskedPacket { bytes: self.bytes.into(), unwritten: self.unwritten }
    }
}
