//! The values of a dialect, for proptest.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use variant_codec::{Codec, Value};
use variant_conformance::diff::{Shrinking, Values};
use variant_specs::{Reading, Specs};

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
    let proptest::test_runner::TestError::Fail(_, smallest) = error else { panic!("{error}") };
    let Value::Text(_, text) = &smallest else { panic!("{smallest:?}") };
    assert_eq!(text.as_bytes().len(), 3, "{smallest:?}");
}

#[test]
fn shrinking_ends() {
    let specs = Specs::builtin().unwrap();
    let dialect = specs.dialect("godot-3").unwrap();
    let mut runner = TestRunner::deterministic();
    let mut tree: Shrinking = Values::of(dialect).new_tree(&mut runner).unwrap();
    let mut steps = 0;
    while tree.simplify() {
        steps += 1;
        assert!(steps < 10_000);
    }
    assert!(tree.current().children().is_empty());
}
