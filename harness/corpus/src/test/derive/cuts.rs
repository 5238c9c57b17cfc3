//! Packets that end early or late, and padding that is not zero.

use std::sync::Arc;

use variant_codec::{Component, Numbers, Value};
use variant_specs::{FieldForm, RecordField};

use super::{NewVariant, ParentCase, Rule};
use crate::{Class, Expectation, MaskedPacket};
use variant_values::value_text::ExpectedValue;

pub(super) fn derive(
    parent: ParentCase<'_>,
    value: &ExpectedValue,
    packet: &MaskedPacket,
    variants: &mut Vec<NewVariant>,
) {
    truncated(parent, value, packet, variants);
    variants.push(followed_by_bytes(parent, packet));
    variants.extend(padding_ff(parent, packet));
}

// A long packet is cut only near its ends: what is between them is more of the same.
const LONG: usize = 512;
const FIRST: usize = 64;
const LAST: usize = 16;

/// Every proper prefix is refused, except where the last padding may be missing.
fn truncated(parent: ParentCase<'_>, value: &ExpectedValue, packet: &MaskedPacket, variants: &mut Vec<NewVariant>) {
    let length = packet.bytes.len();
    let rules = parent.dialect.rules(parent.judged_by);
    // A frame says how long its packet is, padding included.
    let framed = parent.case.framing.is_some();
    let padding = if framed { LastPadding::None } else { LastPadding::of(&value.value, parent) };
    let optional = match padding {
        LastPadding::None => false,
        LastPadding::Bytes(_) => rules.byte_padding_optional_at_end,
        LastPadding::Text(_) => rules.text_padding_optional_at_end,
    };
    let padded = length - padding.len();
    let end = if optional { padded } else { length };
    for at in (0..end).filter(|at| length <= LONG || *at < FIRST || end - at <= LAST) {
        let mut cut = NewVariant::refused(Rule::TruncatedAt, format!("truncated-at-{at}"), packet.bytes.slice(..at));
        if at >= padded && matches!(padding, LastPadding::Bytes(_)) {
            cut.about = Some(("byte_array".to_owned(), "padding".to_owned()));
        }
        cut.field = parent.listing().and_then(|listing| listing.field_at(at)).map(Arc::from);
        variants.push(cut);
    }
}

/// What the padding at the end of a packet follows, and its length.
enum LastPadding {
    None,
    Bytes(usize),
    Text(usize),
}

impl LastPadding {
    fn of(value: &Value, parent: ParentCase<'_>) -> Self {
        let nul = usize::from(parent.dialect.rules(parent.judged_by).string_array_nul);
        match last(value) {
            Value::Packed(_, Numbers::Bytes(bytes)) => Self::Bytes(bytes.len()),
            Value::Text(_, text) => Self::Text(text.as_bytes().len()),
            Value::PackedText(_, texts) => {
                texts.last().map_or(Self::None, |text| Self::Text(text.as_bytes().len() + nul))
            }
            Value::NodePath(path) => {
                let names = path.names.iter().chain(&path.subnames);
                let names = names.chain(std::iter::once(&path.property).filter(|text| !text.as_bytes().is_empty()));
                names.last().map_or(Self::None, |name| Self::Text(name.as_bytes().len()))
            }
            Value::Record(layout, components) => {
                Self::of_record(&parent.dialect.layouts.get(*layout).record, components, parent)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Fields(..)
            | Value::Packed(..)
            | Value::Array(_)
            | Value::Dictionary(_) => Self::None,
        }
    }

    /// What a record or element ends with.
    fn of_record(fields: &[RecordField], components: &[Component], parent: ParentCase<'_>) -> Self {
        match Component::with_fields(fields, components).unwrap_or_default().last() {
            Some((_, Some(Component::Text(text)))) => Self::Text(text.as_bytes().len()),
            Some((_, Some(Component::Bytes(bytes)))) => Self::Bytes(bytes.len()),
            Some((_, Some(Component::Value(value)))) => Self::of(value, parent),
            Some((RecordField { form: FieldForm::Repeat { of, .. }, .. }, Some(Component::List(elements)))) => {
                elements.last().map_or(Self::None, |last| Self::of_record(of, last, parent))
            }
            Some((_, _)) | None => Self::None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Bytes(length) | Self::Text(length) => length.wrapping_neg() % 4,
        }
    }
}

/// The value whose bytes come last in the packet, or the record around it.
fn last(value: &Value) -> &Value {
    let within = value.children();
    let innermost = within.last().filter(|_| !matches!(value, Value::Record(..)));
    innermost.map_or(value, |child| last(child))
}

/// The same value from the same bytes, whatever follows them.
fn followed_by_bytes(parent: ParentCase<'_>, packet: &MaskedPacket) -> NewVariant {
    let bytes = [&packet.bytes[..], &[0xa5, 0x5a, 0xff, 0x00, 0x01]].concat();
    let packet = MaskedPacket { bytes: bytes.into(), unwritten: packet.unwritten.clone() };
    readable(parent, Rule::FollowedByBytes, "followed-by-bytes", packet)
}

/// Padding may have any value.
fn padding_ff(parent: ParentCase<'_>, packet: &MaskedPacket) -> Option<NewVariant> {
    let mut rows = parent.listing()?.rows.iter().filter(|row| row.field() == "padding" && !row.is_empty()).peekable();
    rows.peek()?;
    let mut bytes = packet.bytes.to_vec();
    for row in rows {
        bytes.get_mut(row.bytes())?.fill(0xff);
    }
    let packet = MaskedPacket { bytes: bytes.into(), unwritten: packet.unwritten.clone() };
    Some(readable(parent, Rule::PaddingFf, "padding-ff", packet))
}

fn readable(parent: ParentCase<'_>, rule: Rule, suffix: &str, packet: MaskedPacket) -> NewVariant {
    let expected = Expectation { class: Class::Readable, packet: Some(packet), ..parent.expected.clone() };
    NewVariant::new(rule, suffix.to_owned(), expected)
}
