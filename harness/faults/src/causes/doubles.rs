//! Numbers in languages that have only doubles: faults of the catalogue in the ways in which codecs have them.

use variant_codec::{F64, Numbers, Value};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Request};

use super::bench::Bench;
use super::subject::Subject;
use crate::behaviour::doubles::{
    BEYOND, Great, SAFE, as_int, has_long_elements, long_elements, low_bits, through_double, whole,
};
use crate::behaviour::records::no_value;
use crate::fault::{Change, Fault, Mutation, Refuser, RequestHistory, is_anywhere};

/// Whether a value holds a number of some kind.
type Holds = fn(&Value) -> bool;

/// Integers that go through a double, where a failure shows it.
pub(super) fn ints(bench: &Bench<'_>) -> Vec<Fault> {
    let shows = |right: &Value, seen: Option<&Value>| match (right, seen) {
        (Value::Int(right), Some(Value::Int(seen))) => right.unsigned_abs() >= 1 << 53 && right != seen,
        (Value::Int(right), None) => right.unsigned_abs() >= 1 << 53,
        (Value::Packed(..), _) => has_long_elements(bench.dialect).is_some(),
        _ => false,
    };
    if !shown(bench, shows) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let ways: [(bool, &str, Holds); 3] = [
        (false, "ints", is_last_int),
        (true, "all", |value| is_last_int(value) || has_last_element(value)),
        (true, "elements", has_last_element),
    ];
    for (elements, of, last) in ways {
        for (shortest, digits) in [(false, "exact"), (true, "shortest")] {
            for (great, beyond) in [(Great::Saturates, "last"), (Great::Wraps, "wraps"), (Great::Invalid, "none")] {
                let through = move |int| through_double(int, shortest, great);
                let change = move |value: &mut Value| {
                    if let (Value::Int(int), true) = (&mut *value, of != "elements") {
                        *int = through(*int);
                    }
                    if elements {
                        long_elements(value, through);
                    }
                };
                let decoded = Mutation {
                    decoded: Some(Box::new(change)),
                    answers: (great == Great::Invalid).then(|| invalid(last)),
                    ..Mutation::default()
                };
                let encoded = Mutation { encoded: Some(Box::new(change)), ..Mutation::default() };
                let (name, description) = match of {
                    "elements" => {
                        ("long-elements-through-double", "elements of 64-bit integer arrays go through a double")
                    }
                    _ => ("int64-through-double", "integers go through a double"),
                };
                let place = format!("{name}-{of}-{digits}-{beyond}");
                faults.extend(each_way(bench, &place, name, description, [decoded, encoded]));
            }
        }
    }
    faults
}

/// Floats without a fraction that become integers, where a failure shows it.
pub(super) fn floats(bench: &Bench<'_>) -> Vec<Fault> {
    let shows = |right: &Value, seen: Option<&Value>| matches!((right, seen), (Value::Float(_), Some(Value::Int(_))));
    if !shown(bench, shows) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let ways = [
        (SAFE, Great::Stays, "safe"),
        (BEYOND, Great::Stays, "fit"),
        (BEYOND, Great::Wraps, "wraps"),
        (BEYOND, Great::Invalid, "none"),
    ];
    for (limit, great, way) in ways {
        for signed in [false, true] {
            let int = move |float: F64| whole(float, limit).filter(|_| signed || float != F64::from(-0.0));
            let decoded: Change = Box::new(move |value| as_int(value, int));
            let encoded: Change = Box::new(move |value| {
                as_int(value, |float| int(float).or_else(|| low_bits(float).filter(|_| great == Great::Wraps)));
            });
            let decoded = Mutation {
                decoded: Some(decoded),
                answers: (great != Great::Stays).then(|| invalid(is_great)),
                ..Mutation::default()
            };
            let of_great = |value: &Value| is_anywhere(value, is_great);
            let refuses = (great == Great::Invalid).then(|| Box::new(of_great) as Box<Refuser>);
            let encoded = Mutation { encoded: Some(encoded), refuses, ..Mutation::default() };
            let place = format!("whole-floats-{way}-{signed}");
            let sentence = "floats without a fraction are integers";
            faults.extend(each_way(bench, &place, "whole-floats-are-ints", sentence, [decoded, encoded]));
        }
    }
    faults
}

/// A fault in the reader and one in the writer.
fn each_way(bench: &Bench<'_>, place: &str, name: &str, sentence: &str, mutations: [Mutation; 2]) -> Vec<Fault> {
    let of = |(op, mutation)| Fault::new(bench.dialect, "family", place, Some(op), mutation);
    let faults = [Op::Decode, Op::Encode].into_iter().zip(mutations).map(of);
    faults.map(|fault| fault.called(name).described(sentence)).collect()
}

/// Whether a failure of a case shows something: the right value, and the one that came, if one came.
fn shown(bench: &Bench<'_>, shows: impl Fn(&Value, Option<&Value>) -> bool) -> bool {
    let shows = |subject: &Subject<'_>| shows(subject.value()?, bench.value_of(subject).as_deref()).then_some(());
    bench.failed_cases().any(|subject| shows(subject).is_some())
}

/// Replies that are no value, because a number in them is too great, as exact integers and as JavaScript prints them.
fn invalid(is: Holds) -> crate::fault::Rewriter {
    Box::new(move |_: &Request, answer: Answer, _: &RequestHistory| match &answer {
        Answer::Value { value, .. } => match too_great(value, is) {
            Some(number) => no_value(&[format!("{number:.0}"), number.to_string(), format!("{number:e}")]),
            None => answer,
        },
        _ => answer,
    })
}

fn too_great(value: &Value, is: Holds) -> Option<f64> {
    if is(value) {
        return Some(if let Value::Float(float) = value { float.get() } else { BEYOND });
    }
    value.children().into_iter().find_map(|child| too_great(child, is))
}

fn is_great(value: &Value) -> bool {
    matches!(value, Value::Float(float) if float.get().is_finite() && float.get().abs() >= BEYOND)
}

/// Whether it is the last integer, which a double makes one too great.
fn is_last_int(value: &Value) -> bool {
    *value == Value::Int(i64::MAX)
}

fn has_last_element(value: &Value) -> bool {
    matches!(value, Value::Packed(_, Numbers::Int64(ints)) if ints.contains(&i64::MAX))
}
