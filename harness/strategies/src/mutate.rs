//! Packets that are nearly right: headers, lengths, counts and single bytes are changed, cut, doubled or moved.

use std::ops::Range;
use std::sync::Arc;

use variant_codec::{Codec, Role, Step, Text, Trace};
use variant_specs::{Dialect, FLAG_1, JudgedBy, LayoutId};

use super::numbers;
use super::parts::word_at;
use super::random::Random;

/// Mutates packets of a dialect. Buffers are kept from packet to packet.
#[derive(Debug)]
pub struct Mutator {
    dialect: Arc<Dialect>,
    codec: Arc<Codec>,
    /// The packet that is mutated.
    whole: Vec<u8>,
    /// The one before it: a mutant may end with bytes of it. Empty at first.
    other: Vec<u8>,
    /// The fields of the packet, once they are needed.
    fields: Fields,
}

impl Mutator {
    /// A mutator of packets of this dialect; `codec` is one of the same dialect.
    pub fn new(dialect: Arc<Dialect>, codec: Arc<Codec>) -> Self {
        Self { dialect, codec, whole: Vec::new(), other: Vec::new(), fields: Fields::default() }
    }

    /// Takes the packet that is mutated from now on.
    pub fn take(&mut self, packet: &[u8]) {
        std::mem::swap(&mut self.whole, &mut self.other);
        self.whole.clear();
        self.whole.extend_from_slice(packet);
        self.fields.0.clear();
    }

    /// Makes `packet` a copy of the packet that was taken, with one to three changes.
    pub fn mutate(&mut self, random: &mut Random, packet: &mut Vec<u8>) {
        packet.clear();
        packet.extend_from_slice(&self.whole);
        let places = 1 + random.below(3) / 2 + random.below(3) / 2;
        for _ in 0..places {
            if random.one_in(2) || !self.field(random, packet) {
                once(packet, self.dialect.max, &self.other, random);
            }
        }
    }

    /// Changes a field to something that fields of its kind may be; returns false if there is no field. The fields are
    /// those of the whole packet, because reading the mutant would cost more than all else here. A mutant of another
    /// length counts as without fields.
    fn field(&mut self, random: &mut Random, packet: &mut Vec<u8>) -> bool {
        if packet.len() != self.whole.len() {
            return false;
        }
        if self.fields.0.is_empty() {
            let _ = self.codec.decode_traced(&self.whole, &mut self.fields);
        }
        let Some((bytes, role)) = pick(&self.fields.0, random) else { return false };
        let ids = self.dialect.max;
        match role {
            Role::Text => text(&mut packet[bytes], random),
            Role::Flags => {
                let flags = *random.pick(&[0, 1, 2, 2, 3, 3, 4, u32::MAX]);
                put(packet, bytes.start, flags);
                // With the flag, one text more follows than the count says.
                if flags & 2 != 0 && !random.one_in(4) && bytes.start >= 4 {
                    let before = word_at(packet, bytes.start - 4);
                    put(packet, bytes.start - 4, before.saturating_sub(1));
                }
            }
            Role::Count | Role::Length => {
                let old = word_at(packet, bytes.start);
                let new = match random.below(8) {
                    0 | 1 => old ^ 1 << 31,
                    2 => old.wrapping_add(1),
                    3 => old.wrapping_sub(1),
                    4 => 0,
                    5 => old.wrapping_add(4),
                    _ => word(ids, random),
                };
                put(packet, bytes.start, new);
            }
            Role::Header(layout) => self.header(random, packet, bytes.start, layout),
            Role::Bool | Role::Word => put(packet, bytes.start, word(ids, random)),
            // Some readers do not need it at the end.
            Role::Padding if bytes.end == packet.len() && random.one_in(2) => packet.truncate(bytes.start),
            Role::Padding | Role::Nul => packet[bytes].iter_mut().for_each(|byte| *byte = random.byte()),
            Role::Id | Role::Number(_) | Role::Bytes => packet[bytes].fill(*random.pick(&[0, 0x7f, 0x80, 0xff])),
        }
        true
    }

    /// Changes a header: another type, other flags, flags that mean something there, or an element type.
    fn header(&self, random: &mut Random, packet: &mut Vec<u8>, at: usize, layout: LayoutId) {
        let known = self.dialect.known_flags(self.dialect.layouts.get(layout), JudgedBy::Engines);
        let old = word_at(packet, at);
        match random.below(4) {
            0 => put(packet, at, old & 0xff | flags(random)),
            1 => put(packet, at, old & !0xff | id(self.dialect.max, random)),
            2 if known & !FLAG_1 != 0 => self.with_type(random, packet, at, known),
            2 | 3 if known & !FLAG_1 != 0 => put(packet, at, old ^ known & random.word()),
            _ => put(packet, at, old ^ FLAG_1),
        }
    }

