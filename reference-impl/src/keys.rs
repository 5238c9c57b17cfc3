//! Repeated keys: engines keep the first place and the last value.
//!
//! Two keys are the same if an engine's hash compare says so:
//!
//! - Floats are compared by value: all NaNs are one key, and `-0.0` is the same as `0.0` (Godot 3.2.3: `hash_compare`).
//! - Floats in packed arrays of floats are compared by their bits, since these arrays are hashed as they are in memory
//!   (Godot 3.2.3 and 3.6), or by value (Godot 4.6). Those in packed arrays of vectors and colors are always compared
//!   by value.
//! - Dictionaries, and all that holds one, are compared by identity, so that no two in a packet are the same
//!   (Godot 3.2.3 and 3.6), or by content (Godot 4.6). By content, a NaN that is an element of an array or a value of a
//!   dictionary is not the same as any other.
//! - Everything else is compared as it is.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash, Hasher};

use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};

use variant_specs::{KeyRule, LayoutId, Layouts};

use crate::value::{F32, F64, Numbers, Value};

/// Below this many pairs, looking at each is faster than hashing.
const FEW: usize = 8;

/// When two keys are the same.
#[derive(Clone, Copy)]
pub(crate) struct Sameness<'a> {
    pub(crate) layouts: &'a Layouts,
    /// A string is the same key as a string name, a dictionary the same as one with the same pairs, and numbers in
    /// packed arrays are compared by value (Godot 4.6).
    pub(crate) by_content: bool,
}

impl Sameness<'_> {
    /// Whether the numbers of a packed array are compared by their bits.
    fn by_bits(self, layout: LayoutId) -> bool {
        !self.by_content && self.layouts.get(layout).arity() == 1
    }
}

/// The pairs of a dictionary. Repeated keys are joined as they are read, while the key is still in the cache.
pub(crate) struct Unique<'a> {
    pairs: Vec<(Value, Value)>,
    /// Whether repeated keys are kept.
    all: bool,
    as_one: Sameness<'a>,
    /// Made once there are many pairs. Boxed, so that a deep path takes little stack.
    places: Option<Box<Places>>,
}

/// The index of the pair of each key.
struct Places {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
}

impl<'a> Unique<'a> {
    /// Empty, in the memory of `room`.
    pub(crate) fn new(room: Vec<(Value, Value)>, rule: KeyRule, layouts: &'a Layouts) -> Self {
        let as_one = Sameness { layouts, by_content: rule == KeyRule::ByContent };
        Self { pairs: room, all: rule == KeyRule::Repeated, as_one, places: None }
    }

    /// The place of the next pair, to be filled. [`Unique::join`] then joins it with an earlier pair of the same key.
    #[inline]
    pub(crate) fn next_pair(&mut self) -> &mut (Value, Value) {
        let next = self.pairs.len();
        // Made in place, where only their tags are written: with `push`, they would be made elsewhere and copied.
        self.pairs.resize_with(next + 1, || (Value::Null, Value::Null));
        &mut self.pairs[next]
    }

    /// If an earlier pair has the key of the last one, it gets that one's value, and the last pair goes.
    #[inline]
    pub(crate) fn join(&mut self) {
        let Some(((key, _), earlier)) = self.pairs.split_last() else { return };
        if self.all || has_identity(key, self.as_one) {
            return;
        }
        let first = if earlier.len() < FEW {
            earlier.iter().position(|(other, _)| same_key(other, key, self.as_one))
        } else {
            let places =
                self.places.get_or_insert_with(|| Box::new(Places::of(earlier, self.pairs.capacity(), self.as_one)));
            places.find_or_add(key, earlier, self.as_one)
        };
        if let Some(first) = first
            && let Some((_, value)) = self.pairs.pop()
        {
            self.pairs[first].1 = value;
        }
    }

    /// The pairs: each key in its first place, with its last value.
    pub(crate) fn into_pairs(self) -> Vec<(Value, Value)> {
        self.pairs
    }
}

impl Places {
    /// The indices of these pairs, with memory for `room` of them.
    fn of(pairs: &[(Value, Value)], room: usize, as_one: Sameness<'_>) -> Self {
        let hasher = DefaultHashBuilder::default();
        let mut table = HashTable::with_capacity(room);
        for (number, (key, _)) in pairs.iter().enumerate().filter(|(_, (key, _))| !has_identity(key, as_one)) {
            table.insert_unique(hash(&hasher, key, as_one), place(number), |&other| {
                hash(&hasher, &pairs[other as usize].0, as_one)
            });
        }
        Self { hasher, table }
    }

    /// The index of this key among the earlier pairs. A new key is added, with the index after them.
    fn find_or_add(&mut self, key: &Value, earlier: &[(Value, Value)], as_one: Sameness<'_>) -> Option<usize> {
        let Self { hasher, table } = self;
        let same = |&other: &u32| same_key(&earlier[other as usize].0, key, as_one);
        let rehash = |&other: &u32| hash(hasher, &earlier[other as usize].0, as_one);
        match table.entry(hash(hasher, key, as_one), same, rehash) {
            Entry::Occupied(first) => Some(*first.get() as usize),
            Entry::Vacant(room) => {
                room.insert(place(earlier.len()));
                None
            }
        }
    }
}

