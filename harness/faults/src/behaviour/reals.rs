//! Faults with the numbers of vectors, colors and boxes.

use variant_codec::{F64, Numbers, Role, Value};
use variant_specs::{Dialect, LayoutId, Precision, Scalar, WideReals};

use super::floats::is_nan;
use crate::builder::{CodecFault, both, decoded, encoded, fault, named, reads, writes};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("minus-zero-lost-in-vectors", "-0.0 in a vector or packed array becomes 0.0")
            .reals(|real| if real == 0.0 { 0.0 } else { real }),
        fault("nan-is-zero-in-vectors", "NaN in a vector or packed array becomes 0.0")
            .reals(|real| if real.is_nan() { 0.0 } else { real }),
        fault("infinity-is-finite-in-vectors", "infinite numbers in a vector or packed array become the greatest")
            .reals(|real| real.clamp(f32::MIN.into(), f32::MAX.into())),
        fault("infinity-without-its-sign-in-vectors", "minus infinity in a vector or packed array becomes infinity")
            .reals(|real| if real.is_infinite() { f64::INFINITY } else { real }),
        fault("subnormals-flushed-in-vectors", "numbers too small to be normal become 0.0 in a vector or packed array")
            .both(|value| singles(value, |bits| if is_small(bits) { bits & 1 << 31 } else { bits })),
        fault(
            "subnormals-are-zero-in-vectors",
            "-0.0, and numbers too small to be normal, become 0.0 in a vector or packed array",
        )
        .both(|value| singles(value, |bits| if is_small(bits) { 0 } else { bits })),
        fault(
            "nan-and-minus-zero-are-zero-in-vectors",
            "NaN and -0.0 in a vector or packed array become 0.0, as of `x || 0`",
        )
        .both(|value| singles(value, |bits| if is_nan(bits) || bits == 1 << 31 { 0 } else { bits })),
        fault("doubles-big-endian", "numbers of 64 bits are in big-endian order").by(|dialect| {
            (dialect.rules.wide_reals == WideReals::Flag1).then_some(())?;
            let turned = |field: &MutatedField<'_>| {
                let is_double = field.role == Role::Number(Scalar::Float64);
                is_double.then(|| field.bytes.iter().rev().copied().collect::<Vec<u8>>())
            };
            let read = reads(move |field| turned(field).map(Splice::As))?;
            Some(Mutation { reads: read.reads, ..writes(turned)? })
        }),
        fault("fractions-lost-in-vectors", "numbers in a vector or packed array lose their fraction")
            .both(|value| singles(value, |bits| f32::from_bits(bits).trunc().to_bits())),
        fault("colors-at-most-one", "numbers of a color are at most 1")
            .by(|dialect| colors(dialect, |number| if number > 1.0 { 1.0 } else { number })),
        fault("colors-of-four-bytes", "a color takes four bytes, one for each number").by(color_bytes),
        fault("colors-clamped", "numbers of a color stay between 0 and 1")
            .by(|dialect| colors(dialect, |number| if number.is_nan() { number } else { number.clamp(0.0, 1.0) })),
        fault("colors-clamped-from-zero", "numbers of a color stay between 0 and 1, and -0.0 becomes 0.0").by(
            |dialect| {
                colors(dialect, |number| {
                    if number > 0.0 {
                        number.min(1.0)
                    } else if number.is_nan() {
                        number
                    } else {
                        0.0
                    }
                })
            },
        ),
        fault("colors-clamped-from-zero-nan-too", "numbers of a color stay between 0 and 1, and NaN becomes 0.0")
            .by(|dialect| colors(dialect, |number| if number > 0.0 { number.min(1.0) } else { 0.0 }))
            .part_of("colors-clamped-from-zero"),
        fault("colors-at-most-one-but-alpha", "red, green and blue are at most 1")
            .by(|dialect| channels(dialect, |place, number| if place < 3 && number > 1.0 { 1.0 } else { number })),
        fault("colors-and-nan-at-most-one-but-alpha", "red, green and blue are at most 1")
            .by(|dialect| channels(dialect, |place, number| if place < 3 { number.min(1.0) } else { number }))
            .part_of("colors-at-most-one-but-alpha"),
        fault("alpha-of-zero-is-one", "an alpha of 0 becomes 1").by(|dialect| {
            (dialect.precision == Precision::Single).then_some(())?;
            channels(dialect, |place, number| if place == 3 && number == 0.0 { 1.0 } else { number })
        }),
        fault("colors-of-a-byte", "numbers of a color have eight bits")
            .by(|dialect| colors(dialect, |number| (number * 255.0).round() / 255.0)),
        fault("colors-of-an-unsigned-byte", "numbers of a color have eight bits")
            .by(|dialect| {
                colors(dialect, |number| if number > 0.0 { (number.min(1.0) * 255.0).round() / 255.0 } else { 0.0 })
            })
            .part_of("colors-of-a-byte"),
        fault("colors-of-a-byte-in-c", "numbers of a color have eight bits")
            .by(|dialect| colors(dialect, |number| f64::from(int_in_c(single(number) * 255.0 + 0.5)) / 255.0))
            .part_of("colors-of-a-byte"),
        fault("colors-of-an-unsigned-byte-in-c", "numbers of a color have eight bits")
            .by(|dialect| {
                colors(dialect, |number| f64::from(int_in_c(single(number) * 255.0 + 0.5).to_le_bytes()[0]) / 255.0)
            })
            .part_of("colors-of-a-byte"),
        fault("quaternions-normalised", "quaternions have length 1")
            .by(|dialect| unit_length(dialect, "quaternion", 4)),
        fault("quaternions-normalised-as-singles", "quaternions have length 1")
            .by(|dialect| unit_length_of_singles(dialect, "quaternion", 4, |length| length > 0.0))
            .part_of("quaternions-normalised"),
        fault("quaternions-divided-by-their-length", "quaternions have length 1")
            .by(|dialect| unit_length_of_singles(dialect, "quaternion", 4, |_| true))
            .part_of("quaternions-normalised"),
        fault("planes-normalised", "the normal of a plane has length 1").by(|dialect| unit_length(dialect, "plane", 3)),
        fault("planes-normalised-as-singles", "the normal of a plane has length 1")
            .by(|dialect| unit_length_of_singles(dialect, "plane", 3, |length| length > 0.0))
            .part_of("planes-normalised"),
        fault("planes-divided-by-their-length", "the normal of a plane has length 1")
            .by(|dialect| unit_length_of_singles(dialect, "plane", 3, |_| true))
            .part_of("planes-normalised"),
        fault("boxes-kept-as-corners", "a rectangle or box is kept as two corners, whose difference is another size")
            .by(|dialect| {
                (dialect.precision == Precision::Single).then_some(())?;
                #[expect(clippy::cast_possible_truncation, reason = "that is the fault")]
                let differences = sizes(dialect, |size, corner| {
                    let corner = corner as f32;
                    f64::from(corner + size as f32 - corner)
                });
                both(move |value| {
                    if matches!(value, Value::Fields(_, Numbers::Float32(_))) {
                        differences(value);
                    }
                })
            }),
        fault("sizes-made-positive", "negative sizes become positive").by(|dialect| {
            let sizes = sizes(dialect, |size, _| size.abs());
            both(sizes)
        }),
        fault("boxes-by-their-corners", "a rectangle is its two corners").by(|dialect| {
            let read = decoded(sizes(dialect, |size, corner| size + corner))?;
            Some(Mutation { decoded: read.decoded, ..encoded(sizes(dialect, |size, corner| size - corner))? })
        }),
        fault("sizes-are-corners", "the size of a rectangle or box is taken for its far corner").by(|dialect| {
            let read = decoded(sizes(dialect, |size, corner| size - corner))?;
            Some(Mutation { decoded: read.decoded, ..encoded(sizes(dialect, |size, corner| size + corner))? })
        }),
        fault("nan-bits-lost-in-vectors", "each NaN in a vector or packed array becomes the same")
            .both(|value| singles(value, |bits| if is_nan(bits) { 0x7fc0_0000 } else { bits })),
        fault("nan-signs-kept-in-vectors", "of a NaN in a vector or packed array, nothing but the sign is kept")
            .both(|value| singles(value, |bits| if is_nan(bits) { bits & 0x8000_0000 | 0x7fc0_0000 } else { bits })),
        fault("nan-quieted-in-vectors", "a signalling NaN of 32 bits becomes a quiet one")
            .both(|value| singles(value, |bits| if is_nan(bits) { bits | 0x0040_0000 } else { bits })),
        fault("subnormals-have-a-leading-one", "numbers too small to be normal are read as if they had a leading one")
            .decoded(|value| singles(value, with_leading_one)),
        fault("nan-refused", "NaN is refused").refuses(|value| any_real(value, f64::is_nan)),
        fault("infinity-refused", "infinite numbers are refused").refuses(|value| any_real(value, f64::is_infinite)),
        fault("colors-multiplied-by-255", "numbers of a color are multiplied by 255 when read").by(|dialect| {
            let color = named(dialect, "color")?;
            decoded(move |value| change_fields(value, color, |_, number| number * 255.0))
        }),
        fault("alpha-is-left-out", "the alpha of a color is left out").by(|dialect| {
            let color = named(dialect, "color")?;
            let is_alpha = move |field: &MutatedField<'_>| field.layout == color && field.name == "a";
            let read = reads(move |field| is_alpha(field).then(|| Splice::Instead(0, 1f32.to_le_bytes().to_vec())))?;
            Some(Mutation { reads: read.reads, ..writes(move |field| is_alpha(field).then(Vec::new))? })
        }),
        fault("alpha-is-always-one", "the alpha of a color is always 1")
            .by(|dialect| channels(dialect, |place, number| if place == 3 { 1.0 } else { number })),
    ]
}

