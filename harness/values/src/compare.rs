//! Compares an answered value with the expected one.

mod keys;
mod lossy_walk;
mod packed;

use std::collections::BTreeSet;
use std::ops::Range;

use variant_codec::{Codec, Decoded, Role, Span, Spans, Value};
use variant_specs::{Layouts, Shape};

use self::lossy_walk::LossyWalk;
use crate::fields::{Field, fields_of};
use crate::handshake::Lossy;
use crate::value_text::ExpectedValue;

pub use self::keys::are_one_float;
pub use self::packed::scalars;

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
pub fn with_losses_forgiven(expected: &Value, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> Value {
    let mut settled = actual.clone();
    LossyWalk { lossy, layouts, used: BTreeSet::new() }.settle(expected, &mut settled);
    settled
}

/// Whether two values differ by nothing but declared losses.
pub fn is_value_but_for_losses(expected: &Value, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> bool {
    // A walk of both is worth it only where a loss is declared.
    !lossy.is_empty() && with_losses_forgiven(expected, actual, lossy, layouts) == *expected
}

/// Whether two packets differ by nothing but declared losses.
pub fn is_packet_but_for_losses(expected: &[u8], actual: &[u8], lossy: &[Lossy], codec: &Codec) -> bool {
    // A NaN takes as many bytes as another.
    let may_be = expected.len() == actual.len() || lossy.iter().any(|lossy| *lossy != Lossy::NanPayload);
    let without = || without_declared_losses(expected, actual, lossy, codec);
    !lossy.is_empty() && may_be && without().is_some_and(|without| without == expected)
}

/// An answered packet without the declared losses, as far as it can be read: the first byte that differs from the expected
/// packet is wrong. `None` if it is read as something that has no such fields.
pub fn without_declared_losses(expected: &[u8], actual: &[u8], lossy: &[Lossy], codec: &Codec) -> Option<Vec<u8>> {
    let (right, Ok(Decoded { value, .. })) = codec.traced(expected) else { return None };
    // Nothing is told by what is not written as it was read, as a byte order mark: forgiving losses would mend it.
    let is_kept = |value: &Value, packet: &[u8]| codec.encode(value).is_ok_and(|own| own == packet);
    if !is_kept(&value, expected) {
        return None;
    }
    let encoded = |actual: &Value| codec.encode(&with_losses_forgiven(&value, actual, lossy, codec.layouts())).ok();
    let (wrong, decoded) = codec.traced(actual);
    match decoded {
        Ok(decoded) => {
            let (read, more) = actual.split_at_checked(decoded.used)?;
            is_kept(&decoded.value, read).then_some(())?;
            Some([&encoded(&decoded.value)?, more].concat())
        }
        Err(error) => {
            let (read, place) = refused_field(&right, &wrong, error.at)?;
            let begin = right.spans.get(place).map_or(expected.len(), |span| span.bytes.start);
            let mut repaired = [&actual[..read], &expected[begin..]].concat();
            if lossy.contains(&Lossy::IntFloat)
                && let Some((header, other)) = number_header(&right, &wrong, place, codec.layouts())
            {
                repaired.splice(other, expected[header].iter().copied());
            }
            let repaired = codec.decode(&repaired).ok().filter(|decoded| decoded.used == repaired.len())?;
            let packet = encoded(&repaired.value)?;
            Some(if packet == expected { [&expected[..begin], &actual[read..]].concat() } else { packet })
        }
    }
}

/// Where the field begins at which reading fails, and its place among the fields of the expected packet: what comes before
/// it is compared with the rest as it should be.
fn refused_field(right: &Spans, wrong: &Spans, at: usize) -> Option<(usize, usize)> {
    let place = |path: &str| right.spans.iter().position(|span| span.path == path);
    match (wrong.spans.iter().find(|span| span.bytes.start >= at), wrong.spans.last()) {
        (Some(refused), _) => Some((refused.bytes.start, place(&refused.path)?)),
        (None, Some(last)) => Some((last.bytes.end, place(&last.path)? + 1)),
        (None, None) => Some((0, 0)),
    }
}

/// The headers of an int and a float before this place, in the expected packet and in the other: the rest of a float fits no
/// header of an int.
fn number_header(
    right: &Spans,
    wrong: &Spans,
    place: usize,
    layouts: &Layouts,
) -> Option<(Range<usize>, Range<usize>)> {
    let is_number = |span: &&Span| {
        let Role::Header(layout) = span.role else { return false };
        matches!(layouts.get(layout).shape, Shape::Int | Shape::Float)
    };
    let header = right.spans.get(place.checked_sub(1)?).filter(is_number)?;
    Some((header.bytes.clone(), wrong.spans.last().filter(is_number)?.bytes.clone()))
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
