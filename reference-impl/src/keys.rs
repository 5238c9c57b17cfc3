//! Repeated keys: engines keep the first place and the last value.
//!
//! Two keys are one where an engine's hash compare says so: floats by value, with all NaNs one key and
//! `-0.0` the same as `0.0` (Godot 3.2.3: `hash_compare`), but those in packed arrays by their bits, for these are hashed
//! as they lie in memory (Godot 3.2.3 and 3.6); dictionaries, and all that holds one, by who
//! they are, so that no two of a packet are one (Godot 3.2.3 and 3.6); everything else as it is.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::value::{F32, F64, Numbers, Value};

/// Below this many pairs, looking at each is faster than hashing.
const FEW: usize = 8;

/// The pairs with repeated keys joined.
pub(crate) fn unique(pairs: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    if pairs.len() <= FEW { unique_of_few(pairs) } else { unique_of_many(pairs) }
}

fn unique_of_few(pairs: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    let mut kept: Vec<(Value, Value)> = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let first = if has_identity(&key) { None } else { kept.iter().position(|(other, _)| same(other, &key)) };
        match first {
            Some(place) => kept[place].1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

fn unique_of_many(mut pairs: Vec<(Value, Value)>) -> Vec<(Value, Value)> {
    let hasher = DefaultHashBuilder::default();
    let mut places: HashTable<usize> = HashTable::with_capacity(pairs.len());
    let mut kept = 0;
    for place in 0..pairs.len() {
        if has_identity(&pairs[place].0) {
            pairs.swap(kept, place);
            kept += 1;
            continue;
        }
        let hash = hash(&hasher, &pairs[place].0);
        match places.find(hash, |&other| same(&pairs[other].0, &pairs[place].0)).copied() {
            Some(first) => {
                let value = core::mem::replace(&mut pairs[place].1, Value::Null);
                pairs[first].1 = value;
            }
            None => {
                pairs.swap(kept, place);
                places.insert_unique(hash, kept, |&other| self::hash(&hasher, &pairs[other].0));
                kept += 1;
            }
        }
    }
    pairs.truncate(kept);
    pairs
}

/// Whether a key is the same as itself alone. What this looks at is never looked at again further out, so
/// that the time for nested keys stays linear.
fn has_identity(key: &Value) -> bool {
    match key {
        Value::Dictionary(_) | Value::Object(_) => true,
        Value::Array(array) => array.items.iter().any(has_identity),
        Value::Typed(_, array) => array.items.iter().any(has_identity),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Text(..)
        | Value::Fields(..)
        | Value::Packed(..)
        | Value::PackedText(..)
        | Value::NodePath(_)
        | Value::Rid(_)
        | Value::Image(_)
        | Value::InputEvent(_) => false,
    }
}

fn hash(hasher: &impl BuildHasher, key: &Value) -> u64 {
    let mut state = hasher.build_hasher();
    hash_folded(key, &mut state);
    state.finish()
}

fn hash_folded(value: &Value, state: &mut impl Hasher) {
    core::mem::discriminant(value).hash(state);
    match value {
        Value::Float(float) => fold64(*float).hash(state),
        Value::Fields(layout, numbers) => {
            layout.hash(state);
            hash_numbers(numbers, state);
        }
        Value::Array(array) => array.items.iter().for_each(|item| hash_folded(item, state)),
        Value::Dictionary(dictionary) => dictionary.entries.len().hash(state),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Text(..)
        | Value::Packed(..)
        | Value::PackedText(..)
        | Value::NodePath(_)
        | Value::Rid(_)
        | Value::Object(_)
        | Value::Image(_)
        | Value::InputEvent(_)
        | Value::Typed(..) => value.hash(state),
    }
}

fn hash_numbers(numbers: &Numbers, state: &mut impl Hasher) {
    match numbers {
        Numbers::Float32(floats) => floats.iter().for_each(|float| fold32(*float).hash(state)),
        Numbers::Float64(floats) => floats.iter().for_each(|float| fold64(*float).hash(state)),
        Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => numbers.hash(state),
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => fold64(*left) == fold64(*right),
        (Value::Fields(a, left), Value::Fields(b, right)) => a == b && same_numbers(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.items.len() == right.items.len()
                && left.items.iter().zip(&right.items).all(|(left, right)| same(left, right))
        }
        (left, right) => left == right,
    }
}

fn same_numbers(left: &Numbers, right: &Numbers) -> bool {
    match (left, right) {
        (Numbers::Float32(left), Numbers::Float32(right)) => {
            left.iter().map(|float| fold32(*float)).eq(right.iter().map(|float| fold32(*float)))
        }
        (Numbers::Float64(left), Numbers::Float64(right)) => {
            left.iter().map(|float| fold64(*float)).eq(right.iter().map(|float| fold64(*float)))
        }
        (left, right) => left == right,
    }
}

/// The bits under which equal keys are equal: one NaN, one zero.
fn fold64(float: F64) -> u64 {
    let number = float.get();
    if number.is_nan() {
        f64::NAN.to_bits()
    } else if number == 0.0 {
        0
    } else {
        float.0
    }
}

fn fold32(float: F32) -> u64 {
    fold64(float.widen())
}