    /// Declares an element type: that of the first element, any type, a class or a script.
    fn with_type(&self, random: &mut Random, packet: &mut Vec<u8>, at: usize, known: u32) {
        let shift = if known >> 18 == 0 || random.one_in(2) { 16 } else { 18 };
        let kind = 1 + u32::try_from(random.below(3)).unwrap_or(0);
        let header = word_at(packet, at) & !(0b11 << shift) | kind << shift;
        put(packet, at, header);
        let first = if packet.len() >= at + 12 { word_at(packet, at + 8) & 0xff } else { 0 };
        let said = match kind {
            1 if random.one_in(2) => first.to_le_bytes().to_vec(),
            1 => id(self.dialect.max, random).to_le_bytes().to_vec(),
            _ => counted(&if random.one_in(8) { Text::default() } else { numbers::name(random) }),
        };
        drop(packet.splice(at + 4..at + 4, said));
    }
}

/// Any field; more often texts and flags, which readers differ on most.
fn pick(fields: &[(Range<usize>, Role)], random: &mut Random) -> Option<(Range<usize>, Role)> {
    if random.one_in(4) {
        let often = || fields.iter().filter(|(_, role)| matches!(role, Role::Text | Role::Flags));
        let count = often().count();
        if count > 0 {
            return often().nth(random.below(count)).cloned();
        }
    }
    if fields.is_empty() { None } else { Some(random.pick(fields).clone()) }
}

/// A text with its length prefix, padded.
fn counted(text: &Text) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut counted = u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes().to_vec();
    counted.extend_from_slice(bytes);
    counted.resize(counted.len().next_multiple_of(4), 0);
    counted
}

/// The id of a type, or one of the first two ids that are no type.
fn id(ids: u32, random: &mut Random) -> u32 {
    u32::try_from(random.below(ids as usize + 2)).unwrap_or(0)
}

/// Bytes in texts that readers differ on: NUL, a byte order mark, overlong forms, truncated forms, surrogates, and code
/// points beyond the last one.
const TEXTS: [&[u8]; 16] = [
    b"\0",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf\xef\xbb\xbf",
    b"\xc0\x80",
    b"\xc1\xbf",
    b"\xe0\x80\x80",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xed\xa0\xbd\xed\xb8\x80",
    b"\xf0\x80\x80\x80",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xff",
    b"\x80",
    b"\xe2\x82",
    b"/:",
];

/// Overwrites some bytes of a text with one of [`TEXTS`], half the time at the start.
fn text(text: &mut [u8], random: &mut Random) {
    let bytes = *random.pick(&TEXTS);
    let from = if random.one_in(2) { 0 } else { random.below(text.len()) };
    text[from..].iter_mut().zip(bytes).for_each(|(old, new)| *old = *new);
}

/// The fields of a packet, as far as it can be read; none before they are needed. The buffer is reused.
#[derive(Debug, Default)]
struct Fields(Vec<(Range<usize>, Role)>);

impl Trace for Fields {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, _: &str, role: Role) {
        self.0.push((bytes, role));
    }

    fn enter(&mut self, _: Step<'_>) {}

    fn leave(&mut self) {}
}

fn once(packet: &mut Vec<u8>, ids: u32, other: &[u8], random: &mut Random) {
    let words = packet.len() / 4;
    if words == 0 {
        return packet.extend_from_slice(&word(ids, random).to_le_bytes());
    }
    let at = 4 * random.below(words);
    let (header, old) = (word_at(packet, 0), word_at(packet, at));
    match random.below(16) {
        0..=3 => put(packet, at, word(ids, random)),
        4 | 5 => put(packet, at, old.wrapping_add(*random.pick(&[1, 2, u32::MAX, 4, u32::MAX - 3]))),
        6 => put(packet, at, old ^ 1 << random.below(32)),
        // The header itself.
        7 => put(packet, 0, header & 0xff | flags(random)),
        8 => put(packet, 0, id(ids, random) | header & !0xff),
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
        0 | 1 => id(ids, random),
        2 => id(ids, random) | flags(random),
        3 | 4 => u32::try_from(random.below(16)).unwrap_or(0),
        5 => 0x8000_0000 | u32::try_from(random.below(4)).unwrap_or(0),
        _ => *random.pick(&[0, 1, 2, 0x7fff_ffff, 0x8000_0000, u32::MAX, u32::MAX - 1, 0x4000_0000, 0x2000_0000]),
    }
}

/// Flags of a header; half the time the one that most types use.
fn flags(random: &mut Random) -> u32 {
    if random.one_in(2) { 1 << 16 } else { 1 << (8 + random.below(24)) }
}

fn put(packet: &mut [u8], at: usize, word: u32) {
    packet[at..at + 4].copy_from_slice(&word.to_le_bytes());
}
