//! Values within values, where mistakes in padding and consumed length show.

use std::sync::Arc;

use variant_codec::{Array, Dictionary, Text, Value};
use variant_specs::{Dialect, JudgedBy, Shape};

use crate::test::new_test::{NewTest, ParentCase, refused};
use crate::test::operations::ops;
use crate::test::rule::{DECODED, Rule};
use crate::{Class, Expectation, MaskedPacket};
use variant_values::handshake::Op;
use variant_values::value_text::ExpectedValue;

/// A packet of more bytes is not put into containers: what it shows is its length, which shows alone, and every test is in
/// memory.
const LARGE: usize = 64 << 10;

/// `[v, 7]` and `{"k": v, "after": 7}`, whose bytes are concatenated.
pub(super) fn make(parent: ParentCase<'_>, value: &ExpectedValue, packet: &MaskedPacket, variant: &mut Vec<NewTest>) {
    if packet.bytes.len() > LARGE {
        return;
    }
    for mut own in
        [in_array(parent.dialect, value, packet), in_dictionary(parent.dialect, value, packet)].into_iter().flatten()
    {
        if parent.expected.class == Class::Readable {
            let expected = Expectation { class: Class::Readable, ..Expectation::clone(&own.expected) };
            own = NewTest { ops: ops(&expected), expected: Arc::new(expected), ..own };
        }
        variant.push(own);
    }
}

fn in_array(dialect: &Dialect, value: &ExpectedValue, packet: &MaskedPacket) -> Option<NewTest> {
    let (array, int) = (id(dialect, Shape::Array)?, id(dialect, Shape::Int)?);
    let whole = packet.between(&bytes(&[array, 2]), &bytes(&[int, 7]));
    let items = vec![value.value.clone(), Value::Int(7)];
    Some(canonical(Rule::InArray, Value::Array(Array { items, ..Array::default() }), value, whole))
}

fn in_dictionary(dialect: &Dialect, value: &ExpectedValue, packet: &MaskedPacket) -> Option<NewTest> {
    let (dictionary, int) = (id(dialect, Shape::Dictionary)?, id(dialect, Shape::Int)?);
    let text = dialect.type_of_shape(Shape::Text)?;
    let before = [&bytes(&[dictionary, 2, text.id, 1])[..], b"k\0\0\0"].concat();
    let behind = [&bytes(&[text.id, 5])[..], b"after\0\0\0", &bytes(&[int, 7])].concat();
    let entries = vec![
        (Value::Text(text.layout, Text::from("k")), value.value.clone()),
        (Value::Text(text.layout, Text::from("after")), Value::Int(7)),
    ];
    let dictionary = Value::Dictionary(Dictionary { entries, ..Dictionary::default() });
    Some(canonical(Rule::InDictionary, dictionary, value, packet.between(&before, &behind)))
}

fn canonical(rule: Rule, value: Value, inner: &ExpectedValue, packet: MaskedPacket) -> NewTest {
    let expected = Expectation {
        class: Class::Canonical,
        used: Some(packet.bytes.len()),
        value: Some(Arc::new(ExpectedValue { value, any_nan: inner.any_nan.clone() })),
        packet: Some(packet),
        ..Expectation::default()
    };
    NewTest::variant(rule, rule.name().to_owned(), expected)
}

/// Values nested as deep as the dialect allows, the innermost an empty container or null, reencode to the same bytes.
/// Values nested one level deeper are refused. The documents do not mention depth. A
/// decoder answers too, and what it answers is not compared.
pub(super) fn depths(parent: ParentCase<'_>, value: &ExpectedValue, variant: &mut Vec<NewTest>) {
    let shape = match (&value.value, parent.judged_by) {
        (Value::Array(_), JudgedBy::Engines) => Shape::Array,
        (Value::Dictionary(_), JudgedBy::Engines) => Shape::Dictionary,
        _ => return,
    };
    let Some(limit) = parent.dialect.depth else { return };
    for (depth, leaf) in [(limit, false), (limit, true), (limit + 1, false), (limit + 1, true)] {
        let Some(bytes) = nested(parent.dialect, shape, depth, leaf) else { return };
        let suffix = format!("depth-{depth}{}", if leaf { "-leaf" } else { "" });
        let expected = if depth > limit {
            refused(bytes)
        } else {
            let used = Some(bytes.len());
            let packet = Some(MaskedPacket::whole(bytes));
            Expectation { class: Class::Canonical, packet, used, ..Expectation::default() }
        };
        variant.push(NewTest { ops: &[Op::Reencode, Op::Decode], ..NewTest::variant(Rule::Depth, suffix, expected) });
    }
}

/// What is too deep for JSON is decoded all the same: how deep a reader goes shows in whether it refuses.
pub(super) fn decoded(parent: ParentCase<'_>) -> Option<NewTest> {
    let suitable = parent.case.reencode && parent.case.written.is_none() && parent.expected.class != Class::Undecided;
    let variant = suitable.then(|| NewTest::variant(Rule::Depth, DECODED.to_owned(), parent.expected.clone()))?;
    Some(NewTest { ops: &[Op::Decode], ..variant })
}

/// `depth` nested values: containers of one element (in a dictionary, with the key null), and innermost an empty
/// container, or null if `leaf`.
fn nested(dialect: &Dialect, shape: Shape, depth: usize, leaf: bool) -> Option<Vec<u8>> {
    let (container, null) = (id(dialect, shape)?, id(dialect, Shape::Empty)?);
    let outer: &[u32] = if shape == Shape::Dictionary { &[container, 1, null] } else { &[container, 1] };
    let innermost: &[u32] = if leaf { &[null] } else { &[container, 0] };
    Some(bytes(&[&outer.repeat(depth - 1), innermost].concat()))
}

fn id(dialect: &Dialect, shape: Shape) -> Option<u32> {
    dialect.type_of_shape(shape).map(|entry| entry.id)
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
