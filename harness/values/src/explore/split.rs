//! Where one packet ends and the next begins.

use std::ops::Range;

use variant_codec::{Codec, Framing, Options};
use variant_specs::{Dialect, JudgedBy};

/// The packets of some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Split {
    /// The length prefix of each packet.
    pub(super) framing: Option<Framing>,
    /// The bytes of each packet, without the length prefix; and what they are called.
    pub(super) pieces: Vec<(String, Range<usize>)>,
    /// How many bytes are behind the last.
    pub(super) trailing: usize,
}

/// More packets than this are no packets.
const MOST: usize = 4096;
/// The shortest packet: a header.
const HEADER: usize = 4;

impl Split {
    /// Every way to split bytes from an offset on, that with lengths first: they must add up to the whole.
    pub(super) fn all(bytes: &[u8], from: usize, dialect: &Dialect) -> Vec<Self> {
        let framed = Framing::ALL
            .into_iter()
            .map(|framing| framed(bytes, from, framing))
            .filter(|split| split.trailing == 0 && !split.pieces.is_empty() && split.pieces.len() <= MOST);
        framed.chain([bare(bytes, from, dialect)]).collect()
    }

    /// The way that is asked for, even if it does not fit.
    pub(super) fn forced(bytes: &[u8], from: usize, framing: Option<Framing>, dialect: &Dialect) -> Self {
        let Some(framing) = framing else { return bare(bytes, from, dialect) };
        let split = framed(bytes, from, framing);
        if !split.pieces.is_empty() || bytes.len() < from + Framing::PREFIX {
            return split;
        }
        let pieces = vec![(String::new(), from + Framing::PREFIX..bytes.len())];
        Self { framing: Some(framing), pieces, trailing: 0 }
    }
}

/// Packets one after the other: each begins where the one before was read to its end.
fn bare(bytes: &[u8], from: usize, dialect: &Dialect) -> Split {
    let codec = Codec::new(dialect, JudgedBy::Engines).with(Options { objects: true });
    let (mut pieces, mut at) = (Vec::new(), from);
    while at < bytes.len() && pieces.len() < MOST {
        match codec.decode(&bytes[at..]) {
            Ok(decoded) if decoded.used > 0 => {
                // The last padding may be missing, and counts as read.
                let end = at.saturating_add(decoded.used).min(bytes.len());
                pieces.push((String::new(), at..end));
                at = end;
            }
            // The first packet is shown even if it is refused; what is behind one that was read may be anything.
            Ok(_) | Err(_) if pieces.is_empty() => {
                pieces.push((String::new(), at..bytes.len()));
                at = bytes.len();
            }
            Ok(_) | Err(_) => break,
        }
    }
    Split { framing: None, pieces, trailing: bytes.len() - at }
}

/// Packets with their lengths, as far as those go.
fn framed(bytes: &[u8], from: usize, framing: Framing) -> Split {
    let (mut pieces, mut at) = (Vec::new(), from);
    while let Some(end) = frame_end(bytes, at, framing).filter(|_| pieces.len() <= MOST) {
        pieces.push((String::new(), at + Framing::PREFIX..end));
        at = end;
    }
    Split { framing: Some(framing), pieces, trailing: bytes.len() - at }
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
        let split = Split::forced(&text, 0, None, specs.find("godot-2").expect("there is one"));
        assert_eq!(split.pieces, [(String::new(), 0..11)]);
    }
}
