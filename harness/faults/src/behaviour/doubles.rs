//! Numbers in languages that have only doubles, in the ways in which codecs have them.

use variant_codec::{F64, Numbers, Value};
use variant_specs::{Dialect, Layout, Scalar, Shape};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Request};

use super::records::no_value;
use crate::builder::layouts_where;
use crate::fault::{Change, Fault, Mutation, Refuser, RequestHistory, Rewriter, all_in};

/// The first whole number that 64 bits do not hold.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// The first whole number from which on a double does not hold all.
pub(crate) const SAFE: f64 = 9_007_199_254_740_992.0;

/// What becomes of a whole number that 64 bits do not hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Great {
    Stays,
    Saturates,
    Wraps,
    /// It is refused, or replied although it is no value.
    Invalid,
}

/// Whether a value holds a number of some kind.
type Holds = fn(&Value) -> bool;

/// Each way in the reader and in the writer.
pub(super) fn mutants(dialect: &Dialect) -> Vec<Fault> {
    let mut faults = ints(dialect);
    faults.extend(floats(dialect));
    faults
}

/// Integers that go through a double.
fn ints(dialect: &Dialect) -> Vec<Fault> {
    let are_long = |layout: &Layout| layout.shape == Shape::Packed && layout.of == Some(Scalar::Int64);
    let has_long_elements = !layouts_where(dialect, are_long).is_empty();
    let has_long_ints = dialect.rules.wide_numbers;
    let (ints, elements) = ("integers go through a double", "elements of 64-bit integer arrays go through a double");
    let ways: [(&str, &str, &str, bool, Holds); 3] = [
        ("ints", "int64-through-double", ints, has_long_ints, is_last_int),
        ("all", "int64-through-double", ints, has_long_ints && has_long_elements, |value| {
            is_last_int(value) || has_last_element(value)
        }),
        ("elements", "long-elements-through-double", elements, has_long_elements, has_last_element),
    ];
    let mut faults = Vec::new();
    for (of, name, sentence, _, last) in ways.into_iter().filter(|(_, _, _, may_be, _)| *may_be) {
        for (shortest, digits) in [(false, "exact"), (true, "shortest")] {
            for (great, beyond) in [(Great::Saturates, "last"), (Great::Wraps, "wraps"), (Great::Invalid, "none")] {
                let change = move |value: &mut Value| match value {
                    Value::Int(int) if of != "elements" => *int = through_double(*int, shortest, great),
                    Value::Packed(_, Numbers::Int64(ints)) if of != "ints" => {
                        ints.iter_mut().for_each(|int| *int = through_double(*int, shortest, great));
                    }
                    _ => {}
                };
                let answers = (great == Great::Invalid).then(|| invalid(last));
                let decoded = Mutation { decoded: Some(Box::new(change)), answers, ..Mutation::default() };
                let encoded = Mutation { encoded: Some(Box::new(change)), ..Mutation::default() };
                let id = format!("{name}-{of}-{digits}-{beyond}");
                faults.extend(each_way(dialect, &id, name, sentence, [decoded, encoded]));
            }
        }
    }
    faults
}

/// Floats without a fraction that become integers.
fn floats(dialect: &Dialect) -> Vec<Fault> {
    let mut faults = Vec::new();
    let ways = [
        (BEYOND, Great::Stays, "fit"),
        (SAFE, Great::Stays, "safe"),
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
            let answers = (great != Great::Stays).then(|| invalid(is_great));
            let decoded = Mutation { decoded: Some(decoded), answers, ..Mutation::default() };
            let of_great = |value: &Value| all_in(value).any(is_great);
            let refuses = (great == Great::Invalid).then(|| Box::new(of_great) as Box<Refuser>);
            let encoded = Mutation { encoded: Some(encoded), refuses, ..Mutation::default() };
            let (id, sentence) = (format!("whole-floats-{way}-{signed}"), "floats without a fraction are integers");
            faults.extend(each_way(dialect, &id, "whole-floats-are-ints", sentence, [decoded, encoded]));
        }
    }
    faults
}

/// A fault in the reader and one in the writer.
fn each_way(dialect: &Dialect, id: &str, name: &str, sentence: &str, mutations: [Mutation; 2]) -> Vec<Fault> {
    let of = |(op, mutation)| Fault::new(dialect, "behaviour", id, Some(op), mutation);
    let faults = [Op::Decode, Op::Encode].into_iter().zip(mutations).map(of);
    faults.map(|fault| fault.called(name).described(sentence)).collect()
}

/// Replies that are no value, because a number in them is too great, as exact integers and as JavaScript prints them.
fn invalid(is: Holds) -> Rewriter {
    Box::new(move |_: &Request, answer: Answer, _: &RequestHistory| {
        let Answer::Value { value, .. } = &answer else { return answer };
        let great = all_in(value).find(|value| is(value)).map(|value| match value {
            Value::Float(float) => float.get(),
            _ => BEYOND,
        });
        great.map_or(answer, |great| no_value(&[format!("{great:.0}"), great.to_string(), format!("{great:e}")]))
    })
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

fn as_int(value: &mut Value, int: impl Fn(F64) -> Option<i64>) {
    if let Value::Float(float) = value
        && let Some(int) = int(*float)
    {
        *value = Value::Int(int);
    }
}

/// A number without a fraction, below a limit.
pub(super) fn whole(float: F64, beyond: f64) -> Option<i64> {
    let number = float.get();
    #[expect(clippy::cast_possible_truncation, reason = "only what is whole and fits")]
    (number.fract() == 0.0 && number.abs() < beyond).then_some(number as i64)
}

/// An integer by way of a double, exactly or as it is printed.
fn through_double(int: i64, shortest: bool, great: Great) -> i64 {
    #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
    let double = int as f64;
    if double.abs() < SAFE {
        return int;
    }
    // As JavaScript and others print it: the fewest digits that say which double it is.
    #[expect(clippy::cast_possible_truncation, reason = "it has at most 64 bits")]
    let through = if shortest { double.to_string().parse().unwrap_or(0) } else { double as i128 };
    let last = if great == Great::Wraps { i64::MIN } else { i64::MAX };
    i64::try_from(through).unwrap_or(if through < 0 { i64::MIN } else { last })
}

/// The low 64 bits of a whole number that has more.
fn low_bits(float: F64) -> Option<i64> {
    let number = float.get();
    #[expect(clippy::cast_possible_truncation, reason = "that is what such a writer does")]
    (number.is_finite() && number.abs() >= BEYOND).then(|| (number % (2.0 * BEYOND)) as i128 as i64)
}
