//! Repeated keys: engines keep the first place and the last value.
//!
//! Two keys are one where an engine's hash compare says so: floats by value, with all NaNs one key and
//! `-0.0` the same as `0.0` (Godot 3.2.3: `hash_compare`), but those in packed arrays of single floats by their bits, for
//! these are hashed as they lie in memory (Godot 3.2.3 and 3.6; those of vectors and colors are not); dictionaries, and all that holds one, by who
//! they are, so that no two of a packet are one (Godot 3.2.3 and 3.6); everything else as it is.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};
use variant_specs::Layouts;

use crate::value::{F32, F64, Numbers, Value};

/// Below this many pairs, looking at each is faster than hashing.
const FEW: usize = 8;

/// When two keys are one.
#[derive(Clone, Copy)]
pub(crate) struct Sameness<'a> {
    pub(crate) layouts: &'a Layouts,
    pub(crate) by_content: bool,
}

/// The pairs with repeated keys joined; `by_content` where a string is the same key as a string name, and a dictionary
/// the same as one with the same pairs (Godot 4.6).
pub(crate) fn unique(pairs: Vec<(Value, Value)>, as_one: Sameness<'_>) -> Vec<(Value, Value)> {
    if pairs.len() <= FEW { unique_of_few(pairs, as_one) } else { unique_of_many(pairs, as_one) }
}

fn unique_of_few(pairs: Vec<(Value, Value)>, as_one: Sameness<'_>) -> Vec<(Value, Value)> {
    let mut kept: Vec<(Value, Value)> = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let first = if has_identity(&key, as_one.by_content) {
            None
        } else {
            kept.iter().position(|(other, _)| same_key(other, &key, as_one))
        };
        match first {
            Some(place) => kept[place].1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

fn unique_of_many(mut pairs: Vec<(Value, Value)>, as_one: Sameness<'_>) -> Vec<(Value, Value)> {
    let hasher = DefaultHashBuilder::default();
    let hash = |key: &Value| hash(&hasher, key, as_one.by_content);
    let mut places: HashTable<usize> = HashTable::with_capacity(pairs.len());
    let mut kept = 0;
    for place in 0..pairs.len() {
        if has_identity(&pairs[place].0, as_one.by_content) {
            pairs.swap(kept, place);
            kept += 1;
            continue;
        }
        let hashed = hash(&pairs[place].0);
        match places.find(hashed, |&other| same_key(&pairs[other].0, &pairs[place].0, as_one)).copied() {
            Some(first) => {
                let value = core::mem::replace(&mut pairs[place].1, Value::Null);
                pairs[first].1 = value;
            }
            None => {
                pairs.swap(kept, place);
                places.insert_unique(hashed, kept, |&other| hash(&pairs[other].0));
                kept += 1;
            }
        }
    }
    pairs.truncate(kept);
    pairs
}

/// Whether a key is the same as itself alone. What this looks at is never looked at again further out, so
/// that the time for nested keys stays linear.
fn has_identity(key: &Value, by_content: bool) -> bool {
    let any = |items: &[Value]| items.iter().any(|item| has_identity(item, by_content));
    match key {
        Value::Object(_) => true,
        Value::Dictionary(_) if !by_content => true,
        Value::Dictionary(dictionary) => {
            let mut entries = dictionary.entries.iter();
            entries.any(|(key, value)| has_identity(key, by_content) || has_identity(value, by_content))
        }
        Value::Array(array) => any(&array.items),
        Value::Typed(_, array) => any(&array.items),
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
        | Value::InputEvent(_)
        | Value::Callable
        | Value::Signal(_) => false,
    }
}

fn hash(hasher: &impl BuildHasher, key: &Value, by_content: bool) -> u64 {
    let mut state = hasher.build_hasher();
    if let (Value::Text(_, text), true) = (key, by_content) {
        text.hash(&mut state);
    } else {
        hash_folded(key, &mut state);
    }
    state.finish()
}

fn same_key(left: &Value, right: &Value, as_one: Sameness<'_>) -> bool {
    match (left, right) {
        (Value::Text(_, left), Value::Text(_, right)) if as_one.by_content => left == right,
        (left, right) => same(left, right, as_one.layouts),
    }
}

fn hash_folded(value: &Value, state: &mut impl Hasher) {
    core::mem::discriminant(value).hash(state);
    match value {
        Value::Float(float) => fold64(*float).hash(state),
        // Which numbers count bit by bit is looked at when two are compared.
        Value::Fields(layout, numbers) | Value::Packed(layout, numbers) => {
            layout.hash(state);
            hash_numbers(numbers, state);
        }
        Value::Array(array) => array.items.iter().for_each(|item| hash_folded(item, state)),
        Value::Dictionary(dictionary) => dictionary.entries.iter().for_each(|(key, value)| {
            hash_folded(key, state);
            hash_folded(value, state);
        }),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Text(..)
        | Value::PackedText(..)
        | Value::NodePath(_)
        | Value::Rid(_)
        | Value::Object(_)
        | Value::Image(_)
        | Value::InputEvent(_)
        | Value::Typed(..)
        | Value::Callable
        | Value::Signal(_) => value.hash(state),
    }
}

fn hash_numbers(numbers: &Numbers, state: &mut impl Hasher) {
    match numbers {
        Numbers::Float32(floats) => floats.iter().for_each(|float| fold32(*float).hash(state)),
        Numbers::Float64(floats) => floats.iter().for_each(|float| fold64(*float).hash(state)),
        Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => numbers.hash(state),
    }
}

fn same(left: &Value, right: &Value, layouts: &Layouts) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => fold64(*left) == fold64(*right),
        (Value::Fields(a, left), Value::Fields(b, right)) => a == b && same_numbers(left, right),
        (Value::Packed(a, left), Value::Packed(b, right)) => {
            let by_bits = layouts.get(*a).arity() == 1;
            a == b && if by_bits { left == right } else { same_numbers(left, right) }
        }
        (Value::Array(left), Value::Array(right)) => {
            left.items.len() == right.items.len()
                && left.items.iter().zip(&right.items).all(|(left, right)| same(left, right, layouts))
        }
        (Value::Dictionary(left), Value::Dictionary(right)) => {
            let pairs = || left.entries.iter().zip(&right.entries);
            left.entries.len() == right.entries.len()
                && pairs().all(|(a, b)| same(&a.0, &b.0, layouts) && same(&a.1, &b.1, layouts))
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
