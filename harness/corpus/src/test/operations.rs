//! By which operations a case is tested.

use variant_codec::{Component, Value};

use crate::{Class, Expectation};
use variant_values::handshake::Op;

/// Values nested deeper than this are tested by `reencode` only: JSON would be the limit, not the codec.
const DEEPEST_VALUE: usize = 48;
/// Readers of JSON stop at 128 levels, and a reply has one more than its value.
const MOST_LEVELS: usize = 120;

/// The operations that a case is tested by.
pub(super) fn ops(expected: &Expectation) -> &'static [Op] {
    let deep = expected.value.as_ref().is_some_and(|value| is_deep(&value.value));
    match expected.class {
        Class::Canonical if deep => &[Op::Reencode],
        Class::Canonical => &[Op::Decode, Op::Encode],
        Class::Readable => &[Op::Decode],
        Class::Invalid | Class::Undecided if expected.packet.is_some() => &[Op::Decode],
        Class::Invalid | Class::Undecided => &[Op::Encode],
    }
}

/// Whether a value is too deep for JSON and tested by `reencode` only. An array is two levels of JSON, a dictionary or
/// typed array three, a record with a list four.
pub fn is_deep(value: &Value) -> bool {
    fn levels(value: &Value) -> usize {
        let untyped = matches!(value, Value::Array(array) if array.of.is_none());
        let is_list = |component: &Component| matches!(component, Component::List(_));
        let has_list = matches!(value, Value::Record(_, of) if of.iter().any(is_list));
        let own = if untyped { 2 } else { 3 + usize::from(has_list) };
        own + value.children().into_iter().map(levels).max().unwrap_or(0)
    }
    value.depth() > DEEPEST_VALUE || levels(value) > MOST_LEVELS
}