#[expect(clippy::cast_possible_truncation, reason = "it was a single")]
fn single(number: f64) -> f32 {
    number as f32
}

/// What processors make of a real number that is an integer of 32 bits in C.
#[expect(clippy::cast_possible_truncation, reason = "that is asked before")]
fn int_in_c(real: f32) -> i32 {
    const BEYOND: f32 = 2_147_483_648.0;
    if (-BEYOND..BEYOND).contains(&real) { real as i32 } else { i32::MIN }
}

/// Changes each number of a value of this layout, given its index and itself.
fn change_fields(value: &mut Value, of: LayoutId, how: impl Fn(usize, f64) -> f64) {
    if let Value::Fields(layout, numbers) = value
        && *layout == of
    {
        change(numbers, how);
    }
}

impl CodecFault {
    /// Each real in a vector or packed array.
    fn reals(self, how: fn(f64) -> f64) -> Self {
        self.of(how, each_real)
    }
}

/// Changes each real in a vector or packed array.
pub(crate) fn each_real(value: &mut Value, how: impl Fn(f64) -> f64) {
    if let Value::Fields(_, numbers) | Value::Packed(_, numbers) = value
        && matches!(numbers, Numbers::Float32(_) | Numbers::Float64(_))
    {
        change(numbers, |_, real| how(real));
    }
}

