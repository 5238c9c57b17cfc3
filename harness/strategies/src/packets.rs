//! The packets of a dialect.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::NewTree;
use proptest::test_runner::TestRunner;
use variant_specs::Dialect;

use super::packet::Packet;
use super::random::Random;
use super::shrink::{Descent, Shrinker};
use super::values::{Values, named};

/// The packets of a dialect's values. The reference codec reads each of them whole.
///
/// # Panics
/// There is no such dialect. `conform list` names them all.
pub fn packets(dialect: &str) -> Packets {
    named(dialect, Packets::of)
}

/// Packets of values. Made by [`packets`].
#[derive(Debug, Clone)]
pub struct Packets {
    pub(super) values: Values,
}

impl Packets {
    /// The packets of this dialect's values.
    pub fn of(dialect: &Dialect) -> Self {
        Values::of(dialect).with_repeated_keys().into()
    }
}

impl From<Values> for Packets {
    /// The packets of these values.
    fn from(values: Values) -> Self {
        Self { values }
    }
}

impl Strategy for Packets {
    type Tree = Descent<Shrinker, Packet>;
    type Value = Packet;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let (_, packet) = self.values.next(&mut Random::of(runner)?);
        let steps = Shrinker::new(Arc::clone(&self.values.codec)).from_children().of_layouts(self.values.layouts());
        Ok(Descent::new(steps, Packet(packet)))
    }
}
