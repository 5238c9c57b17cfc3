//! Packets that end early or late, and padding that is not zero.

use variant_codec::Value;
use variant_specs::{Dialect, Scalar};

use super::{Derived, Parent, Rule};
use crate::corpus::{Class, Expectation, Packet};
use crate::notation::Expected;

pub(super) fn derive(parent: Parent<'_>, value: &Expected, packet: &Packet, derived: &mut Vec<Derived>) {
    truncated(parent, value, packet, derived);
    derived.push(followed_by_bytes(parent, packet));
    derived.extend(padding_ff(parent, packet));
}

/// Every proper prefix is refused; only where the last padding may be missing is nobody asked.
fn truncated(parent: Parent<'_>, value: &Expected, packet: &Packet, derived: &mut Vec<Derived>) {
    let length = packet.bytes.len();
    let padding = last_byte_padding(&value.value, parent.dialect);
    let optional = parent.dialect.rules(parent.reading).byte_padding_optional_at_end;
    for at in 0..if optional { length - padding } else { length } {
        let mut cut = Derived::refused(Rule::TruncatedAt, format!("truncated-at-{at}"), packet.bytes[..at].to_vec());
        if at >= length - padding {
            cut.about = Some(("byte_array".to_owned(), "padding".to_owned()));
        }
        derived.push(cut);
    }
}

/// Bytes of padding at the very end that belong to a byte array.
fn last_byte_padding(value: &Value, dialect: &Dialect) -> usize {
    if let Value::Packed(layout, numbers) = last(value)
        && dialect.layouts.get(*layout).of == Some(Scalar::Byte)
    {
        return numbers.len().wrapping_neg() % 4;
    }
    0
}

/// The value whose bytes stand last in the packet.
fn last(value: &Value) -> &Value {
    value.children().last().map_or(value, |child| last(child))
}

/// The same value from the same bytes, whatever comes behind them.
fn followed_by_bytes(parent: Parent<'_>, packet: &Packet) -> Derived {
    let mut packet = packet.clone();
    packet.bytes.extend([0xa5, 0x5a, 0xff, 0x00, 0x01]);
    readable(parent, Rule::FollowedByBytes, "followed-by-bytes", packet)
}

/// Padding means nothing, whatever its value.
fn padding_ff(parent: Parent<'_>, packet: &Packet) -> Option<Derived> {
    let rows = parent.listing()?.rows.iter().filter(|row| row.field() == "padding" && !row.is_empty());
    let mut packet = packet.clone();
    let mut any = false;
    for row in rows {
        packet.bytes.get_mut(row.bytes())?.fill(0xff);
        any = true;
    }
    any.then(|| readable(parent, Rule::PaddingFf, "padding-ff", packet))
}

fn readable(parent: Parent<'_>, rule: Rule, suffix: &str, packet: Packet) -> Derived {
    let expected = Expectation { class: Class::Readable, packet: Some(packet), ..parent.expected.clone() };
    Derived::new(rule, suffix.to_owned(), expected)
}