/// Whether a number is too small to be normal.
fn is_small(bits: u32) -> bool {
    f32::from_bits(bits).abs() < f32::MIN_POSITIVE
}

fn colors(dialect: &Dialect, how: fn(f64) -> f64) -> Option<Mutation> {
    channels(dialect, move |_, number| how(number))
}

/// Each number of a color, given whether it is red, green, blue or alpha.
fn channels(dialect: &Dialect, how: impl Fn(usize, f64) -> f64 + Send + Sync + Copy + 'static) -> Option<Mutation> {
    let colors = [named(dialect, "color")?, named(dialect, "color_array")?];
    both(move |value| {
        if let Value::Fields(layout, numbers) | Value::Packed(layout, numbers) = value
            && colors.contains(layout)
        {
            change(numbers, |place, number| how(place % 4, number));
        }
    })
}

/// Colors are read and written as a byte for each of their numbers.
fn color_bytes(dialect: &Dialect) -> Option<Mutation> {
    const NAMES: [&str; 4] = ["r", "g", "b", "a"];
    let colors = [named(dialect, "color")?, named(dialect, "color_array")?];
    let place = move |field: &MutatedField<'_>| {
        let own = field.name.rsplit('.').next().filter(|_| colors.contains(&field.layout))?;
        NAMES.iter().position(|name| *name == own)
    };
    let read = reads(move |field| {
        let four = field.bytes.first_chunk::<4>().filter(|_| place(field) == Some(0))?;
        let read: Vec<u8> = four.iter().flat_map(|byte| (f32::from(*byte) / 255.0).to_le_bytes()).collect();
        Some(Splice::Instead(field.bytes.len(), read))
    })?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 255")]
    let written = writes(move |field| {
        place(field)?;
        let number = f32::from_le_bytes(*field.bytes.first_chunk()?);
        Some(vec![(number.clamp(0.0, 1.0) * 255.0).round() as u8])
    })?;
    Some(Mutation { reads: read.reads, ..written })
}

