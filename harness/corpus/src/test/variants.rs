//! Variants: what follows from the text of a case by a fixed rule. No rule needs a codec to know what to expect.

mod containers;
mod counts;
mod cuts;
mod headers;

use std::sync::Arc;

use variant_codec::Refusal;
use variant_specs::FLAG_1;

use super::new_test::{NewTest, ParentCase};
use super::rule::Rule;
use crate::{Class, Expectation, Level, MaskedPacket};
use variant_values::handshake::Op;

/// Of a packet with more bytes there are none but those that read or write what the case does: what is cut, and a count that
/// is wrong, is the same of a small one.
const LARGEST: usize = 16 << 10;

pub(super) fn make(parent: ParentCase<'_>) -> Vec<NewTest> {
    let mut variants: Vec<NewTest> = containers::decoded(parent).into_iter().collect();
    if parent.expected.packet.as_ref().is_some_and(|packet| packet.bytes.len() > LARGEST) {
        return variants;
    }
    if parent.expected.class == Class::Canonical
        && !parent.case.encode
        && let (Some(value), Some(packet)) = (&parent.expected.value, &parent.expected.packet)
    {
        cuts::make(parent, packet, &mut variants);
        if parent.case.framing.is_some() {
            // What is inside a frame is tested without one.
            return variants;
        }
        counts::make(parent, packet, &mut variants);
        containers::make(parent, value, packet, &mut variants);
        if parent.first {
            headers::flags(parent, packet, &mut variants);
            containers::depths(parent, value, &mut variants);
        }
    }
    if parent.expected.class == Class::Readable
        && let (Some(value), Some(packet)) = (&parent.expected.value, &parent.expected.packet)
        && says_width(parent, packet)
    {
        containers::make(parent, value, packet, &mut variants);
    }
    if refuses_max(parent) {
        headers::ids(parent, &mut variants);
    }
    variants
}

/// Whether the header of a packet says that its reals are wide, and all of it is read.
fn says_width(parent: ParentCase<'_>, packet: &MaskedPacket) -> bool {
    let ParentCase { dialect, expected, .. } = parent;
    let Some(header) = packet.header().filter(|header| header & FLAG_1 != 0) else { return false };
    let layout = dialect.type_of(header & dialect.header.id_mask).map(|entry| dialect.layout(entry));
    layout.is_some_and(|layout| dialect.says_width(layout)) && expected.used == Some(packet.bytes.len())
}

/// Decoding and encoding again gives the canonical packet. `written` is that of a readable case, if it is known.
pub(super) fn sent_on(parent: ParentCase<'_>, written: Option<(Expectation, Level)>, ops: &[Op]) -> Option<NewTest> {
    let canonical = parent.expected.class == Class::Canonical && !parent.case.encode && !ops.contains(&Op::Reencode);
    let own = || canonical.then(|| (parent.expected.clone(), parent.case.level));
    let (expected, level) = written.or_else(own)?;
    let sent = parent.expected.packet.clone().filter(|packet| expected.packet.as_ref() != Some(packet)).map(Arc::new);
    let variants = NewTest::variant(Rule::SentOn, Rule::SentOn.name().to_owned(), expected);
    Some(NewTest { ops: &[Op::Reencode], sent, good_practice: level == Level::Should, ..variants })
}

/// Whether this is the case of the `max` row: the first id that is no type.
fn refuses_max(parent: ParentCase<'_>) -> bool {
    let Expectation { rejects, packet, .. } = parent.expected;
    rejects.is_some_and(|rejects| rejects.kind == Refusal::UnknownType)
        && packet.as_ref().is_some_and(|packet| packet.header() == Some(parent.dialect.max))
}
