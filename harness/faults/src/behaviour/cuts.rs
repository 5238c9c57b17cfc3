//! Packets that end before what they announce.

use std::sync::Arc;

use variant_codec::{DecodeError, Decoded, Refusal, Role, Span};
use variant_specs::{Dialect, LayoutId, Scalar, Shape};

use super::packed::PackedSizes;
use super::packets::{is_negative, with_word};
use crate::builder::{CodecFault, accepts, fault, of_shape, reads, refuses};
use crate::fault::{Mutation, Reader, header_before};
use crate::packet::Splice;

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("count-trusted", "as many elements are read as there are, whatever the count says")
            .accepts(count_trusted),
        fault(
            "packed-count-trusted",
            "as many elements of a packed array are read as there are, whatever its count says",
        )
        .accepts(|reader, packet, error| {
            let (trace, _) = reader.codec.traced(packet);
            let layouts = reader.codec.layouts();
            let is_count = |(layout, end)| layouts.get(layout).shape == Shape::Packed && end == error.at;
            if !header_before(&trace, error.at).is_some_and(is_count) {
                return Err(error);
            }
            what_there_is(reader, packet, error, is_bytes_at).or_else(|_| count_trusted(reader, packet, error))
        }),
        fault("cut-packet-read-as-zeros", "what is missing of a packet is read as zeros").accepts(
            |reader, packet, error| match error.kind {
                Refusal::Truncated => with_zeros(reader, packet, 256),
                _ => Err(error),
            },
        ),
        fault("cut-numbers-are-zeros", "numbers that are missing of a packet are read as zeros").accepts(
            |reader, packet, error| {
                let (trace, decoded) = reader.codec.traced(packet);
                let is_cut = decoded.is_err() && error.kind == Refusal::Truncated;
                let last = trace.spans.last().map(|span| span.role);
                // A count or the header of a value in a container says what follows.
                let is_header = packet.len() > 4 && matches!(last, Some(Role::Count | Role::Length | Role::Padding));
                if !is_cut || is_header || packet.is_empty() {
                    return Err(error);
                }
                with_zeros(reader, packet, 64)
            },
        ),
        fault("cut-count-is-none", "a count that is missing is read as none")
            .reads_instead(Refusal::Truncated, |packet, at| (at >= 4).then(|| [packet, &[0; 4]].concat())),
        fault("cut-header-is-null", "a header that is missing is read as null")
            .reads_instead(Refusal::Truncated, |packet, at| {
                (at == packet.len() && at >= 8).then(|| [packet, &[0; 4]].concat())
            }),
        fault("cut-text-is-what-there-is", "a text that ends early is read as far as it goes")
            .accepts(|reader, packet, error| what_there_is(reader, packet, error, is_text_at)),
        fault(
            "short-text-is-what-there-is",
            "a text that ends early is read as far as it goes, unless its length is negative",
        )
        .accepts(|reader, packet, error| {
            if is_negative(packet, error.at) { Err(error) } else { what_there_is(reader, packet, error, is_text_at) }
        }),
        fault("cut-bytes-are-what-there-is", "a byte array that ends early is read as far as it goes")
            .accepts(|reader, packet, error| what_there_is(reader, packet, error, is_bytes_at)),
        fault("cut-is-what-there-is", "texts and byte arrays that end early are read as far as they go").accepts(
            |reader, packet, error| {
                what_there_is(reader, packet, error, |shape, is_first, of| {
                    is_text_at(shape, is_first, of) || is_bytes_at(shape, is_first, of)
                })
            },
        ),
        fault("arrays-end-at-an-error", "an array ends where an element cannot be read")
            .by(|dialect| arrays_end(dialect, ANYWHERE, |_, _| true)),
        fault(
            "errors-in-elements-are-lost",
            "the error of an element that cannot be read is lost: its array ends there",
        )
        .by(|dialect| arrays_end(dialect, Ends { counts: false, ..ANYWHERE }, |_, _| true)),
        fault("arrays-end-with-the-packet", "an array ends where the packet does, with the elements that are there")
            .by(|dialect| {
                arrays_end(dialect, ANYWHERE, |packet, error| {
                    let is_short = error.kind == Refusal::Length && !is_negative(packet, error.at);
                    is_short || error.kind == Refusal::Truncated
                })
            }),
        fault("arrays-end-between-elements", "an array ends where the packet does, if that is behind an element").by(
            |dialect| {
                arrays_end(dialect, BETWEEN, |packet, error| {
                    error.kind == Refusal::Truncated && error.at == packet.len()
                })
            },
        ),
        fault("arrays-end-without-a-header", "an array ends where fewer than four bytes are left")
            .by(|dialect| arrays_end(dialect, BETWEEN, |packet, error| are_left(packet, error, 3))),
        fault("arrays-end-without-a-byte", "an array ends where no byte is left, whatever its count")
            .by(|dialect| arrays_end(dialect, BETWEEN, |packet, error| are_left(packet, error, 0))),
        fault("elements-to-the-end-refused", "elements or a text that end where the packet ends are refused")
            .by(|dialect| asks_for(dialect, |_, least| least, |asked, _| asked + 1)),
        fault(
            "room-for-one-more-asked-for",
            "a count or length is refused where there is no room for one element more",
        )
        .by(|dialect| asks_for(dialect, |_, least| least, |asked, each| asked + each)),
        fault(
            "elements-ask-for-a-byte-more",
            "of each byte of a text, and each element of a packed array, a byte more is asked for than it has",
        )
        .by(|dialect| {
            let more = |shape, least| match shape {
                Shape::Text | Shape::Packed | Shape::PackedText => least + 1,
                _ => least,
            };
            asks_for(dialect, more, |asked, _| asked)
        }),
        fault("pairs-ask-for-12-bytes", "for each pair of a dictionary 12 bytes are asked for: two nulls have eight")
            .by(|dialect| {
                asks_for(dialect, |shape, least| if shape == Shape::Dictionary { 12 } else { least }, |asked, _| asked)
            }),
        fault("pairs-ask-for-16-bytes", "for each pair of a dictionary 16 bytes are asked for: two nulls have eight")
            .by(|dialect| {
                asks_for(dialect, |shape, least| if shape == Shape::Dictionary { 16 } else { least }, |asked, _| asked)
            }),
        fault("elements-ask-for-8-bytes", "for each element of an array eight bytes are asked for: a null has four")
            .by(|dialect| {
                asks_for(dialect, |shape, least| if shape == Shape::Array { 8 } else { least }, |asked, _| asked)
            }),
        fault("last-counted-not-read", "of what is counted, the last is not read").reads(|field| {
            let count = field.word().filter(|count| field.role == Role::Count && count & 0x7fff_ffff > 0)?;
            Some(Splice::As((count - 1).to_le_bytes().to_vec()))
        }),
        fault("missing-padding-is-not-missed", "packets whose padding is missing at the end are accepted")
            .accepts(|reader, packet, error| padded_at_end(reader, packet, error, Role::Padding)),
        fault("bool-is-one-byte", "a bool is read from its first byte: the three behind it may be missing").by(|_| {
            let read = reads(|field| {
                let [first, ..] = field.bytes.first_chunk::<4>().filter(|_| field.role == Role::Bool)?;
                Some(Splice::As(u32::from(*first).to_le_bytes().to_vec()))
            })?;
            let cut = accepts(|reader, packet, error| padded_at_end(reader, packet, error, Role::Bool))?;
            Some(Mutation { accepts: cut.accepts, ..read })
        }),
        fault("cut-length-is-none", "a length or number of 32 bits that is missing at the end is read as 0")
            .reads_instead(Refusal::Truncated, |packet, at| {
                (at >= 4 && at == packet.len()).then(|| [packet, &[0; 4]].concat())
            }),
    ]
}

