//! Faults with a number in them: the numbers that the failures suggest.

use std::collections::BTreeSet;

use variant_codec::{F64, Text, Value};
use variant_wire::implementation::Input;

use super::bench::{Bench, Reply, Subject};
use crate::fault::{Fault, Mutation};

/// A family of faults: how it is called, the numbers that a failure suggests, and the fault of a number.
struct Family {
    name: &'static str,
    sentence: fn(usize) -> String,
    numbers: fn(&Subject, &Reply) -> Vec<usize>,
    of: fn(usize) -> Mutation,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "texts-cut-at",
        sentence: |bytes| format!("texts are cut at {bytes} bytes"),
        numbers: |_, reply| {
            if let Reply::Value(Value::Text(_, text), _) = reply { vec![text.as_bytes().len()] } else { Vec::new() }
        },
        of: |most| Mutation {
            decoded: change(move |value| cut(value, most)),
            encoded: change(move |value| cut(value, most)),
            ..Mutation::default()
        },
    },
    Family {
        name: "deeper-refused-than",
        sentence: |depth| format!("more than {depth} values on a path are refused"),
        numbers: |subject, reply| {
            let value =
                subject.test.expected.value.as_ref().filter(|_| matches!(reply, Reply::Refused(_) | Reply::Crashed(_)));
            value.map(|value| value.value.depth() - 1).filter(|depth| *depth > 2).into_iter().collect()
        },
        of: |most| Mutation {
            refuses: Some(Box::new(move |value: &Value| value.depth() > most)),
            ..Mutation::default()
        },
    },
    Family {
        name: "significant-digits",
        sentence: |digits| format!("floats have {digits} digits"),
        numbers: |_, reply| {
            if let Reply::Value(Value::Float(float), _) = reply {
                digits(*float).into_iter().collect()
            } else {
                Vec::new()
            }
        },
        of: |digits| Mutation {
            decoded: change(move |value| round(value, digits)),
            encoded: change(move |value| round(value, digits)),
            ..Mutation::default()
        },
    },
];

/// A family has at most this many members in one run.
const MOST: usize = 12;

/// The members of all families that failures suggest.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for family in FAMILIES {
        let mut numbers = BTreeSet::new();
        for subject in bench.fails.iter().filter(|subject| subject.is_authored()) {
            if let Some(seen) = &subject.seen {
                numbers.extend((family.numbers)(subject, &seen.reply));
            }
        }
        faults.extend(numbers.into_iter().take(MOST).map(|number| {
            let name = format!("{}-{number}", family.name);
            Fault::new(bench.dialect, "family", &name, None, (family.of)(number)).described((family.sentence)(number))
        }));
    }
    faults.extend(ids(bench));
    faults
}

/// Ids of other widths: those whose highest bit is set in the header of a packet that failed.
fn ids(bench: &Bench<'_>) -> Vec<Fault> {
    let mut bits = BTreeSet::new();
    for subject in bench.fails.iter().filter(|subject| subject.is_authored()) {
        if let Input::Decode(packet) | Input::Reencode(packet) = &subject.request.input
            && let Some(header) = packet.first_chunk().copied().map(u32::from_le_bytes)
        {
            bits.extend((5..32).filter(|bit| header >> bit & 1 == 1).flat_map(|bit| [bit, bit + 1]));
        }
    }
    let masks = bits.into_iter().map(|bits: u32| u32::MAX >> (32 - bits.clamp(1, 32)));
    let masks = masks.filter(|mask| bench.dialect.max <= *mask && *mask != bench.dialect.header.id_mask);
    masks.take(MOST).map(|mask| crate::tables::id_mask(bench.dialect, mask)).collect()
}

fn change(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<crate::fault::Change> {
    Some(Box::new(change))
}

fn cut(value: &mut Value, most: usize) {
    if let Value::Text(_, text) = value
        && text.as_bytes().len() > most
    {
        *text = Text::from_bytes(&text.as_bytes()[..most]);
    }
}

fn round(value: &mut Value, digits: usize) {
    if let Value::Float(float) = value
        && let Ok(rounded) = format!("{:.*e}", digits.saturating_sub(1), float.get()).parse::<f64>()
        && float.get().is_finite()
    {
        *float = F64::from(rounded);
    }
}

/// The digits of a float as it is written shortest.
fn digits(float: F64) -> Option<usize> {
    let text = format!("{:e}", float.get());
    let count = text.split('e').next()?.chars().filter(char::is_ascii_digit).count();
    (3..17).contains(&count).then_some(count)
}
