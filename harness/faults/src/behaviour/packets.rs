//! Faults with whole packets: what is accepted, what counts as consumed, what earlier requests change.

use std::ops::Range;

use variant_codec::{Codec, DecodeError, Decoded, Dictionary, Refusal, Role, Span, Text, Value};
use variant_specs::{Dialect, FLAG_1, JudgedBy, Layout, LayoutId, Scalar, Shape, UnknownFlags, WideReals};

use super::floats::floats_wide;
use super::texts::each_text;
use crate::builder::{
    CodecFault, accepts, answers, fault, is_refused_as, killed, layouts_where, of_shape, reads, reads_instead,
    rewritten, writes, written,
};
use crate::fault::{Mutation, REFUSES, Reader, header_before, refusal};
use crate::packet::{MutatedField, Splice};
use variant_values::implementation::{Answer, Input, Request};
use variant_values::reference;

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("count-kills", "room is made for as many elements as the count says, which ends the process")
            .answers(|_, answer, _| if is_refused_as(&answer, Refusal::Length) { killed() } else { answer }),
        fault("negative-count-is-empty", "a negative length or count is read as none")
            .reads_instead(Refusal::Length, |packet, at| is_negative(packet, at).then(|| with_word(packet, at, 0))),
        fault("end-of-the-packet-refused", "a value that ends where the packet ends is refused").reads(|field| {
            // Padding of bytes may be missing there.
            let is_needed = field.role != Role::Padding || field.is_padding_of_text();
            (is_needed && field.behind.is_empty() && !field.bytes.is_empty()).then_some(Splice::Refuse)
        }),
        fault("empty-packet-is-null", "no bytes at all are read as null").accepts(|_, packet, error| {
            if packet.is_empty() { Ok(Decoded { value: Value::Null, used: 0 }) } else { Err(error) }
        }),
        fault("unknown-type-is-null", "a type that is none is read as null").accepts(|reader, packet, error| {
            let (trace, _) = reader.codec.traced(packet);
            // Behind the header of a container that has types stand the ids of these.
            let is_of_elements = header_before(&trace, error.at).is_some_and(|(layout, end)| {
                let is_container = matches!(reader.codec.layouts().get(layout).shape, Shape::Array | Shape::Dictionary);
                is_container && (error.at == end || !trace.spans.iter().any(|span| span.role == Role::Count))
            });
            if error.kind != Refusal::UnknownType || is_of_elements {
                return Err(error);
            }
            reader.decode(&with_word(packet, error.at, 0))
        }),
        fault("unknown-type-of-a-packet-is-null", "a packet whose type is none is read as null")
            .reads_instead(Refusal::UnknownType, |packet, at| (at == 0).then(|| with_word(packet, at, 0))),
        fault("unknown-type-kills", "a type that is none ends the process")
            .answers(|_, answer, _| if is_refused_as(&answer, Refusal::UnknownType) { killed() } else { answer }),
        fault("null-takes-what-follows", "null is read with the four bytes behind its header, if they are there").by(
            |dialect| {
                let null = Role::Header(of_shape(dialect, Shape::Empty)?);
                reads(move |field| (field.role == null && field.behind.len() >= 4).then(|| field.widened(4)))
            },
        ),
        fault("all-big-endian", "everything is in big-endian order: headers, lengths, counts and numbers")
            .by(|_| big_endian(|scalar| scalar != Scalar::Byte)),
        fault("words-big-endian", "headers, lengths, counts and integers of 32 bits are in big-endian order")
            .by(|_| big_endian(|scalar| scalar == Scalar::Int32)),
        fault("headers-read-big-endian", "the header is read in big-endian order").reads(|field| {
            let turned = field.bytes.iter().rev().copied().collect();
            field.is_header().then_some(Splice::As(turned))
        }),
        fault("flags-in-the-second-byte", "the flags of a header are in its second byte, not in its upper half").by(
            |dialect| {
                dialect.rules.wide_numbers.then_some(())?;
                let header = |field: &MutatedField<'_>| -> Option<[u8; 4]> {
                    field.bytes.first_chunk().copied().filter(|_| field.is_header())
                };
                let read = reads(move |field| {
                    let [id, flags, ..] = header(field)?;
                    Some(Splice::As(vec![id, 0, flags, 0]))
                })?;
                let written = writes(move |field| {
                    let [id, _, flags, above] = header(field)?;
                    Some(vec![id, flags, above, 0])
                })?;
                Some(Mutation { reads: read.reads, ..written })
            },
        ),
        fault(
            "any-flag-is-flag-1",
            "any flag of a header counts as flag 1: wide numbers are read, or refused where they do not fit",
        )
        .by(|dialect| flag_1_read(dialect, |flags| flags != 0)),
        fault("flag-1-not-seen", "flag 1 of a header is not seen: wide numbers are read as narrow ones")
            .by(|dialect| flag_1_read(dialect, |_| false)),
        fault("flag-1-stays", "flag 1 of a header stays set for all values behind it").by(flag_1_stays),
        fault("flag-2-for-flag-1", "bit 17 of a header is taken for flag 1, which is bit 16").by(|dialect| {
            let written = writes(|field| {
                let header = field.word().filter(|word| field.is_header() && word & FLAG_1 != 0)?;
                Some((header & !FLAG_1 | FLAG_1 << 1).to_le_bytes().to_vec())
            })?;
            Some(Mutation { reads: flag_1_read(dialect, |flags| flags & 2 != 0)?.reads, ..written })
        }),
        fault("flag-1-not-seen-by-elements", "flag 1 of a header is not seen: wide numbers are read as narrow ones")
            .by(elements_narrow)
            .part_of("flag-1-not-seen"),
        fault("flag-1-only-alone", "flag 1 is not seen beside another flag")
            .by(|dialect| flag_1_read(dialect, |flags| flags == 1)),
        fault("flag-1-widens-ints", "flag 1 of a vector of integers is not ignored: its numbers then have 64 bits").by(
            |dialect| {
                let of_ints = |layout: &Layout| layout.shape == Shape::Fields && layout.of == Some(Scalar::Int32);
                widened(dialect, of_ints)
            },
        ),
        fault("bad-text-is-empty", "a text that is no UTF-8 is read as empty").by(|_| {
            // A text ends at its first NUL.
            reads_instead(Refusal::BadUtf8, |packet, at| Some(with_letters_of(0, packet, at)))
        }),
        fault("bad-utf8-is-kept", "what is no UTF-8 is read as the bytes that it is").by(|dialect| {
            (!dialect.has("utf8=any")).then_some(())?;
            accepts(bad_text_kept)
        }),
        fault("all-is-read-as-null", "whatever comes is read as null").answers(|request, answer, _| {
            match request.input {
                Input::Decode(_) => Answer::Value { value: Value::Null, used: None },
                Input::Reencode(_) => Answer::Bytes(vec![0; 4]),
                Input::Encode(_) => answer,
            }
        }),
        fault("all-is-written-as-null", "whatever the value is, null is written").by(|_| writes_always(&[0; 4])),
        fault("nothing-is-written", "whatever the value is, no bytes are written").by(|_| writes_always(&[])),
        fault("refusals-are-null", "what is refused is answered with null").answers(|request, answer, _| {
            match (&request.input, answer) {
                (Input::Decode(_), Answer::Refused(_)) => Answer::Value { value: Value::Null, used: None },
                (_, other) => other,
            }
        }),
        fault("refused-dictionaries-are-empty", "a dictionary that cannot be read is read as an empty one").by(
            |dialect| {
                let id = u8::try_from(dialect.type_of_shape(Shape::Dictionary)?.id).ok()?;
                answers(move |request, answer, _| match (&request.input, answer) {
                    (Input::Decode(packet), Answer::Refused(_)) if packet.first() == Some(&id) => {
                        value(Value::Dictionary(Dictionary::default()), 0)
                    }
                    (Input::Reencode(packet), Answer::Refused(_)) if packet.first() == Some(&id) => {
                        Answer::Bytes(vec![id, 0, 0, 0, 0, 0, 0, 0])
                    }
                    (_, other) => other,
                })
            },
        ),
        fault("refusals-are-empty-packets", "what cannot be encoded is no bytes").answers(|request, answer, _| match (
            &request.input,
            answer,
        ) {
            (Input::Encode(_), Answer::Refused(_)) => Answer::Bytes(Vec::new()),
            (_, other) => other,
        }),
        fault("input-is-sent-on", "what was read is sent on as the bytes that came").written(|request, bytes| {
            match &request.input {
                Input::Reencode(packet) => packet.clone(),
                _ => bytes,
            }
        }),
        fault("width-kept", "a number is sent on in the width in which it came").by(|dialect| {
            dialect.rules.wide_numbers.then_some(())?;
            width_kept(dialect, &[Shape::Int, Shape::Float])
        }),
        fault("floats-as-wide-as-read", "floats are written in 64 bits, unless they were read in 32").by(|dialect| {
            let Mutation { writes, .. } = floats_wide(dialect, |_| true)?;
            Some(Mutation { writes, ..width_kept(dialect, &[Shape::Float])? })
        }),
        fault("bytes-behind-refused", "bytes behind the value are refused").by(|dialect| {
            let codec = Codec::new(dialect, JudgedBy::Engines);
            answers(move |request, answer, _| match &request.input {
                Input::Decode(bytes) | Input::Reencode(bytes) => {
                    let framed = request.framing.and_then(|framing| {
                        let (prefix, rest) = bytes.split_first_chunk()?;
                        rest.get(..usize::try_from(framing.length(*prefix)).ok()?)
                    });
                    let packet = framed.unwrap_or(bytes);
                    let read = reference::allowing(&codec, request.objects).decode(packet);
                    if read.is_ok_and(|decoded| decoded.used < packet.len()) { refused() } else { answer }
                }
                Input::Encode(_) => answer,
            })
        }),
        fault("all-is-consumed", "the whole input counts as consumed").answers(|request, answer, _| {
            match &request.input {
                Input::Decode(packet) => consumed(answer, |_| packet.len()),
                Input::Encode(_) | Input::Reencode(_) => answer,
            }
        }),
        fault("header-is-not-consumed", "the header does not count as consumed")
            .answers(|_, answer, _| consumed(answer, |used| used.saturating_sub(4))),
        fault("padding-is-not-consumed", "of the last four bytes, those that are zero do not count as consumed")
            .answers(|request, answer, _| match (&request.input, used(&answer)) {
                (Input::Decode(packet), Some(used)) => {
                    let tail = packet.get(used.saturating_sub(4)..used).unwrap_or_default();
                    let zeros = tail.iter().rev().take_while(|byte| **byte == 0).count() % 4;
                    consumed(answer, |used| used - zeros)
                }
                _ => answer,
            }),
        fault("missing-padding-is-not-consumed", "padding that is missing at the end does not count as consumed")
            .answers(|request, answer, _| match &request.input {
                Input::Decode(packet) => consumed(answer, |used| used.min(packet.len())),
                Input::Encode(_) | Input::Reencode(_) => answer,
            }),
        fault("nothing-after-a-refusal", "after a refusal everything is refused")
            .answers(|_, answer, history| if history.refused > 0 { refused() } else { answer }),
        fault("last-answer-after-a-refusal", "after a refusal, the next answer is lost").answers(
            |_, answer, history| if matches!(history.last, Some(Answer::Refused(_))) { refused() } else { answer },
        ),
        fault("one-answer-late", "each answer is that to the request before")
            .answers(|_, answer, history| history.last.clone().unwrap_or(answer)),
        fault("every-hundredth-fails", "every hundredth request is refused")
            .answers(|_, answer, history| if history.requests % 100 == 99 { refused() } else { answer }),
        fault("first-fails", "the first request is refused")
            .answers(|_, answer, history| if history.requests == 0 { refused() } else { answer }),
        fault("long-packets-refused", "packets of more than 256 bytes are refused").answers(|request, answer, _| {
            let long = |bytes: &[u8]| bytes.len() > 256;
            let given = match &request.input {
                Input::Decode(packet) | Input::Reencode(packet) => long(packet),
                Input::Encode(_) => matches!(&answer, Answer::Bytes(bytes) if long(bytes)),
            };
            if given { refused() } else { answer }
        }),
        fault("one-byte-more", "there is a byte behind each packet").written(|_, bytes| [bytes, vec![0]].concat()),
        fault("four-bytes-more", "there are four bytes behind each packet")
            .written(|_, bytes| [bytes, vec![0; 4]].concat()),
        fault("last-byte-lost", "the last byte of each packet is lost")
            .written(|_, bytes| bytes[..bytes.len().saturating_sub(1)].to_vec()),
        fault("flags-written-again", "the flags of what was read are written again when it is sent on").written(
            |request, mut bytes| {
                if let (Input::Reencode(packet), None) = (&request.input, request.framing) {
                    bytes.iter_mut().zip(packet).skip(2).take(2).for_each(|(byte, flags)| *byte = *flags);
                }
                bytes
            },
        ),
    ]
}

