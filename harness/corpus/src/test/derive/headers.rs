//! Header bits that mean nothing, and ids that are no type.

use variant_specs::UnknownFlags;

use super::{Derived, Parent, Rule, refused};
use crate::{Class, Expectation, Packet};
use variant_wire::value_text::Expected;

/// Each bit above the lowest byte, once a layout; what a flag means is authored where it means something.
pub(super) fn flags(parent: Parent<'_>, value: &Expected, packet: &Packet, derived: &mut Vec<Derived>) {
    let Some(header) = packet.bytes.first_chunk().copied().map(u32::from_le_bytes) else { return };
    let Some(entry) = parent.dialect.type_of(header & parent.dialect.header.mask(parent.reading)) else { return };
    let known = parent.dialect.known_flags(parent.dialect.layout(entry), parent.reading);
    for bit in (8..32).filter(|bit| known & (1 << bit) == 0) {
        let mut bytes = packet.bytes.clone();
        bytes[..4].copy_from_slice(&(header | 1 << bit).to_le_bytes());
        let is_id = parent.dialect.header.mask(parent.reading) & (1 << bit) != 0;
        let expected = if is_id || parent.dialect.header.unknown_flags == UnknownFlags::Refused {
            refused(bytes)
        } else {
            let packet = Packet { bytes, unwritten: packet.unwritten.clone() };
            Expectation {
                class: Class::Readable,
                value: Some(value.clone()),
                packet: Some(packet),
                ..parent.expected.clone()
            }
        };
        let mut flag = Derived::new(Rule::Flag, format!("flag-{bit}"), expected);
        flag.about = (bit < 16).then(|| ("header".to_owned(), "second-byte".to_owned()));
        derived.push(flag);
    }
}

/// Every id that fits in a byte, 64 zero bytes behind it: beyond the table refused, within it no crash.
pub(super) fn ids(parent: Parent<'_>, derived: &mut Vec<Derived>) {
    for id in 0..=u8::MAX {
        let mut bytes = vec![id, 0, 0, 0];
        bytes.resize(68, 0);
        let mut expected = refused(bytes);
        if u32::from(id) < parent.dialect.max {
            expected.class = Class::Open;
        }
        derived.push(Derived::new(Rule::Id, format!("id-{id}"), expected));
    }
}
