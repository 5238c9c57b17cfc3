//! The packets of a dialect, as they are or nearly right.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::NewTree;
use proptest::test_runner::TestRunner;
use variant_specs::Dialect;

use super::mutate::Mutator;
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

/// These packets, each with one to three changes.
pub fn mutated(packets: Packets) -> Packets {
    Packets { mutated: true, ..packets }
}

/// The bytes of a packet. `Debug` shows them in hex, four to a group, as listings do.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Packet(pub Vec<u8>);

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Packet(")?;
        for (place, byte) in self.0.iter().enumerate() {
            let gap = if place > 0 && place % 4 == 0 { " " } else { "" };
            write!(f, "{gap}{byte:02x}")?;
        }
        f.write_str(")")
    }
}

impl Deref for Packet {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Packets of values. Made by [`packets`] and [`mutated`].
#[derive(Debug, Clone)]
pub struct Packets {
    values: Values,
    mutated: bool,
}

impl Packets {
    /// The packets of this dialect's values.
    pub fn of(dialect: &Dialect) -> Self {
        Self { values: Values::of(dialect).with_repeated_keys(), mutated: false }
    }
}

impl Strategy for Packets {
    type Tree = Descent<Shrinker, Packet>;
    type Value = Packet;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let (values, mut random) = (&self.values, Random::of(runner)?);
        let mut packet = values.packet(&mut random);
        let mut steps = Shrinker::new(Arc::clone(&values.codec)).from_children();
        if self.mutated {
            let mut mutator = Mutator::new(Arc::clone(&values.grammar.dialect), Arc::clone(&values.codec));
            mutator.take(&packet);
            mutator.take(&values.packet(&mut random));
            mutator.mutate(&mut random, &mut packet);
        } else {
            steps = steps.of_layouts(values.layouts());
        }
        Ok(Descent::new(steps, Packet(packet)))
    }
}
