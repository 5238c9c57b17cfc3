//! Numbers and texts, half of them at boundaries.

use smallvec::SmallVec;
use variant_codec::{F32, F64, Text};

use super::random::Random;

/// Integers next to these powers of two are boundaries: types and mantissas end there.
const POWERS: [u32; 12] = [0, 1, 7, 8, 15, 16, 24, 31, 32, 53, 62, 63];
/// How many of these powers are used for 32 bits.
const POWERS_OF_32: usize = 8;

/// Zero, one, two, a tenth; the least and largest subnormal and normal; infinity; three NaNs: a quiet one, one with a
/// payload, and a signalling one.
const SINGLE: [u32; 12] = [
    0,
    0x3f80_0000,
    0x4000_0000,
    0x3dcc_cccd,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
    0x7fc0_0001,
    0x7f80_0001,
];

/// The same except 2.0; then the largest single and one beyond it, the least single, 2^53 + 2.
const DOUBLE: [u64; 15] = [
    0,
    0x3ff0_0000_0000_0000,
    0x3fb9_9999_9999_999a,
    1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0x7ff0_0000_0000_0001,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x36a0_0000_0000_0000,
    0x4340_0000_0000_0001,
];

/// One random number, cut into what chooses a value: the lowest two bits choose the kind, and the rest chooses which.
enum Sample {
    /// At a boundary: two bits for the sign and the neighbour, and 32 to pick with. Half of all samples.
    Boundary(u8, u32),
    Small(u8),
    Any(u32),
}

impl Sample {
    #[inline]
    fn of(random: &mut Random) -> Self {
        let bits = random.long();
        let (byte, high) = (bits.to_le_bytes()[1], u32::try_from(bits >> 32).unwrap_or(0));
        match bits & 3 {
            0 | 1 => Self::Boundary(byte, high),
            2 => Self::Small(byte),
            _ => Self::Any(high),
        }
    }
}

fn pick<T: Copy>(from: &[T], high: u32) -> T {
    let index = (u64::from(high) * from.len() as u64) >> 32;
    from[usize::try_from(index).unwrap_or(0)]
}

/// A power of two, or one more or less, of either sign.
fn near_power(powers: &[u32], byte: u8, high: u32) -> i64 {
    let power = 1i64 << pick(powers, high);
    let near = power.wrapping_add(i64::from(byte >> 1) % 3 - 1);
    if byte & 1 == 0 { near } else { near.wrapping_neg() }
}

#[inline]
pub(super) fn int32(random: &mut Random) -> i32 {
    match Sample::of(random) {
        Sample::Boundary(byte, high) => {
            let [a, b, c, d, ..] = near_power(&POWERS[..POWERS_OF_32], byte, high).to_le_bytes();
            i32::from_le_bytes([a, b, c, d])
        }
        Sample::Small(byte) => i32::from(byte) - 100,
        Sample::Any(high) => high.cast_signed(),
    }
}

pub(super) fn int64(random: &mut Random) -> i64 {
    match random.below(4) {
        0 | 1 => i64::from(int32(random)),
        2 => near_power(&POWERS[POWERS_OF_32 - 1..], random.byte(), random.word()),
        // Of any width.
        _ => random.long().cast_signed() >> random.below(64),
    }
}

pub(super) fn word(random: &mut Random) -> u32 {
    int32(random).cast_unsigned()
}

#[inline]
pub(super) fn single(random: &mut Random) -> F32 {
    match Sample::of(random) {
        Sample::Boundary(byte, high) => F32(pick(&SINGLE, high) | u32::from(byte & 1) << 31),
        Sample::Small(byte) => F32::from(f32::from(byte) - 100.0),
        Sample::Any(high) => F32(high),
    }
}

#[inline]
pub(super) fn double(random: &mut Random) -> F64 {
    match Sample::of(random) {
        Sample::Boundary(byte, high) => F64(pick(&DOUBLE, high) | u64::from(byte & 1) << 63),
        Sample::Small(byte) => F64::from((f64::from(byte) - 100.0) / 8.0),
        Sample::Any(_) => F64(random.long()),
    }
}

/// Letters of every class of UTF-8: the first and last of one, two, three and four bytes, and some between; line ends,
/// which some programs translate; a letter and its accent, which some combine.
const LETTERS: [&str; 23] = [
    "\r",
    "\n",
    "e\u{301}",
    "a",
    "b",
    "Z",
    "0",
    "9",
    " ",
    "/",
    ":",
    "\"",
    "\\",
    "\u{1}",
    "\u{7f}",
    "\u{80}",
    "\u{7ff}",
    "\u{800}",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10000}",
    "\u{10ffff}",
];

/// Texts that some programs take for something else: an escape, a format, markup, an end of a line or of a text, a member that
/// every object of JavaScript has, a number.
const TAKEN_FOR_MORE: [&str; 14] = [
    "\\n",
    "%s",
    "<b>",
    "&amp;",
    "${a}",
    "a ",
    "\u{2028}",
    "\u{2029}",
    "__proto__",
    "constructor",
    "toString",
    "length",
    "10",
    "0x10",
];

/// A text, mostly short: every length of padding comes up.
pub(super) fn text(random: &mut Random, longest: usize) -> Text {
    let length = match random.below(512) {
        0 => beyond_a_byte(random),
        9..=24 => return Text::from(*random.pick(&TAKEN_FOR_MORE)),
        1..=8 => random.below(longest + 1),
        _ => random.below(10),
    };
    if random.one_in(2) {
        return plain(random, length);
    }
    let mut letters: SmallVec<[u8; 64]> = SmallVec::new();
    for _ in 0..length {
        if random.one_in(8) {
            letters.extend_from_slice(any(random).encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            letters.extend_from_slice(random.pick(&LETTERS).as_bytes());
        }
    }
    Text::from_bytes(&letters)
}

/// About as many as a byte can count: 254 to 257.
pub(super) fn beyond_a_byte(random: &mut Random) -> usize {
    254 + random.below(4)
}

/// Any letter except NUL, which ends texts.
fn any(random: &mut Random) -> char {
    char::from_u32(random.word() % 0x11_0000).filter(|letter| *letter != '\0').unwrap_or('\u{e9}')
}

/// One to six letters.
pub(super) fn name(random: &mut Random) -> Text {
    let length = 1 + random.below(6);
    plain(random, length)
}

/// As many letters from a to z as `length` says. Each random number gives eight.
fn plain(random: &mut Random, length: usize) -> Text {
    let mut letters: SmallVec<[u8; 64]> = SmallVec::new();
    letters.resize(length, b'a');
    for eight in letters.chunks_mut(8) {
        eight.iter_mut().zip(random.long().to_le_bytes()).for_each(|(letter, byte)| *letter = b'a' + byte % 26);
    }
    Text::from_bytes(&letters)
}
