//! Whether an answered value is the expected one, and where they first part.

use std::collections::BTreeSet;

use variant_codec::{Dictionary, F64, Numbers, Value};
use variant_specs::Layouts;

use crate::fields::{Datum, Leaf, fields_of};
use crate::handshake::Lossy;
use crate::value_text::Expected;

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The same, bit for bit.
    Same,
    /// The same but for what the host language cannot tell apart.
    Relaxed(Vec<Lossy>),
    /// Different: the path of the first part that is.
    Different(String),
}

/// Compares an answer with what was expected, under what the implementation is `lossy` in.
pub fn compare(expected: &Expected, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> Comparison {
    if expected.any_nan.is_empty() && expected.value == *actual {
        return Comparison::Same;
    }
    let expected_leaves = fields_of(&expected.value, layouts);
    let actual_leaves = fields_of(actual, layouts);
    let Some(path) = first_difference(&expected_leaves, &actual_leaves, &expected.any_nan) else {
        return Comparison::Same;
    };
    let mut relaxation = Relaxation { lossy, layouts, used: BTreeSet::new() };
    if relaxation.same(&expected.value, actual) {
        return Comparison::Relaxed(
            lossy.iter().copied().filter(|what| relaxation.used.contains(&(*what as u8))).collect(),
        );
    }
    Comparison::Different(path)
}

fn first_difference(expected: &[Leaf], actual: &[Leaf], any_nan: &[usize]) -> Option<String> {
    let mut reals = 0;
    for (place, leaf) in expected.iter().enumerate() {
        let any = is_real(&leaf.datum) && {
            reals += 1;
            any_nan.contains(&(reals - 1))
        };
        let other = actual.get(place);
        let alike = |other: &Leaf| other.datum == leaf.datum || any && both_nan(&leaf.datum, &other.datum);
        if !other.is_some_and(|other| other.path == leaf.path && alike(other)) {
            // What an answer says more than was expected is what parts them, not what was expected behind it.
            let more = other.filter(|other| expected[place..].iter().all(|leaf| leaf.path != other.path));
            return Some(more.unwrap_or(leaf).path.clone());
        }
    }
    actual.get(expected.len()).map(|leaf| leaf.path.clone())
}

fn is_real(datum: &Datum) -> bool {
    matches!(datum, Datum::Single(_) | Datum::Double(_))
}

fn both_nan(left: &Datum, right: &Datum) -> bool {
    match (left, right) {
        (Datum::Single(left), Datum::Single(right)) => left.get().is_nan() && right.get().is_nan(),
        (Datum::Double(left), Datum::Double(right)) => left.get().is_nan() && right.get().is_nan(),
        _ => false,
    }
}

/// A comparison that lets pass what the host language cannot tell apart, and notes what it let pass.
struct Relaxation<'a> {
    lossy: &'a [Lossy],
    layouts: &'a Layouts,
    used: BTreeSet<u8>,
}