/// Refuses a count or length behind which fewer bytes are left than are asked for: for each element, given what it has at
/// least; and for all of them, given that and what is asked for each.
fn asks_for(dialect: &Dialect, unit: fn(Shape, usize) -> usize, all: fn(usize, usize) -> usize) -> Option<Mutation> {
    let layouts = Arc::clone(&dialect.layouts);
    let sizes = PackedSizes::new(dialect);
    let asked = reads(move |field| {
        let shape = layouts.get(field.layout).shape;
        let counted = |least| Some((usize::try_from(field.word()? & 0x7fff_ffff).ok()?, least, field.behind.len()));
        let (of, (count, least, behind)) = match (field.role, shape) {
            (Role::Length, _) => (Shape::Text, counted(1)?),
            (Role::Count, Shape::Array | Shape::PackedText | Shape::NodePath) => (shape, counted(4)?),
            (Role::Count, Shape::Dictionary) => (shape, counted(8)?),
            (Role::Header(_), Shape::Packed) => {
                let (count, size) = sizes.announced(field)?;
                (shape, (count, size, field.behind.len() - 4))
            }
            _ => return None,
        };
        let each = unit(of, least);
        let is_refused = all(count.saturating_mul(each), each) > behind && count.saturating_mul(least) <= behind;
        is_refused.then_some(Splice::Refuse)
    })?;
    // It is a limit, although no value is beyond it.
    Some(Mutation { reads: asked.reads, ..refuses(|_| false)? })
}

