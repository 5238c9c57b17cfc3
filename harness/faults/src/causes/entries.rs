//! Requests with the entries of dictionaries in other orders: a writer whose order is not that of its value, and that declares
//! it, may have been given any of them.

use variant_codec::{Codec, Value};
use variant_values::implementation::{Input, Request};

/// So many orders of one value are tried: those of four entries, of which one is in another dictionary of two.
const MOST: usize = 48;

/// The same request with the entries of its dictionaries in each other order; none if there are too many.
pub(super) fn other_orders(request: &Request, codec: &Codec) -> Vec<Request> {
    let read;
    let value = match &request.input {
        Input::Encode(value) => value,
        Input::Reencode(bytes) if request.framing.is_none() => match codec.decode(bytes) {
            Ok(decoded) if codec.encode(&decoded.value).is_ok_and(|written| written == *bytes) => {
                read = decoded.value;
                &read
            }
            _ => return Vec::new(),
        },
        Input::Reencode(_) | Input::Decode(_) => return Vec::new(),
    };
    let count = orders(value);
    if count > MOST {
        return Vec::new();
    }
    let input = |order: usize| {
        let mut value = value.clone();
        reorder(&mut value, order);
        match request.input {
            Input::Encode(_) => Some(Input::Encode(value)),
            _ => Some(Input::Reencode(codec.encode(&value).ok()?)),
        }
    };
    (1..count).filter_map(input).map(|input| Request { input, ..request.clone() }).collect()
}

/// In how many orders the entries of all dictionaries in a value can stand.
fn orders(value: &Value) -> usize {
    let within = value.children().into_iter().map(orders).fold(1, usize::saturating_mul);
    within.saturating_mul(own_orders(value))
}

/// In how many orders the entries of this dictionary can stand.
fn own_orders(value: &Value) -> usize {
    match value {
        Value::Dictionary(dictionary) => (1..=dictionary.entries.len()).fold(1, usize::saturating_mul),
        _ => 1,
    }
}

/// Brings the entries of all dictionaries in a value into one of its orders. Returns what is left of the number for others.
fn reorder(value: &mut Value, order: usize) -> usize {
    let own = own_orders(value);
    let mut left = order % own;
    if let Value::Dictionary(dictionary) = value {
        let mut entries = std::mem::take(&mut dictionary.entries);
        while !entries.is_empty() {
            let place = left % entries.len();
            left /= entries.len();
            dictionary.entries.push(entries.remove(place));
        }
    }
    value.children_mut().into_iter().fold(order / own, |order, child| reorder(child, order))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use variant_codec::{Dictionary, Value};

    use super::{orders, reorder};

    fn dictionary(entries: Vec<(Value, Value)>) -> Value {
        Value::Dictionary(Dictionary { entries, of: None, shared: false })
    }

    #[test]
    fn every_order_occurs_once() {
        let inner = dictionary(vec![(Value::Int(7), Value::Null), (Value::Int(8), Value::Null)]);
        let keys = [1, 2, 3].map(Value::Int);
        let outer = dictionary(keys.into_iter().map(|key| (key, inner.clone())).collect());
        // Three entries in six orders, and two in two orders in each of them.
        assert_eq!(orders(&outer), 48);
        let all: HashSet<Value> = (0..48)
            .map(|order| {
                let mut value = outer.clone();
                assert_eq!(reorder(&mut value, order), 0);
                value
            })
            .collect();
        assert_eq!(all.len(), 48);
        assert!(all.contains(&outer));
    }
}
