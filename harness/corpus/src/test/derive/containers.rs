//! Values within values, where mistakes in padding and consumed length show.

use std::sync::Arc;

use variant_codec::{Array, Dictionary, Text, Value};
use variant_specs::{Dialect, JudgedBy, Shape};

use super::{NewTest, ParentCase, Rule, ops, refused};
use crate::packet::PacketBuilder;
use crate::{Class, Expectation, MaskedPacket};
use variant_values::handshake::Op;
use variant_values::value_text::ExpectedValue;

/// A packet of more bytes is not put into containers: what it shows is its length, which shows alone, and every test is in
/// memory.
const LARGE: usize = 64 << 10;

/// `[v, 7]` and `{"k": v, "after": 7}`, whose bytes are concatenated.
pub(super) fn derive(parent: ParentCase<'_>, value: &ExpectedValue, packet: &MaskedPacket, variant: &mut Vec<NewTest>) {
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
    let mut whole = ContainerBuilder::new(dialect);
    whole.header(Shape::Array)?.word(2).packet(packet).int(7)?;
    let items = vec![value.value.clone(), Value::Int(7)];
    Some(whole.variant(Rule::InArray, Value::Array(Array { items, ..Array::default() }), value))
}

fn in_dictionary(dialect: &Dialect, value: &ExpectedValue, packet: &MaskedPacket) -> Option<NewTest> {
    let string = dialect.type_of_shape(Shape::Text)?.layout;
    let mut whole = ContainerBuilder::new(dialect);
    whole.header(Shape::Dictionary)?.word(2);
    whole.header(Shape::Text)?.word(1).bytes(b"k\0\0\0").packet(packet);
    whole.header(Shape::Text)?.word(5).bytes(b"after\0\0\0").int(7)?;
    let entries = vec![
        (Value::Text(string, Text::from("k")), value.value.clone()),
        (Value::Text(string, Text::from("after")), Value::Int(7)),
    ];
    Some(whole.variant(Rule::InDictionary, Value::Dictionary(Dictionary { entries, ..Dictionary::default() }), value))
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

/// What follows `~` in the ids of these tests.
pub(super) const DECODED: &str = "decoded";

/// What is too deep for JSON is decoded all the same: how deep a reader goes shows in whether it refuses.
pub(super) fn decoded(parent: ParentCase<'_>) -> Option<NewTest> {
    let suitable = parent.case.reencode && parent.case.written.is_none() && parent.expected.class != Class::Undecided;
    let variant = suitable.then(|| NewTest::variant(Rule::Depth, DECODED.to_owned(), parent.expected.clone()))?;
    Some(NewTest { ops: &[Op::Decode], ..variant })
}

/// `depth` nested values: containers of one element (in a dictionary, with the key null), and innermost an empty
/// container, or null if `leaf`.
fn nested(dialect: &Dialect, shape: Shape, depth: usize, leaf: bool) -> Option<Vec<u8>> {
    let mut whole = ContainerBuilder::new(dialect);
    for _ in 1..depth {
        whole.header(shape)?.word(1);
        if shape == Shape::Dictionary {
            whole.header(Shape::Empty)?;
        }
    }
    if leaf {
        whole.header(Shape::Empty)?;
    } else {
        whole.header(shape)?.word(0);
    }
    Some(whole.packet.bytes)
}

/// Builds a packet from others.
struct ContainerBuilder<'a> {
    dialect: &'a Dialect,
    packet: PacketBuilder,
}

impl<'a> ContainerBuilder<'a> {
    fn new(dialect: &'a Dialect) -> Self {
        Self { dialect, packet: PacketBuilder::default() }
    }

    fn header(&mut self, shape: Shape) -> Option<&mut Self> {
        let id = self.dialect.type_of_shape(shape)?.id;
        Some(self.word(id))
    }

    fn word(&mut self, word: u32) -> &mut Self {
        self.bytes(&word.to_le_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.packet.bytes.extend(bytes);
        self
    }

    fn int(&mut self, int: u32) -> Option<&mut Self> {
        Some(self.header(Shape::Int)?.word(int))
    }

    fn packet(&mut self, packet: &MaskedPacket) -> &mut Self {
        self.packet.append(&packet.bytes, &packet.unwritten);
        self
    }

    fn variant(self, rule: Rule, value: Value, inner: &ExpectedValue) -> NewTest {
        let expected = Expectation {
            class: Class::Canonical,
            used: Some(self.packet.bytes.len()),
            value: Some(Arc::new(ExpectedValue { value, any_nan: inner.any_nan.clone() })),
            packet: Some(self.packet.build()),
            ..Expectation::default()
        };
        NewTest::variant(rule, rule.name().to_owned(), expected)
    }
}
