//! Faults that explain a wrong reply as a whole: with one of them, the codec gives the same reply.

use variant_codec::{Codec, DecodeError, Decoded, Framing, Role, Span, Spans, Value};

use variant_specs::Layouts;
use variant_wire::fields::{FieldValue, fields_of};

use crate::difference::{is_padded, owner};
use crate::lack::Lack;
use crate::packet_fields::PacketFields;

/// Whether a packet has a true that is written as another number than 1, and none that is 1.
pub(crate) fn has_other_true(packet: &[u8], codec: &Codec) -> bool {
    let fields = PacketFields::of(packet, codec);
    let mut words = fields.spans.iter().filter(|span| span.role == Role::Bool).map(|span| &packet[span.bytes.clone()]);
    let mut other = false;
    words.all(|word| {
        other |= word.iter().any(|byte| *byte != 0);
        word != [1, 0, 0, 0]
    }) && other
}

/// The layout of a wide number that was read as a narrow one, if that explains the value and the bytes consumed.
pub(crate) fn narrowed(packet: &[u8], (wrong, consumed): (&Value, Option<u64>), codec: &Codec) -> Option<String> {
    const FLAG: usize = 2;
    let fields = PacketFields::of(packet, codec);
    let wide = fields
        .spans
        .iter()
        .enumerate()
        .filter(|(_, span)| matches!(span.role, Role::Number(_)) && span.bytes.len() == 8);
    // Behind the header, or behind a count.
    wide.flat_map(|(place, span)| [(place, span, 4), (place, span, 8)])
        .filter_map(|(place, span, before)| {
            let header = span.bytes.start.checked_sub(before)?;
            let mut narrow = packet.to_vec();
            *narrow.get_mut(header + FLAG)? &= !1;
            let read = codec.decode(&narrow).ok().filter(|read| narrow != packet && read.value == *wrong)?;
            // A zero may come from anything: that the upper half was not read shows there only in the bytes consumed.
            let zero = narrow[span.bytes.start..].starts_with(&[0; 4]);
            (!zero || consumed == u64::try_from(read.used).ok()).then(|| fields.owner(place))
        })
        .next()
}

/// Whether the value is what a packet means whose elements have no headers.
pub(crate) fn is_headerless(packet: &[u8], wrong: &Value, codec: &Codec) -> bool {
    /// A header and a count.
    const LEAST: usize = 8;
    let again = codec.encode(wrong).ok();
    let headerless = again.and_then(|again| PacketFields::of(&again, codec).headerless(&again));
    headerless.is_some_and(|headerless| headerless.len() > LEAST && packet.starts_with(&headerless))
}

/// What a reader gives that does not skip padding, and what it should have skipped it after; `None` if there is nothing to
/// skip.
pub(crate) fn without_padding(packet: &[u8], codec: &Codec) -> Option<(Result<Decoded, DecodeError>, String)> {
    /// A packet with more is left alone.
    const MOST: usize = 64;
    // To read nothing where padding is expected is to read padding that was put in.
    let (mut longer, mut read, mut place) = (packet.to_vec(), 0, None);
    for _ in 0..MOST {
        let mut trace = Spans::default();
        let outcome = codec.decode_traced(&longer, &mut trace);
        let fields = PacketFields { spans: trace.spans, codec };
        let is_next = |span: &Span| span.role == Role::Padding && span.bytes.start >= read && !span.bytes.is_empty();
        let last = fields.spans.len().saturating_sub(1);
        let ends = |at: usize| fields.spans.last().is_some_and(|span| span.bytes.end == at && is_padded(span.role));
        let (skipped, of) = match (fields.spans.iter().position(is_next), &outcome) {
            (Some(padding), _) => (fields.spans[padding].bytes.clone(), padding),
            // It is cut.
            (None, Err(error)) if error.at >= read && ends(error.at) => (error.at..error.at.next_multiple_of(4), last),
            (None, _) => (0..0, last),
        };
        if skipped.is_empty() {
            let more = longer.len() - packet.len();
            return Some((outcome.map(|decoded| Decoded { used: decoded.used - more, ..decoded }), place?));
        }
        place.get_or_insert_with(|| fields.padded(of));
        longer.splice(skipped.start..skipped.start, std::iter::repeat_n(0, skipped.len()));
        read = skipped.end;
    }
    None
}

/// Which two fields of a packet have been read in each other's place, and of what, if that explains the value.
pub(crate) fn exchanged(packet: &[u8], wrong: &Value, codec: &Codec) -> Option<(Lack, String)> {
    let fields = PacketFields::of(packet, codec);
    let all = (0..fields.spans.len()).flat_map(|place| fields.exchanged(place).map(move |found| (place, found)));
    let mut changed =
        all.map(|(place, (lack, changed))| (place, lack, changed(packet))).filter(|(.., changed)| changed != packet);
    let (place, lack, _) =
        changed.find(|(.., changed)| codec.decode(changed).is_ok_and(|read| read.value == *wrong))?;
    Some((lack, fields.owner(place)))
}

/// The length prefix of a packet.
pub(crate) fn length_in_front(packet: &[u8], framing: Framing) -> Option<usize> {
    let prefix = packet.first_chunk().copied()?;
    let length = match framing {
        Framing::U32Le => u32::from_le_bytes(prefix),
        Framing::U32Be => u32::from_be_bytes(prefix),
    };
    usize::try_from(length).ok()
}

/// The layout of an integer that a reply has as 2^63, which is what a double makes of it, and no integer of 64 bits.
pub(crate) fn rounded(value: &Value, words: &str, layouts: &Layouts) -> Option<String> {
    // As JavaScript writes a double, and as others do.
    const BEYOND: [&str; 3] = ["9223372036854775808", "9223372036854776000", "9.223372036854776e"];
    let is_beyond = BEYOND.into_iter().any(|beyond| words.contains(beyond));
    let fields = is_beyond.then(|| fields_of(value, layouts))?;
    let largest = fields.iter().find(|field| matches!(field.value, FieldValue::Int(int) if int > i64::MAX - 512))?;
    Some(owner(&fields, &largest.path).1)
}

pub(crate) fn has_dictionary(value: &Value) -> bool {
    matches!(value, Value::Dictionary(_)) || value.children().into_iter().any(has_dictionary)
}

pub(crate) fn reverse(value: &mut Value) {
    value.children_mut().into_iter().for_each(reverse);
    if let Value::Dictionary(dictionary) = value {
        dictionary.entries.reverse();
    }
}

/// The value with the key of each entry as its value.
pub(crate) fn turned(value: &Value) -> Value {
    fn turn(value: &mut Value) {
        value.children_mut().into_iter().for_each(turn);
        if let Value::Dictionary(dictionary) = value {
            dictionary.entries.iter_mut().for_each(|(key, value)| std::mem::swap(key, value));
        }
    }
    let mut value = value.clone();
    turn(&mut value);
    value
}

/// Whether a reply has a negative number of this value as an unsigned one.
pub(crate) fn is_unsigned(value: &Value, words: &str) -> bool {
    let own = matches!(value, Value::Int(int) if *int < 0 && words.contains(&int.cast_unsigned().to_string()));
    own || value.children().into_iter().any(|child| is_unsigned(child, words))
}
