//! Where one packet ends and the next begins.

use std::ops::Range;

use variant_codec::{Codec, Framing, Options};
use variant_specs::{Dialect, JudgedBy};

/// The packets of some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Split {
    /// The length prefix of each packet.
    pub(super) framing: Option<Framing>,
    /// The bytes of the first packets, without the length prefix; and what they are called.
    pub(super) pieces: Vec<(String, Range<usize>)>,
    /// How many packets are behind those.
    pub(super) more: usize,
    /// How many bytes are behind these, of which nothing is known: packets without lengths are slow to find.
    pub(super) unread: usize,
    /// How many bytes are behind the last.
    pub(super) trailing: usize,
    /// How many more there would be, were these the beginning of another frame.
    pub(super) missing: usize,
}

/// So many packets are kept; the others are counted.
const KEPT: usize = 64;
/// So many packets without lengths are looked for.
const MOST: usize = 1 << 16;
/// The shortest packet: a header.
const HEADER: usize = 4;
/// A length that is greater is hardly one.
const LONGEST: usize = 1 << 28;

impl Split {
    /// Every way to split bytes from an offset on by lengths: they must add up to the whole, or the last frame is cut.
    pub(super) fn all_framed(bytes: &[u8], from: usize) -> Vec<Self> {
        let all = Framing::ALL.into_iter().map(|framing| framed(bytes, from, framing));
        let is_split = |split: &Self| !split.pieces.is_empty() && (split.trailing == 0 || split.missing > 0);
        all.filter(is_split).collect()
    }

    /// By the lengths that are asked for, even if they do not fit.
    pub(super) fn forced(bytes: &[u8], from: usize, framing: Framing) -> Self {
        let split = framed(bytes, from, framing);
        if !split.pieces.is_empty() || bytes.len() < from + Framing::PREFIX {
            return split;
        }
        let pieces = vec![(String::new(), from + Framing::PREFIX..bytes.len())];
        Self { framing: Some(framing), pieces, ..Self::default() }
    }

    /// Packets one after the other: each begins where the one before was read to its end.
    pub(super) fn bare(bytes: &[u8], from: usize, dialect: &Dialect) -> Self {
        let codec = Codec::new(dialect, JudgedBy::Engines).with(Options { objects: true });
        let (mut split, mut at) = (Self::default(), from);
        while at < bytes.len() && split.more < MOST {
            let end = match codec.decode(&bytes[at..]) {
                // The last padding may be missing, and counts as read.
                Ok(decoded) if decoded.used > 0 => at.saturating_add(decoded.used).min(bytes.len()),
                // The first packet is shown even if it is refused; what is behind one that was read may be anything.
                Ok(_) | Err(_) if split.pieces.is_empty() => bytes.len(),
                Ok(_) | Err(_) => break,
            };
            split.push(at..end);
            at = end;
        }
        let left = bytes.len() - at;
        let is_unread = split.more >= MOST;
        Self { trailing: if is_unread { 0 } else { left }, unread: if is_unread { left } else { 0 }, ..split }
    }

    fn push(&mut self, piece: Range<usize>) {
        if self.pieces.len() < KEPT {
            self.pieces.push((String::new(), piece));
        } else {
            self.more += 1;
        }
    }
}

/// Packets with their lengths, as far as those go.
fn framed(bytes: &[u8], from: usize, framing: Framing) -> Split {
    let (mut split, mut at) = (Split { framing: Some(framing), ..Split::default() }, from);
    while let Some(end) = frame_end(bytes, at, framing) {
        split.push(at + Framing::PREFIX..end);
        at = end;
    }
    let trailing = bytes.len() - at;
    let length = bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(Some(0), |prefix| {
        usize::try_from(framing.length(*prefix)).ok().filter(|length| (HEADER..LONGEST).contains(length))
    });
    let missing = length.filter(|_| trailing > 0).and_then(|length| (Framing::PREFIX + length).checked_sub(trailing));
    Split { trailing, missing: missing.unwrap_or(0), ..split }
}

fn frame_end(bytes: &[u8], at: usize, framing: Framing) -> Option<usize> {
    let prefix = bytes.get(at..)?.first_chunk()?;
    let length = usize::try_from(framing.length(*prefix)).ok().filter(|length| *length >= HEADER)?;
    (at + Framing::PREFIX).checked_add(length).filter(|end| *end <= bytes.len())
}

#[cfg(test)]
mod tests {
    use variant_specs::Specs;

    use super::*;

    #[test]
    fn the_last_padding_may_be_missing() {
        let specs = Specs::builtin().expect("the specs are valid");
        let text = *b"\x04\0\0\0\x03\0\0\0abc";
        let split = Split::bare(&text, 0, specs.find("godot-2").expect("there is one"));
        assert_eq!(split.pieces, [(String::new(), 0..11)]);
    }
}
