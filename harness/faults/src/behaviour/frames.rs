//! The length in front of a packet.

use variant_codec::{Codec, Decoded, Framing};
use variant_specs::{Dialect, JudgedBy};

use super::packets::{consumed, refused, used};
use crate::builder::{CodecFault, answers, fault};
use crate::fault::{LengthChange, Mutation};
use variant_values::implementation::{Answer, Input};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("frame-counts-itself", "the length prefix of a packet counts itself").by(|_| {
            let read: LengthChange = |_, length| length.saturating_sub(4);
            Some(Mutation {
                length_read: Some(read),
                length_written: Some(|_, length| length + 4),
                ..Mutation::default()
            })
        }),
        fault("frame-is-always-little", "the length prefix of a packet is little-endian, whatever the request says")
            .by(|_| in_other_order(|framing, length| other_order(framing == Framing::U32Be, length))),
        fault("frame-is-always-big", "the length prefix of a packet is big-endian, whatever the request says")
            .by(|_| in_other_order(|framing, length| other_order(framing == Framing::U32Le, length))),
        fault("frame-is-in-the-other-order", "the length prefix of a packet is in the other byte order")
            .by(|_| in_other_order(|_, length| length.swap_bytes())),
        fault("frame-is-not-written", "no length is written in front of a packet").written(|request, bytes| {
            match request.framing {
                Some(_) => bytes.get(Framing::PREFIX..).unwrap_or_default().to_vec(),
                None => bytes,
            }
        }),
        fault("frame-is-not-consumed", "the length prefix of a packet does not count as consumed").answers(
            |request, answer, _| match request.framing {
                Some(_) => consumed(answer, |used| used.saturating_sub(4)),
                None => answer,
            },
        ),
        fault("bytes-behind-a-frame-refused", "bytes behind a packet and its length are refused").answers(
            |request, answer, _| match (&request.input, request.framing, used(&answer)) {
                (Input::Decode(packet), Some(_), Some(used)) if used < packet.len() => refused(),
                _ => answer,
            },
        ),
        fault("frame-is-no-limit", "a value is read beyond the length in front of it")
            .by(|dialect| unlimited(dialect, Use { checked: true, limits: false, counted: false })),
        fault(
            "frame-is-no-limit-and-not-counted",
            "a value is read beyond the length in front of it, and counts alone as consumed",
        )
        .by(|dialect| unlimited(dialect, Use { checked: true, limits: false, counted: true })),
        fault("frame-is-not-counted", "what a value takes counts as consumed, not the length in front of it")
            .by(|dialect| unlimited(dialect, Use { checked: true, limits: true, counted: true })),
        fault("frame-is-not-read", "the length in front of a packet is not looked at")
            .by(|dialect| unlimited(dialect, Use { checked: false, limits: false, counted: true })),
        fault("frame-beyond-the-end-cut", "a length in front of a packet that is beyond the end counts to the end")
            .by(|dialect| unlimited(dialect, Use { checked: false, limits: true, counted: false })),
        fault("always-framed", "each packet has a length in front of it").written(|request, bytes| {
            match request.framing {
                Some(_) => bytes,
                None => {
                    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                    [&length.to_le_bytes(), bytes.as_slice()].concat()
                }
            }
        }),
    ]
}

/// What a reader does with the length in front of a packet.
#[derive(Clone, Copy)]
struct Use {
    /// Whether so many bytes must be there.
    checked: bool,
    /// Whether a value ends there.
    limits: bool,
    /// Whether what the value takes counts as consumed.
    counted: bool,
}

/// A value is read behind a length that is used so.
fn unlimited(dialect: &Dialect, how: Use) -> Option<Mutation> {
    let codec = Codec::new(dialect, JudgedBy::Engines);
    answers(move |request, answer, _| {
        let is_other = how.counted || matches!(answer, Answer::Refused(_));
        let Some(framing) = request.framing.filter(|_| is_other) else { return answer };
        let read = |framed: &[u8]| {
            let (prefix, packet) = framed.split_first_chunk()?;
            let length = usize::try_from(framing.length(*prefix)).ok();
            let own =
                length.and_then(|length| packet.get(..if how.checked { length } else { length.min(packet.len()) }));
            codec.decode(if how.limits { own? } else { packet }).ok().filter(|_| own.is_some() || !how.checked)
        };
        let other = match &request.input {
            Input::Decode(framed) => read(framed).map(|Decoded { value, used }| Answer::Value {
                value,
                used: u64::try_from(Framing::PREFIX + used).ok().filter(|_| how.counted),
            }),
            Input::Reencode(framed) => {
                let bytes = read(framed).and_then(|decoded| codec.encode(&decoded.value).ok());
                bytes.map(|bytes| {
                    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                    Answer::Bytes([&framing.prefix(length), &bytes[..]].concat())
                })
            }
            Input::Encode(_) => None,
        };
        other.unwrap_or(answer)
    })
}

fn other_order(is_other: bool, length: u32) -> u32 {
    if is_other { length.swap_bytes() } else { length }
}

/// The length is read and written in another byte order.
fn in_other_order(change: LengthChange) -> Option<Mutation> {
    Some(Mutation { length_read: Some(change), length_written: Some(change), ..Mutation::default() })
}
