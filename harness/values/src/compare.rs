//! Compares an answered value with the expected one.

mod keys;

use std::collections::BTreeSet;
use std::convert::identity;

use variant_codec::{Array, Codec, Component, F32, F64, Numbers, Role, Span, Spans, Text, Value};
use variant_specs::{LayoutId, Layouts, Shape};

use crate::fields::{Field, FieldValue, fields_of};
use crate::handshake::Lossy;
use crate::value_text::ExpectedValue;

use self::keys::{SameKey, are_alike, are_repeated};

pub use self::keys::{Pair, are_one_float, join_repeated};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The same, bit for bit.
    Same,
    /// The same, apart from distinctions that the implementation says it cannot make.
    DeclaredLoss(Vec<Lossy>),
    /// Different; the path of the first field whose difference is not a declared loss.
    Different(String),
}

/// Compares an answer with the expected value, for an implementation that is `lossy` in these ways.
pub fn compare(expected: &ExpectedValue, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> Comparison {
    if expected.any_nan.is_empty() && expected.value == *actual {
        return Comparison::Same;
    }
    let expected_fields = fields_of(&expected.value, layouts);
    let actual_fields = fields_of(actual, layouts);
    if first_difference(&expected_fields, &actual_fields, &expected.any_nan).is_none() {
        return Comparison::Same;
    }
    let mut walk = LossyWalk { lossy, layouts, used: BTreeSet::new() };
    let mut settled = actual.clone();
    walk.settle(&expected.value, &mut settled);
    match first_difference(&expected_fields, &fields_of(&settled, layouts), &expected.any_nan) {
        Some(path) => Comparison::Different(path),
        None => Comparison::DeclaredLoss(walk.used.into_iter().collect()),
    }
}

/// Whether nothing is wrong but the order of the pairs of dictionaries.
pub fn differs_in_order(expected: &ExpectedValue, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> bool {
    let any_order = [lossy, &[Lossy::DictionaryOrder]].concat();
    let compared = compare(expected, actual, &any_order, layouts);
    matches!(compared, Comparison::DeclaredLoss(losses) if losses.contains(&Lossy::DictionaryOrder))
}

/// The answered value with the expected one in each place where they differ only by a declared loss: what is left is
/// what is wrong.
pub fn settled(expected: &Value, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> Value {
    let mut settled = actual.clone();
    LossyWalk { lossy, layouts, used: BTreeSet::new() }.settle(expected, &mut settled);
    settled
}

/// An answered packet with the declared losses undone, as far as it can be read: the first byte that differs from the
/// expected packet is wrong. `None` if it is read as something that has no such fields.
pub fn undone(expected: &[u8], actual: &[u8], lossy: &[Lossy], codec: &Codec) -> Option<Vec<u8>> {
    let (mut right, mut wrong) = (Spans::default(), Spans::default());
    let value = codec.decode_traced(expected, &mut right).ok()?.value;
    // Nothing is told by what is not written as it was read, as a byte order mark: undoing losses would mend it.
    let is_kept = |value: &Value, packet: &[u8]| codec.encode(value).is_ok_and(|own| own == packet);
    if !is_kept(&value, expected) {
        return None;
    }
    let encoded = |actual: &Value| codec.encode(&settled(&value, actual, lossy, codec.layouts())).ok();
    let error = match codec.decode_traced(actual, &mut wrong) {
        Ok(decoded) => {
            let (read, more) = actual.split_at_checked(decoded.used)?;
            if !is_kept(&decoded.value, read) {
                return None;
            }
            return Some([&encoded(&decoded.value)?, more].concat());
        }
        Err(error) => error,
    };
    // What comes before the field at which reading fails is compared with the rest as it should be.
    let place = |path: &str| right.spans.iter().position(|span| span.path == path);
    let (read, place) = match (wrong.spans.iter().find(|span| span.bytes.start >= error.at), wrong.spans.last()) {
        (Some(refused), _) => (refused.bytes.start, place(&refused.path)?),
        (None, Some(last)) => (last.bytes.end, place(&last.path)? + 1),
        (None, None) => (0, 0),
    };
    let begin = right.spans.get(place).map_or(expected.len(), |span| span.bytes.start);
    let mut repaired = [&actual[..read], &expected[begin..]].concat();
    // The rest of a float fits no header of an int.
    let is_number = |span: &Span| {
        let Role::Header(layout) = span.role else { return false };
        matches!(codec.layouts().get(layout).shape, Shape::Int | Shape::Float)
    };
    let before = place.checked_sub(1).and_then(|before| right.spans.get(before)).zip(wrong.spans.last());
    if let Some((header, other)) = before.filter(|(header, other)| is_number(header) && is_number(other))
        && lossy.contains(&Lossy::IntFloat)
    {
        repaired.splice(other.bytes.clone(), expected[header.bytes.clone()].iter().copied());
    }
    let repaired = codec.decode(&repaired).ok().filter(|decoded| decoded.used == repaired.len())?;
    let packet = encoded(&repaired.value)?;
    Some(if packet == expected { [&expected[..begin], &actual[read..]].concat() } else { packet })
}

fn first_difference(expected: &[Field], actual: &[Field], any_nan: &[usize]) -> Option<String> {
    let is_nan = |field: &Field| field.value.real().is_some_and(f64::is_nan);
    let mut reals = 0;
    for (place, field) in expected.iter().enumerate() {
        let is_real = field.value.real().is_some();
        let any = is_real && any_nan.contains(&reals);
        reals += usize::from(is_real);
        let other = actual.get(place);
        let alike = |other: &Field| other.value == field.value || any && is_nan(field) && is_nan(other);
        if !other.is_some_and(|other| other.path == field.path && alike(other)) {
            // A field that was not expected is the difference, not the expected field that it displaces.
            let more = other.filter(|other| expected[place..].iter().all(|field| field.path != other.path));
            return Some(more.unwrap_or(field).path.clone());
        }
    }
    actual.get(expected.len()).map(|field| field.path.clone())
}

/// One walk over an expected and an answered value: what differs by a declared loss only becomes as expected, and the losses
/// that were needed are noted. The first difference that is left was not declared.
struct LossyWalk<'a> {
    lossy: &'a [Lossy],
    layouts: &'a Layouts,
    used: BTreeSet<Lossy>,
}

impl LossyWalk<'_> {
    /// What in `actual` differs from `expected` by a declared loss only becomes as it is in `expected`.
    fn settle(&mut self, expected: &Value, actual: &mut Value) {
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
        let elements = self.elements(expected)?;
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

    /// The elements of a packed array as single values, if a type for them exists.
    fn elements(&self, packed: &Value) -> Option<Vec<Value>> {
        if let Value::PackedText(_, texts) = packed {
            let string = self.layouts.id_of_shape(Shape::Text)?;
            return Some(texts.iter().map(|text| Value::Text(string, text.clone())).collect());
        }
        let Value::Packed(layout, numbers) = packed else { return None };
        let layout = self.layouts.get(*layout);
        if layout.arity() == 1 {
            return Some(scalars(numbers));
        }
        let element = self.layouts.id_of(layout.name.strip_suffix("_array")?)?;
        let elements = 0..numbers.len() / layout.arity();
        Some(elements.map(|place| Value::Fields(element, part(numbers, place, layout.arity()))).collect())
    }
}

/// Single values as a packed array of the same layout; `None` if they are of other types.
fn packed_like(packed: &Value, items: &[Value]) -> Option<Value> {
    if let Value::PackedText(layout, _) = packed {
        let text = |item: &Value| if let Value::Text(_, text) = item { Some(text.clone()) } else { None };
        return Some(Value::PackedText(*layout, items.iter().map(text).collect::<Option<_>>()?));
    }
    let Value::Packed(layout, numbers) = packed else { return None };
    let int = |item: &Value| if let Value::Int(int) = item { Some(*int) } else { None };
    let float = |item: &Value| if let Value::Float(float) = item { Some(*float) } else { None };
    let numbers = match numbers {
        Numbers::Int32(_) => {
            let ints = items.iter().map(|item| i32::try_from(int(item)?).ok());
            Numbers::Int32(ints.collect::<Option<_>>()?)
        }
        Numbers::Int64(_) => Numbers::Int64(items.iter().map(int).collect::<Option<_>>()?),
        Numbers::Float64(_) => Numbers::Float64(items.iter().map(float).collect::<Option<_>>()?),
        Numbers::Bytes(_) | Numbers::Float32(_) => return None,
    };
    Some(Value::Packed(*layout, numbers))
}

/// Whether an array has neither a type nor the mark of a shared one.
fn is_plain(array: &Array) -> bool {
    array.of.is_none() && !array.shared
}

#[expect(clippy::cast_precision_loss, reason = "this loss is what is compared")]
fn as_double(int: i64) -> u64 {
    (int as f64).to_bits()
}

fn part(numbers: &Numbers, element: usize, arity: usize) -> Numbers {
    let place = element * arity..(element + 1) * arity;
    match numbers {
        Numbers::Bytes(bytes) => Numbers::Bytes(bytes[place].to_vec()),
        Numbers::Int32(ints) => Numbers::Int32(ints[place].into()),
        Numbers::Int64(ints) => Numbers::Int64(ints[place].into()),
        Numbers::Float32(floats) => Numbers::Float32(floats[place].into()),
        Numbers::Float64(floats) => Numbers::Float64(floats[place].into()),
    }
}

pub fn scalars(numbers: &Numbers) -> Vec<Value> {
    let scalar = |index| match FieldValue::number(numbers, index) {
        FieldValue::Single(float) => Value::Float(float.widen()),
        FieldValue::Double(float) => Value::Float(float),
        FieldValue::Int(int) => Value::Int(int),
        _ => Value::Null,
    };
    (0..numbers.len()).map(scalar).collect()
}