impl Relaxation<'_> {
    fn lets(&mut self, what: Lossy) -> bool {
        self.lossy.contains(&what) && {
            self.used.insert(what as u8);
            true
        }
    }

    fn same(&mut self, expected: &Value, actual: &Value) -> bool {
        if expected == actual {
            return true;
        }
        match (expected, actual) {
            (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => {
                self.int_is_float(*int, *float)
            }
            (Value::Int(left), Value::Int(right)) => as_double(*left) == as_double(*right) && self.lets(Lossy::Int64),
            (Value::Float(left), Value::Float(right)) => self.same_float(*left, *right),
            (Value::Fields(a, left), Value::Fields(b, right)) | (Value::Packed(a, left), Value::Packed(b, right)) => {
                a == b && self.same_numbers(left, right)
            }
            (Value::Packed(..) | Value::PackedText(..), Value::Array(array)) => {
                self.elements(expected).is_some_and(|elements| {
                    elements.len() == array.items.len()
                        && elements.iter().zip(&array.items).all(|(left, right)| self.same(left, right))
                }) && self.lets(Lossy::ElementTypes)
            }
            (Value::Array(left), Value::Array(right)) => {
                left.shared == right.shared
                    && left.items.len() == right.items.len()
                    && (left.of == right.of || right.of.is_none() && self.lets(Lossy::ElementTypes))
                    && left.items.iter().zip(&right.items).all(|(left, right)| self.same(left, right))
            }
            (Value::Dictionary(left), Value::Dictionary(right)) => self.same_dictionary(left, right),
            _ => false,
        }
    }

    fn int_is_float(&mut self, int: i64, float: F64) -> bool {
        let same = as_double(int) == float.0;
        let beyond = int.unsigned_abs() > 1 << 53;
        same && self.lets(Lossy::IntFloat) && (!beyond || self.lets(Lossy::Int64))
    }

    fn same_float(&mut self, left: F64, right: F64) -> bool {
        left == right || left.get().is_nan() && right.get().is_nan() && self.lets(Lossy::NanPayload)
    }

    fn same_numbers(&mut self, left: &Numbers, right: &Numbers) -> bool {
        match (left, right) {
            (Numbers::Float32(left), Numbers::Float32(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(right)
                        .all(|(left, right)| left == right || self.same_float(left.widen(), right.widen()))
            }
            (Numbers::Float64(left), Numbers::Float64(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| self.same_float(*left, *right))
            }
            (left, right) => left == right,
        }
    }

    fn same_dictionary(&mut self, left: &Dictionary, right: &Dictionary) -> bool {
        if left.entries.len() != right.entries.len() || left.shared != right.shared {
            return false;
        }
        if left.of != right.of && (right.of.is_some() || !self.lets(Lossy::ElementTypes)) {
            return false;
        }
        if left.entries.iter().zip(&right.entries).all(|(left, right)| self.same_entry(left, right)) {
            return true;
        }
        // Each expected entry takes one of those not yet taken.
        let mut rest: Vec<&(Value, Value)> = right.entries.iter().collect();
        let found = left.entries.iter().all(|entry| {
            let place = rest.iter().position(|other| self.same_entry(entry, other));
            place.map(|place| rest.swap_remove(place)).is_some()
        });
        found && self.lets(Lossy::DictionaryOrder)
    }

    fn same_entry(&mut self, left: &(Value, Value), right: &(Value, Value)) -> bool {
        (self.same(&left.0, &right.0) || self.same_key(&left.0, &right.0)) && self.same(&left.1, &right.1)
    }

    /// A key that became a string.
    fn same_key(&mut self, left: &Value, right: &Value) -> bool {
        let Value::Text(_, text) = right else { return false };
        let spelled = if let Value::Float(float) = left {
            format!("{:?}", float.get())
        } else if let Value::Int(int) = left {
            int.to_string()
        } else if let Value::Bool(bool) = left {
            bool.to_string()
        } else {
            return false;
        };
        (text.as_str() == Some(&spelled) || text.as_str() == spelled.strip_suffix(".0"))
            && self.lets(Lossy::DictionaryKeys)
    }

    /// The elements of a packed array as values of their own, where a type for them exists.
    fn elements(&self, packed: &Value) -> Option<Vec<Value>> {
        if let Value::PackedText(_, texts) = packed {
            let string = self.layouts.id_of_shape(variant_specs::Shape::Text)?;
            return Some(texts.iter().map(|text| Value::Text(string, text.clone())).collect());
        }
        let Value::Packed(layout, numbers) = packed else { return None };
        let layout = self.layouts.get(*layout);
        if layout.arity() == 1 {
            return Some(scalars(numbers));
        }
        let element = self.layouts.id_of(layout.name.strip_suffix("_array")?)?;
        let parts = split(numbers, layout.arity());
        Some(parts.into_iter().map(|numbers| Value::Fields(element, numbers)).collect())
    }
}

#[expect(clippy::cast_precision_loss, reason = "that loss is what is asked about")]
fn as_double(int: i64) -> u64 {
    (int as f64).to_bits()
}

fn split(numbers: &Numbers, arity: usize) -> Vec<Numbers> {
    match numbers {
        Numbers::Bytes(bytes) => bytes.chunks(arity).map(|part| Numbers::Bytes(part.to_vec())).collect(),
        Numbers::Int32(ints) => ints.chunks(arity).map(|part| Numbers::Int32(part.into())).collect(),
        Numbers::Int64(ints) => ints.chunks(arity).map(|part| Numbers::Int64(part.into())).collect(),
        Numbers::Float32(floats) => {
            floats.chunks(arity).map(|part| Numbers::Float32(part.iter().copied().collect())).collect()
        }
        Numbers::Float64(floats) => {
            floats.chunks(arity).map(|part| Numbers::Float64(part.iter().copied().collect())).collect()
        }
    }
}

fn scalars(numbers: &Numbers) -> Vec<Value> {
    match numbers {
        Numbers::Bytes(bytes) => bytes.iter().map(|byte| Value::Int(i64::from(*byte))).collect(),
        Numbers::Int32(ints) => ints.iter().map(|int| Value::Int(i64::from(*int))).collect(),
        Numbers::Int64(ints) => ints.iter().map(|int| Value::Int(*int)).collect(),
        Numbers::Float32(floats) => floats.iter().map(|float| Value::Float(float.widen())).collect(),
        Numbers::Float64(floats) => floats.iter().map(|float| Value::Float(*float)).collect(),
    }
}
