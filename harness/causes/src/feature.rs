//! What is special about the packet or value of a test: what all that is refused may have in common.

use std::collections::BTreeSet;

use variant_codec::{Codec, Component, Framing, Numbers, Role, Value};

use variant_specs::Shape;

use crate::difference::{INTS, TEXT};
use crate::packet_fields::PacketFields;
use variant_corpus::test::Rule;
use variant_wire::implementation::Input;

/// What is special, as a sentence says it, and the part of a value that is special; the most telling first.
pub(crate) type Feature = (&'static str, &'static str);

pub(crate) const HEADER_BITS: Feature = ("header flags that mean nothing", "packet");
/// A count below zero, which is read as none.
pub(crate) const BELOW_ZERO: &str = "a count below zero";
pub(crate) const NOT_ASCII: &str = "characters that are not ASCII";
pub(crate) const BEHIND: &str = "bytes after it";
pub(crate) const NONZERO: &str = "padding that is not zero";
const ALL: [Feature; 33] = [
    ("bytes after it", "packet"),
    HEADER_BITS,
    (BELOW_ZERO, "string_array"),
    ("a type for its elements", "array, dictionary"),
    ("padding that is not zero", "packet"),
    ("a length prefix", "packet"),
    ("a NaN", "float"),
    ("an infinity", "float"),
    ("a NaN or an infinity", "float"),
    ("an int beyond 32 bits", "int"),
    ("an int beyond 2^53", "int"),
    ("a double that no single holds", "float"),
    ("a whole float beyond 32 bits", "float"),
    ("an invalid character", TEXT),
    ("characters beyond U+FFFF", TEXT),
    (NOT_ASCII, TEXT),
    ("a NUL", TEXT),
    ("bytes after a NUL", TEXT),
    ("bit 31 of its count set", "array"),
    ("a key that is no text", "dictionary"),
    ("more than 65,535 elements", "array"),
    ("more than 255 elements", "array"),
    ("an object with properties", "object"),
    ("values within values", "array"),
    ("a relative path", "node_path"),
    ("sub-names", "node_path"),
    ("no names", "node_path"),
    ("no elements", "packed array"),
    ("nothing in it", "array, dictionary"),
    ("no text", TEXT),
    ("a negative number", "int"),
    ("a negative number in it", INTS),
    ("-0.0", "float"),
];

/// What is looked at: a packet or value, and the rule of a derived test.
pub(crate) struct Special<'a> {
    pub(crate) rule: Option<Rule>,
    pub(crate) input: Option<&'a Input>,
    pub(crate) framing: Option<Framing>,
    pub(crate) value: Option<&'a Value>,
    pub(crate) codec: &'a Codec,
}

/// What is special, each feature by its place in the list of all.
pub(crate) fn features(of: &Special<'_>, known_flags: &dyn Fn(u32) -> Option<u32>) -> BTreeSet<Feature> {
    let mut found = BTreeSet::new();
    let mut add = |name: &'static str| found.extend(ALL.iter().filter(|(feature, _)| *feature == name).copied());
    match of.rule {
        Some(Rule::FollowedByBytes) => add("bytes after it"),
        Some(Rule::PaddingFf) => add("padding that is not zero"),
        Some(Rule::InArray | Rule::InDictionary | Rule::Depth) => add("values within values"),
        Some(
            Rule::TruncatedAt
            | Rule::Count
            | Rule::Flag
            | Rule::Id
            | Rule::SentOn
            | Rule::AskedAgain
            | Rule::Alone
            | Rule::Grown
            | Rule::Exit,
        )
        | None => {}
    }
    if of.framing.is_some() {
        add("a length prefix");
    }
    if let Some(Input::Decode(packet) | Input::Reencode(packet)) = of.input
        && let Some(header) = packet.first_chunk().copied().map(u32::from_le_bytes)
        && of.framing.is_none()
        && known_flags(header).is_some_and(|known| header >> 8 & !(known >> 8) != 0)
    {
        add(HEADER_BITS.0);
    }
    if let Some(Input::Decode(packet) | Input::Reencode(packet)) = of.input
        && let Some(packet) = packet.get(of.framing.map_or(0, |_| Framing::PREFIX)..)
    {
        of_packet(packet, &PacketFields::of(packet, of.codec), &mut add);
    }
    let mut values: Vec<&Value> = of.value.into_iter().collect();
    while let Some(value) = values.pop() {
        of_value(value, &mut add);
        values.extend(value.children());
    }
    found
}

/// Whether the least of all values have this feature: nothing can be smaller.
pub(crate) fn is_least((name, _): &Feature) -> bool {
    matches!(*name, "a relative path" | "no names" | "no elements" | "nothing in it" | "no text")
}

/// The most telling of some features.
pub(crate) fn first(of: &BTreeSet<Feature>) -> Option<Feature> {
    ALL.into_iter().find(|feature| of.contains(feature))
}