/// Where an array may end early.
struct Ends {
    /// Also where its count is beyond the end.
    counts: bool,
    /// Also within an element, which is left out.
    within: bool,
}

const ANYWHERE: Ends = Ends { counts: true, within: true };
const BETWEEN: Ends = Ends { counts: true, within: false };

/// An array ends early at these errors.
fn arrays_end(dialect: &Dialect, ends: Ends, is_end: fn(&[u8], DecodeError) -> bool) -> Option<Mutation> {
    let array = of_shape(dialect, Shape::Array)?;
    accepts(
        move |reader, packet, error| {
            if is_end(packet, error) { array_ends(reader, packet, error, array, &ends) } else { Err(error) }
        },
    )
}

/// Whether at most so many bytes of a packet are left where it cannot be read.
fn are_left(packet: &[u8], error: DecodeError, most: usize) -> bool {
    match error.kind {
        Refusal::Truncated => packet.len().saturating_sub(error.at) <= most,
        // Elements are whole words.
        Refusal::Length => packet.len() % 4 <= most,
        _ => false,
    }
}

/// What is shorter than it says is read as far as it goes, where it is something that counts its bytes.
fn what_there_is(
    reader: &Reader<'_>,
    packet: &[u8],
    error: DecodeError,
    counts_bytes: fn(Shape, bool, Option<Scalar>) -> bool,
) -> Result<Decoded, DecodeError> {
    let (trace, decoded) = reader.codec.traced(packet);
    let here = |(layout, behind)| {
        let layout = reader.codec.layouts().get(layout);
        counts_bytes(layout.shape, behind == error.at, layout.of)
    };
    // Another fault may be why it is too long.
    let is_length = || trace.spans.iter().any(|span| span.bytes.start == error.at && span.role == Role::Length);
    let is_seen = decoded.err() == Some(error) || is_length();
    if error.kind != Refusal::Length || !is_seen || !header_before(&trace, error.at).is_some_and(here) {
        return Err(error);
    }
    let there = packet.get(error.at + 4..).unwrap_or_default();
    let length = u32::try_from(there.len()).unwrap_or(u32::MAX);
    let padding = vec![0; there.len().next_multiple_of(4) - there.len()];
    let whole = [&packet[..error.at], &length.to_le_bytes(), there, &padding].concat();
    let decoded = reader.decode(&whole).or_else(|_| reader.codec.decode(&whole))?;
    Ok(Decoded { used: decoded.used.min(packet.len()), ..decoded })
}

