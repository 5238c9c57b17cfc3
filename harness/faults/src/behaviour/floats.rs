//! Faults with floats.

use variant_codec::{F32, F64, Numbers, Role, Value};
use variant_specs::{Dialect, Layout, Scalar, Shape};

use super::numbers::{narrow, read_wide, wide, with_flag, written_wide};
use crate::builder::{CodecFault, both, fault, layouts_where, of_shape, reads, writes};
use crate::fault::Mutation;
use crate::packet::Splice;
use crate::place::Place;

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("floats-always-wide", "every float is written in 64 bits").by(|dialect| floats_wide(dialect, |_| true)),
        fault("floats-read-wide", "every float is read from 64 bits").by(|dialect| read_wide(dialect, Shape::Float)),
        fault("floats-of-64-bits", "floats are written in 64 bits, without a flag").by(|dialect| {
            (!dialect.rules.wide_numbers).then_some(())?;
            let layout = of_shape(dialect, Shape::Float)?;
            writes(move |field| {
                let single = narrow(field, layout).filter(|_| !field.is_header())?;
                Some(F32(u32::from_le_bytes(single)).widen().0.to_le_bytes().to_vec())
            })
        }),
        fault("infinities-written-wide", "infinite floats are written in 64 bits")
            .by(|dialect| floats_wide(dialect, |float| float.get().is_infinite())),
        fault("float-squeezed", "floats go through 32 bits")
            .floats(|float| if float.get().is_nan() { float } else { float.nearest().widen() })
            .needs("wide-numbers"),
        fault("float-and-nan-squeezed", "floats go through 32 bits")
            .floats(|float| float.nearest().widen())
            .needs("wide-numbers")
            .part_of("float-squeezed"),
        fault("floats-beyond-range-narrow", "floats beyond the range of 32 bits are written in 32 bits").by(
            |dialect| {
                floats_narrowed(
                    dialect,
                    |number| number.is_finite() && number.abs() > f32::MAX.into(),
                    |number| F64::from(number).nearest(),
                )
            },
        ),
        fault("floats-always-narrow", "every float is written in 32 bits")
            .by(|dialect| floats_narrowed(dialect, |_| true, |number| F64::from(number).nearest())),
        fault("doubles-of-arrays-squeezed", SQUEEZED).by(|dialect| doubles_squeezed(dialect, false)),
        fault("doubles-of-arrays-and-nan-squeezed", SQUEEZED)
            .by(|dialect| doubles_squeezed(dialect, true))
            .part_of("doubles-of-arrays-squeezed"),
        fault("nan-written-narrow", "NaN is written in 32 bits")
            .by(|dialect| floats_narrowed(dialect, f64::is_nan, |number| F64::from(number).nearest())),
        fault("nan-written-narrow-and-plain", "NaN is written in 32 bits, whichever it is as the same one")
            .by(|dialect| floats_narrowed(dialect, f64::is_nan, |_| F32(0x7fc0_0000))),
        fault(
            "floats-narrow-within-range",
            "every float that is not beyond the range of 32 bits is written in 32 bits",
        )
        .encoded(|value| {
            if let Value::Float(float) = value
                && float.get().abs() <= f32::MAX.into()
            {
                *float = float.nearest().widen();
            }
        })
        .needs("wide-numbers"),
        fault("minus-zero-lost", "the float -0.0 becomes 0.0")
            .floats(|float| if float.get() == 0.0 { F64(0) } else { float }),
        fault("minus-zero-key-lost", "the key -0.0 becomes 0.0, as in a Map of JavaScript")
            .floats(|float| if float.get() == 0.0 { F64(0) } else { float })
            .at(Place::Key)
            .part_of("minus-zero-lost-as-keys"),
        fault("minus-zero-is-an-int", "the float -0.0 becomes the integer 0").both(|value| {
            if *value == Value::Float(F64::from(-0.0)) {
                *value = Value::Int(0);
            }
        }),
        fault("nan-is-null", "NaN is read as null")
            .read_as_null(|value| matches!(value, Value::Float(float) if float.get().is_nan())),
        fault("nan-is-zero", "NaN becomes 0.0").floats(|float| if float.get().is_nan() { F64(0) } else { float }),
        fault("infinity-is-finite", "infinite floats become the greatest of 32 bits")
            .floats(|float| F64::from(float.get().clamp(f32::MIN.into(), f32::MAX.into()))),
        fault("subnormals-flushed", "floats too small to be normal become 0.0")
            .floats(|float| if float.get().is_subnormal() { F64(float.0 & 1 << 63) } else { float })
            .needs("wide-numbers"),
        fault("small-singles-flushed", "floats of 32 bits that are too small to be normal are read as 0.0")
            .by(|dialect| {
                let layout = of_shape(dialect, Shape::Float)?;
                reads(move |field| {
                    let single = F32(u32::from_le_bytes(narrow(field, layout)?));
                    let is_number = !field.is_header() && single.get().is_subnormal();
                    is_number.then(|| Splice::As((single.0 & 1 << 31).to_le_bytes().to_vec()))
                })
            })
            .part_of("subnormals-flushed-in-vectors"),
        fault(
            "float32-in-between-written-wide",
            "floats that 32 bits hold exactly are written in 64 bits unless whole",
        )
        .by(|dialect| floats_wide(dialect, |float| float.get().fract() != 0.0)),
        fault("subnormals-written-wide", "floats that are too small to be normal in 32 bits are written in 64")
            .by(|dialect| floats_wide(dialect, |float| float.get().is_subnormal())),
        fault("floats-by-their-digits", BY_DIGITS).by(|dialect| by_digits(dialect, |number| number.to_string())),
        fault("floats-by-their-digits-in-csharp", BY_DIGITS)
            .by(|dialect| {
                // Seven digits where these are enough, else nine, and zero without a sign.
                by_digits(dialect, |number| {
                    let seven = format!("{number:.6e}");
                    match seven.parse() {
                        _ if number.is_nan() => "-nan".to_owned(),
                        Ok(0.0) => "0".to_owned(),
                        Ok(same) if same == number => seven,
                        _ => format!("{number:.8e}"),
                    }
                })
            })
            .part_of("floats-by-their-digits"),
        fault(
            "wide-floats-read-from-four-bytes",
            "a float of 64 bits is read as one of 32 bits, from the first four of its bytes",
        )
        .by(|dialect| {
            wide(dialect)?;
            let layout = of_shape(dialect, Shape::Float)?;
            reads(move |field| {
                let is_own = field.layout == layout && field.role == Role::Number(Scalar::Float64);
                let narrow = F32(field.word().filter(|_| is_own)?);
                Some(Splice::As(narrow.widen().0.to_le_bytes().to_vec()))
            })
        }),
        fault("nan-bits-lost", "each NaN of 64 bits becomes the same")
            .floats(|float| if float.get().is_nan() { F64(0x7ff8_0000_0000_0000) } else { float }),
        fault("nan-bits-of-doubles-lost", "each NaN in an array of doubles becomes the same")
            .by(|dialect| {
                doubles(dialect, |number| if number.get().is_nan() { F64(0x7ff8_0000_0000_0000) } else { number })
            })
            .part_of("nan-bits-lost"),
        fault("float-infinity-without-its-sign", "minus infinity becomes infinity")
            .floats(|float| if float.get().is_infinite() { F64::from(f64::INFINITY) } else { float })
            .part_of("infinity-without-its-sign-in-vectors"),
    ]
}

