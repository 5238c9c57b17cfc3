//! Two answers side by side.

use variant_codec::{Codec, Framing, Role, Value};
use variant_specs::UnwrittenPadding;

use super::frame;
use super::parts;
use super::said::Said;
use super::signature::Kind;
use variant_corpus::Packet;
use variant_wire::compare::{Comparison, compare};
use variant_wire::fields::{FieldValue, fields_of};
use variant_wire::handshake::Lossy;
use variant_wire::value_text::Expected;

/// What two answers are to one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Agreement {
    /// The same.
    Same,
    /// The same but for what a host language cannot tell apart.
    Relaxed,
    /// Different: how the second parts from the first, and the path of the field.
    Parted(Kind, String),
}

/// What a dialect has to say to that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) codec: &'a Codec,
    /// What stands in front of packets.
    pub(super) framing: Option<Framing>,
    /// Pairs may stand in any order.
    pub(super) any_order: bool,
    /// Padding that may hold anything.
    pub(super) unwritten: UnwrittenPadding,
}

/// What is the same without a closer look.
#[inline]
pub(super) fn is_plainly_same(left: &Said, right: &Said) -> bool {
    match (left, right) {
        (Said::Value(left, left_used), Said::Value(right, right_used)) => {
            left == right && (left_used == right_used || left_used.is_none() || right_used.is_none())
        }
        (Said::Bytes(left), Said::Bytes(right)) => left == right,
        (Said::Refused(_), Said::Refused(_)) => true,
        _ => false,
    }
}

/// How the second parts from the first.
pub(super) fn between(
    left: &Said,
    left_lossy: &[Lossy],
    right: &Said,
    right_lossy: &[Lossy],
    terms: Terms<'_>,
) -> Agreement {
    if is_plainly_same(left, right) {
        return Agreement::Same;
    }
    match (left, right) {
        (Said::Refused(_), _) => Agreement::Parted(Kind::Accepts, String::new()),
        (_, Said::Refused(_)) => Agreement::Parted(Kind::Refuses, String::new()),
        (Said::Value(a, a_used), Said::Value(b, b_used)) => {
            match values(a, left_lossy, b, right_lossy, terms) {
                // One knows how much it consumed, or both do alike.
                Agreement::Same | Agreement::Relaxed if a_used.is_some() && b_used.is_some() && a_used != b_used => {
                    Agreement::Parted(Kind::Length, String::new())
                }
                agreement @ (Agreement::Same | Agreement::Relaxed | Agreement::Parted(..)) => agreement,
            }
        }
        (Said::Bytes(a), Said::Bytes(b)) => match terms.framing {
            None => bytes(a, left_lossy, b, right_lossy, terms),
            Some(framing) => frames(a, left_lossy, b, right_lossy, framing, terms),
        },
        (Said::NoValue(a), Said::NoValue(b)) if a == b => Agreement::Same,
        _ => Agreement::Parted(Kind::Value, String::new()),
    }
}

fn values(left: &Value, left_lossy: &[Lossy], right: &Value, right_lossy: &[Lossy], terms: Terms<'_>) -> Agreement {
    let mut lossy: Vec<Lossy> = left_lossy.iter().chain(right_lossy).copied().collect();
    if terms.any_order {
        lossy.push(Lossy::DictionaryOrder);
    }
    let one_way = |expected: &Value, actual: &Value| {
        let expected = Expected { value: expected.clone(), any_nan: Vec::new() };
        compare(&expected, actual, &lossy, terms.codec.layouts())
    };
    // What a packed array became is looked for on the side of the second.
    let comparison = match one_way(left, right) {
        Comparison::Different(path) if !left_lossy.is_empty() => match one_way(right, left) {
            Comparison::Different(_) => Comparison::Different(path),
            other @ (Comparison::Same | Comparison::Relaxed(_)) => other,
        },
        other @ (Comparison::Same | Comparison::Relaxed(_) | Comparison::Different(_)) => other,
    };
    match comparison {
        Comparison::Same => Agreement::Same,
        Comparison::Relaxed(relaxed) if terms.any_order && relaxed.iter().all(|l| *l == Lossy::DictionaryOrder) => {
            Agreement::Same
        }
        Comparison::Relaxed(_) => Agreement::Relaxed,
        Comparison::Different(path) => {
            let kind = if both_nan(left, right, &path, terms) { Kind::NanBits } else { Kind::Value };
            Agreement::Parted(kind, path)
        }
    }
}

