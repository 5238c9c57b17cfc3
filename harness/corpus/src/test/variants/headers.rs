//! Header bits that mean nothing, and ids of no type.

use std::sync::Arc;

use variant_specs::UnknownFlags;
use variant_values::handshake::Op;

use super::cuts::readable;
use crate::test::new_test::{NewTest, ParentCase, refused};
use crate::test::rule::Rule;
use crate::{Class, Level, MaskedPacket};

/// Each bit above the lowest byte, once a layout. Cases test the flags that mean something. The first that is a flag is not
/// written again.
pub(super) fn flags(parent: ParentCase<'_>, packet: &MaskedPacket, variants: &mut Vec<NewTest>) {
    let Some(header) = packet.header() else { return };
    let Some(entry) = parent.dialect.type_of(header & parent.dialect.header.mask(parent.judged_by)) else { return };
    let known = parent.dialect.known_flags(parent.dialect.layout(entry), parent.judged_by);
    let mut sent_on = None;
    for bit in (8..32).filter(|bit| known & (1 << bit) == 0) {
        let mut bytes = packet.bytes.to_vec();
        bytes[..4].copy_from_slice(&(header | 1 << bit).to_le_bytes());
        let is_id = parent.dialect.header.mask(parent.judged_by) & (1 << bit) != 0;
        let mut flag = if is_id || parent.dialect.header.unknown_flags == UnknownFlags::Refused {
            NewTest::refused(Rule::Flag, format!("flag-{bit}"), bytes)
        } else {
            readable(parent, Rule::Flag, &format!("flag-{bit}"), packet.with_bytes(bytes))
        };
        // Who masks with the published 0xFFFF refuses all of these, though no engine writes one: that is tested by cases.
        flag.good_practice = bit < 16 && flag.expected.class == Class::Readable;
        flag.about = (bit < 16).then(|| ("header".to_owned(), "second-byte".to_owned()));
        if bit >= 16 && flag.expected.class == Class::Readable && sent_on.is_none() {
            sent_on = Some(NewTest {
                ops: &[Op::Reencode],
                sent: flag.expected.packet.clone().map(Arc::new),
                good_practice: parent.case.level == Level::Should,
                ..NewTest::variant(Rule::Flag, format!("flag-{bit}"), parent.expected.clone())
            });
        }
        variants.push(flag);
    }
    variants.extend(sent_on);
}

/// Every id that fits in a byte, followed by 64 zero bytes: refused if it is no type, else anything but a crash.
pub(super) fn ids(parent: ParentCase<'_>, variants: &mut Vec<NewTest>) {
    for id in 0..=u8::MAX {
        let mut bytes = vec![id, 0, 0, 0];
        bytes.resize(68, 0);
        let mut expected = refused(bytes);
        if u32::from(id) < parent.dialect.max {
            expected.class = Class::Undecided;
        }
        variants.push(NewTest::variant(Rule::Id, format!("id-{id}"), expected));
    }
}
