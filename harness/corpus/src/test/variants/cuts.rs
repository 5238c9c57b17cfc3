//! Packets that end early or late, and padding that is not zero.

use std::sync::Arc;

use crate::kind::{FieldKind, FieldKinds};
use crate::test::new_test::{NewTest, ParentCase};
use crate::test::rule::Rule;
use crate::{Class, Expectation, MaskedPacket};

pub(super) fn make(parent: ParentCase<'_>, packet: &MaskedPacket, variants: &mut Vec<NewTest>) {
    truncated(parent, packet, variants);
    variants.push(followed_by_bytes(parent, packet));
    variants.extend(padding_ff(parent, packet));
}

// A long packet is cut only near its ends: what is between them is more of the same.
const LONG: usize = 512;
const FIRST: usize = 64;
const LAST: usize = 16;

/// Every proper prefix is refused, except where the last padding may be missing.
fn truncated(parent: ParentCase<'_>, packet: &MaskedPacket, variants: &mut Vec<NewTest>) {
    let length = packet.bytes.len();
    let rules = parent.dialect.rules(parent.judged_by);
    // A frame says how long its packet is, padding included.
    let framed = parent.case.framing.is_some();
    let padding = if framed { None } else { last_padding(parent, packet) };
    let (padding, follows_bytes) = padding.unwrap_or((0, false));
    let optional = if follows_bytes { rules.byte_padding_optional_at_end } else { rules.text_padding_optional_at_end };
    let padded = length - padding;
    let end = if optional { padded } else { length };
    for at in (0..end).filter(|at| length <= LONG || *at < FIRST || end - at <= LAST) {
        let mut cut = NewTest::refused(Rule::TruncatedAt, format!("truncated-at-{at}"), packet.bytes.slice(..at));
        if at >= padded && follows_bytes {
            cut.about = Some(("byte_array".to_owned(), "padding".to_owned()));
        }
        cut.field = parent.listing().and_then(|listing| listing.field_at(at)).map(Arc::from);
        variants.push(cut);
    }
}

/// The length of the padding at the end of a packet, and whether it follows bytes: else it follows a text.
fn last_padding(parent: ParentCase<'_>, packet: &MaskedPacket) -> Option<(usize, bool)> {
    let rows = &parent.listing()?.rows;
    let mut kinds = FieldKinds::new(parent.dialect);
    let mut fields = Vec::new();
    for row in rows {
        fields.push(kinds.next(row, packet.bytes.get(row.bytes())?).ok()?);
    }
    let [.., before, last] = fields.as_slice() else { return None };
    // Padding that is a field of its own has a width, and is never left out.
    let is_padding = last.kind == FieldKind::Padding && last.width.is_none();
    let follows_text = matches!(before.kind, FieldKind::Text | FieldKind::Nul);
    is_padding.then_some((rows.last()?.len(), !follows_text))
}

/// The same value from the same bytes, whatever follows them.
fn followed_by_bytes(parent: ParentCase<'_>, packet: &MaskedPacket) -> NewTest {
    let bytes = [&packet.bytes[..], &[0xa5, 0x5a, 0xff, 0x00, 0x01]].concat();
    readable(parent, Rule::FollowedByBytes, "followed-by-bytes", packet.with_bytes(bytes))
}

/// Padding may have any value.
fn padding_ff(parent: ParentCase<'_>, packet: &MaskedPacket) -> Option<NewTest> {
    let mut rows = parent.listing()?.rows.iter().filter(|row| row.field() == "padding" && !row.is_empty()).peekable();
    rows.peek()?;
    let mut bytes = packet.bytes.to_vec();
    for row in rows {
        bytes.get_mut(row.bytes())?.fill(0xff);
    }
    Some(readable(parent, Rule::PaddingFf, "padding-ff", packet.with_bytes(bytes)))
}

pub(super) fn readable(parent: ParentCase<'_>, rule: Rule, suffix: &str, packet: MaskedPacket) -> NewTest {
    let expected = Expectation { class: Class::Readable, packet: Some(packet), ..parent.expected.clone() };
    NewTest::variant(rule, suffix.to_owned(), expected)
}