/// Reads a packet with fewer elements in the innermost array of which one cannot be read, where arrays may end like that.
fn array_ends(
    reader: &Reader<'_>,
    packet: &[u8],
    error: DecodeError,
    array: LayoutId,
    ends: &Ends,
) -> Result<Decoded, DecodeError> {
    let (trace, decoded) = reader.codec.traced(packet);
    if decoded.err() != Some(error) {
        return Err(error);
    }
    let headers = || trace.spans.iter().filter_map(|span| Some((span, span.path.strip_suffix("header")?)));
    let arrays = headers().filter(|(span, _)| span.role == Role::Header(array));
    for prefix in arrays.map(|(_, prefix)| prefix).collect::<Vec<_>>().into_iter().rev() {
        let Some(count) = trace.spans.iter().find(|span| span.path == format!("{prefix}count")) else { continue };
        let Some(announced) = packet.get(count.bytes.clone()).and_then(<[u8]>::first_chunk) else { continue };
        // A loop over more elements than there can be ends at the first that is not there.
        if error.kind == Refusal::Length && error.at == count.bytes.start {
            if !ends.counts {
                continue;
            }
            let most = u32::try_from((packet.len() - count.bytes.end) / 4).unwrap_or(u32::MAX);
            return reader.decode(&with_word(packet, error.at, most));
        }
        let is_element = |path: &str| {
            path.strip_prefix(prefix).is_some_and(|own| own.starts_with('[') && own.find('.') == Some(own.len() - 1))
        };
        let begins: Vec<usize> =
            headers().filter(|(_, path)| is_element(path)).map(|(span, _)| span.bytes.start).collect();
        let is_read = |begin: usize| packet.get(begin..error.at).is_some_and(|own| reader.codec.decode(own).is_ok());
        let last = begins.last().copied().filter(|begin| !is_read(*begin));
        let elements = u32::try_from(begins.len() - usize::from(last.is_some())).unwrap_or(0);
        // Of one that has all its elements, the error is elsewhere.
        if u32::from_le_bytes(*announced) & 0x7fff_ffff == elements || error.at < count.bytes.end {
            continue;
        }
        if !ends.within && last.is_some() {
            break;
        }
        let end = last.unwrap_or(error.at).min(packet.len());
        let shorter = with_word(packet, count.bytes.start, elements);
        let rest = packet.get(error.at..).unwrap_or_default();
        return reader.decode(&[&shorter[..end], rest].concat());
    }
    Err(error)
}

/// Reads a packet of whose last word up to three bytes are missing, if that has this role.
fn padded_at_end(reader: &Reader<'_>, packet: &[u8], error: DecodeError, role: Role) -> Result<Decoded, DecodeError> {
    let padded = packet.len().next_multiple_of(4);
    if packet.len() == padded || !matches!(error.kind, Refusal::Truncated | Refusal::Length) {
        return Err(error);
    }
    let whole = [packet, &vec![0; padded - packet.len()]].concat();
    let (trace, _) = reader.codec.traced(&whole);
    let is_cut = |last: &&Span| last.bytes.end == whole.len() && last.bytes.start <= packet.len();
    let last = trace.spans.last().filter(is_cut);
    if last.is_none_or(|last| last.role != role) {
        return Err(error);
    }
    with_zeros(reader, packet, padded - packet.len())
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

fn count_trusted(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    if error.kind != Refusal::Length {
        return Err(error);
    }
    // Each count is a try.
    const MOST: usize = 4096;
    let left = u32::try_from(packet.len().saturating_sub(error.at).min(MOST)).unwrap_or(0);
    (0..left).rev().find_map(|count| reader.codec.decode(&with_word(packet, error.at, count)).ok()).ok_or(error)
}

/// Reads a packet with so many zeros behind it.
fn with_zeros(reader: &Reader<'_>, packet: &[u8], zeros: usize) -> Result<Decoded, DecodeError> {
    let decoded = reader.decode(&[packet, &vec![0; zeros]].concat())?;
    Ok(Decoded { used: decoded.used.min(packet.len()), ..decoded })
}
