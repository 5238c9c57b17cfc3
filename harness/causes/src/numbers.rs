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
    } else if right.unsigned_abs() > 1 << 53 && (right.abs_diff(wrong) < 1 << 12) {
        Lack::LongDigits
    } else if wrong == 0 {
        Lack::Zero
    } else {
        Lack::Number
    }
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

/// Whether the right numbers are in the wrong order.
pub(crate) fn order_lack(right: &[f64], wrong: &[f64]) -> Option<Lack> {
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
    let transposed = [(3, 3), (4, 4), (3, 2), (2, 3)].into_iter().any(|(rows, columns)| {
        let all = rows * columns;
        let turned = (0..all).map(|at| (at % rows) * columns + at / rows);
        all <= right.len()
            && turned.enumerate().all(|(at, from)| wrong[at].to_bits() == right[from].to_bits())
            && right[all..] == wrong[all..]
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
