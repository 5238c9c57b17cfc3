//! Numbers of a vector or matrix, or of the elements of a packed array, from other places, or zero: as replies show.

use std::collections::BTreeSet;

use variant_codec::{F32, F64, Numbers, Value};
use variant_specs::{Dialect, LayoutId};
use variant_values::compare::scalars;
use variant_values::handshake::Op;

use super::member::{MOST, both_ways};
use crate::causes::bench::Bench;
use crate::fault::{Change, Fault, Mutation};
use crate::moves;

/// Numbers of a vector or matrix in other places, as replies have them.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut orders: BTreeSet<(LayoutId, Op, Vec<usize>)> = BTreeSet::new();
    for subject in bench.failed_cases() {
        let Some((layout, right)) = subject.value().and_then(numbers_of) else { continue };
        let op = if subject.test.op == Op::Encode { Op::Encode } else { Op::Decode };
        if let Some((other, seen)) = bench.value_of(subject).as_deref().and_then(numbers_of)
            && other == layout
        {
            let arity = bench.dialect.layouts.get(layout).arity();
            orders.extend(places_of(seen, right, arity).map(|order| (layout, op, order)));
        }
    }
    orders.into_iter().take(MOST).flat_map(|(layout, op, order)| moved(bench.dialect, layout, op, &order)).collect()
}

pub(super) fn numbers_of(value: &Value) -> Option<(LayoutId, &Numbers)> {
    match value {
        Value::Fields(layout, numbers) | Value::Packed(layout, numbers) => Some((*layout, numbers)),
        _ => None,
    }
}

/// For each number of the first element its place in others, where they are the same and no two of them are equal; the place
/// behind the last, if it is zero and none of the others is.
fn places_of(numbers: &Numbers, others: &Numbers, arity: usize) -> Option<Vec<usize>> {
    let [numbers, others] = [numbers, others].map(|all| scalars(all).into_iter().take(arity).collect::<Vec<Value>>());
    let is_zero = |number: &Value| matches!(number, Value::Int(0)) || *number == Value::Float(F64(0));
    let place = |number: &Value| {
        if is_zero(number) && !others.iter().any(is_zero) {
            return Some(others.len());
        }
        let mut places = others.iter().enumerate().filter(|(_, other)| *other == number);
        let (place, _) = places.next()?;
        places.next().is_none().then_some(place)
    };
    let places: Vec<usize> = numbers.iter().map(place).collect::<Option<_>>()?;
    let is_moved = |(own, other): (usize, &usize)| own != *other && *other < others.len();
    (numbers.len() == others.len() && places.iter().enumerate().any(is_moved)).then_some(places)
}

/// Codecs that have each number from this place, in one direction; where each place is there once, also those that put it
/// back in the other direction.
fn moved(dialect: &Dialect, layout: LayoutId, op: Op, from: &[usize]) -> Vec<Fault> {
    let own = dialect.layouts.get(layout);
    let rearranged = |from: &[usize]| {
        let from = from.to_vec();
        let change: Change = Box::new(move |value| {
            if let Value::Fields(other, numbers) | Value::Packed(other, numbers) = value
                && *other == layout
            {
                rearrange(numbers, &from);
            }
        });
        change
    };
    let back: Option<Vec<usize>> = (0..from.len()).map(|place| from.iter().position(|other| *other == place)).collect();
    let places: Vec<String> = from.iter().map(ToString::to_string).collect();
    let id = format!("{}-from-{}", own.name, places.join("-"));
    let (decoded, encoded) = match (&back, op) {
        (Some(back), Op::Encode) => (Some(back.as_slice()), Some(from)),
        (Some(back), _) => (Some(from), Some(back.as_slice())),
        (None, Op::Encode) => (None, Some(from)),
        (None, _) => (Some(from), None),
    };
    // What a writer takes from another place has that in its own.
    let sentence = moves::said(own, if back.is_some() { encoded.unwrap_or(from) } else { from });
    let mutation =
        Mutation { decoded: decoded.map(rearranged), encoded: encoded.map(rearranged), ..Mutation::default() };
    let faults = both_ways(dialect, &id, mutation).into_iter().filter(|fault| back.is_some() || fault.op == Some(op));
    let fault = |fault: Fault| {
        let fault = fault.called(moves::named(&sentence)).about([own.name.as_str()]);
        fault.described(format!("{}: {sentence}", dialect.type_name_of(&own.name)))
    };
    faults.map(fault).collect()
}

/// Takes each number from another place; what is behind the last is zero.
fn rearrange(numbers: &mut Numbers, from: &[usize]) {
    fn moved<T: Copy>(list: &mut [T], from: &[usize], zero: T) {
        for element in list.chunks_mut(from.len()) {
            let old = element.to_vec();
            for (number, place) in element.iter_mut().zip(from) {
                *number = old.get(*place).copied().unwrap_or(zero);
            }
        }
    }
    match numbers {
        Numbers::Bytes(list) => moved(list, from, 0),
        Numbers::Int32(list) => moved(list, from, 0),
        Numbers::Int64(list) => moved(list, from, 0),
        Numbers::Float32(list) => moved(list, from, F32(0)),
        Numbers::Float64(list) => moved(list, from, F64(0)),
    }
}
