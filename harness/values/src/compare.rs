//! Compares an answered value with the expected one.

use std::collections::BTreeSet;

use variant_codec::{Array, Codec, Component, Dictionary, F32, F64, Numbers, Role, Span, Spans, Text, Value};
use variant_specs::{LayoutId, Layouts, Shape};

use crate::fields::{Field, FieldValue, fields_of};
use crate::handshake::Lossy;
use crate::value_text::ExpectedValue;

/// The result of a comparison.
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
    let settled = walk.settle(&expected.value, actual);
    if settled == expected.value {
        return Comparison::DeclaredLoss(walk.used.into_iter().collect());
    }
    match first_difference(&expected_fields, &fields_of(&settled, layouts), &expected.any_nan) {
        Some(path) => Comparison::Different(path),
        // What is left is a NaN that may be any.
        None => Comparison::DeclaredLoss(walk.used.into_iter().collect()),
    }
}

/// The answered value with the expected one in each place where they differ only by a declared loss: what is left is
/// what is wrong.
pub fn settled(expected: &Value, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> Value {
    LossyWalk { lossy, layouts, used: BTreeSet::new() }.settle(expected, actual)
}

/// An answered packet with the declared losses undone, as far as it can be read: the first byte that differs from the
/// expected packet is wrong. `None` if it is read as something that has no such fields.
pub fn undone(expected: &[u8], actual: &[u8], lossy: &[Lossy], codec: &Codec) -> Option<Vec<u8>> {
    let (mut right, mut wrong) = (Spans::default(), Spans::default());
    let value = codec.decode_traced(expected, &mut right).ok()?.value;
    // Nothing is told by what is not read as it was written, as a byte order mark.
    if codec.encode(&value).ok()? != expected {
        return None;
    }
    let encoded = |actual: &Value| codec.encode(&settled(&value, actual, lossy, codec.layouts())).ok();
    let error = match codec.decode_traced(actual, &mut wrong) {
        Ok(decoded) => {
            let more = actual.get(decoded.used..).unwrap_or_default();
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
    let mut reals = 0;
    for (place, field) in expected.iter().enumerate() {
        let any = is_real(&field.value) && {
            reals += 1;
            any_nan.contains(&(reals - 1))
        };
        let other = actual.get(place);
        let alike = |other: &Field| other.value == field.value || any && both_nan(&field.value, &other.value);
        if !other.is_some_and(|other| other.path == field.path && alike(other)) {
            // A field that was not expected is the difference, not the expected field that it displaces.
            let more = other.filter(|other| expected[place..].iter().all(|field| field.path != other.path));
            return Some(more.unwrap_or(field).path.clone());
        }
    }
    actual.get(expected.len()).map(|field| field.path.clone())
}

fn is_real(value: &FieldValue) -> bool {
    matches!(value, FieldValue::Single(_) | FieldValue::Double(_))
}

fn both_nan(left: &FieldValue, right: &FieldValue) -> bool {
    match (left, right) {
        (FieldValue::Single(left), FieldValue::Single(right)) => left.get().is_nan() && right.get().is_nan(),
        (FieldValue::Double(left), FieldValue::Double(right)) => left.get().is_nan() && right.get().is_nan(),
        _ => false,
    }
}

/// One walk over an expected and an answered value: what differs by a declared loss only becomes as expected, and the losses
/// that were needed are noted. The first difference that is left was not declared.
struct LossyWalk<'a> {
    lossy: &'a [Lossy],
    layouts: &'a Layouts,
    used: BTreeSet<Lossy>,
}

impl LossyWalk<'_> {
    /// `actual`, with what differs from `expected` by a declared loss only as it is in `expected`.
    fn settle(&mut self, expected: &Value, actual: &Value) -> Value {
        if expected == actual || self.lossy.is_empty() {
            return actual.clone();
        }
        match (expected, actual) {
            (Value::Int(int), Value::Float(float)) | (Value::Float(float), Value::Int(int)) => {
                self.chosen(int_is_float(*int, *float), expected, actual)
            }
            (Value::Int(left), Value::Int(right)) => Value::Int(self.settle_int(*left, *right)),
            (Value::Float(left), Value::Float(right)) => Value::Float(self.settle_float(*left, *right)),
            (Value::Fields(a, left), Value::Fields(b, right)) if a == b => {
                Value::Fields(*a, self.settle_numbers(left, right))
            }
            (Value::Packed(a, left), Value::Packed(b, right)) if a == b => {
                Value::Packed(*a, self.settle_numbers(left, right))
            }
            (Value::Packed(..) | Value::PackedText(..), Value::Array(array)) if is_plain(array) => {
                self.settle_list(expected, array).unwrap_or_else(|| actual.clone())
            }
            (Value::Array(left), Value::Array(right)) => {
                let of = self.settle_type(&left.of, &right.of);
                Value::Array(Array { of, items: self.settle_items(&left.items, &right.items), ..*right })
            }
            (Value::Record(_, left), Value::Array(right)) => match &left[..] {
                [Component::Type(_), Component::Values(items)] if is_plain(right) => {
                    let same = *items == self.settle_items(items, &right.items);
                    self.chosen(same.then_some(&[Lossy::ContainerTypes]), expected, actual)
                }
                _ => actual.clone(),
            },
            (Value::Text(layout, text), Value::Array(array)) | (Value::Array(array), Value::Text(layout, text)) => {
                let same = self.is_char_list(*layout, text, array);
                self.chosen(same.then_some(&[Lossy::CharLists]), expected, actual)
            }
            (Value::Dictionary(left), Value::Dictionary(right)) => {
                let of = self.settle_type(&left.of, &right.of);
                Value::Dictionary(Dictionary { of, entries: self.settle_dictionary(left, right), ..*right })
            }
            (Value::Record(a, left), Value::Record(b, right)) if a == b => {
                Value::Record(*a, self.settle_components(left, right))
            }
            // Spelled out, so that a new kind of value is decided here.
            (
                Value::Null
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Float(_)
                | Value::Text(..)
                | Value::Fields(..)
                | Value::Packed(..)
                | Value::PackedText(..)
                | Value::Array(_)
                | Value::Dictionary(_)
                | Value::NodePath(_)
                | Value::Record(..),
                _,
            ) => actual.clone(),
        }
    }

    fn allows(&mut self, what: Lossy) -> bool {
        self.lossy.contains(&what) && {
            self.used.insert(what);
            true
        }
    }

    /// The expected value, if these losses make it what was answered, and all are declared; else the answered one.
    fn chosen(&mut self, needs: Option<&[Lossy]>, expected: &Value, actual: &Value) -> Value {
        match needs {
            Some(needs) if needs.iter().all(|need| self.lossy.contains(need)) => {
                self.used.extend(needs);
                expected.clone()
            }
            Some(_) | None => actual.clone(),
        }
    }

    /// Whether the answered value is as expected but for declared losses. If not, none was used.
    fn same(&mut self, expected: &Value, actual: &Value) -> bool {
        let before = self.used.clone();
        let same = *expected == self.settle(expected, actual);
        if !same {
            self.used = before;
        }
        same
    }

    fn settle_int(&mut self, left: i64, right: i64) -> i64 {
        if left != right && as_double(left) == as_double(right) && self.allows(Lossy::Int64) { left } else { right }
    }

    fn settle_float(&mut self, left: F64, right: F64) -> F64 {
        let are_nan = left.get().is_nan() && right.get().is_nan();
        if left != right && are_nan && self.allows(Lossy::NanPayload) { left } else { right }
    }

    fn settle_single(&mut self, left: F32, right: F32) -> F32 {
        let are_nan = left.get().is_nan() && right.get().is_nan();
        if left != right && are_nan && self.allows(Lossy::NanPayload) { left } else { right }
    }

    fn settle_numbers(&mut self, left: &Numbers, right: &Numbers) -> Numbers {
        match (left, right) {
            (Numbers::Int64(left), Numbers::Int64(right)) => {
                Numbers::Int64(numbers(left, right, |left, right| self.settle_int(left, right)).collect())
            }
            (Numbers::Float32(left), Numbers::Float32(right)) => {
                Numbers::Float32(numbers(left, right, |left, right| self.settle_single(left, right)).collect())
            }
            (Numbers::Float64(left), Numbers::Float64(right)) => {
                Numbers::Float64(numbers(left, right, |left, right| self.settle_float(left, right)).collect())
            }
            (_, right) => right.clone(),
        }
    }

    fn settle_items(&mut self, left: &[Value], right: &[Value]) -> Vec<Value> {
        let items = right.iter().enumerate();
        let settle = |(at, item): (usize, &Value)| match left.get(at) {
            Some(expected) => self.settle(expected, item),
            None => item.clone(),
        };
        items.map(settle).collect()
    }

    /// A list in place of a packed array, as that array; `None` if it is none, or that is not declared.
    fn settle_list(&mut self, expected: &Value, array: &Array) -> Option<Value> {
        if !self.lossy.contains(&Lossy::PackedAsList) {
            return None;
        }
        let elements = self.elements(expected)?;
        let items = self.settle_items(&elements, &array.items);
        let packed = if items == elements { expected.clone() } else { packed_like(expected, &items)? };
        self.used.insert(Lossy::PackedAsList);
        Some(packed)
    }

    fn settle_type<T: Clone + PartialEq>(&mut self, left: &Option<T>, right: &Option<T>) -> Option<T> {
        let is_erased = left != right && right.is_none() && self.allows(Lossy::ContainerTypes);
        if is_erased { left.clone() } else { right.clone() }
    }

    fn settle_components(&mut self, left: &[Component], right: &[Component]) -> Vec<Component> {
        let settled = right.iter().enumerate().map(|(at, actual)| match (left.get(at), actual) {
            (Some(Component::Value(left)), Component::Value(right)) => Component::Value(self.settle(left, right)),
            (Some(Component::Values(left)), Component::Values(right)) => {
                Component::Values(self.settle_items(left, right))
            }
            (Some(Component::Single(left)), Component::Single(right)) => {
                Component::Single(self.settle_single(*left, *right))
            }
            (Some(Component::Double(left)), Component::Double(right)) => {
                Component::Double(self.settle_float(*left, *right))
            }
            (Some(Component::List(left)), Component::List(right)) => {
                let of = |at: usize| left.get(at).map_or(&[][..], Vec::as_slice);
                let elements = right.iter().enumerate();
                Component::List(elements.map(|(at, element)| self.settle_components(of(at), element)).collect())
            }
            (_, actual) => actual.clone(),
        });
        settled.collect()
    }

    /// The answered entries; as expected if the implementation takes some keys for one, and says so.
    fn settle_dictionary(&mut self, left: &Dictionary, right: &Dictionary) -> Vec<Pair> {
        let (left, right) = (&left.entries, &right.entries);
        if left.len() < right.len() && self.lossy.contains(&Lossy::RepeatedKeys) {
            let joined = join(right, are_repeated);
            if joined.len() == left.len() && self.settle_entries(left, &joined) == *left {
                self.used.insert(Lossy::RepeatedKeys);
                return left.clone();
            }
        }
        let joins = [(Lossy::IntFloat, are_one_number as SameKey), (Lossy::EqualKeys, are_equal_numbers)];
        for (word, same) in joins.into_iter().filter(|(word, _)| left.len() > right.len() && self.lossy.contains(word))
        {
            let joined = join(left, same);
            if joined.len() == right.len() && self.settle_entries(&joined, right) == joined {
                self.used.insert(word);
                return left.clone();
            }
        }
        self.settle_entries(left, right)
    }

    /// The answered entries, each with the expected key that it stands for, in the expected order if none is declared.
    fn settle_entries(&mut self, left: &[Pair], right: &[Pair]) -> Vec<Pair> {
        let any_order = self.lossy.contains(&Lossy::DictionaryOrder);
        let mut rest: Vec<&Pair> = right.iter().collect();
        let mut entries = Vec::with_capacity(rest.len());
        for entry in left {
            let found = if any_order { self.place_of(entry, &rest) } else { Some(0).filter(|_| !rest.is_empty()) };
            let Some(found) = found else { continue };
            let (key, value) = rest.remove(found);
            if found > 0 {
                self.used.insert(Lossy::DictionaryOrder);
            }
            let is_spelled = self.is_spelled(&entry.0, key);
            let key = if is_spelled { entry.0.clone() } else { self.settle(&entry.0, key) };
            entries.push((key, self.settle(&entry.1, value)));
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
        let parts = split(numbers, layout.arity());
        Some(parts.into_iter().map(|numbers| Value::Fields(element, numbers)).collect())
    }
}

/// The answered numbers, each settled with the expected one at its place.
fn numbers<T: Copy>(left: &[T], right: &[T], mut settle: impl FnMut(T, T) -> T) -> impl Iterator<Item = T> {
    right
        .iter()
        .enumerate()
        .map(move |(at, actual)| left.get(at).map_or(*actual, |expected| settle(*expected, *actual)))
}

/// The losses that make an int a float or the other way, if it is the same number.
fn int_is_float(int: i64, float: F64) -> Option<&'static [Lossy]> {
    #[expect(clippy::cast_possible_truncation, reason = "it is as near as an int comes")]
    let exact = i128::from(int) == float.get() as i128;
    let needs: &[Lossy] = if exact { &[Lossy::IntFloat] } else { &[Lossy::IntFloat, Lossy::Int64] };
    (as_double(int) == float.0).then_some(needs)
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

type Pair = (Value, Value);
type SameKey = fn(&Value, &Value) -> bool;

/// The entries as a map keeps them: a key that is the same as an earlier one replaces its value.
fn join(entries: &[Pair], same: SameKey) -> Vec<Pair> {
    let mut joined: Vec<Pair> = Vec::new();
    for (key, value) in entries {
        match joined.iter_mut().find(|(earlier, _)| same(earlier, key)) {
            Some((_, replaced)) => replaced.clone_from(value),
            None => joined.push((key.clone(), value.clone())),
        }
    }
    joined
}

/// Whether keys are an int and a float of the same number, or the same.
fn are_one_number(left: &Value, right: &Value) -> bool {
    !matches!(left, Value::Bool(_)) && !matches!(right, Value::Bool(_)) && are_equal_numbers(left, right)
}

/// Whether keys are equal as numbers, or the same. A bool is 0 or 1. Containers are no numbers, whatever they hold.
fn are_equal_numbers(left: &Value, right: &Value) -> bool {
    let whole = |value: &Value| match value {
        Value::Bool(bool) => Some(i128::from(*bool)),
        Value::Int(int) => Some(i128::from(*int)),
        #[expect(clippy::cast_possible_truncation, reason = "beyond 2^64 there are only floats")]
        Value::Float(float) if float.get().fract() == 0.0 && float.get().abs() < 1e19 => Some(float.get() as i128),
        _ => None,
    };
    let is_same = left == right && !matches!(left, Value::Array(_) | Value::Dictionary(_) | Value::Record(..));
    is_same || whole(left).is_some_and(|number| whole(right) == Some(number))
}

/// Whether keys are the same for engines, apart from rare ones that only some compare by content.
fn are_repeated(left: &Value, right: &Value) -> bool {
    let floats = if let (Value::Float(left), Value::Float(right)) = (left, right) {
        left.get() == right.get() || left.get().is_nan() && right.get().is_nan()
    } else {
        false
    };
    floats || left == right
}

/// Whether an array has neither a type nor the mark of a shared one.
fn is_plain(array: &Array) -> bool {
    array.of.is_none() && !array.shared
}

#[expect(clippy::cast_precision_loss, reason = "this loss is what is compared")]
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

/// Numbers as values of their own.
pub fn scalars(numbers: &Numbers) -> Vec<Value> {
    match numbers {
        Numbers::Bytes(bytes) => bytes.iter().map(|byte| Value::Int(i64::from(*byte))).collect(),
        Numbers::Int32(ints) => ints.iter().map(|int| Value::Int(i64::from(*int))).collect(),
        Numbers::Int64(ints) => ints.iter().map(|int| Value::Int(*int)).collect(),
        Numbers::Float32(floats) => floats.iter().map(|float| Value::Float(float.widen())).collect(),
        Numbers::Float64(floats) => floats.iter().map(|float| Value::Float(*float)).collect(),
    }
}
