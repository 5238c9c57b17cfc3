//! Faults with a number in them: the numbers that the failures suggest.

mod fields;
mod filling;
mod functions;
mod ids;
mod keys;
mod member;
mod orders;
mod reals;

mod shared;
mod types;
mod words;

use std::collections::BTreeSet;

use variant_codec::{Text, Value};
use variant_values::implementation::Answer;

use super::bench::Bench;
use super::subject::Subject;
use crate::behaviour::reals::{any_real, reals_of};
use crate::behaviour::texts::texts_of;
use crate::builder::{both, decoded, refuses, refuses_whole, written};
use crate::fault::{Fault, FaultFamily, Mutation, all_in};
use member::MOST;
use reals::{decimals, digits, narrow, narrowed, round, through_decimals};

/// A family of faults: how it is called, the numbers that a failure suggests, and the fault of a number.
struct Family {
    name: &'static str,
    sentence: fn(usize) -> String,
    numbers: fn(&Bench<'_>, &Subject<'_>) -> Vec<usize>,
    of: fn(usize) -> Option<Mutation>,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "texts-cut-at",
        sentence: |bytes| format!("texts are cut at {bytes} bytes"),
        numbers: |_, subject| match subject.reply() {
            Some(Answer::Value { value: Value::Text(_, text), .. }) => vec![text.as_bytes().len()],
            _ => Vec::new(),
        },
        of: |most| both(move |value| cut(value, most)),
    },
    Family {
        name: "packets-cut-at",
        sentence: |bytes| format!("packets are cut at {bytes} bytes"),
        numbers: |_, subject| match (&subject.right, subject.reply()) {
            (Some(Answer::Bytes(right)), Some(Answer::Bytes(seen))) if right.len() > seen.len() => {
                Vec::from_iter(right.starts_with(seen).then_some(seen.len()))
            }
            _ => Vec::new(),
        },
        of: |most| written(move |_, bytes| bytes[..most.min(bytes.len())].to_vec()),
    },
    Family {
        name: "deeper-refused-than",
        sentence: |depth| format!("values that nest deep are refused: the first of them has {} levels", depth + 1),
        numbers: |bench, subject| {
            let is_refused = matches!(subject.reply(), Some(Answer::Refused(_) | Answer::Crashed(_)));
            let depth = bench.given(subject).filter(|_| is_refused).map(|value| value.depth() - 1);
            depth.filter(|depth| *depth > 2).into_iter().collect()
        },
        of: |most| refuses_whole(move |value| value.depth() > most),
    },
    Family {
        name: "more-values-refused-than",
        sentence: |most| format!("packets with many values are refused: the smallest of them has {}", most + 1),
        numbers: |bench, subject| {
            let is_refused = matches!(subject.reply(), Some(Answer::Refused(_)));
            let count = bench.given(subject).filter(|_| is_refused).map(|value| all_in(&value).count() - 1);
            count.filter(|count| *count > 2).into_iter().collect()
        },
        of: |most| refuses_whole(move |value| all_in(value).count() > most),
    },
    Family {
        name: "decimals-of-reals",
        sentence: |decimals| format!("real numbers are rounded to {decimals} decimals, by way of an integer"),
        numbers: |_, subject| match subject.reply() {
            Some(Answer::Value { value, .. }) => {
                reals_of(value).iter().filter_map(|real| decimals(&real.to_string())).collect()
            }
            _ => Vec::new(),
        },
        of: |decimals| {
            let is_refused = |value: &Value| any_real(value, |number| !number.is_finite());
            let rounded =
                move |value: &mut Value| through_decimals(value, decimals, |scaled| scaled.round_ties_even() + 0.0);
            Some(Mutation { refuses: refuses(is_refused)?.refuses, ..decoded(rounded)? })
        },
    },
    Family {
        name: "narrow-within",
        sentence: |_| "floats that are nearly one of 32 bits are written in 32 bits".to_owned(),
        numbers: |_, subject| narrowed(subject, |_| 1.0),
        of: |digits| narrow(digits, |_| 1.0),
    },
    Family {
        name: "narrow-within-a-part",
        sentence: |_| "floats that differ by a small part from one of 32 bits are written in 32 bits".to_owned(),
        numbers: |_, subject| narrowed(subject, f64::abs),
        of: |digits| narrow(digits, f64::abs),
    },
    Family {
        name: "significant-digits",
        sentence: |digits| format!("floats have {digits} digits"),
        numbers: |bench, subject| match (subject.value(), bench.value_of(subject).as_deref()) {
            (Some(Value::Float(right)), Some(Value::Float(seen))) if right != seen => {
                digits(*seen).into_iter().collect()
            }
            _ => Vec::new(),
        },
        of: |digits| both(move |value| round(value, digits)),
    },
];

/// The members of all families that failures suggest.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for family in FAMILIES {
        let numbers: BTreeSet<usize> =
            bench.failed_cases().flat_map(|subject| (family.numbers)(bench, subject)).collect();
        for number in numbers.into_iter().take(MOST) {
            let name = format!("{}-{number}", family.name);
            let fault = (family.of)(number).map(|mutation| Fault::new(bench.dialect, "family", &name, None, mutation));
            faults.extend(fault.map(|fault| fault.described((family.sentence)(number))));
        }
    }
    faults.extend(reals::suggested(bench));
    faults.extend(keys::suggested(bench));
    faults.extend(orders::suggested(bench));
    faults.extend(ids::suggested(bench));
    faults.extend(filling::suggested(bench));
    faults.extend(types::suggested(bench));
    faults.extend(words::suggested(bench));
    faults.extend(fields::suggested(bench));
    faults.extend(functions::suggested(bench));
    faults.extend(shared::suggested(bench));
    faults.into_iter().map(|fault| fault.of(FaultFamily::Suggested)).collect()
}

fn cut(value: &mut Value, most: usize) {
    for text in texts_of(value) {
        if text.as_bytes().len() > most {
            *text = Text::from_bytes(&text.as_bytes()[..most]);
        }
    }
}
