//! Which keys of a dictionary are one.

use variant_codec::{F64, Value};

/// A key of a dictionary and its value.
pub(super) type Pair = (Value, Value);
/// Whether two keys are one.
pub(super) type SameKey = fn(&Value, &Value) -> bool;

/// The entries as a map keeps them: what has the same key as an earlier one replaces the value of that.
pub(super) fn join_repeated(entries: &[Pair], same: impl Fn(&Value, &Value) -> bool) -> Vec<Pair> {
    let mut joined: Vec<Pair> = Vec::new();
    for (key, value) in entries {
        match joined.iter_mut().find(|(earlier, _)| same(earlier, key)) {
            Some((_, replaced)) => replaced.clone_from(value),
            None => joined.push((key.clone(), value.clone())),
        }
    }
    joined
}

/// Whether keys are equal as numbers, of those that are numbers, or the same. Arrays are where their elements are, but not
/// those that are the same anyway: where a dialect keeps both, nobody declares that.
pub(super) fn are_alike(left: &Value, right: &Value, is_number: fn(&Value) -> bool) -> bool {
    let whole = |value: &Value| match value {
        Value::Bool(bool) => Some(i128::from(*bool)),
        Value::Int(int) => Some(i128::from(*int)),
        #[expect(clippy::cast_possible_truncation, reason = "beyond 2^64 there are only floats")]
        Value::Float(float) if float.get().fract() == 0.0 && float.get().abs() < 1e19 => Some(float.get() as i128),
        _ => None,
    };
    match (left, right) {
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.items.iter().zip(&other.items);
            let is_alike = |(one, other): (&Value, &Value)| one == other || are_alike(one, other, is_number);
            left != right && one.items.len() == other.items.len() && pairs.all(is_alike)
        }
        (Value::Dictionary(_) | Value::Record(..), _) => false,
        _ if left == right => true,
        _ => is_number(left) && is_number(right) && whole(left).is_some_and(|number| whole(right) == Some(number)),
    }
}

/// Whether keys are the same for engines, apart from rare ones that only some compare by content.
pub(super) fn are_repeated(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => are_one_float(*left, *right),
        _ => left == right,
    }
}

/// Whether two floats are one key for engines: they are equal as numbers, or both NaN.
pub fn are_one_float(left: F64, right: F64) -> bool {
    left.get() == right.get() || left.get().is_nan() && right.get().is_nan()
}
