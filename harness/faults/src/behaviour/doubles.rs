//! Numbers by way of a double: languages that have no other, or a library that uses one.

use variant_codec::{F64, Numbers, Value};
use variant_specs::{Dialect, Scalar};

use super::numbers::wide_ints;
use super::{CodecFault, both, fault};

pub(super) const FAULTS: &[CodecFault] = &[
    fault("int64-through-double", "integers go through a double", |dialect| {
        wide_ints(dialect, |int| through_double(int, false, Great::Saturates))
    }),
    fault("int64-through-double-wraps", "integers go through a double, and the greatest become -2^63", |dialect| {
        wide_ints(dialect, |int| through_double(int, false, Great::Wraps))
    }),
    fault("long-elements-through-double", "elements of 64-bit integer arrays go through a double", |dialect| {
        has_long_elements(dialect)?;
        both(|value| long_elements(value, |int| through_double(int, false, Great::Saturates)))
    }),
    fault("whole-floats-are-ints", "floats without a fraction are integers", |_| {
        both(|value| as_int(value, |float| whole(float, BEYOND).filter(|_| float != F64::from(-0.0))))
    }),
    fault("minus-zero-is-an-int", "the float -0.0 becomes the integer 0", |_| {
        both(|value| {
            if *value == Value::Float(F64::from(-0.0)) {
                *value = Value::Int(0);
            }
        })
    }),
];

/// The first whole number that 64 bits do not hold.
pub(crate) const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// The first whole number from which on a double does not hold all.
pub(crate) const SAFE: f64 = 9_007_199_254_740_992.0;

/// What becomes of a whole number that 64 bits do not hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Great {
    Stays,
    Saturates,
    Wraps,
    /// It is refused, or replied although it is no value.
    Invalid,
}

pub(crate) fn as_int(value: &mut Value, int: impl Fn(F64) -> Option<i64>) {
    if let Value::Float(float) = value
        && let Some(int) = int(*float)
    {
        *value = Value::Int(int);
    }
}

/// A number without a fraction, below a limit.
pub(crate) fn whole(float: F64, beyond: f64) -> Option<i64> {
    let number = float.get();
    #[expect(clippy::cast_possible_truncation, reason = "only what is whole and fits")]
    (number.fract() == 0.0 && number.abs() < beyond).then_some(number as i64)
}

/// Whether the dialect has arrays of 64-bit integers.
pub(crate) fn has_long_elements(dialect: &Dialect) -> Option<()> {
    dialect.types.iter().any(|entry| dialect.layout(entry).of == Some(Scalar::Int64)).then_some(())
}

pub(crate) fn long_elements(value: &mut Value, change: impl Fn(i64) -> i64) {
    if let Value::Packed(_, Numbers::Int64(ints)) = value {
        ints.iter_mut().for_each(|int| *int = change(*int));
    }
}

/// An integer by way of a double, exactly or as it is printed.
pub(crate) fn through_double(int: i64, shortest: bool, great: Great) -> i64 {
    #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
    let double = int as f64;
    if double.abs() < SAFE {
        return int;
    }
    // As JavaScript and others print it: the fewest digits that say which double it is.
    #[expect(clippy::cast_possible_truncation, reason = "it has at most 64 bits")]
    let through = if shortest { double.to_string().parse().unwrap_or(0) } else { double as i128 };
    let last = if great == Great::Wraps { i64::MIN } else { i64::MAX };
    i64::try_from(through).unwrap_or(if through < 0 { i64::MIN } else { last })
}

/// The low 64 bits of a whole number that has more.
pub(crate) fn low_bits(float: F64) -> Option<i64> {
    let number = float.get();
    #[expect(clippy::cast_possible_truncation, reason = "that is what such a writer does")]
    (number.is_finite() && number.abs() >= BEYOND).then(|| (number % (2.0 * BEYOND)) as i128 as i64)
}
