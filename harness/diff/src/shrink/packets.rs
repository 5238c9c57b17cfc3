//! Requests that are simpler than a request: the next steps of shrinking.

use std::iter::{once, once_with, successors};
use std::rc::Rc;

use variant_codec::{Array, Codec, Framing, Value};

use super::super::{frame, parts};
use super::values::{simpler_or_null, simpler_values};
use variant_corpus::test::is_deep;
use variant_wire::implementation::{Input, Request};

/// The packet's length, how many of its bytes are not zero, and the sum of all bytes: less is simpler. For a value that
/// cannot be encoded, the length is the number of steps that [`steps_left`] counts.
pub(super) fn weight(input: &Input, codec: &Codec) -> (usize, usize, u64) {
    let Some(packet) = parts::packet_of(input, codec) else { return (steps_left(input), 0, 0) };
    let set = packet.iter().filter(|byte| **byte != 0).count();
    (packet.len(), set, packet.iter().map(|byte| u64::from(*byte)).sum())
}

/// For a value that cannot be encoded: how many simpler values the array of its children has.
fn steps_left(input: &Input) -> usize {
    let Input::Encode(value) = input else { return 0 };
    let items = value.children().into_iter().cloned().collect();
    simpler_values(&Value::Array(Array { items, of: None, shared: false })).len()
}

/// Simpler requests, the boldest first. They are made lazily: a packet has more than twice as many as bytes, and mostly
/// one of the first few is taken.
pub(super) fn simpler_requests<'a>(request: &'a Request, codec: &'a Codec) -> Box<dyn Iterator<Item = Request> + 'a> {
    let least = weight(&request.input, codec);
    let inputs = |input: &'a [u8]| match request.framing {
        None => packets(input.to_vec(), codec),
        Some(framing) => frames(input, framing, codec),
    };
    let all: Box<dyn Iterator<Item = Input>> = match &request.input {
        // A fault of the frame shows with any value, so null and children are tried too.
        Input::Encode(value) if request.framing.is_some() => {
            Box::new(simpler_or_null(value).into_iter().map(Input::Encode))
        }
        Input::Encode(value) => Box::new(simpler_values(value).into_iter().map(Input::Encode)),
        Input::Decode(input) => Box::new(inputs(input).map(Input::Decode)),
        Input::Reencode(input) => Box::new(inputs(input).map(Input::Reencode)),
    };
    let simpler = all.filter(move |simpler| weight(simpler, codec) < least);
    Box::new(simpler.map(|input| Request { input, ..request.clone() }))
}

/// Packets, each made only when it is needed.
type Packets<'a> = Box<dyn Iterator<Item = Vec<u8>> + 'a>;

/// Simpler packets in frames that fit, with and without the bytes after them; then simpler bytes.
fn frames<'a>(input: &'a [u8], framing: Framing, codec: &'a Codec) -> Packets<'a> {
    let bytes = packets(input.to_vec(), codec);
    let Some(inside) = frame::inside(input, framing) else { return bytes };
    let behind = &input[inside.end..];
    let simpler = move || packets(input[inside.clone()].to_vec(), codec);
    let alone = simpler().map(move |packet| frame::framed(&packet, framing));
    let before = simpler().map(move |packet| [&frame::framed(&packet, framing), behind].concat());
    Box::new(alone.chain(before).chain(bytes))
}

/// The packets of simpler values, if the packet can be read. Then the packet with bytes left out, with lower counts,
/// and with lower bytes.
fn packets(packet: Vec<u8>, codec: &Codec) -> Packets<'_> {
    let packet: Rc<[u8]> = packet.into();
    let read = of_value(&packet, codec);
    Box::new(
        read.into_iter().flatten().chain(without_parts(&packet)).chain(less_counted(&packet)).chain(lower(&packet)),
    )
}