/// What a packet has that its value does not show.
fn of_packet(packet: &[u8], fields: &PacketFields<'_>, add: &mut dyn FnMut(&'static str)) {
    if fields.spans.last().is_some_and(|last| last.bytes.end < packet.len()) {
        add("bytes after it");
    }
    for (place, span) in fields.spans.iter().enumerate() {
        let bytes = &packet[span.bytes.clone()];
        if span.role == Role::Text && bytes.split(|byte| *byte == 0).skip(1).any(|rest| !rest.is_empty()) {
            add("bytes after a NUL");
        } else if span.role == Role::Count {
            let is_set = bytes.last().is_some_and(|byte| *byte >> 7 == 1);
            if is_set && fields.is_container(place) {
                add("bit 31 of its count set");
            } else if is_set && fields.layout(place).is_some_and(|layout| layout.shape == Shape::PackedText) {
                add(BELOW_ZERO);
            } else if bytes.iter().all(|byte| *byte == 0) && fields.is_container(place) {
                // A value that is too deep to be written down is not looked at.
                add("nothing in it");
            }
        }
    }
}

fn of_value(value: &Value, add: &mut dyn FnMut(&'static str)) {
    match value {
        Value::Int(int) => {
            if i32::try_from(*int).is_err() {
                add("an int beyond 32 bits");
            }
            if int.unsigned_abs() > 1 << 53 {
                add("an int beyond 2^53");
            }
            if *int < 0 {
                add("a negative number");
            }
        }
        Value::Float(float) => of_float(float.get(), true, add),
        Value::Fields(_, numbers) | Value::Packed(_, numbers) => {
            if matches!(value, Value::Packed(..)) && numbers.is_empty() {
                add("no elements");
            }
            match numbers {
                Numbers::Float32(floats) => {
                    floats.iter().for_each(|float| of_float(f64::from(float.get()), false, add));
                }
                Numbers::Float64(floats) => floats.iter().for_each(|float| of_float(float.get(), false, add)),
                Numbers::Int32(ints) if ints.iter().any(|int| *int < 0) => add("a negative number in it"),
                Numbers::Int64(ints) if ints.iter().any(|int| *int < 0) => add("a negative number in it"),
                Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => {}
            }
        }
        Value::Text(_, text) => of_text(text.as_bytes(), add),
        Value::PackedText(_, texts) => texts.iter().for_each(|text| of_text(text.as_bytes(), add)),
        Value::Array(array) => {
            of_count(array.items.len(), add);
            if array.of.is_some() {
                add("a type for its elements");
            }
        }
        Value::Dictionary(dictionary) => {
            if dictionary.of.is_some() {
                add("a type for its elements");
            }
            of_count(dictionary.entries.len(), add);
            if dictionary.entries.iter().any(|(key, _)| !matches!(key, Value::Text(..))) {
                add("a key that is no text");
            }
        }
        Value::NodePath(path) => {
            if !path.absolute {
                add("a relative path");
            }
            if !path.subnames.is_empty() {
                add("sub-names");
            }
            if path.names.is_empty() {
                add("no names");
            }
            path.names.iter().chain(&path.subnames).for_each(|text| of_text(text.as_bytes(), add));
        }
        Value::Record(_, components) if is_whole_object(components) => add("an object with properties"),
        Value::Record(_, components) => components.iter().for_each(|component| of_component(component, add)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether a class and its properties follow.
fn is_whole_object(components: &[Component]) -> bool {
    matches!(components, [Component::Flag(false), Component::Text(_), Component::List(_)])
}

fn of_component(component: &Component, add: &mut dyn FnMut(&'static str)) {
    match component {
        Component::Single(single) => of_float(f64::from(single.get()), false, add),
        Component::Double(double) => of_float(double.get(), false, add),
        Component::Text(text) => of_text(text.as_bytes(), add),
        Component::List(elements) => {
            if elements.is_empty() {
                add("no elements");
            }
            elements.iter().flatten().for_each(|component| of_component(component, add));
        }
        // The values within have features of their own.
        Component::Value(_) => add("values within values"),
        Component::Flag(_)
        | Component::Values(_)
        | Component::Type(_)
        | Component::Word(_)
        | Component::Id(_)
        | Component::Bytes(_) => {}
    }
}

fn of_count(count: usize, add: &mut dyn FnMut(&'static str)) {
    if count == 0 {
        add("nothing in it");
    }
    if count > 255 {
        add("more than 255 elements");
    }
    if count > 65_535 {
        add("more than 65,535 elements");
    }
    if count > 0 {
        add("values within values");
    }
}

fn of_float(float: f64, wide: bool, add: &mut dyn FnMut(&'static str)) {
    #[expect(clippy::cast_possible_truncation, reason = "this loss is what is looked for")]
    let single = f64::from(float as f32);
    if !float.is_finite() {
        add("a NaN or an infinity");
    }
    if float.is_nan() {
        add("a NaN");
    } else if float.is_infinite() {
        add("an infinity");
    } else if wide && single != float {
        add("a double that no single holds");
    }
    if float.is_finite() && float.fract() == 0.0 && float.abs() > f64::from(i32::MAX) {
        add("a whole float beyond 32 bits");
    }
    if float == 0.0 && float.is_sign_negative() {
        add("-0.0");
    }
}

fn of_text(text: &[u8], add: &mut dyn FnMut(&'static str)) {
    match str::from_utf8(text) {
        Err(_) => add("an invalid character"),
        Ok(text) => {
            if !text.is_ascii() {
                add(NOT_ASCII);
            }
            if text.chars().any(|letter| u32::from(letter) > 0xffff) {
                add("characters beyond U+FFFF");
            }
            if text.contains('\0') {
                add("a NUL");
            }
            if text.is_empty() {
                add("no text");
            }
        }
    }
}