/// Whether what stands there is a NaN on both sides.
fn both_nan(left: &Value, right: &Value, path: &str, terms: Terms<'_>) -> bool {
    let is_nan = |value: &Value| {
        let leaves = fields_of(value, terms.codec.layouts());
        leaves.iter().find(|leaf| leaf.path == path).is_some_and(|leaf| match &leaf.value {
            FieldValue::Single(float) => float.get().is_nan(),
            FieldValue::Double(float) => float.get().is_nan(),
            FieldValue::Header(_)
            | FieldValue::Count(_)
            | FieldValue::Bool(_)
            | FieldValue::Int(_)
            | FieldValue::Id(_)
            | FieldValue::Text(_)
            | FieldValue::Bytes(_) => false,
        })
    };
    is_nan(left) && is_nan(right)
}

/// Packets behind their lengths: where both lengths are right, it is about the packets.
fn frames(
    left: &[u8],
    left_lossy: &[Lossy],
    right: &[u8],
    right_lossy: &[Lossy],
    framing: Framing,
    terms: Terms<'_>,
) -> Agreement {
    // No packet is empty: four zeros are null, and no length.
    let whole =
        |input: &[u8]| frame::inside(input, framing).filter(|inside| inside.end == input.len() && !inside.is_empty());
    match (whole(left), whole(right)) {
        (Some(a), Some(b)) => bytes(&left[a], left_lossy, &right[b], right_lossy, terms),
        _ => Agreement::Parted(Kind::Bytes, frame::FIELD.to_owned()),
    }
}

fn bytes(left: &[u8], left_lossy: &[Lossy], right: &[u8], right_lossy: &[Lossy], terms: Terms<'_>) -> Agreement {
    let unwritten = unwritten(left, terms);
    let Some(at) = (Packet { bytes: left.to_vec(), unwritten }).first_difference(right) else {
        return Agreement::Same;
    };
    let whole = |bytes: &[u8]| {
        let decoded = terms.codec.decode(bytes).ok()?;
        (decoded.used == bytes.len()).then_some(decoded.value)
    };
    if let (Some(a), Some(b)) = (whole(left), whole(right)) {
        return match values(&a, left_lossy, &b, right_lossy, terms) {
            Agreement::Same if terms.any_order && left.len() == right.len() => Agreement::Same,
            Agreement::Same => Agreement::Parted(Kind::Form, field(left, at, terms)),
            Agreement::Relaxed => Agreement::Relaxed,
            Agreement::Parted(Kind::NanBits, path) => Agreement::Parted(Kind::NanBits, path),
            Agreement::Parted(_, path) => Agreement::Parted(Kind::Bytes, path),
        };
    }
    Agreement::Parted(Kind::Bytes, field(left, at, terms))
}

/// The field of a packet in which this byte stands.
fn field(packet: &[u8], at: usize, terms: Terms<'_>) -> String {
    let spans = parts::spans(packet, terms.codec);
    let span = spans.into_iter().find(|span| span.bytes.contains(&at));
    span.map_or_else(|| "trailing".to_owned(), |span| span.path)
}

/// The padding that may hold anything.
fn unwritten(packet: &[u8], terms: Terms<'_>) -> Vec<std::ops::Range<usize>> {
    let of_names = |path: &str| {
        let part = path.rsplit('.').nth(1).unwrap_or_default();
        part.starts_with("names[") || part.starts_with("subnames[")
    };
    let is_so = |path: &str| match terms.unwritten {
        UnwrittenPadding::None => false,
        UnwrittenPadding::NodePath => of_names(path),
        UnwrittenPadding::All => true,
    };
    if terms.unwritten == UnwrittenPadding::None {
        return Vec::new();
    }
    let spans = parts::spans(packet, terms.codec);
    spans.into_iter().filter(|span| span.role == Role::Padding && is_so(&span.path)).map(|span| span.bytes).collect()
}
