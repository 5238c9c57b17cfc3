//! The values of a dialect.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::NewTree;
use proptest::test_runner::TestRunner;
use variant_codec::{Codec, Value};
use variant_specs::{Dialect, JudgedBy, LayoutId, Shape, Specs};

use super::generate::{self, Swarm};
use super::grammar::Grammar;
use super::numbers;
use super::random::Random;
use super::shrink::{Descent, Shrinker};

/// The values that a dialect can carry, in the form that comes back from their packets.
///
/// # Panics
/// There is no such dialect. `conform list` names them all.
pub fn values(dialect: &str) -> Values {
    named(dialect, Values::of)
}

/// What `made` makes of a dialect of this name.
pub(super) fn named<S>(dialect: &str, made: impl FnOnce(&Dialect) -> S) -> S {
    let specs = Specs::builtin().unwrap_or_else(|error| panic!("{error}"));
    made(specs.find(dialect).unwrap_or_else(|error| panic!("{error}")))
}

/// Values of a dialect. Made by [`values`].
#[derive(Debug, Clone)]
pub struct Values {
    pub(super) grammar: Arc<Grammar>,
    pub(super) codec: Arc<Codec>,
    repeated_keys: bool,
}

impl Values {
    /// The values of this dialect.
    pub fn of(dialect: &Dialect) -> Self {
        Self {
            grammar: Arc::new(Grammar::of(dialect)),
            codec: Arc::new(Codec::new(dialect, JudgedBy::Engines)),
            repeated_keys: false,
        }
    }

    /// Only the types whose layout has a wanted name, such as `vector2`.
    #[must_use]
    pub fn only(mut self, wanted: impl Fn(&str) -> bool) -> Self {
        self.grammar = Arc::new(self.grammar.only(wanted));
        self
    }

    /// Dictionaries may repeat a key. A reader keeps only one of them, so such a value does not come back.
    #[must_use]
    pub fn with_repeated_keys(mut self) -> Self {
        self.repeated_keys = true;
        self
    }

    /// Whether there is no type left.
    pub fn is_empty(&self) -> bool {
        self.grammar.productions.is_empty()
    }

    /// A selection of types, for one value or for many.
    pub fn swarm(&self, random: &mut Random) -> Swarm {
        Swarm::draw(&self.grammar, random)
    }

    /// The next value with the types of this swarm, which must be one of these values' own.
    pub fn draw(&self, swarm: &Swarm, random: &mut Random) -> Value {
        generate::value(&self.grammar, swarm, random, self.repeated_keys)
    }

    /// The value that these bytes choose, each byte one of the generator's choices: for a fuzzer that is guided by coverage.
    pub fn chosen_by(&self, bytes: &[u8]) -> Value {
        let mut random = Random::of_bytes(bytes);
        self.draw(&Swarm::whole(&self.grammar), &mut random)
    }

    /// A value that the dialect cannot carry and must refuse: an int that is too wide. `None` if it can carry any, and
    /// sometimes if it cannot.
    pub fn beyond(&self, random: &mut Random) -> Option<Value> {
        let dialect = &self.grammar.dialect;
        let is_int = |layout: &LayoutId| dialect.layouts.get(*layout).shape == Shape::Int;
        if dialect.rules.wide_numbers || !self.layouts().iter().any(is_int) {
            return None;
        }
        let int = numbers::int64(random);
        i32::try_from(int).is_err().then_some(Value::Int(int))
    }

    /// The layouts of all types.
    pub(super) fn layouts(&self) -> Arc<[LayoutId]> {
        self.grammar.productions.iter().map(|production| production.layout).collect()
    }

    /// The next value, with types of its own.
    fn next(&self, random: &mut Random) -> Value {
        let swarm = self.swarm(random);
        self.draw(&swarm, random)
    }

    /// The packet of the next value.
    pub(super) fn packet(&self, random: &mut Random) -> Vec<u8> {
        // Every value of the grammar can be encoded. For any other, the packet stays empty.
        self.codec.encode(&self.next(random)).unwrap_or_default()
    }
}

impl Strategy for Values {
    type Tree = Descent<Shrinker, Value>;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let value = self.next(&mut Random::of(runner)?);
        let steps = Shrinker::new(Arc::clone(&self.codec)).from_children();
        // A value with a repeated key does not come back: then any simpler one will do.
        let steps = if self.repeated_keys { steps } else { steps.of_layouts(self.layouts()) };
        Ok(Descent::new(steps, value))
    }
}
