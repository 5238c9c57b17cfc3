//! Arrays in arrays, near the limits of programs.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::NewTree;
use proptest::test_runner::TestRunner;
use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Shape};

use super::packet::Packet;
use super::random::Random;
use super::shrink::{Descent, PacketSteps};
use super::values::named;

/// About as deep as programs can go: stacks and limits end there.
const LIMITS: [usize; 11] = [16, 32, 48, 64, 128, 256, 500, 512, 1000, 1022, 1024];

/// Packets of arrays in arrays, as deep as a limit of some program, or up to four deeper. What is too deep for the dialect
/// is refused.
///
/// # Panics
/// There is no such dialect. `conform list` names them all.
pub fn deep(dialect: &str) -> Deep {
    named(dialect, Deep::of)
}

/// Arrays in arrays. Made by [`deep`].
#[derive(Debug, Clone)]
pub struct Deep {
    /// The id of an array.
    array: Option<u32>,
    codec: Arc<Codec>,
}

impl Deep {
    /// The deep packets of this dialect.
    pub fn of(dialect: &Dialect) -> Self {
        let array = dialect.type_of_shape(Shape::Array).map(|entry| entry.id);
        Self { array, codec: Arc::new(Codec::new(dialect, Reading::Engine)) }
    }

    /// The next packet; empty if the dialect has no arrays.
    pub fn draw(&self, random: &mut Random) -> Vec<u8> {
        let Some(array) = self.array else { return Vec::new() };
        let levels = *random.pick(&LIMITS) + random.below(5);
        let innermost: &[u32] = if random.one_in(2) { &[array, 0] } else { &[0] };
        let words = (0..levels).flat_map(|_| [array, 1]).chain(innermost.iter().copied());
        words.flat_map(u32::to_le_bytes).collect()
    }
}

impl Strategy for Deep {
    type Tree = Descent<PacketSteps>;
    type Value = Packet;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let packet = self.draw(&mut Random::of(runner)?);
        Ok(Descent::new(PacketSteps::new(Arc::clone(&self.codec)).from_children(), Packet(packet)))
    }
}
