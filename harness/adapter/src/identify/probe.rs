//! Small packets that show which layout an implementation reads.

/// A packet, and the id in its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Probe {
    pub(super) id: u32,
    pub(super) packet: Vec<u8>,
}

/// The packets of one id. Each has more than enough bytes for any layout, so that none is refused as too short.
pub(super) fn probes(id: u32) -> impl Iterator<Item = Probe> {
    const FLAG_1: u32 = 1 << 16;
    let numbers: Vec<u32> = (1u8..=33).map(|number| f32::from(number).to_bits()).collect();
    let bodies = [
        // Numbers that are all different: which layout, in which order, of which width.
        (id, numbers),
        // Nothing: empty texts, arrays and containers.
        (id, Vec::new()),
        // One of something: a text "a", one element.
        (id, vec![1, 0x61]),
        // One element: a null, or a null key with a null value.
        (id, vec![1, 0, 0]),
        // A node path with one name.
        (id, vec![0x8000_0001, 0, 1, 1, 0x61]),
        // The wide form of a number, an object by its id.
        (id | FLAG_1, vec![7, 0x4014_0000]),
    ];
    bodies.into_iter().map(move |(header, body)| {
        let words = std::iter::once(header).chain(body).chain(std::iter::repeat(0)).take(66);
        Probe { id, packet: words.flat_map(u32::to_le_bytes).collect() }
    })
}