/// Numbers of these shapes are sent on in the width in which they came.
fn width_kept(dialect: &Dialect, shapes: &[Shape]) -> Option<Mutation> {
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let numbers: Vec<_> = shapes.iter().map(|shape| of_shape(dialect, *shape)).collect();
    written(move |request, bytes| match (&request.input, request.framing) {
        (Input::Reencode(packet), None) => in_the_width_of(&codec, &numbers, packet, &bytes).unwrap_or(bytes),
        _ => bytes,
    })
}

/// The packet with each number as it is in another packet that has the same numbers.
fn in_the_width_of(codec: &Codec, numbers: &[Option<LayoutId>], other: &[u8], packet: &[u8]) -> Option<Vec<u8>> {
    let places = |packet: &[u8]| -> Option<Vec<Range<usize>>> {
        let (trace, Ok(_)) = codec.traced(packet) else { return None };
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

/// A reader that tells from all flags of a header whether flag 1 is set, of types in which that is another form.
fn flag_1_stays(dialect: &Dialect) -> Option<Mutation> {
    let is_wide = |layout: &Layout| {
        let is_number = matches!(layout.shape, Shape::Int | Shape::Float) && dialect.rules.wide_numbers;
        is_number || dialect.says_width(layout)
    };
    let wide = layouts_where(dialect, is_wide);
    (!wide.is_empty()).then_some(())?;
    let codec = Codec::new(dialect, JudgedBy::Engines);
    answers(move |request, answer, _| {
        let (Input::Decode(packet) | Input::Reencode(packet)) = &request.input else { return answer };
        if request.framing.is_some() {
            return answer;
        }
        let (mut read, codec) = (packet.to_vec(), reference::allowing(&codec, request.objects));
        // With another flag, other headers follow.
        while let Some(at) = first_behind_flag_1(&codec, &read, &wide) {
            read[at + 2] |= 1;
        }
        match request.input {
            _ if read == packet[..] => answer,
            Input::Decode(_) => reference::answer(&codec, &Request { input: Input::Decode(read), ..request.clone() }),
            _ => reference::answer(&codec, &Request { input: Input::Reencode(read), ..request.clone() }),
        }
    })
}

/// Where the first header stands without flag 1 of such a value that is behind one with it.
fn first_behind_flag_1(codec: &Codec, packet: &[u8], wide: &[LayoutId]) -> Option<usize> {
    let (trace, _) = codec.traced(packet);
    let headers = trace.spans.iter().filter_map(|span| match span.role {
        Role::Header(layout) => Some((layout, span.bytes.start, packet.get(span.bytes.start + 2)? & 1 != 0)),
        _ => None,
    });
    let mut behind = headers.skip_while(|(_, _, is_set)| !is_set);
    behind.find(|(layout, _, is_set)| !is_set && wide.contains(layout)).map(|(_, at, _)| at)
}

fn flag_1_read(dialect: &Dialect, is_set: fn(u32) -> bool) -> Option<Mutation> {
    let has_form = |layout: &Layout| {
        let of_elements = matches!(layout.shape, Shape::Array | Shape::Dictionary);
        !of_elements && dialect.known_flags(layout, JudgedBy::Engines) & FLAG_1 != 0
    };
    let layouts = layouts_where(dialect, has_form);
    // Another flag is refused, where it is not ignored.
    (dialect.header.unknown_flags == UnknownFlags::Ignored && dialect.rules.wide_numbers).then_some(())?;
    reads(move |field| {
        let Role::Header(layout) = field.role else { return None };
        let word = field.word()?;
        let set = if is_set(word >> 16) { FLAG_1 } else { 0 };
        (layouts.contains(&layout) && word & FLAG_1 != set)
            .then(|| Splice::As((word & !FLAG_1 | set).to_le_bytes().to_vec()))
    })
}

/// Elements are read as narrow ones, and refused where fewer bytes are there than wide ones take.
fn elements_narrow(dialect: &Dialect) -> Option<Mutation> {
    (dialect.rules.wide_reals == WideReals::Flag1).then_some(())?;
    let of_reals = |layout: &Layout| layout.shape == Shape::Packed && layout.of == Some(Scalar::Real);
    let layouts = with_arity(dialect, of_reals);
    reads(move |field| {
        let (_, arity) = layouts.iter().find(|(layout, _)| field.role == Role::Header(*layout))?;
        let header = field.word().filter(|word| word & FLAG_1 != 0)? & !FLAG_1;
        let (count, elements) = field.behind.split_first_chunk()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let are_there = elements.len() / (8 * arity) >= count;
        Some(if are_there { Splice::As(header.to_le_bytes().to_vec()) } else { Splice::Refuse })
    })
}

/// These layouts, and how many numbers each value or element has.
fn with_arity(dialect: &Dialect, which: fn(&Layout) -> bool) -> Vec<(LayoutId, usize)> {
    layouts_where(dialect, which).into_iter().map(|id| (id, dialect.layouts.get(id).arity())).collect()
}

/// Flag 1 widens the integers of these too, of which the low half is kept.
fn widened(dialect: &Dialect, which: fn(&Layout) -> bool) -> Option<Mutation> {
    (dialect.rules.wide_reals == WideReals::Flag1).then_some(())?;
    let layouts = with_arity(dialect, which);
    reads(move |field| {
        let (_, arity) = layouts.iter().find(|(layout, _)| field.role == Role::Header(*layout))?;
        let header = field.word().filter(|word| word & FLAG_1 != 0)? & !FLAG_1;
        let Some(numbers) = field.behind.get(..8 * arity) else { return Some(Splice::Refuse) };
        let (wide, _) = numbers.as_chunks::<8>();
        let narrow: Vec<u8> = wide.iter().flat_map(|[a, b, c, d, ..]| [*a, *b, *c, *d]).collect();
        Some(Splice::Instead(4 + 8 * arity, [&header.to_le_bytes()[..], &narrow].concat()))
    })
}

/// Elements of lists like this one, whose field of this name has these bytes, are counted and not written.
pub(super) fn without(
    dialect: &Dialect,
    field: &'static str,
    bytes: &'static [u8],
    is: fn(list: &str) -> bool,
) -> Option<Mutation> {
    rewritten(dialect, move |codec, packet| {
        let (trace, Ok(_)) = codec.traced(packet) else { return None };
        let of_lists = trace.spans.iter().filter_map(|span| {
            let element = span.path.strip_suffix(field).filter(|_| packet[span.bytes.clone()] == *bytes)?;
            element.rsplit_once('[').is_some_and(|(list, _)| is(list)).then_some(element)
        });
        let elements: Vec<&str> = of_lists.collect();
        let kept = trace.spans.iter().filter(|span| !elements.iter().any(|element| span.path.starts_with(element)));
        Some(kept.flat_map(|span| &packet[span.bytes.clone()]).copied().collect())
    })
}

/// These bytes are written, whatever the value is.
fn writes_always(packet: &'static [u8]) -> Option<Mutation> {
    answers(|request, answer, _| match request.input {
        Input::Decode(_) => answer,
        Input::Encode(_) | Input::Reencode(_) => Answer::Bytes(packet.to_vec()),
    })
}

pub(super) fn refused() -> Answer {
    Answer::Refused(refusal(REFUSES))
}

fn value(value: Value, used: usize) -> Answer {
    Answer::Value { value, used: u64::try_from(used).ok() }
}

pub(super) fn used(answer: &Answer) -> Option<usize> {
    if let Answer::Value { used: Some(used), .. } = answer { usize::try_from(*used).ok() } else { None }
}

/// The answer with another number of bytes consumed.
pub(super) fn consumed(mut answer: Answer, change: impl Fn(usize) -> usize) -> Answer {
    let before = used(&answer);
    if let (Answer::Value { used, .. }, Some(before)) = (&mut answer, before) {
        *used = u64::try_from(change(before)).ok();
    }
    answer
}

/// Words are in big-endian order, and so are numbers of these kinds.
fn big_endian(is_own: fn(Scalar) -> bool) -> Option<Mutation> {
    let turned = move |field: &MutatedField<'_>| {
        let is_turned = match field.role {
            Role::Header(_) | Role::Count | Role::Length | Role::Flags | Role::Bool | Role::Word => true,
            Role::Id => is_own(Scalar::Int64),
            Role::Number(scalar) => is_own(scalar),
            Role::Text | Role::Bytes | Role::Nul | Role::Padding => false,
        };
        is_turned.then(|| field.bytes.iter().rev().copied().collect::<Vec<u8>>())
    };
    let read = reads(move |field| turned(field).map(Splice::As))?;
    Some(Mutation { reads: read.reads, ..writes(turned)? })
}

pub(super) fn is_negative(packet: &[u8], at: usize) -> bool {
    packet.get(at + 3).is_some_and(|high| high & 0x80 != 0)
}

/// Reads a text that is no UTF-8 as it is.
fn bad_text_kept(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    // No case has this letter in a text.
    const INSTEAD: u8 = 0x1a;
    if error.kind != Refusal::BadUtf8 {
        return Err(error);
    }
    let own = text_at(packet, error.at);
    let mut decoded = reader.decode(&with_letters_of(INSTEAD, packet, error.at))?;
    each_text(&mut decoded.value, &mut |text| {
        let bytes = text.as_bytes();
        if bytes.contains(&INSTEAD) && bytes.iter().all(|byte| matches!(*byte, INSTEAD | 0)) {
            *text = Text::from_bytes(&own[..bytes.len().min(own.len())]);
        }
    });
    Ok(decoded)
}

/// The packet with this byte in the place of each of the text at this offset, but for those that are NUL.
fn with_letters_of(byte: u8, packet: &[u8], at: usize) -> Vec<u8> {
    let text = text_at(packet, at);
    let other: Vec<u8> = text.iter().map(|own| if *own == 0 { 0 } else { byte }).collect();
    [&packet[..at], &other, &packet[at + text.len()..]].concat()
}

/// The text at this offset, behind its length.
fn text_at(packet: &[u8], at: usize) -> &[u8] {
    let length = packet[..at].last_chunk().copied().map_or(0, u32::from_le_bytes);
    let behind = &packet[at..];
    &behind[..usize::try_from(length).map_or(behind.len(), |length| length.min(behind.len()))]
}

pub(super) fn with_word(packet: &[u8], at: usize, word: u32) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet.iter_mut().skip(at).zip(word.to_le_bytes()).for_each(|(byte, new)| *byte = new);
    packet
}
