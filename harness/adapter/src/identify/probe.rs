//! Small packets that show which layout an implementation reads. No count in them is large, whatever layout reads it.

use variant_specs::{FLAG_1, Shape};

/// A packet, and the id in its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Probe {
    pub(super) id: u32,
    pub(super) packet: Vec<u8>,
}

/// Only zeros: every layout but a node path reads them, as nothing or as zeros.
pub(super) fn zeros(id: u32) -> Probe {
    probe(id, &[])
}

/// One of something, for those that refuse zeros: a text `a` or one element; one null, or one pair of nulls; an object
/// by its id.
pub(super) fn one(id: u32) -> [Probe; 3] {
    [probe(id, &[1, 0x61]), probe(id, &[1, 0, 0]), probe(id | FLAG_1, &[7])]
}

/// As a type, the id of an int; one element; an int 5. As a count, two elements: a bool and zeros.
const TYPED: [u32; 4] = [2, 1, 2, 5];

/// Two of something, whatever it is.
pub(super) fn two(id: u32) -> Probe {
    probe(id, &TYPED)
}

/// A node path with one name. Read as a count, its first word is large.
pub(super) fn node_path(id: u32) -> Probe {
    probe(id, &[0x8000_0001, 0, 1, 1, 0x61])
}

/// Packets for the rules of a layout of this shape: in which order, of which width, with which flags.
pub(super) fn values(id: u32, shape: Shape) -> Vec<Probe> {
    /// Ends a list of numbers that are all different.
    const LAST: u8 = 33;
    let numbers = |first: u8| (first..=LAST).map(|number| f32::from(number).to_bits());
    let flagged = id | FLAG_1;
    match shape {
        Shape::Empty | Shape::Bool | Shape::Int | Shape::Float | Shape::Fields => {
            vec![probe(id, &numbers(1).collect::<Vec<_>>()), probe(flagged, &[7, 0x4014_0000])]
        }
        Shape::Packed => vec![probe(id, &std::iter::once(2).chain(numbers(2)).collect::<Vec<_>>())],
        Shape::Text | Shape::PackedText => one(id).into(),
        Shape::Array | Shape::Dictionary => [&one(id)[..], &[probe(flagged, &TYPED)]].concat(),
        Shape::NodePath => vec![node_path(id)],
        Shape::Record => vec![two(id), probe(flagged, &[7, 0x4014_0000])],
    }
}

/// A packet with more than enough bytes for any layout, so that none is refused as too short.
fn probe(header: u32, body: &[u32]) -> Probe {
    let words = std::iter::once(header).chain(body.iter().copied()).chain(std::iter::repeat(0)).take(66);
    Probe { id: header & !FLAG_1, packet: words.flat_map(u32::to_le_bytes).collect() }
}
