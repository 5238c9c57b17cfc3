//! Where one packet ends and the next begins.

use std::ops::Range;

use variant_codec::{Codec, Framing};

/// The bytes of one packet, without the length prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PacketRange {
    pub(super) bytes: Range<usize>,
}

/// More packets than this are no packets.
const MOST: usize = 4096;
/// The shortest packet: a header.
const HEADER: usize = 4;

/// The packets, and how many bytes are behind the last. With a length prefix of each, the lengths must add up to the
/// whole; `None` if they do not.
pub(super) fn split(bytes: &[u8], framing: Option<Framing>, codec: &Codec) -> Option<(Vec<PacketRange>, usize)> {
    match framing {
        None => Some(bare(bytes, codec)),
        Some(framing) => framed(bytes, framing).map(|pieces| (pieces, 0)),
    }
}

/// Packets one after the other: each begins where the one before was read to its end.
fn bare(bytes: &[u8], codec: &Codec) -> (Vec<PacketRange>, usize) {
    let (mut pieces, mut at): (Vec<PacketRange>, usize) = (Vec::new(), 0);
    while at < bytes.len() && pieces.len() < MOST {
        match codec.decode(&bytes[at..]) {
            Ok(decoded) if decoded.used > 0 => {
                // The last padding may be missing, and counts as read.
                let end = at.saturating_add(decoded.used).min(bytes.len());
                pieces.push(PacketRange { bytes: at..end });
                at = end;
            }
            // The first packet is shown even if it is refused; what is behind one that was read may be anything.
            Ok(_) | Err(_) if pieces.is_empty() => return (vec![PacketRange { bytes: 0..bytes.len() }], 0),
            Ok(_) | Err(_) => break,
        }
    }
    (pieces, bytes.len() - at)
}

fn framed(bytes: &[u8], framing: Framing) -> Option<Vec<PacketRange>> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let prefix = bytes.get(at..)?.first_chunk()?;
        let length = usize::try_from(framing.length(*prefix)).ok().filter(|length| *length >= HEADER)?;
        let begin = at + Framing::PREFIX;
        let end = begin.checked_add(length).filter(|end| *end <= bytes.len())?;
        pieces.push(PacketRange { bytes: begin..end });
        if pieces.len() > MOST {
            return None;
        }
        at = end;
    }
    Some(pieces).filter(|pieces| !pieces.is_empty())
}

#[cfg(test)]
mod tests {
    use variant_codec::Codec;
    use variant_specs::{Reading, Specs};

    use super::*;

    #[test]
    fn the_last_padding_may_be_missing() {
        let specs = Specs::builtin().expect("the specs are valid");
        let codec = Codec::new(specs.find("godot-2").expect("there is one"), Reading::Engine);
        let text = *b"\x04\0\0\0\x03\0\0\0abc";
        assert_eq!(split(&text, None, &codec), Some((vec![PacketRange { bytes: 0..11 }], 0)));
    }
}
