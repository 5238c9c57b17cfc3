//! Repeated keys: engines keep the first place and the last value.
//!
//! Two keys are one where an engine's hash compare says so: floats by value, with all NaNs one key and
//! `-0.0` the same as `0.0` (Godot 3.2.3: `hash_compare`), those in packed arrays of single floats by their bits,
//! for these are hashed as they lie in memory (Godot 3.2.3 and 3.6; those of vectors and colors are not), or by value too (Godot 4.6); dictionaries, and all that holds one, by who
//! they are, so that no two of a packet are one (Godot 3.2.3 and 3.6); everything else as it is.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use variant_specs::{KeyRule, Layouts};

use crate::value::{F32, F64, Numbers, Value};

/// Below this many pairs, looking at each is faster than hashing.
const FEW: usize = 8;

/// Pairs, repeated keys joined as they come: the key is still at hand then, and need not be fetched again.
pub(crate) struct Unique<'a> {
    layouts: &'a Layouts,
    pairs: Vec<(Value, Value)>,
    /// Repeated keys stay.
    all: bool,
    /// A string is the same key as a string name, and a dictionary the same as one with the same pairs (Godot 4.6).
    by_content: bool,
    /// Once there are many. Apart, so that a deep path takes little stack.
    places: Option<Box<Places>>,
}

/// Where the pair of each key stands.
struct Places {
    hasher: DefaultHashBuilder,
    table: HashTable<usize>,
}

impl<'a> Unique<'a> {
    /// None yet; what `room` can hold will be held without asking for more.
    pub(crate) fn new(room: Vec<(Value, Value)>, rule: KeyRule, layouts: &'a Layouts) -> Self {
        let (all, by_content) = match rule {
            KeyRule::Repeated => (true, false),
            KeyRule::Unique => (false, false),
            KeyRule::ByContent => (false, true),
        };
        Self { layouts, pairs: room, all, by_content, places: None }
    }

    pub(crate) fn push(&mut self, key: Value, value: Value) {
        if self.all || has_identity(&key, self.by_content) {
            self.pairs.push((key, value));
        } else if self.pairs.len() < FEW {
            let same = |(other, _): &(Value, Value)| same_key(other, &key, self.by_content, self.layouts);
            match self.pairs.iter().position(same) {
                Some(first) => self.pairs[first].1 = value,
                None => self.pairs.push((key, value)),
            }
        } else {
            self.push_to_many(key, value);
        }
    }

    fn push_to_many(&mut self, key: Value, value: Value) {
        let Self { layouts, pairs, by_content, places, .. } = self;
        let Places { hasher, table } = &mut **places.get_or_insert_with(|| Box::new(Places::of(pairs, *by_content)));
        let hashed = hash(hasher, &key, *by_content);
        match table.find(hashed, |&other| same_key(&pairs[other].0, &key, *by_content, layouts)) {
            Some(&first) => pairs[first].1 = value,
            None => {
                table.insert_unique(hashed, pairs.len(), |&other| hash(hasher, &pairs[other].0, *by_content));
                pairs.push((key, value));
            }
        }
    }

    /// The pairs: each key in its first place, with its last value.
    pub(crate) fn into_pairs(self) -> Vec<(Value, Value)> {
        self.pairs
    }
}

impl Places {
    /// The places of the first few.
    fn of(pairs: &Vec<(Value, Value)>, by_content: bool) -> Self {
        let hasher = DefaultHashBuilder::default();
        let mut table = HashTable::with_capacity(pairs.capacity());
        for (place, (key, _)) in pairs.iter().enumerate().filter(|(_, (key, _))| !has_identity(key, by_content)) {
            table.insert_unique(hash(&hasher, key, by_content), place, |&other: &usize| {
                hash(&hasher, &pairs[other].0, by_content)
            });
        }
        Self { hasher, table }
    }
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
        hash_folded(key, &mut state, by_content);
    }
    state.finish()
}

fn same_key(left: &Value, right: &Value, by_content: bool, layouts: &Layouts) -> bool {
    match (left, right) {
        (Value::Text(_, left), Value::Text(_, right)) if by_content => left == right,
        (left, right) => same(left, right, by_content, layouts),
    }
}

fn hash_folded(value: &Value, state: &mut impl Hasher, by_content: bool) {
    core::mem::discriminant(value).hash(state);
    match value {
        Value::Float(float) => fold64(*float).hash(state),
        Value::Fields(layout, numbers) => {
            layout.hash(state);
            hash_numbers(numbers, state);
        }
        // Whether numbers count bit by bit is looked at when two are compared.
        Value::Packed(layout, numbers) => {
            layout.hash(state);
            hash_numbers(numbers, state);
        }
        Value::Array(array) => array.items.iter().for_each(|item| hash_folded(item, state, by_content)),
        Value::Dictionary(dictionary) => dictionary.entries.iter().for_each(|(key, value)| {
            hash_folded(key, state, by_content);
            hash_folded(value, state, by_content);
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

fn same(left: &Value, right: &Value, by_content: bool, layouts: &Layouts) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => fold64(*left) == fold64(*right),
        (Value::Fields(a, left), Value::Fields(b, right)) => a == b && same_numbers(left, right),
        (Value::Packed(a, left), Value::Packed(b, right)) if by_content || layouts.get(*a).arity() > 1 => {
            a == b && same_numbers(left, right)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.items.len() == right.items.len()
                && left.items.iter().zip(&right.items).all(|(left, right)| same(left, right, by_content, layouts))
        }
        (Value::Dictionary(left), Value::Dictionary(right)) => {
            let pairs = || left.entries.iter().zip(&right.entries);
            let alike = |left, right| same(left, right, by_content, layouts);
            left.entries.len() == right.entries.len() && pairs().all(|(a, b)| alike(&a.0, &b.0) && alike(&a.1, &b.1))
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