/// The packets of simpler values, if the packet can be read.
fn of_value<'a>(packet: &Rc<[u8]>, codec: &'a Codec) -> Option<Packets<'a>> {
    let value = codec.decode(packet).ok()?;
    let used = value.used.min(packet.len());
    let again = codec.encode(&value.value).ok();
    let behind = packet[used..].to_vec();
    // Only if the packet is the canonical one: rewriting another would lose what is odd about it. A deep value becomes
    // less deep faster by leaving bytes out.
    let is_own = again.as_deref() == Some(&packet[..used]) && !is_deep(&value.value);
    let again = again.map(|again| [again, behind.clone()].concat());
    let values = once_with(move || if is_own { simpler_values(&value.value) } else { Vec::new() }).flatten();
    let values = values.filter_map(move |value| Some([codec.encode(&value).ok()?, behind.clone()].concat()));
    Some(Box::new(again.into_iter().chain(values).chain(once(packet[..used].to_vec()))))
}

/// The packet without its halves, quarters and so on, down to single bytes.
fn without_parts<'a>(packet: &Rc<[u8]>) -> Packets<'a> {
    let (packet, length) = (Rc::clone(packet), packet.len());
    let smaller = |part: &usize| Some(if *part > 4 { part / 2 } else { part - 1 }).filter(|part| *part > 0);
    let parts = successors(Some(length / 2).filter(|part| *part > 0), smaller);
    Box::new(parts.flat_map(move |part| {
        let (packet, step) = (Rc::clone(&packet), if part >= 4 { part & !3 } else { part });
        (0..length).step_by(step).map(move |from| [&packet[..from], &packet[length.min(from + step)..]].concat())
    }))
}

/// Lowers a count or length: alone, by one with an item of one to four words left out, or by one to four with
/// as many bytes left out.
fn less_counted<'a>(packet: &Rc<[u8]>) -> Packets<'a> {
    let packet = Rc::clone(packet);
    let words = (0..packet.len().saturating_sub(3)).step_by(4);
    Box::new(words.flat_map(move |at| less_at(&packet, at)))
}

/// The same, for the word at this offset.
fn less_at(packet: &[u8], at: usize) -> Vec<Vec<u8>> {
    let word = packet[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    let fewer = (word & 0x7fff_ffff > 0).then(|| word - 1);
    let fewer = fewer.into_iter().chain([0, word & 0xff, word & 0x8000_0000, word & 0xffff, 1, word / 2]);
    // A letter has one to four bytes.
    let mut all: Vec<Vec<u8>> = (1..=4).filter_map(|gone| with_fewer_bytes(packet, at, word, gone)).collect();
    for less in fewer.filter(|less| *less < word) {
        let mut lesser = packet.to_vec();
        lesser[at..at + 4].copy_from_slice(&less.to_le_bytes());
        if less + 1 == word {
            for gone in [4, 8, 12, 16] {
                let starts = (at + 4..packet.len()).step_by(4).filter(|from| from + gone <= packet.len()).take(8);
                all.extend(starts.map(|from| [&lesser[..from], &lesser[from + gone..]].concat()));
            }
        }
        all.push(lesser);
    }
    all
}

/// A length lowered by `gone`, and as many bytes less after it.
fn with_fewer_bytes(packet: &[u8], at: usize, word: u32, gone: u8) -> Option<Vec<u8>> {
    let less = word.checked_sub(gone.into())?;
    let rest = packet.get(at + 4 + usize::from(gone)..)?;
    Some([&packet[..at], &less.to_le_bytes(), rest].concat())
}

/// One byte with a lower value.
fn lower<'a>(packet: &Rc<[u8]>) -> Packets<'a> {
    let packet = Rc::clone(packet);
    Box::new((0..packet.len().min(256)).flat_map(move |at| {
        let (packet, old) = (Rc::clone(&packet), packet[at]);
        let lesser = [0, old / 2, old.wrapping_sub(1), old & 0x80].into_iter().filter(move |less| *less < old);
        lesser.map(move |less| {
            let mut lesser = packet.to_vec();
            lesser[at] = less;
            lesser
        })
    }))
}
