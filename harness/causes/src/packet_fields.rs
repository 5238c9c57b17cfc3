//! The fields of a packet, and what would be there without one of them.

use std::ops::Range;

use variant_codec::{Codec, Role, Span, Spans};
use variant_specs::{Layout, Shape};
use variant_wire::fields::any_index;

use crate::difference::{TEXT, is_padded};
use crate::lack::Lack;

/// The fields of a packet, as far as it can be read.
pub(crate) struct PacketFields<'a> {
    pub(crate) spans: Vec<Span>,
    pub(crate) codec: &'a Codec,
}

impl<'a> PacketFields<'a> {
    pub(crate) fn of(packet: &[u8], codec: &'a Codec) -> Self {
        let mut trace = Spans::default();
        let _ = codec.decode_traced(packet, &mut trace);
        Self { spans: trace.spans, codec }
    }

    /// The packet of a typed container without the headers of what is in it; `None` if it is none, or empty.
    pub(crate) fn headerless(&self, packet: &[u8]) -> Option<Vec<u8>> {
        // Without a type, elements that have no headers may be those of a packed array.
        self.spans.iter().find(|span| span.path.rsplit('.').next() == Some("type"))?;
        let mut within = self.spans.iter().filter(|span| matches!(span.role, Role::Header(_))).skip(1).peekable();
        within.peek()?;
        let (mut kept, mut from) = (Vec::new(), 0);
        for header in within {
            kept.extend_from_slice(&packet[from..header.bytes.start]);
            from = header.bytes.end;
        }
        kept.extend_from_slice(&packet[from..]);
        Some(kept)
    }

    /// The place of the field that has this byte.
    pub(crate) fn at(&self, byte: usize) -> Option<usize> {
        self.spans.iter().position(|span| span.bytes.contains(&byte))
    }

