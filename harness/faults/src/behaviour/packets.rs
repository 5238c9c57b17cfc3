//! Faults with whole packets: what is accepted, what counts as consumed, what earlier requests change.

use std::ops::Range;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Refusal, Role, Span, Spans, Text, Value};
use variant_specs::{Dialect, JudgedBy, Layout, LayoutId, Scalar, Shape};

use super::numbers::always_wide;
use super::{CodecFault, accepts, answers, fault, of_shape, reads, typed_arrays};
use crate::fault::{Mutation, Reader, refusal};
use crate::packet::Splice;
use variant_values::implementation::{Answer, Input, RefusalReason};

pub(super) const FAULTS: &[CodecFault] = &[
    fault("count-trusted", "as many elements are read as there are, whatever the count says", |_| {
        accepts(count_trusted)
    }),
    fault("count-kills", "room is made for as many elements as the count says, which ends the process", |_| {
        answers(|_, answer, _| if is(&answer, Refusal::Length) { killed() } else { answer })
    }),
    fault("deep-values-kill", "levels are not counted, which ends the process", |dialect| {
        dialect.depth?;
        answers(|_, answer, _| if is(&answer, Refusal::TooDeep) { killed() } else { answer })
    }),
    fault("deep-dictionaries-kill", "levels of dictionaries are not counted, which ends the process", |dialect| {
        dialect.depth?;
        let dictionary = dialect.type_of_shape(Shape::Dictionary)?.id.to_le_bytes();
        answers(move |request, answer, _| {
            let in_dictionaries = match &request.input {
                Input::Decode(packet) | Input::Reencode(packet) => packet.first() == dictionary.first(),
                Input::Encode(_) => false,
            };
            if in_dictionaries && is(&answer, Refusal::TooDeep) { killed() } else { answer }
        })
    }),
    fault("negative-count-is-empty", "a negative count is read as none", |_| {
        reads_instead(Refusal::Length, |packet, at| is_negative(packet, at).then(|| with_word(packet, at, 0)))
    }),
    fault("cut-packet-read-as-zeros", "what is missing of a packet is read as zeros", |_| accepts(zeros_behind)),
    fault("cut-numbers-are-zeros", "numbers that are missing of a packet are read as zeros", |_| {
        accepts(|reader, packet, error| {
            let mut trace = Spans::default();
            let is_cut = reader.codec.decode_traced(packet, &mut trace).is_err() && error.kind == Refusal::Truncated;
            let last = trace.spans.last().map(|span| span.role);
            // A count or the header of a value in a container says what follows.
            let is_header = packet.len() > 4 && matches!(last, Some(Role::Count | Role::Length | Role::Padding));
            if !is_cut || is_header || packet.is_empty() {
                return Err(error);
            }
            let decoded = reader.decode(&[packet, &[0; 64]].concat())?;
            Ok(Decoded { used: decoded.used.min(packet.len()), ..decoded })
        })
    }),
    fault("cut-count-is-none", "a count that is missing is read as none", |_| {
        reads_instead(Refusal::Truncated, |packet, at| (at >= 4).then(|| [packet, &[0; 4]].concat()))
    }),
    fault("cut-header-is-null", "a header that is missing is read as null", |_| {
        reads_instead(Refusal::Truncated, |packet, at| {
            (at == packet.len() && at >= 8).then(|| [packet, &[0; 4]].concat())
        })
    }),
    fault("empty-packet-is-null", "no bytes at all are read as null", |_| {
        accepts(
            |_, packet, error| {
                if packet.is_empty() { Ok(Decoded { value: Value::Null, used: 0 }) } else { Err(error) }
            },
        )
    }),
    fault("unknown-type-is-null", "a type that is none is read as null", |_| {
        reads_instead(Refusal::UnknownType, |packet, at| Some(with_word(packet, at, 0)))
    }),
    fault("unknown-type-of-a-packet-is-null", "a packet whose type is none is read as null", |_| {
        reads_instead(Refusal::UnknownType, |packet, at| (at == 0).then(|| with_word(packet, at, 0)))
    }),
    fault("unknown-type-kills", "a type that is none ends the process", |_| {
        answers(|_, answer, _| if is(&answer, Refusal::UnknownType) { killed() } else { answer })
    }),
    fault("flags-are-not-masked", "a header with any flag but those that its type has is no type", |dialect| {
        let known: Vec<(LayoutId, u32)> = dialect
            .types
            .iter()
            .map(|entry| (entry.layout, dialect.known_flags(dialect.layout(entry), JudgedBy::Engines)))
            .collect();
        let mask = dialect.header.id_mask;
        (mask != u32::MAX).then_some(())?;
        reads(move |field| {
            let Role::Header(layout) = field.role else { return None };
            let known = known.iter().find(|(own, _)| *own == layout).map_or(0, |(_, flags)| *flags);
            let word = u32::from_le_bytes(*field.bytes.first_chunk()?);
            // All ones are no type of any dialect.
            (word & !(mask | known) != 0).then(|| Splice::As(vec![0xff; 4]))
        })
    }),
    fault("bad-text-is-empty", "a text that is no UTF-8 is read as empty", |_| {
        // A text ends at its first NUL.
        reads_instead(Refusal::BadUtf8, |packet, at| Some(with(0, packet, at)))
    }),
    fault("bad-utf8-is-kept", "what is no UTF-8 is read as the bytes that it is", |dialect| {
        (!dialect.has("utf8=any")).then_some(())?;
        accepts(bad_text_kept)
    }),
    fault("bad-class-is-read", "the class or script of a typed container is read though it is no UTF-8", |dialect| {
        is_typed(dialect).then(bad_class_read)?
    }),
    fault("all-is-read-as-null", "whatever comes is read as null", |_| {
        answers(|request, answer, _| match request.input {
            Input::Decode(_) => Answer::Value { value: Value::Null, used: None },
            Input::Reencode(_) => Answer::Bytes(vec![0; 4]),
            Input::Encode(_) => answer,
        })
    }),
    fault("all-is-written-as-null", "whatever the value is, null is written", |_| {
        answers(
            |request, answer, _| {
                if matches!(request.input, Input::Decode(_)) { answer } else { Answer::Bytes(vec![0; 4]) }
            },
        )
    }),
    fault("nothing-is-written", "whatever the value is, no bytes are written", |_| {
        answers(
            |request, answer, _| {
                if matches!(request.input, Input::Decode(_)) { answer } else { Answer::Bytes(Vec::new()) }
            },
        )
    }),
    fault("refusals-are-null", "what is refused is answered with null", |_| {
        answers(|request, answer, _| match (&request.input, answer) {
            (Input::Decode(_), Answer::Refused(_)) => value(Value::Null, 0),
            (_, other) => other,
        })
    }),
    fault("refusals-are-empty-packets", "what cannot be encoded is no bytes", |_| {
        answers(|request, answer, _| match (&request.input, answer) {
            (Input::Encode(_), Answer::Refused(_)) => Answer::Bytes(Vec::new()),
            (_, other) => other,
        })
    }),
    fault("input-is-sent-on", "what was read is sent on as the bytes that came", |_| {
        answers(|request, answer, _| match (&request.input, answer) {
            (Input::Reencode(packet), Answer::Bytes(_)) => Answer::Bytes(packet.clone()),
            (_, other) => other,
        })
    }),
    fault("width-kept", "a number is sent on in the width in which it came", |dialect| {
        dialect.rules.wide_numbers.then_some(())?;
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let numbers = [Shape::Int, Shape::Float].map(|shape| dialect.type_of_shape(shape).map(|entry| entry.layout));
        answers(move |request, answer, _| match (&request.input, answer) {
            (Input::Reencode(packet), Answer::Bytes(bytes)) if request.framing.is_none() => {
                Answer::Bytes(in_the_width_of(&codec, &numbers, packet, &bytes).unwrap_or(bytes))
            }
            (_, other) => other,
        })
    }),
    fault("floats-as-wide-as-read", "floats are written in 64 bits, unless they were read in 32", |dialect| {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let numbers = [of_shape(dialect, Shape::Float)];
        let always_wide = always_wide(dialect, Shape::Float)?;
        let kept = answers(move |request, answer, _| match (&request.input, answer) {
            (Input::Reencode(packet), Answer::Bytes(bytes)) if request.framing.is_none() => {
                Answer::Bytes(in_the_width_of(&codec, &numbers, packet, &bytes).unwrap_or(bytes))
            }
            (_, other) => other,
        })?;
        Some(Mutation { writes: always_wide.writes, ..kept })
    }),
    fault("bytes-behind-refused", "bytes behind the value are refused", |dialect| {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        answers(move |request, answer, _| match (&request.input, used(&answer)) {
            (Input::Decode(packet), Some(used)) if used < packet.len() => refused(),
            (Input::Reencode(packet), _) if codec.decode(packet).is_ok_and(|decoded| decoded.used < packet.len()) => {
                refused()
            }
            _ => answer,
        })
    }),
    fault("all-is-consumed", "the whole input counts as consumed", |_| {
        answers(|request, answer, _| match &request.input {
            Input::Decode(packet) => consumed(answer, |_| packet.len()),
            Input::Encode(_) | Input::Reencode(_) => answer,
        })
    }),
    fault("header-is-not-consumed", "the header does not count as consumed", |_| {
        answers(|_, answer, _| consumed(answer, |used| used.saturating_sub(4)))
    }),
    fault("padding-is-not-consumed", "of the last four bytes, those that are zero do not count as consumed", |_| {
        answers(|request, answer, _| match (&request.input, used(&answer)) {
            (Input::Decode(packet), Some(used)) => {
                let tail = packet.get(used.saturating_sub(4)..used).unwrap_or_default();
                let zeros = tail.iter().rev().take_while(|byte| **byte == 0).count() % 4;
                consumed(answer, |used| used - zeros)
            }
            _ => answer,
        })
    }),
    fault("nothing-after-a-refusal", "after a refusal everything is refused", |_| {
        answers(|_, answer, history| if history.refused > 0 { refused() } else { answer })
    }),
    fault("last-answer-after-a-refusal", "after a refusal, the next answer is lost", |_| {
        answers(|_, answer, history| if matches!(history.last, Some(Answer::Refused(_))) { refused() } else { answer })
    }),
    fault("one-answer-late", "each answer is that to the request before", |_| {
        answers(|_, answer, history| history.last.clone().unwrap_or(answer))
    }),
    fault("every-hundredth-fails", "every hundredth request is refused", |_| {
        answers(|_, answer, history| if history.requests % 100 == 99 { refused() } else { answer })
    }),
    fault("first-fails", "the first request is refused", |_| {
        answers(|_, answer, history| if history.requests == 0 { refused() } else { answer })
    }),
    fault("long-packets-refused", "packets of more than 256 bytes are refused", |_| {
        answers(|request, answer, _| {
            let long = |bytes: &[u8]| bytes.len() > 256;
            let given = match &request.input {
                Input::Decode(packet) | Input::Reencode(packet) => long(packet),
                Input::Encode(_) => matches!(&answer, Answer::Bytes(bytes) if long(bytes)),
            };
            if given { refused() } else { answer }
        })
    }),
    fault("one-byte-more", "there is a byte behind each packet", |_| {
        answers(|_, answer, _| rewritten(answer, |bytes| [bytes, vec![0]].concat()))
    }),
    fault("four-bytes-more", "there are four bytes behind each packet", |_| {
        answers(|_, answer, _| rewritten(answer, |bytes| [bytes, vec![0; 4]].concat()))
    }),
    fault("last-byte-lost", "the last byte of each packet is lost", |_| {
        answers(|_, answer, _| rewritten(answer, |bytes| bytes[..bytes.len().saturating_sub(1)].to_vec()))
    }),
    fault("frame-counts-itself", "the length prefix of a packet counts itself", |_| {
        answers(|request, answer, _| match (request.framing, answer) {
            (Some(framing), Answer::Bytes(bytes)) => Answer::Bytes(reframed(framing, &bytes, 4)),
            (_, other) => other,
        })
    }),
    fault(
        "frame-is-always-little",
        "the length prefix of a packet is little-endian, whatever the request says",
        |_| {
            answers(|request, answer, _| match (request.framing, answer) {
                (Some(Framing::U32Be), Answer::Bytes(bytes)) => Answer::Bytes(reframed(Framing::U32Le, &bytes, 0)),
                (_, other) => other,
            })
        },
    ),
    fault("frame-is-not-written", "no length is written in front of a packet", |_| {
        answers(|request, answer, _| match (request.framing, answer) {
            (Some(_), Answer::Bytes(bytes)) => Answer::Bytes(bytes.get(4..).unwrap_or_default().to_vec()),
            (_, other) => other,
        })
    }),
    fault("frame-is-not-consumed", "the length prefix of a packet does not count as consumed", |_| {
        answers(|request, answer, _| match request.framing {
            Some(_) => consumed(answer, |used| used.saturating_sub(4)),
            None => answer,
        })
    }),
    fault("bytes-behind-a-frame-refused", "bytes behind a packet and its length are refused", |_| {
        answers(|request, answer, _| match (&request.input, request.framing, used(&answer)) {
            (Input::Decode(packet), Some(_), Some(used)) if used < packet.len() => refused(),
            _ => answer,
        })
    }),
    fault("frame-is-no-limit", "a value is read beyond the length in front of it", |dialect| {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        answers(move |request, answer, _| {
            let read = |framed: &[u8]| Some(codec.decode(framed.get(Framing::PREFIX..)?).ok()?.value);
            let is_short = |framed: &[u8], framing: Framing| {
                framed.first_chunk().is_some_and(|prefix| {
                    let length = usize::try_from(framing.length(*prefix)).unwrap_or(usize::MAX);
                    length <= framed.len() - Framing::PREFIX
                })
            };
            match (&request.input, request.framing, &answer) {
                (Input::Decode(framed), Some(framing), Answer::Refused(_)) if is_short(framed, framing) => {
                    read(framed).map_or(answer, |value| Answer::Value { value, used: None })
                }
                (Input::Reencode(framed), Some(framing), Answer::Refused(_)) if is_short(framed, framing) => {
                    let bytes = read(framed).and_then(|value| codec.encode(&value).ok());
                    let prefix = |bytes: &[u8]| framing.prefix(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
                    bytes.map_or(answer, |bytes| Answer::Bytes([&prefix(&bytes), bytes.as_slice()].concat()))
                }
                _ => answer,
            }
        })
    }),
    fault("flags-written-again", "the flags of what was read are written again when it is sent on", |_| {
        answers(|request, answer, _| match (&request.input, answer) {
            (Input::Reencode(packet), Answer::Bytes(mut bytes)) if request.framing.is_none() => {
                bytes.iter_mut().zip(packet).skip(2).take(2).for_each(|(byte, flags)| *byte = *flags);
                Answer::Bytes(bytes)
            }
            (_, other) => other,
        })
    }),
    fault("cut-is-what-there-is", "texts and byte arrays that end early are read as far as they go", |_| {
        accepts(|reader, packet, error| {
            what_there_is(reader, packet, error, |shape, is_first, of| {
                is_text_at(shape, is_first, of) || is_bytes_at(shape, is_first, of)
            })
        })
    }),
    fault("cut-text-is-what-there-is", "a text that ends early is read as far as it goes", |_| {
        accepts(|reader, packet, error| what_there_is(reader, packet, error, is_text_at))
    }),
    fault(
        "short-text-is-what-there-is",
        "a text that ends early is read as far as it goes, unless its length is negative",
        |_| {
            accepts(|reader, packet, error| {
                if is_negative(packet, error.at) {
                    Err(error)
                } else {
                    what_there_is(reader, packet, error, is_text_at)
                }
            })
        },
    ),
    fault("cut-bytes-are-what-there-is", "a byte array that ends early is read as far as it goes", |_| {
        accepts(|reader, packet, error| what_there_is(reader, packet, error, is_bytes_at))
    }),
    fault("missing-padding-is-not-missed", "packets whose padding is missing at the end are accepted", |_| {
        accepts(padded_at_end)
    }),
    fault("cut-length-is-none", "a text whose length is missing is read as empty", |_| {
        reads_instead(Refusal::Truncated, |packet, at| {
            (at >= 4 && at == packet.len()).then(|| [packet, &[0; 4]].concat())
        })
    }),
    fault("always-framed", "each packet has a length in front of it", |_| {
        answers(|request, answer, _| match (request.framing, answer) {
            (None, Answer::Bytes(bytes)) => {
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                Answer::Bytes([&length.to_le_bytes(), bytes.as_slice()].concat())
            }
            (_, other) => other,
        })
    }),
];

/// The packet with each number as it is in another packet that has the same numbers.
fn in_the_width_of(codec: &Codec, numbers: &[Option<LayoutId>], other: &[u8], packet: &[u8]) -> Option<Vec<u8>> {
    let places = |packet: &[u8]| -> Option<Vec<Range<usize>>> {
        let mut trace = Spans::default();
        codec.decode_traced(packet, &mut trace).ok()?;
        let is_number = |span: &Span| matches!(span.role, Role::Header(layout) if numbers.contains(&Some(layout)));
        let pairs = trace.spans.windows(2).filter(|pair| is_number(&pair[0]));
        Some(pairs.map(|pair| pair[0].bytes.start..pair[1].bytes.end).collect())
    };
    let (from, to) = (places(other)?, places(packet)?);
    let mut written = packet.to_vec();
    for (from, to) in from.iter().zip(&to).rev().filter(|_| from.len() == to.len()) {
        let (own, mut other) = (packet.get(to.clone())?, other.get(from.clone())?.to_vec());
        // The header with its other bits, which mean nothing, is not kept.
        other.iter_mut().zip(own).take(4).enumerate().for_each(|(place, (byte, own))| {
            *byte = if place == 2 { own & !1 | *byte & 1 } else { *own };
        });
        written.splice(to.clone(), other);
    }
    Some(written)
}

fn is(answer: &Answer, refusal: Refusal) -> bool {
    matches!(answer, Answer::Refused(RefusalReason { kind: Some(kind), .. }) if kind == refusal.name())
}

fn killed() -> Answer {
    Answer::Crashed("killed by signal 9".to_owned())
}

fn rewritten(answer: Answer, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Answer {
    if let Answer::Bytes(bytes) = answer { Answer::Bytes(change(bytes)) } else { answer }
}

fn refused() -> Answer {
    Answer::Refused(refusal("this faulty codec refuses it"))
}

fn value(value: Value, used: usize) -> Answer {
    Answer::Value { value, used: u64::try_from(used).ok() }
}

fn used(answer: &Answer) -> Option<usize> {
    if let Answer::Value { used: Some(used), .. } = answer { usize::try_from(*used).ok() } else { None }
}

/// The answer with another number of bytes consumed.
fn consumed(mut answer: Answer, change: impl Fn(usize) -> usize) -> Answer {
    let before = used(&answer);
    if let (Answer::Value { used, .. }, Some(before)) = (&mut answer, before) {
        *used = u64::try_from(change(before)).ok();
    }
    answer
}

/// Where a packet is refused for this reason, another is read instead.
pub(super) fn reads_instead(kind: Refusal, other: fn(&[u8], usize) -> Option<Vec<u8>>) -> Option<Mutation> {
    accepts(move |reader, packet, error| match other(packet, error.at) {
        Some(other) if error.kind == kind => reader.decode(&other),
        Some(_) | None => Err(error),
    })
}

/// What is shorter than it says is read as far as it goes, where it is something that counts its bytes.
fn what_there_is(
    reader: &Reader<'_>,
    packet: &[u8],
    error: DecodeError,
    counts_bytes: fn(Shape, bool, Option<Scalar>) -> bool,
) -> Result<Decoded, DecodeError> {
    let mut trace = Spans::default();
    let decoded = reader.codec.decode_traced(packet, &mut trace);
    let header = trace.spans.iter().rev().find_map(|span| match span.role {
        Role::Header(layout) => Some((reader.codec.layouts().get(layout), span.bytes.end)),
        _ => None,
    });
    let here = |(layout, behind): (&Layout, usize)| counts_bytes(layout.shape, behind == error.at, layout.of);
    if error.kind != Refusal::Length || decoded.err() != Some(error) || !header.is_some_and(here) {
        return Err(error);
    }
    let there = packet.get(error.at + 4..).unwrap_or_default();
    let length = u32::try_from(there.len()).unwrap_or(u32::MAX);
    let padding = vec![0; there.len().next_multiple_of(4) - there.len()];
    let decoded = reader.decode(&[&packet[..error.at], &length.to_le_bytes(), there, &padding].concat())?;
    Ok(Decoded { used: decoded.used.min(packet.len()), ..decoded })
}

/// Reads a packet whose last padding is missing.
fn padded_at_end(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    let padded = packet.len().next_multiple_of(4);
    if packet.len() == padded || !matches!(error.kind, Refusal::Truncated | Refusal::Length) {
        return Err(error);
    }
    let decoded = reader.decode(&[packet, &vec![0; padded - packet.len()]].concat())?;
    Ok(Decoded { used: decoded.used.min(packet.len()), ..decoded })
}

fn is_negative(packet: &[u8], at: usize) -> bool {
    packet.get(at + 3).is_some_and(|high| high & 0x80 != 0)
}

fn is_text_at(shape: Shape, is_first: bool, _: Option<Scalar>) -> bool {
    match shape {
        Shape::Text => true,
        Shape::NodePath | Shape::PackedText => !is_first,
        _ => false,
    }
}

fn is_bytes_at(shape: Shape, is_first: bool, of: Option<Scalar>) -> bool {
    shape == Shape::Packed && of == Some(Scalar::Byte) && is_first
}

/// A class or script that is no UTF-8 is read as blanks.
fn bad_class_read() -> Option<Mutation> {
    accepts(
        |reader, packet, error| {
            if is_class(reader, packet, error) { reader.decode(&with(b' ', packet, error.at)) } else { Err(error) }
        },
    )
}

/// Whether what is no UTF-8 is the class or script of a typed container.
pub(super) fn is_class(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> bool {
    let mut trace = Spans::default();
    let refused = error.kind == Refusal::BadUtf8 && reader.codec.decode_traced(packet, &mut trace).is_err();
    let is_class = |path: &str| path.ends_with("class.text") || path.ends_with("script.text");
    refused && trace.spans.iter().any(|span| span.bytes.start == error.at && is_class(&span.path))
}

/// Whether the dialect has containers whose elements have a class.
pub(super) fn is_typed(dialect: &Dialect) -> bool {
    typed_arrays(dialect).next().is_some() || dialect.has("typed-containers=arrays|all")
}

/// Reads a text that is no UTF-8 as it is.
fn bad_text_kept(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    // No case has this letter in a text.
    const INSTEAD: u8 = 0x1a;
    if error.kind != Refusal::BadUtf8 {
        return Err(error);
    }
    let own = packet[error.at..].iter().take_while(|byte| **byte != 0).count();
    let mut decoded = reader.decode(&with(INSTEAD, packet, error.at))?;
    texts(&mut decoded.value, &mut |text| {
        let length = text.as_bytes().len();
        if length > 0 && text.as_bytes().iter().all(|byte| *byte == INSTEAD) {
            *text = Text::from_bytes(&packet[error.at..][..length.min(own)]);
        }
    });
    Ok(decoded)
}

/// Every text of a value, those within too.
pub(super) fn texts(value: &mut Value, change: &mut dyn FnMut(&mut Text)) {
    match value {
        Value::Text(_, text) => change(text),
        Value::PackedText(_, list) => list.iter_mut().for_each(change),
        Value::NodePath(path) => path.names.iter_mut().chain(&mut path.subnames).for_each(change),
        other => other.children_mut().into_iter().for_each(|child| texts(child, change)),
    }
}

/// The packet with this byte in the place of each of the text at this offset.
fn with(byte: u8, packet: &[u8], at: usize) -> Vec<u8> {
    let text = packet[at..].iter().take_while(|byte| **byte != 0).count();
    [&packet[..at], &vec![byte; text], &packet[at + text..]].concat()
}

pub(super) fn with_word(packet: &[u8], at: usize, word: u32) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet.iter_mut().skip(at).zip(word.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    packet
}

fn count_trusted(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    if error.kind != Refusal::Length {
        return Err(error);
    }
    let left = u32::try_from(packet.len() - error.at).unwrap_or(u32::MAX);
    (0..left).rev().find_map(|count| reader.codec.decode(&with_word(packet, error.at, count)).ok()).ok_or(error)
}

fn zeros_behind(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    if error.kind != Refusal::Truncated {
        return Err(error);
    }
    let decoded = reader.decode(&[packet, &[0; 256]].concat())?;
    Ok(Decoded { used: decoded.used.min(packet.len()), ..decoded })
}

fn reframed(framing: Framing, bytes: &[u8], more: u32) -> Vec<u8> {
    let body = bytes.get(Framing::PREFIX..).unwrap_or_default();
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX) + more;
    [&framing.prefix(length), body].concat()
}