/// Whether two keys are one.
pub(crate) fn is_same_key(left: &Value, right: &Value, rule: KeyRule, layouts: &Layouts) -> bool {
    let as_one = Sameness { layouts, by_content: rule == KeyRule::ByContent };
    rule != KeyRule::Repeated && !has_identity(left, as_one) && same_key(left, right, as_one)
}

/// A pair's number in a word, to keep the table small: counts have 31 bits.
#[inline]
fn place(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Whether a key is the same as itself alone. What this looks at is never looked at again for a key further
/// out, so that the time for nested keys stays linear.
#[inline]
fn has_identity(key: &Value, as_one: Sameness<'_>) -> bool {
    !matches!(key, Value::Text(..) | Value::Int(_)) && holds_identity(key, as_one)
}

fn holds_identity(key: &Value, as_one: Sameness<'_>) -> bool {
    let by_content = as_one.by_content;
    // As a key, even of a dictionary within, a NaN is the same as any other NaN; as an element it is not.
    let is_nan = |value: &Value| matches!(value, Value::Float(float) if float.get().is_nan());
    let element = |value: &Value| by_content && is_nan(value) || has_identity(value, as_one);
    let any = |items: &[Value]| items.iter().any(element);
    match key {
        Value::Record(layout, _) if as_one.layouts.get(*layout).objects => true,
        Value::Dictionary(_) if !by_content => true,
        Value::Dictionary(dictionary) => {
            let mut entries = dictionary.entries.iter();
            entries.any(|(key, value)| has_identity(key, as_one) || element(value))
        }
        Value::Array(array) => any(&array.items),
        Value::Record(..) => key.children().into_iter().any(element),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Text(..)
        | Value::Fields(..)
        | Value::Packed(..)
        | Value::PackedText(..)
        | Value::NodePath(_) => false,
    }
}

#[inline]
fn hash(hasher: &impl BuildHasher, key: &Value, as_one: Sameness<'_>) -> u64 {
    let mut state = hasher.build_hasher();
    hash_key(key, &mut state, as_one);
    state.finish()
}

#[inline]
fn hash_key(key: &Value, state: &mut impl Hasher, as_one: Sameness<'_>) {
    if let Value::Text(_, text) = key {
        // Whatever its layout: `same_key` decides about that.
        match text.word() {
            Some((word, length)) => {
                state.write_u128(word);
                state.write_u8(length);
            }
            None => text.hash(state),
        }
    } else if let Value::Int(int) = key {
        state.write_i64(*int);
    } else {
        hash_folded(key, state, as_one);
    }
}

#[inline]
fn same_key(left: &Value, right: &Value, as_one: Sameness<'_>) -> bool {
    match (left, right) {
        (Value::Text(a, left), Value::Text(b, right)) => left == right && (as_one.by_content || a == b),
        (left, right) => same(left, right, as_one),
    }
}

fn hash_folded(value: &Value, state: &mut impl Hasher, as_one: Sameness<'_>) {
    core::mem::discriminant(value).hash(state);
    match value {
        Value::Float(float) => fold64(*float).hash(state),
        Value::Fields(layout, numbers) => {
            layout.hash(state);
            hash_numbers(numbers, state);
        }
        Value::Packed(layout, numbers) if !as_one.by_bits(*layout) => {
            layout.hash(state);
            hash_numbers(numbers, state);
        }
        Value::Array(array) => array.items.iter().for_each(|item| hash_folded(item, state, as_one)),
        Value::Dictionary(dictionary) => dictionary.entries.iter().for_each(|(key, value)| {
            hash_key(key, state, as_one);
            hash_folded(value, state, as_one);
        }),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Text(..)
        | Value::Packed(..)
        | Value::PackedText(..)
        | Value::NodePath(_)
        | Value::Record(..) => value.hash(state),
    }
}

fn hash_numbers(numbers: &Numbers, state: &mut impl Hasher) {
    match numbers {
        Numbers::Float32(floats) => floats.iter().for_each(|float| fold32(*float).hash(state)),
        Numbers::Float64(floats) => floats.iter().for_each(|float| fold64(*float).hash(state)),
        Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => numbers.hash(state),
    }
}

fn same(left: &Value, right: &Value, as_one: Sameness<'_>) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => fold64(*left) == fold64(*right),
        (Value::Fields(a, left), Value::Fields(b, right)) => a == b && same_numbers(left, right),
        (Value::Packed(a, left), Value::Packed(b, right)) if !as_one.by_bits(*a) => a == b && same_numbers(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.items.len() == right.items.len()
                && left.items.iter().zip(&right.items).all(|(left, right)| same(left, right, as_one))
        }
        (Value::Dictionary(left), Value::Dictionary(right)) => {
            let pairs = || left.entries.iter().zip(&right.entries);
            left.entries.len() == right.entries.len()
                && pairs().all(|(a, b)| same_key(&a.0, &b.0, as_one) && same(&a.1, &b.1, as_one))
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

/// The bits to compare and hash: the same for every NaN, and for both zeros.
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