    /// What values and texts end with that something follows, in order; `true` where padding follows the text, or the
    /// number is a wide one.
    pub(crate) fn ends(&self) -> Vec<(String, bool)> {
        /// Of a packet that is longer, its beginning tells enough.
        const MOST: usize = 400;
        let mut ends: Vec<(String, bool)> = Vec::new();
        for (before, span) in self.spans.iter().skip(1).take(MOST).enumerate() {
            let is_padding = self.spans[before].role == Role::Padding;
            let end = match (span.role, self.spans[before].role) {
                (Role::Header(_) | Role::Length, Role::Text | Role::Nul | Role::Length) => (TEXT.to_owned(), false),
                (Role::Header(_) | Role::Length, _) if is_padding => (self.padded(before), true),
                (Role::Header(_), Role::Number(_)) => (self.owner(before), self.spans[before].bytes.len() == 8),
                (Role::Header(_), _) => (self.owner(before), false),
                _ => continue,
            };
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
        ends
    }

    /// The padding that is not there, if the first difference, in this field at this byte, comes from that: padding is
    /// zero, and so may be what follows it.
    pub(crate) fn lost_padding(&self, place: usize, at: usize, expected: &[u8], bytes: &[u8]) -> Option<usize> {
        let padding = self.spans[..=place].iter().rposition(|span| span.role == Role::Padding)?;
        let range = &self.spans[padding].bytes;
        let (after, here) = (&expected[range.end..], bytes.get(range.start..)?);
        // The flags of a header may be wrong as well.
        let same = |from: usize| (0..4).all(|byte| byte == 2 || after.get(from + byte) == here.get(from + byte));
        let zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        let follows = after.len() >= 4 && same(0) && (!zero(&after[..4]) || same(4));
        (zero(&expected[range.start..at]) && follows).then_some(padding)
    }

    /// The padded field before this one, if four zero bytes stand between the two.
    pub(crate) fn added_padding(&self, place: usize, expected: &[u8], bytes: &[u8]) -> Option<usize> {
        let before = place.checked_sub(1).filter(|before| is_padded(self.spans[*before].role))?;
        let start = self.spans[place].bytes.start;
        let follows = expected.get(start..start + 4).filter(|follows| **follows != [0; 4])?;
        let added = bytes.get(start..)?.strip_prefix(&[0; 4])?;
        added.starts_with(follows).then_some(before)
    }

    /// The first boolean, up to this field, that is written in fewer than four bytes, and in how many.
    pub(crate) fn narrow_bool(&self, place: usize, expected: &[u8], bytes: &[u8]) -> Option<(usize, usize)> {
        let bools = self.spans[..=place].iter().enumerate().filter(|(_, span)| span.role == Role::Bool);
        let mut widths = bools.flat_map(|(place, span)| [1, 2].map(|width| (place, span, width)));
        widths.find_map(|(place, span, width)| {
            let end = span.bytes.start + width;
            let follows = expected.get(span.bytes.end..)?;
            let here = bytes.get(end..)?;
            // Up to the first word that is not zero: padding and many values are zero.
            let begin = follows.chunks(4).take_while(|word| **word == [0; 4]).count() * 4 + 4;
            let same = here == follows || follows.get(..begin).is_some_and(|begin| here.starts_with(begin));
            (same && expected[..end] == bytes[..end]).then_some((place, width))
        })
    }

    /// What this field and the next would lack if they had changed places, and the packet then. A text of a record changes
    /// places with its length and padding.
    pub(crate) fn exchanged(&self, place: usize) -> impl Iterator<Item = (Lack, impl Fn(&[u8]) -> Vec<u8>)> {
        let pair = self.movable(place).and_then(|one| self.movable(one.end).map(|other| (one, other)));
        let pair = pair.filter(|(one, other)| self.prefix(one.start) == self.prefix(other.start));
        pair.into_iter().map(move |(one, other)| {
            let prefix = self.prefix(place);
            let name = |fields: &Range<usize>| {
                let span = &self.spans[fields.start];
                let own = span.path.strip_prefix(prefix).unwrap_or(&span.path);
                let own = if span.role == Role::Length { own.strip_suffix(".length").unwrap_or(own) } else { own };
                any_index(own).replace('.', " ")
            };
            let bytes =
                |fields: &Range<usize>| self.spans[fields.start].bytes.start..self.spans[fields.end - 1].bytes.end;
            let (first, second) = (bytes(&one), bytes(&other));
            let packet = move |packet: &[u8]| {
                let (Some(before), Some(after)) = (packet.get(..first.start), packet.get(second.end..)) else {
                    return packet.to_vec();
                };
                [before, &packet[second.clone()], &packet[first.clone()], after].concat()
            };
            (Lack::Exchanged(format!("{} and {}", name(&one), name(&other))), packet)
        })
    }

    /// The fields from this place on that are one: a word, or in a record an id, or a text with its length and padding.
    fn movable(&self, place: usize) -> Option<Range<usize>> {
        let span = self.spans.get(place)?;
        let of_record = || self.layout(place).is_some_and(|layout| layout.shape == Shape::Record);
        let is_word = matches!(span.role, Role::Count | Role::Flags | Role::Word) && span.bytes.len() == 4;
        if is_word || span.role == Role::Id && of_record() {
            Some(place..place + 1)
        } else if span.role == Role::Length && of_record() {
            let of_text = |span: &&Span| matches!(span.role, Role::Text | Role::Nul | Role::Padding);
            let more = self.spans[place + 1..].iter().take_while(of_text).count();
            Some(place..place + 1 + more)
        } else {
            None
        }
    }

    /// What is padded here: texts are padded alike, whatever they are in.
    pub(crate) fn padded(&self, place: usize) -> String {
        Some(self.owner(place)).filter(|owner| owner == "byte_array").unwrap_or_else(|| TEXT.to_owned())
    }

    /// The layout of the innermost value that a field is of.
    pub(crate) fn owner(&self, place: usize) -> String {
        self.layout(place).map_or_else(|| "packet".to_owned(), |layout| layout.name.clone())
    }

    /// Whether a field is of an array or dictionary.
    pub(crate) fn is_container(&self, place: usize) -> bool {
        self.layout(place).is_some_and(|layout| layout.shape.is_container())
    }

    pub(crate) fn layout(&self, place: usize) -> Option<&'a Layout> {
        self.value(place).map(|(_, layout)| layout)
    }

    /// The path of the innermost value that a field is of.
    fn prefix(&self, place: usize) -> &str {
        self.value(place).map_or("", |(prefix, _)| prefix)
    }

    fn value(&self, place: usize) -> Option<(&str, &'a Layout)> {
        let path = &self.spans.get(place)?.path;
        let headers = self.spans[..=place].iter().rev();
        let owner = headers.filter_map(|span| match (span.role, span.path.strip_suffix("header")) {
            (Role::Header(layout), Some(prefix)) if path.starts_with(prefix) => Some((prefix, layout)),
            _ => None,
        });
        owner.max_by_key(|(prefix, _)| prefix.len()).map(|(prefix, layout)| (prefix, self.codec.layouts().get(layout)))
    }
}
