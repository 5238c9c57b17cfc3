//! Counts in a packet are not trusted: memory stays a small multiple of the bytes in it.
//!
//! A program of its own: it counts what the whole process allocates.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use peak_alloc::PeakAlloc;
use variant_codec::Codec;
use variant_specs::{JudgedBy, Shape, Specs};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Peak bytes allocated while `packet` is decoded.
fn peak(codec: &Codec, packet: &[u8]) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let decoded = codec.decode(packet);
    let peak = MEMORY.peak_usage();
    drop(decoded);
    peak - before
}

fn words(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// One test: the allocator counts for the whole process.
#[test]
fn memory_follows_the_input_and_not_its_promises() {
    let specs = Specs::builtin().unwrap();
    for dialect in &specs.dialects {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        for entry in &dialect.types {
            for count in [0x7fff_ffff, 0xffff_ffff, 0x8000_0001, 0x0fff_ffff] {
                let packet = words([entry.id, count]);
                let peak = peak(&codec, &packet);
                assert!(peak < 4096, "{} id {} with count {count:#x}: {peak} bytes for 8", dialect.name, entry.id);
            }
        }
        nested_promises(dialect.type_of_shape(Shape::Array).unwrap().id, &codec);
        nested_promises(dialect.type_of_shape(Shape::Dictionary).unwrap().id, &codec);
    }
}

/// A thousand containers, each with a count of as many elements as could follow.
fn nested_promises(id: u32, codec: &Codec) {
    let depth = 1000;
    let packet = words((0..depth).flat_map(|level| [id, (depth - level) / 2]));
    let peak = peak(codec, &packet);
    assert!(peak < 64 * packet.len(), "{peak} bytes for {} of nested containers", packet.len());
}
