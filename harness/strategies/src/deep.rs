//! Arrays in arrays and dictionaries in dictionaries, near the limits of programs.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::NewTree;
use proptest::test_runner::TestRunner;
use variant_codec::Codec;
use variant_specs::{Dialect, JudgedBy, Shape};

use super::packets::Packet;
use super::random::Random;
use super::shrink::{Descent, Shrinker};
use super::values::named;

/// About as deep as programs can go: stacks and limits end there.
const LIMITS: [usize; 10] = [16, 32, 48, 64, 128, 256, 500, 512, 1000, 1024];

/// About as deep as the engines go.
const ENGINES: usize = 1023;

/// Packets of arrays in arrays, or of dictionaries in dictionaries, as deep as a limit of some program, or up to four deeper.
/// What is too deep for the dialect is refused.
///
/// # Panics
/// There is no such dialect. `conform list` names them all.
pub fn deep(dialect: &str) -> Deep {
    named(dialect, Deep::of)
}

/// Arrays in arrays, or dictionaries in dictionaries. Made by [`deep`].
#[derive(Debug, Clone)]
pub struct Deep {
    /// For each container, the words of an empty one, and of one that the next value is in.
    containers: Vec<[Vec<u32>; 2]>,
    codec: Arc<Codec>,
}

impl Deep {
    /// The deep packets of this dialect.
    pub fn of(dialect: &Dialect) -> Self {
        let id = |shape| dialect.type_of_shape(shape).map(|entry| entry.id);
        let array = id(Shape::Array).map(|array| [vec![array, 0], vec![array, 1]]);
        // Dictionaries with the key "a".
        let dictionary = id(Shape::Dictionary)
            .zip(id(Shape::Text))
            .map(|(dictionary, text)| [vec![dictionary, 0], vec![dictionary, 1, text, 1, u32::from(b'a')]]);
        let containers = array.into_iter().chain(dictionary).collect();
        Self { containers, codec: Arc::new(Codec::new(dialect, JudgedBy::Engines)) }
    }

    /// The next packet; empty if the dialect has no containers.
    pub fn draw(&self, random: &mut Random) -> Vec<u8> {
        if self.containers.is_empty() {
            return Vec::new();
        }
        let [empty, one] = random.pick(&self.containers);
        let limit = if random.one_in(2) { ENGINES } else { *random.pick(&LIMITS) };
        let levels = limit + random.below(5);
        let innermost: &[u32] = if random.one_in(2) { empty } else { &[0] };
        let words = (0..levels).flat_map(|_| one).chain(innermost).copied();
        words.flat_map(u32::to_le_bytes).collect()
    }
}

impl Strategy for Deep {
    type Tree = Descent<Shrinker, Packet>;
    type Value = Packet;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let packet = self.draw(&mut Random::of(runner)?);
        Ok(Descent::new(Shrinker::new(Arc::clone(&self.codec)).from_children(), Packet(packet)))
    }
}
