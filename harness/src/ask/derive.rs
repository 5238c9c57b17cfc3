//! Derived asks: what follows from a canonical case by a stated rule, from its text alone.
//!
//! A rule whose answer only a codec could compute is no rule.

use variant_codec::{Array, Dictionary, Numbers, Text, Value};
use variant_specs::{Dialect, Reading, Shape};

use super::Rule;
use crate::corpus::{Class, Expectation, Packet};
use crate::notation::Expected;

/// The asks that follow from a canonical expectation: the rule, what is added to the case's name, and
/// what is expected.
pub(super) fn derive(parent: &Expectation, dialect: &Dialect, reading: Reading) -> Vec<(Rule, String, Expectation)> {
    let (Some(value), Some(packet)) = (&parent.value, &parent.packet) else { return Vec::new() };
    let deriver = Deriver { parent, value, packet, dialect, reading };
    let mut derived = deriver.truncated();
    derived.push(deriver.followed_by_bytes());
    derived.extend(deriver.in_array());
    derived.extend(deriver.in_dictionary());
    derived
}

struct Deriver<'a> {
    parent: &'a Expectation,
    value: &'a Expected,
    packet: &'a Packet,
    dialect: &'a Dialect,
    reading: Reading,
}

type Derived = (Rule, String, Expectation);

impl Deriver<'_> {
    /// Every proper prefix is refused; only where the last padding may be missing is nobody asked.
    fn truncated(&self) -> Vec<Derived> {
        let end = self.packet.bytes.len() - self.optional_padding();
        let cut = |at: usize| {
            let packet = Packet { bytes: self.packet.bytes[..at].to_vec(), unwritten: Vec::new() };
            let expected =
                Expectation { class: Class::Invalid, value: None, packet: Some(packet), rejects: None, used: None };
            (Rule::TruncatedAt, format!("~truncated-at-{at}"), expected)
        };
        (0..end).map(cut).collect()
    }

    /// Bytes of padding at the very end that the dialect lets be missing.
    fn optional_padding(&self) -> usize {
        let rules = self.dialect.rules(self.reading);
        let (bytes, texts) = (rules.byte_padding_optional_at_end, rules.text_padding_optional_at_end);
        let length = match last(&self.value.value) {
            Value::Packed(_, Numbers::Bytes(data)) if bytes => data.len(),
            Value::Image(image) if bytes => image.data.len(),
            Value::Text(_, text) if texts => text.as_bytes().len(),
            Value::PackedText(_, list) if texts => {
                list.last().map_or(0, |text| text.as_bytes().len() + usize::from(rules.string_array_nul))
            }
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
            | Value::Rid(_)
            | Value::Object(_)
            | Value::Image(_)
            | Value::InputEvent(_)
            | Value::Typed(..) => 0,
        };
        length.wrapping_neg() % 4
    }

    fn followed_by_bytes(&self) -> Derived {
        let mut packet = self.packet.clone();
        packet.bytes.extend([0xa5, 0x5a, 0xff, 0x00, 0x01]);
        let expected = Expectation { class: Class::Readable, packet: Some(packet), ..self.parent.clone() };
        (Rule::FollowedByBytes, "~followed-by-bytes".to_owned(), expected)
    }

    /// `[v, 7]`.
    fn in_array(&self) -> Option<Derived> {
        let mut packet = Packet::default();
        self.put_header(&mut packet, Shape::Array)?;
        put(&mut packet, 2);
        self.put_packet(&mut packet);
        self.put_int(&mut packet, 7)?;
        let value = Value::Array(Array { items: vec![self.value.value.clone(), Value::Int(7)], shared: false });
        Some((Rule::InArray, "~in-array".to_owned(), self.containing(packet, value)))
    }

    /// `{"k": v, "after": 7}`.
    fn in_dictionary(&self) -> Option<Derived> {
        let string = self.dialect.type_of_shape(Shape::Text)?.layout;
        let mut packet = Packet::default();
        self.put_header(&mut packet, Shape::Dictionary)?;
        put(&mut packet, 2);
        self.put_header(&mut packet, Shape::Text)?;
        put(&mut packet, 1);
        packet.bytes.extend(b"k\0\0\0");
        self.put_packet(&mut packet);
        self.put_header(&mut packet, Shape::Text)?;
        put(&mut packet, 5);
        packet.bytes.extend(b"after\0\0\0");
        self.put_int(&mut packet, 7)?;
        let entries = vec![
            (Value::Text(string, Text::from("k")), self.value.value.clone()),
            (Value::Text(string, Text::from("after")), Value::Int(7)),
        ];
        let value = Value::Dictionary(Dictionary { entries, shared: false });
        Some((Rule::InDictionary, "~in-dictionary".to_owned(), self.containing(packet, value)))
    }

    fn containing(&self, packet: Packet, value: Value) -> Expectation {
        Expectation {
            class: Class::Canonical,
            used: Some(packet.bytes.len()),
            value: Some(Expected { value, any_nan: self.value.any_nan.clone() }),
            packet: Some(packet),
            rejects: None,
        }
    }

    fn put_header(&self, packet: &mut Packet, shape: Shape) -> Option<()> {
        put(packet, self.dialect.type_of_shape(shape)?.id);
        Some(())
    }

    fn put_int(&self, packet: &mut Packet, int: u32) -> Option<()> {
        self.put_header(packet, Shape::Int)?;
        put(packet, int);
        Some(())
    }

    fn put_packet(&self, packet: &mut Packet) {
        let start = packet.bytes.len();
        packet.bytes.extend(&self.packet.bytes);
        packet.unwritten.extend(self.packet.unwritten.iter().map(|range| range.start + start..range.end + start));
    }
}

fn put(packet: &mut Packet, word: u32) {
    packet.bytes.extend(word.to_le_bytes());
}

/// The value whose bytes stand last in the packet.
fn last(value: &Value) -> &Value {
    value.children().last().map_or(value, |child| last(child))
}
