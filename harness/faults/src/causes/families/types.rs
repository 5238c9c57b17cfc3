//! Types that become others: those of replies in which one does.

use std::collections::BTreeMap;

use variant_codec::Value;
use variant_specs::LayoutId;
use variant_values::fields::layout_id_of;

use super::member::both_ways;
use crate::behaviour::converted::{Became, LOST, LOST_WITHIN, WHICH, as_became};
use crate::causes::bench::Bench;
use crate::fault::{Fault, Mutation};
use crate::place::Place;

/// Types that become others, within containers or everywhere: those of replies in which one does, as the first that shows
/// how.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let layouts = &bench.dialect.layouts;
    let mut ways: BTreeMap<(LayoutId, LayoutId, bool, usize), Became> = BTreeMap::new();
    for subject in bench.fails.iter().filter(|subject| !subject.is_heavy()) {
        let (Some(right), Some(seen)) = (bench.given(subject), bench.value_of(subject)) else { continue };
        let mut left: Vec<(&Value, &Value, bool)> = vec![(&right, &seen, false)];
        while let Some((own, other, within)) = left.pop() {
            left.extend(own.children().into_iter().zip(other.children()).map(|(own, other)| (own, other, true)));
            let (Some(one), Some(another)) = (layout_id_of(own, layouts), layout_id_of(other, layouts)) else {
                continue;
            };
            if one == another {
                continue;
            }
            for (place, which) in WHICH.iter().enumerate().filter(|(_, which)| (which.are)(own)) {
                let is_tried = within || place > 0 || are_numbers(own) && are_numbers(other);
                let key = (one, another, within, place);
                if is_tried
                    && !ways.contains_key(&key)
                    && let Some(way) = as_became(bench.dialect, own, other, which)
                {
                    ways.insert(key, way);
                }
            }
        }
    }
    let faults = ways.into_iter().flat_map(|((own, other, within, which), Became { read, written, only })| {
        let which = WHICH[which].name;
        let [name, becomes] = [own, other].map(|id| layouts.get(id).name.as_str());
        let [shown, as_other] = [name, becomes].map(|layout| bench.dialect.type_name_of(layout));
        let (name, called, words, place) = match within {
            true => (
                format!("{name}-becomes-{becomes}{which}-within"),
                LOST_WITHIN,
                " within containers",
                Some(Place::Within),
            ),
            false => (format!("{name}-becomes-{becomes}{which}"), LOST, "", None),
        };
        let mutation = Mutation { converted: Some(read), encoded: Some(written), ..Mutation::default() };
        let sentence = format!("{shown}: read and written as {as_other}{only}{words}");
        // What only some values become is a fault of its own.
        let of_some = format!("some-become-{becomes}{which}{}", if within { "-within" } else { "" });
        let called = if which.is_empty() { called } else { &of_some };
        both_ways(bench.dialect, &name, mutation)
            .map(|fault| Fault { place, ..fault.called(called).described(&sentence) })
    });
    faults.collect()
}

/// Whether a value is a number, a vector or a packed array. What becomes of other types everywhere, the catalogue knows.
fn are_numbers(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Fields(..) | Value::Packed(..))
}
