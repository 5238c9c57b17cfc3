//! What the strategies make, and how it shrinks.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestError, TestRunner};
use variant_codec::{Codec, Value};
use variant_specs::{JudgedBy, Specs};
use variant_strategies::{Packet, Packets, Values, deep, mutated, packets, values};

/// A generated value comes back as it was: nothing in it depends on choices of a reader. So does each one on its way down.
#[test]
fn values_come_back() {
    let specs = Specs::builtin().unwrap();
    for dialect in specs.all() {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let mut runner = TestRunner::deterministic();
        for round in 0..500 {
            let mut tree = Values::of(dialect).new_tree(&mut runner).unwrap();
            let comes_back = |value: Value| {
                let packet = codec.encode(&value).unwrap();
                assert_eq!(codec.decode(&packet).unwrap().value, value, "{}", dialect.name);
            };
            comes_back(tree.current());
            if round % 50 == 0 {
                let mut steps = 0;
                while steps < 50 && (tree.simplify() || tree.complicate()) {
                    comes_back(tree.current());
                    steps += 1;
                }
            }
        }
    }
}

/// A packet is read whole, and so is each one on its way down. Mutants mostly are not the packets that they are made of.
#[test]
fn packets_are_read_and_mutants_differ() {
    let specs = Specs::builtin().unwrap();
    for dialect in specs.all() {
        let codec = Codec::new(dialect, JudgedBy::Engines);
        let mut runner = TestRunner::deterministic();
        let strange = mutated(Packets::of(dialect));
        let mut refused = 0;
        for _ in 0..300 {
            let mut tree = Packets::of(dialect).new_tree(&mut runner).unwrap();
            for _ in 0..10 {
                let packet = tree.current();
                let decoded =
                    codec.decode(&packet).unwrap_or_else(|error| panic!("{}: {packet:?}: {error}", dialect.name));
                assert_eq!(decoded.used, packet.len(), "{packet:?}");
                if !tree.simplify() {
                    break;
                }
            }
            refused += usize::from(codec.decode(&strange.new_tree(&mut runner).unwrap().current()).is_err());
        }
        assert!((60..=240).contains(&refused), "{}: {refused}", dialect.name);
    }
}

fn has_long_text(value: &Value) -> bool {
    matches!(value, Value::Text(_, text) if text.as_str().is_some_and(|text| text.chars().count() > 2))
        || value.children().into_iter().any(has_long_text)
}

/// Whether it is a text alone, of three bytes.
fn is_short_text(value: &Value) -> bool {
    matches!(value, Value::Text(_, text) if text.as_bytes().len() == 3)
}

/// proptest itself shrinks to the smallest value that fails.
#[test]
fn proptest_shrinks_to_the_smallest() {
    let fails = |value: Value| {
        prop_assert!(!has_long_text(&value));
        Ok(())
    };
    let error = TestRunner::deterministic().run(&values("godot-3"), fails).unwrap_err();
    let TestError::Fail(_, smallest) = error else { panic!("{error}") };
    assert!(is_short_text(&smallest), "{smallest:?}");
}

/// Where several are shrunk together, each one is.
#[test]
fn each_of_several_is_shrunk() {
    let fails = |(value, packet): (Value, Packet)| {
        prop_assert!(!has_long_text(&value) || packet.len() <= 4);
        Ok(())
    };
    let error = TestRunner::deterministic().run(&(values("godot-3"), packets("godot-3")), fails).unwrap_err();
    let TestError::Fail(_, (value, packet)) = error else { panic!("{error}") };
    assert!(is_short_text(&value), "{value:?}");
    // Nothing but the header of its type is left.
    assert!(packet.len() > 4 && packet[4..].iter().all(|byte| *byte == 0), "{packet:?}");
}

#[test]
fn shrinking_ends() {
    let mut runner = TestRunner::deterministic();
    for strategy in [packets("godot-3").boxed(), mutated(packets("godot-3")).boxed(), deep("godot-3").boxed()] {
        for _ in 0..20 {
            let mut tree = strategy.new_tree(&mut runner).unwrap();
            let mut steps = 0;
            while tree.simplify() {
                steps += 1;
                assert!(steps < 10_000);
            }
            assert!(tree.current().len() <= 4, "{:?}", tree.current());
        }
    }
}

/// Types are what a caller says.
#[test]
fn a_caller_chooses() {
    fn is_one(value: &Value) -> bool {
        matches!(value, Value::Int(_) | Value::Array(_)) && value.children().into_iter().all(is_one)
    }
    let few = values("godot-4.4").only(|name| ["int", "array"].contains(&name));
    let mut runner = TestRunner::deterministic();
    // Nor does a value become another on its way down: null is none of these.
    let fails = |_| Err(TestCaseError::fail("always"));
    let TestError::Fail(_, least) = TestRunner::deterministic().run(&few, fails).unwrap_err() else {
        panic!("it fails")
    };
    assert!(is_one(&least), "{least:?}");
    let made: Vec<Value> = (0..500).map(|_| few.new_tree(&mut runner).unwrap().current()).collect();
    assert!(made.iter().all(is_one));
    assert!(made.iter().any(|value| value.depth() > 1) && made.iter().any(|value| matches!(value, Value::Int(_))));
}

#[test]
#[should_panic(expected = "godot-5")]
fn an_unknown_dialect_is_named() {
    let _ = values("godot-5");
}

/// Any bytes choose a value, few bytes a small one, and all kinds come up.
#[test]
fn bytes_choose_a_value() {
    let specs = Specs::builtin().unwrap();
    for dialect in specs.all() {
        let (all, codec) = (Values::of(dialect), Codec::new(dialect, JudgedBy::Engines));
        let mut headers = std::collections::BTreeSet::new();
        for first in 0..=255u8 {
            for second in (0..=255u8).step_by(5) {
                let value = all.chosen_by(&[first, second, 7, 200, first ^ second, 99]);
                let packet = codec.encode(&value).unwrap();
                assert_eq!(codec.decode(&packet).unwrap().value, value, "{}: {first} {second}", dialect.name);
                headers.insert(packet[0]);
            }
        }
        assert!(headers.len() * 10 >= dialect.types.len() * 9, "{}: {headers:?}", dialect.name);
        assert_eq!(all.chosen_by(b"guided"), all.chosen_by(b"guided"));
    }
}
