//! Leaves: numbers and texts, half of them at boundaries.

use smallvec::SmallVec;
use variant_codec::{F32, F64, Text};

use super::random::Random;

const INT32: [i32; 21] = [
    0,
    1,
    -1,
    2,
    -2,
    127,
    128,
    -128,
    -129,
    255,
    256,
    32767,
    32768,
    -32768,
    65535,
    65536,
    16_777_216,
    16_777_217,
    i32::MAX,
    i32::MIN,
    i32::MIN + 1,
];

const INT64: [i64; 12] = [
    1 << 31,
    -(1 << 31) - 1,
    (1 << 32) - 1,
    1 << 32,
    1 << 53,
    (1 << 53) + 1,
    -(1 << 53) - 1,
    1 << 62,
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
];

/// Zeros, ones, the least, the largest, infinities, a quiet NaN, one with a payload, a negative one, a signalling one.
const SINGLE: [u32; 18] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0x3dcc_cccd,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7fc0_0001,
    0xffc0_0000,
    0x7f80_0001,
];

/// The same, then a tenth, the largest single and one beyond it, the least single and half of it, 2^53 + 2.
const DOUBLE: [u64; 20] = [
    0,
    0x8000_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    1,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0xfff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x3fb9_9999_9999_999a,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x36a0_0000_0000_0000,
    0x4340_0000_0000_0001,
];

/// One draw, of which the lowest bits choose between boundaries, small numbers and any; what is left chooses which.
struct Draw(u64);

impl Draw {
    fn of(random: &mut Random) -> Self {
        Self(random.long())
    }

    /// Two in four at boundaries, one small.
    fn which(&self) -> Which {
        match self.0 & 3 {
            0 | 1 => Which::Boundary,
            2 => Which::Small,
            _ => Which::Any,
        }
    }

    fn high(&self) -> u32 {
        u32::try_from(self.0 >> 32).unwrap_or(0)
    }

    fn byte(&self) -> u8 {
        self.0.to_le_bytes()[1]
    }

    fn pick<T: Copy>(&self, from: &[T]) -> T {
        let place = (u64::from(self.high()) * from.len() as u64) >> 32;
        from[usize::try_from(place).unwrap_or(0)]
    }
}

enum Which {
    Boundary,
    Small,
    Any,
}

/// An integer of 32 bits.
#[inline]
pub(super) fn int32(random: &mut Random) -> i32 {
    let draw = Draw::of(random);
    match draw.which() {
        Which::Boundary => draw.pick(&INT32),
        Which::Small => i32::from(draw.byte()) - 100,
        Which::Any => draw.high().cast_signed(),
    }
}

/// An integer of 64 bits.
pub(super) fn int64(random: &mut Random) -> i64 {
    match random.below(4) {
        0 | 1 => i64::from(int32(random)),
        2 => *random.pick(&INT64),
        // Of any width.
        _ => random.long().cast_signed() >> random.below(64),
    }
}

/// A word.
pub(super) fn word(random: &mut Random) -> u32 {
    int32(random).cast_unsigned()
}

/// A single.
#[inline]
pub(super) fn single(random: &mut Random) -> F32 {
    let draw = Draw::of(random);
    match draw.which() {
        Which::Boundary => F32(draw.pick(&SINGLE)),
        Which::Small => F32::from(f32::from(draw.byte()) - 100.0),
        Which::Any => F32(draw.high()),
    }
}

/// A double.
#[inline]
pub(super) fn double(random: &mut Random) -> F64 {
    let draw = Draw::of(random);
    match draw.which() {
        Which::Boundary => F64(draw.pick(&DOUBLE)),
        Which::Small => F64::from((f64::from(draw.byte()) - 100.0) / 8.0),
        Which::Any => F64(random.long()),
    }
}

/// Letters of every class of UTF-8: the first and last of one, two, three and four bytes, and what stands in between;
/// ends of lines, which some programs translate; a letter and its accent, which some make one.
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

/// A text, short mostly: every length of padding comes up.
pub(super) fn text(random: &mut Random, longest: usize) -> Text {
    let length = match random.below(512) {
        0 => beyond_a_byte(random),
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

/// As many as a byte can count, and a few less or more.
pub(super) fn beyond_a_byte(random: &mut Random) -> usize {
    254 + random.below(4)
}

/// Any letter, but for NUL: what ends texts stands in packets only.
fn any(random: &mut Random) -> char {
    char::from_u32(random.word() % 0x11_0000).filter(|letter| *letter != '\0').unwrap_or('\u{e9}')
}

/// One to six letters.
pub(super) fn name(random: &mut Random) -> Text {
    let length = 1 + random.below(6);
    plain(random, length)
}

/// So many plain letters, eight from a draw.
fn plain(random: &mut Random, length: usize) -> Text {
    let mut letters: SmallVec<[u8; 64]> = SmallVec::new();
    letters.resize(length, b'a');
    for eight in letters.chunks_mut(8) {
        eight.iter_mut().zip(random.long().to_le_bytes()).for_each(|(letter, byte)| *letter = b'a' + byte % 26);
    }
    Text::from_bytes(&letters)
}
