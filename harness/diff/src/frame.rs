//! Packets with their length prefix: the frame, and the packet in it.

use std::ops::Range;

use variant_codec::{Codec, Framing, Span};

/// The name of the length in listings.
pub(super) const FIELD: &str = "prefix";

/// A packet with its length prefix.
pub(super) fn framed(packet: &[u8], framing: Framing) -> Vec<u8> {
    let length = u32::try_from(packet.len()).unwrap_or(u32::MAX);
    [&framing.prefix(length), packet].concat()
}

/// The place of the packet after its length; `None` if the length is wrong.
pub(super) fn inside(input: &[u8], framing: Framing) -> Option<Range<usize>> {
    let (prefix, rest) = input.split_first_chunk::<{ Framing::PREFIX }>()?;
    let length = usize::try_from(framing.length(*prefix)).ok()?;
    (length <= rest.len()).then_some(Framing::PREFIX..Framing::PREFIX + length)
}

/// The field of this byte: of the frame, or of the packet in it.
pub(super) fn field(input: &[u8], at: usize, framing: Option<Framing>, codec: &Codec) -> Option<String> {
    let (packet, at) = match framing {
        None => (input, at),
        Some(_) if at < Framing::PREFIX => return Some(FIELD.to_owned()),
        Some(framing) => (input.get(inside(input, framing)?)?, at - Framing::PREFIX),
    };
    spans(packet, codec).into_iter().find(|span| span.bytes.contains(&at)).map(|span| span.path)
}

/// The fields of a packet, as far as it can be read.
pub(super) fn spans(packet: &[u8], codec: &Codec) -> Vec<Span> {
    let (trace, _) = codec.traced(packet);
    trace.spans
}
