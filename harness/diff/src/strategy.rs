//! Values of a dialect for proptest: the same grammar, grown by the fast generator, shrunk by the same steps as
//! findings are. What is generated and what is simpler are tested with them; campaigns shrink what both sides have
//! answered, many candidates at a time, which proptest's runner does not.

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
pub(super) struct Values {
    grammar: Arc<Grammar>,
    extent: Extent,
}

impl Values {
    /// Those of a dialect.
    pub(super) fn of(dialect: &Dialect) -> Self {
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
pub(super) struct Shrinking {
    /// What is tried.
    current: Value,
    /// The simplest that is known to fail, where something simpler is tried.
    failing: Option<Value>,
    /// What is simpler than that and was not tried.
    rest: Vec<Value>,
}

impl Shrinking {
    /// From this value down.
    pub(super) fn of(value: Value) -> Self {
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

mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{TestError, TestRunner};
    use variant_codec::Codec;
    use variant_specs::{Reading, Specs};

    use super::*;

    /// What is generated for encoding comes back as it was: nothing in it depends on what a reader may do otherwise.
    #[test]
    fn values_come_back() {
        let specs = Specs::builtin().unwrap();
        for dialect in specs.all() {
            let codec = Codec::new(dialect, Reading::Engine);
            let mut runner = TestRunner::deterministic();
            for _ in 0..500 {
                let value = Values::of(dialect).new_tree(&mut runner).unwrap().current();
                let packet = codec.encode(&value).unwrap();
                assert_eq!(codec.decode(&packet).unwrap().value, value, "{}", dialect.name);
            }
        }
    }

    /// proptest itself shrinks to the smallest value that fails.
    #[test]
    fn proptest_shrinks_to_the_smallest() {
        let specs = Specs::builtin().unwrap();
        let dialect = specs.dialect("godot-3").unwrap();
        let mut runner = TestRunner::deterministic();
        let has_long_text = |value: &Value| {
            fn any(value: &Value) -> bool {
                matches!(value, Value::Text(_, text) if text.as_str().is_some_and(|text| text.chars().count() > 2))
                    || value.children().into_iter().any(any)
            }
            any(value)
        };
        let fails = |value: Value| {
            prop_assert!(!has_long_text(&value));
            Ok(())
        };
        let error = runner.run(&Values::of(dialect), fails).unwrap_err();
        let TestError::Fail(_, smallest) = error else { panic!("{error}") };
        let Value::Text(_, text) = &smallest else { panic!("{smallest:?}") };
        assert_eq!(text.as_bytes().len(), 3, "{smallest:?}");
    }

    #[test]
    fn shrinking_ends() {
        let specs = Specs::builtin().unwrap();
        let dialect = specs.dialect("godot-3").unwrap();
        let mut runner = TestRunner::deterministic();
        let mut tree = Values::of(dialect).new_tree(&mut runner).unwrap();
        let mut steps = 0;
        while tree.simplify() {
            steps += 1;
            assert!(steps < 10_000);
        }
        assert!(tree.current().children().is_empty());
    }
}
