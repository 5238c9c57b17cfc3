//! The walk over an expected and an answered value, which forgives what is declared as lost.

use std::collections::BTreeSet;
use std::convert::identity;

use variant_codec::{Array, Component, F32, F64, Numbers, Text, Value};
use variant_specs::{LayoutId, Layouts, Shape};

use super::keys::{Pair, SameKey, are_alike, are_repeated, join_repeated};
use super::packed::{elements, packed_like};
use crate::handshake::Lossy;

/// One walk over an expected and an answered value: what differs by a declared loss only becomes as expected, and the losses
/// that were needed are noted. The first difference that is left was not declared.
pub(super) struct LossyWalk<'a> {
    pub(super) lossy: &'a [Lossy],
    pub(super) layouts: &'a Layouts,
    pub(super) used: BTreeSet<Lossy>,
}

impl LossyWalk<'_> {
    /// What in `actual` differs from `expected` by a declared loss only becomes as it is in `expected`.
    pub(super) fn settle(&mut self, expected: &Value, actual: &mut Value) {
        if expected == actual || self.lossy.is_empty() {
            return;
        }
        let is_same = match (expected, &*actual) {
            (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => {
                self.is_int_as_float(*int, *float)
            }
            (Value::Text(layout, text), Value::Array(array)) | (Value::Array(array), Value::Text(layout, text)) => {
                self.is_char_list(*layout, text, array) && self.allows(Lossy::CharLists)
            }
            (Value::Record(_, typed), Value::Array(array)) if is_plain(array) => self.is_typed_array(typed, array),
            _ => false,
        };
        if is_same {
            actual.clone_from(expected);
            return;
        }
        match (expected, &mut *actual) {
            (Value::Int(left), Value::Int(right)) => self.int(*left, right),
            (Value::Float(left), Value::Float(right)) => self.nan(*left, right, identity),
            (Value::Fields(a, left), Value::Fields(b, right)) | (Value::Packed(a, left), Value::Packed(b, right))
                if a == b =>
            {
                self.numbers(left, right);
            }
            (Value::Packed(..) | Value::PackedText(..), Value::Array(array)) if is_plain(array) => {
                if let Some(packed) = self.packed(expected, array) {
                    *actual = packed;
                }
            }
            (Value::Array(left), Value::Array(right)) => {
                self.types(&left.of, &mut right.of);
                self.items(&left.items, &mut right.items);
            }
            (Value::Dictionary(left), Value::Dictionary(right)) => {
                self.types(&left.of, &mut right.of);
                right.entries = self.dictionary(&left.entries, &right.entries);
            }
            (Value::Record(a, left), Value::Record(b, right)) if a == b => self.components(left, right),
            _ => {}
        }
    }

    fn allows(&mut self, what: Lossy) -> bool {
        self.lossy.contains(&what) && {
            self.used.insert(what);
            true
        }
    }

    /// Whether the answered value is as expected but for declared losses. If not, none was used.
    fn same(&mut self, expected: &Value, actual: &Value) -> bool {
        let before = self.used.clone();
        let mut settled = actual.clone();
        self.settle(expected, &mut settled);
        let same = *expected == settled;
        if !same {
            self.used = before;
        }
        same
    }

    /// Whether an int and a float are one number, or the float is the nearest, and that is declared.
    fn is_int_as_float(&mut self, int: i64, float: F64) -> bool {
        #[expect(clippy::cast_possible_truncation, reason = "it is as near as an int comes")]
        let is_exact = i128::from(int) == float.get() as i128;
        as_double(int) == float.0
            && (is_exact || self.lossy.contains(&Lossy::Int64))
            && self.allows(Lossy::IntFloat)
            && (is_exact || self.allows(Lossy::Int64))
    }

    /// Whether these are the components of an array with a type, and an array has its items.
    fn is_typed_array(&mut self, typed: &[Component], array: &Array) -> bool {
        let [Component::Type(_), Component::Values(expected)] = typed else { return false };
        let mut items = array.items.clone();
        self.items(expected, &mut items);
        items == *expected && self.allows(Lossy::ContainerTypes)
    }

    fn int(&mut self, left: i64, right: &mut i64) {
        if left != *right && as_double(left) == as_double(*right) && self.allows(Lossy::Int64) {
            *right = left;
        }
    }

    fn nan<F: Copy + PartialEq>(&mut self, left: F, right: &mut F, widen: impl Fn(F) -> F64) {
        let is_nan = |float| widen(float).get().is_nan();
        if left != *right && is_nan(left) && is_nan(*right) && self.allows(Lossy::NanPayload) {
            *right = left;
        }
    }

    fn numbers(&mut self, left: &Numbers, right: &mut Numbers) {
        match (left, right) {
            (Numbers::Int64(left), Numbers::Int64(right)) => {
                left.iter().zip(right).for_each(|(left, right)| self.int(*left, right));
            }
            (Numbers::Float32(left), Numbers::Float32(right)) => {
                left.iter().zip(right).for_each(|(left, right)| self.nan(*left, right, F32::widen));
            }
            (Numbers::Float64(left), Numbers::Float64(right)) => {
                left.iter().zip(right).for_each(|(left, right)| self.nan(*left, right, identity));
            }
            _ => {}
        }
    }

    fn items(&mut self, left: &[Value], right: &mut [Value]) {
        left.iter().zip(right).for_each(|(left, right)| self.settle(left, right));
    }

    /// A list in place of a packed array, as that array; `None` if it is none, or that is not declared.
    fn packed(&mut self, expected: &Value, array: &Array) -> Option<Value> {
        if !self.lossy.contains(&Lossy::PackedAsList) {
            return None;
        }
        let elements = elements(expected, self.layouts)?;
        let mut items = array.items.clone();
        self.items(&elements, &mut items);
        let packed = if items == elements { expected.clone() } else { packed_like(expected, &items)? };
        self.used.insert(Lossy::PackedAsList);
        Some(packed)
    }

    fn types<T: Clone>(&mut self, left: &Option<T>, right: &mut Option<T>) {
        if left.is_some() && right.is_none() && self.allows(Lossy::ContainerTypes) {
            right.clone_from(left);
        }
    }

    fn components(&mut self, left: &[Component], right: &mut [Component]) {
        for pair in left.iter().zip(right) {
            match pair {
                (Component::Value(left), Component::Value(right)) => self.settle(left, right),
                (Component::Values(left), Component::Values(right)) => self.items(left, right),
                (Component::Single(left), Component::Single(right)) => self.nan(*left, right, F32::widen),
                (Component::Double(left), Component::Double(right)) => self.nan(*left, right, identity),
                (Component::List(left), Component::List(right)) => {
                    left.iter().zip(right).for_each(|(left, right)| self.components(left, right));
                }
                _ => {}
            }
        }
    }

    /// The answered entries; as expected if the implementation takes some keys for one, and says so.
    fn dictionary(&mut self, left: &[Pair], right: &[Pair]) -> Vec<Pair> {
        let joins: [(Lossy, SameKey); 3] = [
            (Lossy::RepeatedKeys, are_repeated),
            (Lossy::IntFloat, |left, right| are_alike(left, right, |value| !matches!(value, Value::Bool(_)))),
            // A bool is 0 or 1.
            (Lossy::EqualKeys, |left, right| are_alike(left, right, |_| true)),
        ];
        for (word, same) in joins {
            if left.len() == right.len() || !self.lossy.contains(&word) {
                continue;
            }
            // Repeated keys are in the answer; the other keys were expected.
            let (expected, actual) = match word {
                Lossy::RepeatedKeys => (left.to_vec(), join_repeated(right, same)),
                _ => (join_repeated(left, same), right.to_vec()),
            };
            if expected.len() == actual.len() && self.entries(&expected, &actual) == expected {
                self.used.insert(word);
                return left.to_vec();
            }
        }
        self.entries(left, right)
    }

    /// The answered entries, each with the expected key that it stands for, in the expected order if none is declared.
    fn entries(&mut self, left: &[Pair], right: &[Pair]) -> Vec<Pair> {
        let any_order = self.lossy.contains(&Lossy::DictionaryOrder);
        let mut rest: Vec<&Pair> = right.iter().collect();
        let mut entries = Vec::with_capacity(rest.len());
        for entry in left {
            let found = if any_order { self.place_of(entry, &rest) } else { Some(0).filter(|_| !rest.is_empty()) };
            let Some(found) = found else { continue };
            let (mut key, mut value) = rest.remove(found).clone();
            if found > 0 {
                self.used.insert(Lossy::DictionaryOrder);
            }
            if self.is_spelled(&entry.0, &key) {
                key = entry.0.clone();
            }
            self.settle(&entry.0, &mut key);
            self.settle(&entry.1, &mut value);
            entries.push((key, value));
        }
        entries.extend(rest.into_iter().cloned());
        entries
    }

    /// Where an entry with the key of this one is: of several, the one with its value.
    fn place_of(&mut self, entry: &Pair, rest: &[&Pair]) -> Option<usize> {
        let is_key = |walk: &mut Self, key: &Value| walk.same(&entry.0, key) || walk.is_spelled(&entry.0, key);
        let exact = rest.iter().position(|other| *other == entry);
        exact.or_else(|| rest.iter().position(|other| is_key(self, &other.0)))
    }

    fn is_char_list(&self, layout: LayoutId, text: &Text, array: &Array) -> bool {
        let points = text.as_str().map(|text| text.chars().map(|char| Value::Int(i64::from(u32::from(char)))));
        Some(layout) == self.layouts.id_of_shape(Shape::Text)
            && is_plain(array)
            && points.is_some_and(|points| points.eq(array.items.iter().cloned()))
    }

    /// Whether `right` is the key `left` as a string, `1` → `"1"`, and that loss is declared.
    fn is_spelled(&mut self, left: &Value, right: &Value) -> bool {
        let Value::Text(_, text) = right else { return false };
        let spelled = match left {
            Value::Float(float) => format!("{:?}", float.get()),
            Value::Int(int) => int.to_string(),
            Value::Bool(bool) => bool.to_string(),
            _ => return false,
        };
        (text.as_str() == Some(&spelled) || text.as_str() == spelled.strip_suffix(".0"))
            && self.allows(Lossy::DictionaryKeys)
    }
}

/// Whether an array has neither a type nor the mark of a shared one.
fn is_plain(array: &Array) -> bool {
    array.of.is_none() && !array.shared
}

#[expect(clippy::cast_precision_loss, reason = "this loss is what is compared")]
fn as_double(int: i64) -> u64 {
    (int as f64).to_bits()
}
