//! Values of a dialect for proptest: the same grammar, grown by the fast generator, shrunk by the same steps as
//! findings are.

use std::sync::Arc;

use proptest::arbitrary::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use variant_codec::Value;
use variant_specs::Dialect;

use super::grammar::Grammar;
use super::grow::{Extent, Grower, Swarm};
use super::random::Random;
use super::simpler;

/// The values that a dialect can carry, in the form that comes back.
#[derive(Debug, Clone)]
pub struct Values {
    grammar: Arc<Grammar>,
    extent: Extent,
}

impl Values {
    /// Those of a dialect.
    pub fn of(dialect: &Dialect) -> Self {
        Self { grammar: Arc::new(Grammar::of(dialect)), extent: Extent::default() }
    }
}

impl Strategy for Values {
    type Tree = Shrinking;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut random = Random::new(any::<u64>().new_tree(runner)?.current());
        let swarm = Swarm::draw(&self.grammar, &mut random);
        Ok(Shrinking::of(Grower::new(&self.grammar, &swarm, &mut random, self.extent, false).value()))
    }
}

/// A value on its way to a simpler one.
#[derive(Debug, Clone)]
pub struct Shrinking {
    /// What is tried.
    current: Value,
    /// The simplest that is known to fail, where something simpler is tried.
    failing: Option<Value>,
    /// What is simpler than that and was not tried.
    rest: Vec<Value>,
}

impl Shrinking {
    /// From this value down.
    pub fn of(value: Value) -> Self {
        Self { current: value, failing: None, rest: Vec::new() }
    }

    fn next(&mut self) -> bool {
        let Some(next) = self.rest.pop() else { return false };
        self.current = next;
        true
    }
}

impl ValueTree for Shrinking {
    type Value = Value;

    fn current(&self) -> Value {
        self.current.clone()
    }

    /// The current value fails: on to what is simpler.
    fn simplify(&mut self) -> bool {
        let children = self.current.children().into_iter().cloned();
        let mut rest: Vec<Value> = children.chain(simpler::values(&self.current)).collect();
        let size = size(&self.current);
        rest.retain(|value| self::size(value) < size);
        rest.reverse();
        self.rest = rest;
        self.failing = Some(self.current.clone());
        self.next()
    }

    /// It does not: on to the next, or back.
    fn complicate(&mut self) -> bool {
        if self.next() {
            return true;
        }
        if let Some(failing) = self.failing.take() {
            self.current = failing;
        }
        false
    }
}

/// What shrinking makes less, so that it ends: how long the value is when it is written out, and how much is in it.
fn size(value: &Value) -> (usize, u64) {
    let written = format!("{value:?}");
    (written.len(), written.bytes().map(u64::from).sum())
}
