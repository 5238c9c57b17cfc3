//! Packets that are simpler than a packet.

use std::iter::{once, once_with, successors};
use std::rc::Rc;
use std::sync::Arc;

use variant_codec::Codec;

use super::values::simpler_values;
use super::{Shrinker, Steps, Weight, packet_weight};
use crate::packets::Packet;
use crate::parts::{Parts, is_of, word_at};

/// Packets whose values are deeper become less deep by leaving bytes out, which is faster than by simpler values.
const DEEPEST: usize = 32;

impl Shrinker {
    /// The packets of simpler values, if the packet can be read. Then the packet with bytes left out, with lower counts,
    /// and with lower bytes.
    pub fn simpler_bytes(&self, packet: &[u8]) -> SimplerPackets {
        let packet: Rc<[u8]> = packet.into();
        let children = self.children.then(|| children(&packet, &self.codec));
        let children = children.into_iter().flatten();
        let values = of_value(&packet, &self.codec).into_iter().flatten();
        let bytes = without_parts(&packet).chain(less_counted(&packet)).chain(lower(&packet));
        Box::new(children.chain(values).chain(bytes))
    }
}

impl Steps<Packet> for Shrinker {
    fn simpler(&self, packet: &Packet) -> Box<dyn Iterator<Item = Packet>> {
        let all = self.simpler_bytes(packet);
        let Self { codec, only, .. } = self.clone();
        let is_read = move |packet: &Vec<u8>| {
            let Some(only) = &only else { return true };
            codec.decode(packet).is_ok_and(|decoded| decoded.used == packet.len()) && is_of(packet, &codec, only)
        };
        Box::new(all.filter(is_read).map(Packet))
    }

    fn weight(&self, packet: &Packet) -> Weight {
        packet_weight(packet)
    }
}

/// Packets, each made only when it is needed.
type SimplerPackets = Box<dyn Iterator<Item = Vec<u8>>>;

/// The packet of null, and those of the values directly within.
fn children(packet: &[u8], codec: &Codec) -> Vec<Vec<u8>> {
    let parts = Parts::of(packet, codec);
    let within = parts.within().iter().map(|range| packet[range.clone()].to_vec());
    once(vec![0; 4]).chain(within).collect()
}

/// The packets of simpler values, if the packet can be read.
fn of_value(packet: &Rc<[u8]>, codec: &Arc<Codec>) -> Option<SimplerPackets> {
    let value = codec.decode(packet).ok()?;
    let used = value.used.min(packet.len());
    let again = codec.encode(&value.value).ok();
    let behind = packet[used..].to_vec();
    // Only if the packet is the canonical one: rewriting another would lose what is odd about it.
    let is_own = again.as_deref() == Some(&packet[..used]) && value.value.depth() <= DEEPEST;
    let again = again.map(|again| [again, behind.clone()].concat());
    let values = once_with(move || if is_own { simpler_values(&value.value) } else { Vec::new() }).flatten();
    let codec = Arc::clone(codec);
    let values = values.filter_map(move |value| Some([codec.encode(&value).ok()?, behind.clone()].concat()));
    Some(Box::new(again.into_iter().chain(values).chain(once(packet[..used].to_vec()))))
}

/// The packet without its halves, quarters and so on, down to single bytes.
fn without_parts(packet: &Rc<[u8]>) -> SimplerPackets {
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
fn less_counted(packet: &Rc<[u8]>) -> SimplerPackets {
    let packet = Rc::clone(packet);
    let words = (0..packet.len().saturating_sub(3)).step_by(4);
    Box::new(words.flat_map(move |at| less_at(&packet, at)))
}

/// The same, for the word at this offset.
fn less_at(packet: &[u8], at: usize) -> Vec<Vec<u8>> {
    let word = word_at(packet, at);
    let fewer = (word & 0x7fff_ffff > 0).then(|| word - 1);
    let fewer = fewer.into_iter().chain([0, word & 0xff, word & 0x8000_0000, word & 0xffff, 1, word / 2]);
    // A letter has one to four bytes.
    let with_fewer_bytes = |gone: u8| {
        let less = word.checked_sub(gone.into())?;
        Some([&packet[..at], &less.to_le_bytes(), packet.get(at + 4 + usize::from(gone)..)?].concat())
    };
    let mut all: Vec<Vec<u8>> = (1..=4).filter_map(with_fewer_bytes).collect();
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

/// One byte with a lower value.
fn lower(packet: &Rc<[u8]>) -> SimplerPackets {
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
