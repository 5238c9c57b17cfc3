//! Packets that are nearly right.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::NewTree;
use proptest::test_runner::TestRunner;

use super::mutate::Mutator;
use super::packet::Packet;
use super::packets::Packets;
use super::random::Random;
use super::shrink::{Descent, Shrinker};

/// These packets, each with one to three changes.
pub fn mutated(packets: Packets) -> Mutated {
    Mutated { packets }
}

/// Packets with changes. Made by [`mutated`].
#[derive(Debug, Clone)]
pub struct Mutated {
    packets: Packets,
}

impl Strategy for Mutated {
    type Tree = Descent<Shrinker, Packet>;
    type Value = Packet;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut random = Random::of(runner)?;
        let values = &self.packets.values;
        let (_, other) = values.next(&mut random);
        let (_, whole) = values.next(&mut random);
        let mut mutator = Mutator::new(Arc::clone(&values.grammar.dialect), Arc::clone(&values.codec));
        mutator.take(&other);
        mutator.take(&whole);
        let mut packet = Vec::new();
        mutator.mutate(&mut random, &mut packet);
        Ok(Descent::new(Shrinker::new(Arc::clone(&values.codec)).from_children(), Packet(packet)))
    }
}
