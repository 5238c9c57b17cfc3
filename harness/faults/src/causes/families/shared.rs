//! Values that share one place in memory: all of a packet become the last.

use std::collections::BTreeSet;
use std::sync::Arc;

use variant_codec::Value;
use variant_specs::{LayoutId, Layouts};
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::Input;

use crate::builder::decoded;
use crate::causes::bench::Bench;
use crate::fault::{Fault, all_in};

/// Types of which a reply has one value in several places, where a packet has different ones.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let layouts = &bench.dialect.layouts;
    // A key that stands more than once is a value each time.
    let codec = bench.codec.clone().keeping_repeated_keys();
    let mut shared: BTreeSet<LayoutId> = BTreeSet::new();
    for subject in bench.failed_cases().filter(|subject| subject.test.op == Op::Decode && !subject.is_heavy()) {
        let Input::Decode(packet) = &subject.request.input else { continue };
        let (Ok(right), Some(seen)) = (codec.decode(packet), bench.value_of(subject)) else { continue };
        let types: BTreeSet<LayoutId> = all_in(&right.value).filter_map(|value| layout_id_of(value, layouts)).collect();
        for own in types {
            let [right, seen] = [&right.value, &seen].map(|value| of_layout(value, own, layouts));
            let last = right.last();
            let differ = right.iter().any(|other| Some(other) != last);
            // One key in the place of two may have been compared wrongly.
            if differ && seen.len() > 1 && seen.iter().all(|own| Some(own) == last) {
                shared.insert(own);
            }
        }
    }
    shared.into_iter().filter_map(|own| fault(bench, own)).collect()
}

fn fault(bench: &Bench<'_>, own: LayoutId) -> Option<Fault> {
    let layouts = Arc::clone(&bench.dialect.layouts);
    let name = bench.dialect.layouts.get(own).name.as_str();
    let mutation = decoded(move |value| {
        let last = of_layout(value, own, &layouts).last().map(|last| (*last).clone());
        if let Some(last) = last {
            become_all(value, &last, own, &layouts);
        }
    })?;
    let fault = Fault::new(bench.dialect, "family", &format!("{name}-shared"), Some(Op::Decode), mutation);
    let said = format!("{}: all of a packet become the last of them", bench.dialect.type_name_of(name));
    Some(fault.called("values-shared").about([name]).described(said))
}

fn of_layout<'v>(value: &'v Value, own: LayoutId, layouts: &Layouts) -> Vec<&'v Value> {
    all_in(value).filter(|value| layout_id_of(value, layouts) == Some(own)).collect()
}

/// Puts the last of them in the place of each. There is none within it: that would be the last.
fn become_all(value: &mut Value, last: &Value, own: LayoutId, layouts: &Layouts) {
    if layout_id_of(value, layouts) == Some(own) {
        value.clone_from(last);
    } else {
        value.children_mut().into_iter().for_each(|child| become_all(child, last, own, layouts));
    }
}
