//! Values of a dialect as a proptest strategy: made by the generator of campaigns, and shrunk by the same steps as
//! findings. Campaigns send many candidates at a time, which proptest's runner does not.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::{TestError, TestRunner};
use variant_codec::{Codec, Value};

use variant_diff::{Generator, Grammar, Random, SizeLimits, Swarm, simpler_values};
use variant_specs::{Dialect, Reading, Specs};

/// The values that a dialect can carry, in the form that comes back.
#[derive(Debug, Clone)]
struct Values {
    grammar: Arc<Grammar>,
    limits: SizeLimits,
}

impl Values {
    /// The values of a dialect.
    fn of(dialect: &Dialect) -> Self {
        Self { grammar: Arc::new(Grammar::of(dialect)), limits: SizeLimits::default() }
    }
}

impl Strategy for Values {
    type Tree = Shrinking;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut random = Random::new(any::<u64>().new_tree(runner)?.current());
        let swarm = Swarm::draw(&self.grammar, &mut random);
        Ok(Shrinking::of(Generator::new(&self.grammar, &swarm, &mut random, self.limits, false).value()))
    }
}

/// A value on its way to a simpler one.
#[derive(Debug, Clone)]
struct Shrinking {
    /// The value to try.
    current: Value,
    /// The simplest value that is known to fail, while a simpler one is tried.
    failing: Option<Value>,
    /// Simpler values that were not tried yet.
    rest: Vec<Value>,
}

impl Shrinking {
    /// Starts at this value.
    fn of(value: Value) -> Self {
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

    /// The current value fails: tries simpler ones.
    fn simplify(&mut self) -> bool {
        let children = self.current.children().into_iter().cloned();
        let mut rest: Vec<Value> = children.chain(simpler_values(&self.current)).collect();
        let size = size(&self.current);
        rest.retain(|value| self::size(value) < size);
        rest.reverse();
        self.rest = rest;
        self.failing = Some(self.current.clone());
        self.next()
    }

    /// It does not fail: tries the next one, or goes back.
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

/// What each step lowers, so that shrinking ends: the length of the written value, and the sum of its bytes.
fn size(value: &Value) -> (usize, u64) {
    let written = format!("{value:?}");
    (written.len(), written.bytes().map(u64::from).sum())
}

/// A generated value comes back as it was: nothing in it depends on choices of a reader.
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
