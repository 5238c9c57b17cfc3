//! Packets that are nearly right: headers, lengths, counts and single bytes changed, cut, doubled, moved.

use super::random::Random;

/// Changes a packet in one to three places.
pub(super) fn mutate(packet: &mut Vec<u8>, ids: u32, other: &[u8], random: &mut Random) {
    for _ in 0..1 + random.below(3) / 2 + random.below(3) / 2 {
        once(packet, ids, other, random);
    }
}

fn once(packet: &mut Vec<u8>, ids: u32, other: &[u8], random: &mut Random) {
    let words = packet.len() / 4;
    if words == 0 {
        return packet.extend_from_slice(&word(ids, random).to_le_bytes());
    }
    let at = 4 * random.below(words);
    let (header, old) = (get(packet, 0), get(packet, at));
    match random.below(16) {
        0..=3 => put(packet, at, word(ids, random)),
        4 | 5 => put(packet, at, old.wrapping_add(*random.pick(&[1, 2, u32::MAX, 4, u32::MAX - 3]))),
        6 => put(packet, at, old ^ 1 << random.below(32)),
        // The header itself.
        7 => put(packet, 0, header & 0xff | flags(random)),
        8 => put(packet, 0, u32::try_from(random.below(ids as usize + 2)).unwrap_or(0) | header & !0xff),
        9 => {
            let place = random.below(packet.len());
            packet[place] = *random.pick(&[0, 1, 0x7f, 0x80, 0xc0, 0xc1, 0xed, 0xa0, 0xef, 0xf4, 0xf8, 0xfe, 0xff]);
        }
        10 => {
            let place = random.below(packet.len());
            packet[place] = random.byte();
        }
        11 => packet.truncate(random.below(packet.len())),
        12 => packet.truncate(4 * random.below(words)),
        13 => {
            let more = 1 + random.below(9);
            packet.extend((0..more).map(|_| random.byte()));
        }
        14 => drop(packet.drain(at..at + 4)),
        _ if random.one_in(2) || other.is_empty() => {
            let word = packet[at..at + 4].to_vec();
            drop(packet.splice(at..at, word));
        }
        _ => {
            let from = 4 * random.below(other.len() / 4 + 1);
            packet.truncate(at);
            packet.extend_from_slice(&other[from.min(other.len())..]);
        }
    }
}

/// A word that means something somewhere: an id, a count, a flag, a boundary.
fn word(ids: u32, random: &mut Random) -> u32 {
    match random.below(8) {
        0 | 1 => u32::try_from(random.below(ids as usize + 2)).unwrap_or(0),
        2 => u32::try_from(random.below(ids as usize + 2)).unwrap_or(0) | flags(random),
        3 | 4 => u32::try_from(random.below(16)).unwrap_or(0),
        5 => 0x8000_0000 | u32::try_from(random.below(4)).unwrap_or(0),
        _ => *random.pick(&[0, 1, 2, 0x7fff_ffff, 0x8000_0000, u32::MAX, u32::MAX - 1, 0x4000_0000, 0x2000_0000]),
    }
}

/// Flags of a header, the one that means something more often than others.
fn flags(random: &mut Random) -> u32 {
    if random.one_in(2) { 1 << 16 } else { 1 << (8 + random.below(24)) }
}

fn get(packet: &[u8], at: usize) -> u32 {
    packet[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}

fn put(packet: &mut [u8], at: usize, word: u32) {
    packet[at..at + 4].copy_from_slice(&word.to_le_bytes());
}