const BY_DIGITS: &str = "a float of 32 bits is read as the number that its decimal digits are";

/// A narrow float is read as what its digits are in 64 bits.
fn by_digits(dialect: &Dialect, digits: fn(f32) -> String) -> Option<Mutation> {
    wide(dialect)?;
    let layout = of_shape(dialect, Shape::Float)?;
    reads(move |field| {
        let narrow = F32(u32::from_le_bytes(narrow(field, layout).filter(|_| field.is_header())?));
        let other: f64 = digits(narrow.get()).parse().ok()?;
        (F64::from(other) != narrow.widen())
            .then(|| Splice::Instead(8, [&with_flag(field)[..], &other.to_le_bytes()].concat()))
    })
}

const SQUEEZED: &str = "the numbers of an array of doubles go through 32 bits";

fn doubles_squeezed(dialect: &Dialect, with_nan: bool) -> Option<Mutation> {
    doubles(dialect, move |number| if with_nan || !number.get().is_nan() { number.nearest().widen() } else { number })
}

/// Changes each number of an array of doubles.
fn doubles(dialect: &Dialect, change: impl Fn(F64) -> F64 + Copy + Send + Sync + 'static) -> Option<Mutation> {
    let is_of_doubles = |layout: &Layout| layout.shape == Shape::Packed && layout.of == Some(Scalar::Float64);
    let arrays = layouts_where(dialect, is_of_doubles);
    (!arrays.is_empty()).then_some(())?;
    both(move |value| {
        if let Value::Packed(layout, Numbers::Float64(numbers)) = value
            && arrays.contains(layout)
        {
            numbers.iter_mut().for_each(|number| *number = change(*number));
        }
    })
}

impl CodecFault {
    fn floats(self, change: fn(F64) -> F64) -> Self {
        self.of(change, |value, change| {
            if let Value::Float(float) = value {
                *float = change(*float);
            }
        })
    }
}

/// Floats that could be narrow are written in 64 bits.
pub(super) fn floats_wide(dialect: &Dialect, which: fn(F32) -> bool) -> Option<Mutation> {
    written_wide(dialect, Shape::Float, move |bytes| {
        let float = F32(u32::from_le_bytes(bytes));
        which(float).then(|| float.widen().0.to_le_bytes())
    })
}

/// Wide floats are written in 32 bits.
fn floats_narrowed(dialect: &Dialect, which: fn(f64) -> bool, narrow: fn(f64) -> F32) -> Option<Mutation> {
    wide(dialect)?;
    let layout = of_shape(dialect, Shape::Float)?;
    writes(move |field| {
        let bytes = if field.is_header() { field.behind } else { field.bytes };
        let number = bytes.first_chunk().copied().map(f64::from_le_bytes)?;
        (field.layout == layout && which(number)).then_some(())?;
        match field.is_header() {
            true => (field.bytes[2] & 1 == 1).then(|| with_flag(field)),
            false => Some(narrow(number).0.to_le_bytes().to_vec()),
        }
    })
}

pub(super) fn is_nan(bits: u32) -> bool {
    F32(bits).get().is_nan()
}
