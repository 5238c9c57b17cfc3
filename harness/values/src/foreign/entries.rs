//! Files that hold packets with names.

use std::ops::Range;

use super::Inside;

/// The settings of a `project.binary`: how many, then for each the length of its name, the name, the length of its packet,
/// the packet.
pub(super) fn settings(file: &[u8]) -> Option<Inside> {
    let mut reader = Reader { file, at: 4 };
    let count = reader.word()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let name = reader.bytes()?;
        let name = String::from_utf8_lossy(file.get(name)?).trim_end_matches('\0').to_owned();
        entries.push((name, reader.bytes()?));
    }
    Some(Inside::Entries(entries)).filter(|_| count > 0)
}

struct Reader<'a> {
    file: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn word(&mut self) -> Option<usize> {
        let bytes = self.file.get(self.at..self.at.checked_add(4)?)?;
        self.at += 4;
        usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
    }

    /// The place of bytes with their length in front.
    fn bytes(&mut self) -> Option<Range<usize>> {
        let length = self.word()?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.file.len())?;
        let place = self.at..end;
        self.at = end;
        Some(place)
    }
}