/// Changes each size of a rectangle or box, given the coordinate of its corner.
fn sizes(dialect: &Dialect, how: fn(f64, f64) -> f64) -> impl Fn(&mut Value) + Clone + Send + Sync + 'static {
    let boxes = ["rect2", "rect2i", "aabb"].map(|name| named(dialect, name));
    move |value| {
        if let Value::Fields(layout, numbers) = value
            && boxes.contains(&Some(*layout))
        {
            let (half, corner) = (numbers.len() / 2, doubles(numbers));
            change(numbers, |place, number| if place >= half { how(number, corner[place - half]) } else { number });
        }
    }
}

fn doubles(numbers: &Numbers) -> Vec<f64> {
    if let Numbers::Float32(list) = numbers {
        list.iter().map(|number| f64::from(number.get())).collect()
    } else if let Numbers::Float64(list) = numbers {
        list.iter().map(|number| number.get()).collect()
    } else if let Numbers::Int32(list) = numbers {
        list.iter().copied().map(f64::from).collect()
    } else {
        Vec::new()
    }
}

/// Changes each real, or integer of 32 bits, given its index and itself.
fn change(numbers: &mut Numbers, change: impl Fn(usize, f64) -> f64) {
    if let Numbers::Float32(list) = numbers {
        for (place, number) in list.iter_mut().enumerate() {
            let changed = change(place, f64::from(number.get()));
            // On the way through 64 bits and back, a signalling NaN would become quiet.
            if changed.is_nan() && number.get().is_nan() {
                number.0 = number.0 & 0x7fff_ffff | u32::from(changed.is_sign_negative()) << 31;
            } else {
                *number = F64::from(changed).nearest();
            }
        }
    } else if let Numbers::Float64(list) = numbers {
        list.iter_mut().enumerate().for_each(|(place, number)| *number = F64::from(change(place, number.get())));
    } else if let Numbers::Int32(list) = numbers {
        #[expect(clippy::cast_possible_truncation, reason = "a sum of two wraps around")]
        list.iter_mut().enumerate().for_each(|(place, int)| *int = change(place, f64::from(*int)) as i64 as i32);
    }
}

/// The first numbers of a layout, divided by their length.
fn unit_length(dialect: &Dialect, name: &str, count: usize) -> Option<Mutation> {
    let layout = named(dialect, name)?;
    both(move |value| {
        if let Value::Fields(own, numbers) = value
            && *own == layout
        {
            let length = doubles(numbers).iter().take(count).map(|number| number * number).sum::<f64>().sqrt();
            if length > 0.0 {
                change(numbers, |place, number| if place < count { number / length } else { number });
            }
        }
    })
}

/// The same, by the arithmetic of 32 bits, of those with such a length.
fn unit_length_of_singles(dialect: &Dialect, name: &str, count: usize, which: fn(f32) -> bool) -> Option<Mutation> {
    let layout = named(dialect, name).filter(|_| dialect.precision == Precision::Single)?;
    both(move |value| {
        if let Value::Fields(own, Numbers::Float32(numbers)) = value
            && *own == layout
        {
            let squares = numbers.iter().take(count).map(|number| f32::from_bits(number.0).powi(2));
            let length = squares.fold(0.0, |sum: f32, square| sum + square).sqrt();
            if which(length) {
                numbers
                    .iter_mut()
                    .take(count)
                    .for_each(|number| number.0 = (f32::from_bits(number.0) / length).to_bits());
            }
        }
    })
}

/// Changes the bits of each single in a vector or packed array.
fn singles(value: &mut Value, change: fn(u32) -> u32) {
    if let Value::Fields(_, Numbers::Float32(list)) | Value::Packed(_, Numbers::Float32(list)) = value {
        list.iter_mut().for_each(|number| number.0 = change(number.0));
    }
}

/// The bits of `2^-127 · (1 + m / 2^23)` for those of a subnormal number, as of each other exponent.
fn with_leading_one(bits: u32) -> u32 {
    let mantissa = bits & 0x007f_ffff;
    if mantissa == 0 || bits & 0x7f80_0000 != 0 {
        return bits;
    }
    let number = (1.0 + f64::from(mantissa) / 8_388_608.0) * 2f64.powi(-127);
    bits & 0x8000_0000 | F64::from(number).nearest().0
}

/// The reals of a value itself.
pub(crate) fn reals_of(value: &Value) -> Vec<f64> {
    match value {
        Value::Float(float) => vec![float.get()],
        Value::Fields(_, numbers) | Value::Packed(_, numbers) => doubles(numbers),
        _ => Vec::new(),
    }
}

/// Whether any real of a value itself is so.
pub(crate) fn any_real(value: &Value, is: fn(f64) -> bool) -> bool {
    reals_of(value).into_iter().any(is)
}
