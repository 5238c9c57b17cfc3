//! The length in front of a packet.

use variant_codec::{Codec, Framing};
use variant_specs::JudgedBy;

use super::packets::{consumed, refused, used};
use super::{CodecFault, answers, fault};
use variant_values::implementation::{Answer, Input};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("frame-counts-itself", "the length prefix that is written in front of a packet counts itself").written(
            |request, bytes| match request.framing {
                Some(framing) => reframed(framing, &bytes, 4),
                None => bytes,
            },
        ),
        fault("frame-is-always-little", "the length prefix of a packet is little-endian, whatever the request says")
            .written(|request, bytes| match request.framing {
                Some(Framing::U32Be) => reframed(Framing::U32Le, &bytes, 0),
                _ => bytes,
            }),
        fault("frame-is-always-big", "the length prefix of a packet is big-endian, whatever the request says").written(
            |request, bytes| match request.framing {
                Some(Framing::U32Le) => reframed(Framing::U32Be, &bytes, 0),
                _ => bytes,
            },
        ),
        fault("frame-is-read-as-big", "a length prefix in little-endian order is refused")
            .answers(|request, answer, _| match (&request.input, request.framing) {
                // The other way round, it is more than is there.
                (Input::Decode(packet) | Input::Reencode(packet), Some(Framing::U32Le))
                    if packet.first_chunk::<{ Framing::PREFIX }>().is_some_and(|prefix| prefix[3] != prefix[0]) =>
                {
                    refused()
                }
                _ => answer,
            })
            .part_of("frame-is-always-big"),
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
        fault("frame-is-no-limit", "a value is read beyond the length in front of it").by(|dialect| {
            let codec = Codec::new(dialect, JudgedBy::Engines);
            answers(move |request, answer, _| {
                let Some(framing) = request.framing.filter(|_| matches!(answer, Answer::Refused(_))) else {
                    return answer;
                };
                // The length itself is right: so many bytes are there.
                let unlimited = |framed: &[u8]| {
                    let (prefix, packet) = framed.split_first_chunk()?;
                    let is_there = usize::try_from(framing.length(*prefix)).is_ok_and(|length| length <= packet.len());
                    codec.decode(packet).ok().filter(|_| is_there).map(|decoded| decoded.value)
                };
                let other = match &request.input {
                    Input::Decode(framed) => unlimited(framed).map(|value| Answer::Value { value, used: None }),
                    Input::Reencode(framed) => {
                        let bytes = unlimited(framed).and_then(|value| codec.encode(&value).ok());
                        bytes.map(|bytes| {
                            Answer::Bytes(reframed(framing, &[&[0; Framing::PREFIX], &bytes[..]].concat(), 0))
                        })
                    }
                    Input::Encode(_) => None,
                };
                other.unwrap_or(answer)
            })
        }),
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

fn reframed(framing: Framing, bytes: &[u8], more: u32) -> Vec<u8> {
    let body = bytes.get(Framing::PREFIX..).unwrap_or_default();
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX) + more;
    [&framing.prefix(length), body].concat()
}
