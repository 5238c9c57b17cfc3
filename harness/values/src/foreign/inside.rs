//! What is inside of a file that is no packet; the settings of a project are packets with names.

use std::ops::Range;

/// What is inside of something that is no packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// Nothing that can be shown.
    Nothing,
    /// Packed bytes that end early, or were changed.
    Damaged,
    /// Other bytes, unpacked.
    Unpacked(Vec<u8>),
    /// Packets with names, at these places.
    Entries(Vec<(String, Range<usize>)>),
}

/// The settings of a `project.binary`: how many, then for each the length of its name, the name, the length of its packet,
/// the packet.
pub(super) fn settings(file: &[u8]) -> Option<Inside> {
    let mut rest = file.get(4..)?;
    let count = word(&mut rest)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let length = word(&mut rest)?;
        let name = String::from_utf8_lossy(rest.split_off(..length)?).trim_end_matches('\0').to_owned();
        let length = word(&mut rest)?;
        let start = file.len() - rest.len();
        rest.split_off(..length)?;
        entries.push((name, start..start + length));
    }
    Some(Inside::Entries(entries)).filter(|_| count > 0)
}

fn word(rest: &mut &[u8]) -> Option<usize> {
    let (word, behind) = rest.split_first_chunk()?;
    *rest = behind;
    usize::try_from(u32::from_le_bytes(*word)).ok()
}
