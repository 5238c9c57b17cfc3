//! What a wrong number lacks.

use variant_codec::F64;

use crate::lack::Lack;

/// What an integer lacks.
pub(crate) fn int_lack(right: i64, wrong: i64) -> Lack {
    let low = |bits: u32| {
        let mask = (1i64 << bits) - 1;
        let unsigned = right & mask;
        let signed = (unsigned << (64 - bits)) >> (64 - bits);
        wrong == unsigned || wrong == signed
    };
    let fits = i32::try_from(right).is_ok();
    if fits && right < 0 && wrong == right & 0xffff_ffff {
        Lack::Sign
    } else if fits && is_float(right, wrong) {
        Lack::AsFloat
    } else if !fits && low(32) {
        // Before the opposite sign: that of 2^31 is its low bits.
        Lack::HighBits(32)
    } else if right == wrong.wrapping_neg() && right != 0 {
        Lack::Negated
    } else if let Some(bits) = [32, 16, 8].into_iter().find(|bits| low(*bits)) {
        Lack::HighBits(bits)
    } else if wrong == right.swap_bytes()
        || i32::try_from(right).is_ok_and(|right| wrong == i64::from(right.swap_bytes()))
    {
        Lack::ByteOrder
    } else if is_rounded(right, wrong) {
        Lack::LongDigits
    } else if wrong == 0 {
        Lack::Zero
    } else {
        Lack::Number
    }
}

/// Whether an integer is what the bits of the other mean as a float, or the other way round. Small numbers have the bits of a
/// float that is nearly zero: what becomes zero proves nothing.
fn is_float(right: i64, wrong: i64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "both have 32 bits")]
    let (one, other) = (right as i32, wrong as i32);
    #[expect(clippy::cast_precision_loss, reason = "so it is written")]
    let bits = (one as f32).to_bits().cast_signed();
    let read = f32::from_bits(one.cast_unsigned()).trunc();
    #[expect(clippy::cast_precision_loss, reason = "so it is read")]
    let is_read = read != 0.0 && read.is_finite() && read.abs() < 2_147_483_648.0 && read == other as f32;
    wrong != 0 && i64::from(other) == wrong && (bits == other || is_read)
}

/// Whether an integer is rounded as a double rounds it. The largest becomes 2^63, which may come back as the smallest.
fn is_rounded(right: i64, wrong: i64) -> bool {
    const DISTANCE: u64 = 1 << 12;
    let wraps = right > i64::MAX - 512 && wrong == i64::MIN;
    right.unsigned_abs() > 1 << 53 && (right.abs_diff(wrong) < DISTANCE || wraps)
}

/// What a real lacks; `double`: it takes 64 bits.
pub(crate) fn real_lack(right: F64, wrong: F64, double: bool) -> Lack {
    let (a, b) = (right.get(), wrong.get());
    #[expect(clippy::cast_possible_truncation, reason = "this loss is what is looked for")]
    let (single, other) = (a as f32, b as f32);
    // Before NaN and infinity: the bytes of many numbers, the other way round, are one.
    let swapped = single.to_bits() != 0 && single.to_bits().swap_bytes() == other.to_bits();
    if right.0.swap_bytes() == wrong.0 || swapped {
        Lack::ByteOrder
    } else if a.is_nan() || b.is_nan() && !a.is_infinite() {
        Lack::NanBits
    } else if a == 0.0 && b == 0.0 {
        Lack::NegativeZero
    } else if a.is_infinite() {
        Lack::Infinity
    } else if double && f64::from(single).to_bits() == wrong.0 {
        Lack::SinglePrecision
    } else if a == -b {
        Lack::Negated
    } else if is_scaled(a, b) || is_scaled(b, a) {
        Lack::Scaled
    } else if b != 0.0 && b == a.clamp(0.0, 1.0) {
        Lack::Clamped
    } else if b == a.trunc() || b == a.round() || b == a.floor() {
        if b == 0.0 { Lack::Zero } else { Lack::Fraction }
    } else if b == 0.0 {
        Lack::Zero
    } else if near(a, b, a.abs() * 1e-3) {
        Lack::Rounding
    } else {
        Lack::Number
    }
}

/// Whether a number that is not nearly zero is this many 255th parts.
fn is_scaled(part: f64, whole: f64) -> bool {
    part.abs() > 0.002 && near(part * 255.0, whole, 0.51)
}

fn near(one: f64, other: f64, by: f64) -> bool {
    (one - other).abs() <= by
}

/// Whether the right numbers are in the wrong order. `arity`: how many of them are an element of an array.
pub(crate) fn order_lack(right: &[f64], wrong: &[f64], arity: usize) -> Option<Lack> {
    let sorted = |numbers: &[f64]| {
        let mut bits: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
        bits.sort_unstable();
        bits
    };
    // By bits: 0.0 and -0.0 may have changed places.
    let same = right.iter().map(|number| number.to_bits()).eq(wrong.iter().map(|number| number.to_bits()));
    if right.len() < 2 || same || sorted(right) != sorted(wrong) {
        return None;
    }
    let is_at = |(at, from): (usize, usize)| wrong[at].to_bits() == right[from].to_bits();
    let elements = right.len() / arity;
    if arity > 1 && elements > 1 && right.len() == elements * arity {
        let planar = (0..right.len()).map(|at| (at % elements) * arity + at / elements);
        let read = (0..right.len()).map(|at| (at % arity) * elements + at / arity);
        if planar.enumerate().all(is_at) || read.enumerate().all(is_at) {
            return Some(Lack::Planar);
        }
    }
    let transposed = [(3, 3), (4, 4), (3, 2), (2, 3)].into_iter().any(|(rows, columns)| {
        let all = rows * columns;
        let turned = (0..all).map(|at| (at % rows) * columns + at / rows);
        all <= right.len() && turned.enumerate().all(is_at) && right[all..] == wrong[all..]
    });
    Some(if transposed { Lack::Transposed } else { Lack::Order })
}

/// What a count lacks; `None` if it is not known.
pub(crate) fn count_lack(right: u32, wrong: u32) -> Option<Lack> {
    if right != 0 && right.swap_bytes() == wrong {
        Some(Lack::ByteOrder)
    } else if right >> 31 == 1 && wrong == right & 0x7fff_ffff {
        Some(Lack::TopBit)
    } else {
        let bits = [16, 8].into_iter().find(|bits| right >> bits != 0 && wrong == right & ((1 << bits) - 1));
        bits.map(Lack::CountBits)
    }
}
