//! Keys that stand more than once in a dictionary, and which of their pairs a reader keeps.

use variant_codec::{Codec, Value};

/// The pairs of a dictionary.
pub(crate) type KeyPairs = Vec<(Value, Value)>;

/// Whether two keys are one, given the right codec.
pub(crate) type SameKey = dyn Fn(&Codec, &Value, &Value) -> bool + Send + Sync;

/// How a reader treats repeated keys.
pub(crate) struct Repeats {
    pub(crate) same: Box<SameKey>,
    pub(crate) kept: Kept,
}

/// Which of two pairs with the same key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    First,
    /// The place of the first, with the value of the last.
    LastValue,
    /// The place of the first, with the key and the value of the last.
    LastKey,
    /// The last pair, in its own place.
    LastPlace,
}

/// Changes the pairs of a dictionary.
pub(crate) fn pairs(value: &mut Value, change: impl Fn(&mut KeyPairs)) {
    if let Value::Dictionary(dictionary) = value {
        change(&mut dictionary.entries);
    }
}

/// Joins the pairs of a dictionary whose keys are the same to readers with all these faults; to a codec, if there are none.
pub(crate) fn join_repeated(value: &mut Value, codec: &Codec, repeats: &[&Repeats]) {
    let kept = repeats.iter().map(|one| one.kept).find(|kept| *kept != Kept::LastValue).unwrap_or(Kept::LastValue);
    let same = |left: &Value, right: &Value| match repeats {
        [] => codec.is_same_key(left, right),
        all => all.iter().all(|one| (one.same)(codec, left, right)),
    };
    pairs(value, |pairs| join(pairs, same, kept));
}

/// Joins the pairs whose keys are the same.
pub(crate) fn join(pairs: &mut KeyPairs, same: impl Fn(&Value, &Value) -> bool, kept: Kept) {
    let mut left: KeyPairs = Vec::new();
    for (key, value) in std::mem::take(pairs) {
        match (left.iter().position(|(other, _)| same(other, &key)), kept) {
            (None, _) => left.push((key, value)),
            (Some(_), Kept::First) => {}
            (Some(place), Kept::LastValue) => left[place].1 = value,
            (Some(place), Kept::LastKey) => left[place] = (key, value),
            (Some(place), Kept::LastPlace) => {
                left.remove(place);
                left.push((key, value));
            }
        }
    }
    *pairs = left;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_is_joined_in_three_ways() {
        let pair = |key, value| (Value::Int(key), Value::Int(value));
        let pairs = vec![pair(1, 10), pair(2, 20), pair(1, 30)];
        for (kept, wanted) in [
            (Kept::First, vec![pair(1, 10), pair(2, 20)]),
            (Kept::LastValue, vec![pair(1, 30), pair(2, 20)]),
            (Kept::LastPlace, vec![pair(2, 20), pair(1, 30)]),
        ] {
            let mut joined = pairs.clone();
            join(&mut joined, Value::eq, kept);
            assert_eq!(joined, wanted);
        }
    }
}
