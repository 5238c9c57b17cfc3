//! Numbers of a vector or matrix in another order: the one that replies show.

use std::collections::BTreeSet;

use variant_codec::{Numbers, Value};
use variant_specs::{Dialect, LayoutId};
use variant_values::compare::scalars;
use variant_values::implementation::Answer;

use super::bench::Bench;
use super::families::{MOST, both_ways, change};
use crate::fault::{Fault, Mutation};

/// Numbers of a vector or matrix in another order: that of replies that have the right numbers in other places.
pub(super) fn orders(bench: &Bench<'_>) -> Vec<Fault> {
    let mut orders: BTreeSet<(LayoutId, Vec<usize>)> = BTreeSet::new();
    for subject in bench.failed_cases() {
        let Some(Value::Fields(layout, right)) = subject.value() else { continue };
        let order = match subject.reply() {
            // Where each number of the packet went.
            Some(Answer::Value { value: Value::Fields(other, seen), .. }) if other == layout => places_of(right, seen),
            // Where each number of the packet came from.
            Some(Answer::Bytes(bytes)) => match bench.read(bytes) {
                Some(Value::Fields(other, seen)) if other == *layout => places_of(&seen, right),
                _ => None,
            },
            _ => None,
        };
        orders.extend(order.map(|order| (*layout, order)));
    }
    orders.into_iter().take(MOST).flat_map(|(layout, order)| in_order(bench.dialect, layout, &order)).collect()
}

/// For each of some numbers its place in others, where they are the same and no two of them are equal.
fn places_of(numbers: &Numbers, others: &Numbers) -> Option<Vec<usize>> {
    let (numbers, others) = (scalars(numbers), scalars(others));
    let place = |number: &Value| {
        let mut places = others.iter().enumerate().filter(|(_, other)| *other == number);
        let (place, _) = places.next()?;
        places.next().is_none().then_some(place)
    };
    let places: Vec<usize> = numbers.iter().map(place).collect::<Option<_>>()?;
    (numbers.len() == others.len() && places.iter().enumerate().any(|(own, other)| own != *other)).then_some(places)
}

/// A codec that takes the numbers of a packet for those in another order.
fn in_order(dialect: &Dialect, layout: LayoutId, order: &[usize]) -> [Fault; 2] {
    let own = dialect.layouts.get(layout);
    let rearranged = |to: Vec<usize>| {
        change(move |value| {
            if let Value::Fields(other, numbers) = value
                && *other == layout
            {
                rearrange(numbers, &to);
            }
        })
    };
    let back = (0..order.len()).map(|from| order.iter().position(|place| *place == from).unwrap_or(from)).collect();
    let mutation = Mutation { decoded: rearranged(order.to_vec()), encoded: rearranged(back), ..Mutation::default() };
    let names: Vec<&str> = order.iter().filter_map(|place| own.fields.get(*place)).map(String::as_str).collect();
    both_ways(dialect, &format!("{}-order-{}", own.name, names.join("-")), mutation).map(|fault| {
        fault
            .called(format!("{}-in-another-order", own.name))
            .described(format!("{}: its numbers are in the order {}", own.name, names.join(", ")))
            .about([own.name.as_str()])
    })
}

/// Puts each number in another place.
fn rearrange(numbers: &mut Numbers, to: &[usize]) {
    fn moved<T: Clone>(list: &mut [T], to: &[usize]) {
        let old = list.to_vec();
        for (number, place) in old.into_iter().zip(to) {
            if let Some(there) = list.get_mut(*place) {
                *there = number;
            }
        }
    }
    match numbers {
        Numbers::Bytes(list) => moved(list, to),
        Numbers::Int32(list) => moved(list, to),
        Numbers::Int64(list) => moved(list, to),
        Numbers::Float32(list) => moved(list, to),
        Numbers::Float64(list) => moved(list, to),
    }
}
