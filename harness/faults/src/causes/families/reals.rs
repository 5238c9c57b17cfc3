//! Real numbers that lose digits: to as many as the replies have.

use std::collections::BTreeSet;

use variant_codec::{F64, Value};
use variant_values::implementation::Answer;

use super::member::{MOST, both_ways};
use crate::behaviour::doubles::SAFE;
use crate::behaviour::reals::{each_real, reals_of};
use crate::builder::{both, encoded};
use crate::causes::bench::Bench;
use crate::causes::subject::Subject;
use crate::fault::{Fault, Mutation, all_in};

/// How far a float that was written in 32 bits is from what it became, in decimals.
pub(super) fn narrowed(subject: &Subject<'_>, of: fn(f64) -> f64) -> Vec<usize> {
    match (subject.value(), subject.reply()) {
        // A narrow float has eight bytes.
        (Some(Value::Float(float)), Some(Answer::Bytes(bytes))) if bytes.len() == 8 => {
            off_by(*float, of).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Floats become the nearest of 32 bits where so many decimals are the same.
pub(super) fn narrow(digits: usize, of: fn(f64) -> f64) -> Option<Mutation> {
    encoded(move |value| {
        if let Value::Float(float) = value
            && off_by(*float, of).is_some_and(|own| own >= digits)
        {
            *float = float.nearest().widen();
        }
    })
}

/// How far a float is from the nearest of 32 bits, as a part of what `of` says: so many decimals are the same. `None` if it
/// is one.
fn off_by(float: F64, of: fn(f64) -> f64) -> Option<usize> {
    let off = (float.get() - float.nearest().widen().get()).abs() / of(float.get());
    if off == 0.0 || !off.is_finite() {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 324")]
    let decimals = (-off.log10()).floor().max(0.0) as usize;
    Some(decimals)
}

/// How many decimals a number has as it is written.
pub(super) fn decimals(text: &str) -> Option<usize> {
    let count = text.split_once('.')?.1.len();
    (1..=10).contains(&count).then_some(count)
}

/// Numbers are rounded to so many decimals.
pub(super) fn through_decimals(value: &mut Value, decimals: usize, round: fn(f64) -> f64) {
    let factor = power(decimals);
    let rounded = |number: f64| {
        let scaled = number * factor;
        if scaled.abs() < SAFE { round(scaled) / factor } else { number }
    };
    match value {
        Value::Float(float) => *float = F64::from(rounded(float.get())),
        other => each_real(other, rounded),
    }
}

fn power(decimals: usize) -> f64 {
    10f64.powi(i32::try_from(decimals).unwrap_or(0))
}

/// How languages round: C and Python, JavaScript, Ruby.
const ROUND: [fn(f64) -> f64; 3] = [
    f64::round_ties_even,
    |scaled| if scaled == 0.0 { 0.0 } else { scaled.round() },
    |scaled| if scaled != 0.0 && scaled.abs() < 0.5 { 0.0 } else { scaled.round() },
];

/// So many decimals that nothing is lost but numbers near zero.
const NEARLY_ALL: usize = 30;

/// Reals that are rounded to decimals: to as many as a number has that came in the place of one near it.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let (mut all, mut is_lost): (BTreeSet<usize>, bool) = (BTreeSet::new(), false);
    for subject in bench.failed_cases() {
        let (Some(right), Some(seen)) = (subject.value(), bench.value_of(subject)) else { continue };
        let reals = |value: &Value| all_in(value).flat_map(reals_of).collect::<Vec<f64>>();
        for (own, other) in reals(right).into_iter().zip(reals(&seen)).filter(|(own, other)| own != other) {
            let texts = [other.to_string(), F64::from(other).nearest().get().to_string()];
            let is_near = |decimals: &usize| (own - other).abs() * power(*decimals) < 0.51;
            is_lost |= other == 0.0;
            all.extend(texts.iter().filter_map(|text| decimals(text)).filter(is_near));
        }
    }
    if all.is_empty() && is_lost {
        all.insert(NEARLY_ALL);
    }
    let mut faults = Vec::new();
    for decimals in all.into_iter().take(MOST) {
        for (way, round) in ROUND.into_iter().enumerate() {
            let Some(mutation) = both(move |value| through_decimals(value, decimals, round)) else { continue };
            let [name, sentence] = match decimals {
                NEARLY_ALL => ["small-numbers-lost", "real numbers near zero become 0.0"].map(str::to_owned),
                _ => [
                    format!("rounded-to-{decimals}-decimals"),
                    format!("real numbers are rounded to {decimals} decimals"),
                ],
            };
            let each = both_ways(bench.dialect, &format!("{name}-{way}"), mutation);
            faults.extend(each.map(|fault| fault.called(&name).described(&sentence)));
        }
    }
    faults
}

pub(super) fn round(value: &mut Value, digits: usize) {
    if let Value::Float(float) = value
        && let Ok(rounded) = format!("{:.*e}", digits.saturating_sub(1), float.get()).parse::<f64>()
        && float.get().is_finite()
    {
        *float = F64::from(rounded);
    }
}

/// The digits of a float as it is written shortest.
pub(super) fn digits(float: F64) -> Option<usize> {
    let text = format!("{:e}", float.get());
    let count = text.split('e').next()?.chars().filter(char::is_ascii_digit).count();
    (3..17).contains(&count).then_some(count)
}
