//! Keys of dictionaries: those that are refused, and the texts that others become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_codec::{Text, Value};
use variant_specs::LayoutId;
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::Answer;

use super::member::both_ways;
use crate::behaviour::keys::{
    AS_PROPERTIES, PROPERTIES, TEXT_PROPERTIES, TEXTS_AS_PROPERTIES, as_properties, refuses_keys, spelled, text,
    text_keys_as_properties,
};
use crate::causes::bench::Bench;
use crate::causes::seen::some;
use crate::causes::subject::Subject;
use crate::fault::{Fault, all_in};

pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = properties(bench);
    faults.extend(refused_keys(bench));
    faults
}

/// Dictionaries as objects of JavaScript, with the texts that the implementation makes of keys such as vectors.
fn properties(bench: &Bench<'_>) -> Vec<Fault> {
    let mut texts: Vec<(Value, Text)> = Vec::new();
    for subject in bench.failed_cases() {
        if let (Some(right), Some(seen)) = (subject.value(), bench.value_of(subject)) {
            texts_of_keys(right, &seen, &mut texts);
        }
    }
    let mut faults = Vec::new();
    let all = |loses_proto| as_properties(bench.dialect, texts.clone(), loses_proto);
    for (place, name, sentence, mutation) in [
        ("properties", AS_PROPERTIES, PROPERTIES, all(false)),
        ("properties-without-proto", AS_PROPERTIES, PROPERTIES, all(true)),
        (
            "text-properties-without-proto",
            TEXTS_AS_PROPERTIES,
            TEXT_PROPERTIES,
            text_keys_as_properties(bench.dialect, true),
        ),
    ] {
        let Some(mutation) = mutation else { continue };
        faults.extend(both_ways(bench.dialect, place, mutation).map(|fault| fault.called(name).described(sentence)));
    }
    faults
}

/// Which texts came instead of keys that are no texts, where that is clear.
fn texts_of_keys(right: &Value, seen: &Value, texts: &mut Vec<(Value, Text)>) {
    if let (Value::Array(right), Value::Array(seen)) = (right, seen) {
        right.items.iter().zip(&seen.items).for_each(|(right, seen)| texts_of_keys(right, seen, texts));
    }
    let (Value::Dictionary(right), Value::Dictionary(seen)) = (right, seen) else { return };
    let came: Vec<&Text> = seen.entries.iter().filter_map(|(key, _)| text(key)).collect();
    let plain = |key: &Value| spelled(key).filter(|text| came.contains(&text));
    let unknown: Vec<&Value> = right.entries.iter().map(|(key, _)| key).filter(|key| plain(key).is_none()).collect();
    let known: Vec<Text> = right.entries.iter().filter_map(|(key, _)| plain(key)).collect();
    let rest: Vec<&Text> = came.iter().copied().filter(|text| !known.contains(text)).collect();
    // Several keys may have become one.
    let clear = rest.len() == unknown.len() || rest.len() == 1;
    for (place, key) in unknown.into_iter().enumerate().filter(|_| clear) {
        if let Some(text) = rest.get(place).or(rest.first())
            && texts.iter().all(|(other, _)| other != key)
        {
            texts.push((key.clone(), (*text).clone()));
        }
    }
}

/// Types that are refused as keys of dictionaries: those of the keys in what was refused.
fn refused_keys(bench: &Bench<'_>) -> Vec<Fault> {
    let layouts = &bench.dialect.layouts;
    let keys_in = |subject: &Subject<'_>| {
        let mut keys = BTreeSet::new();
        for value in subject.value().into_iter().flat_map(all_in) {
            if let Value::Dictionary(dictionary) = value {
                keys.extend(dictionary.entries.iter().filter_map(|(key, _)| layout_id_of(key, layouts)));
            }
        }
        keys
    };
    let mut known: BTreeMap<Op, BTreeSet<LayoutId>> = BTreeMap::new();
    for subject in &bench.passes {
        known.entry(subject.test.op).or_default().extend(keys_in(subject));
    }
    let is_refused = |subject: &&Subject<'_>| matches!(subject.reply(), Some(Answer::Refused(_)));
    let mut keys: BTreeMap<Option<&str>, BTreeSet<LayoutId>> = BTreeMap::new();
    for subject in bench.failed_cases().filter(is_refused) {
        // Of several types, any may be the one.
        let is_unknown = |key: &LayoutId| !known.get(&subject.test.op).is_some_and(|known| known.contains(key));
        let unknown: Vec<LayoutId> = keys_in(subject).into_iter().filter(is_unknown).collect();
        if let [only] = unknown.as_slice() {
            keys.entry(subject.class.as_deref()).or_default().insert(*only);
        }
    }
    let fault = |own: BTreeSet<LayoutId>| {
        let of_layouts = Arc::clone(layouts);
        let names: Vec<&str> = own.iter().map(|own| layouts.get(*own).name.as_str()).collect();
        let types: BTreeSet<String> = names.iter().map(|name| bench.dialect.type_name_of(name).to_owned()).collect();
        let id = format!("{}-refused-as-keys", names.join("-"));
        let mutation = refuses_keys(move |key| layout_id_of(key, &of_layouts).is_some_and(|key| own.contains(&key)))?;
        let fault = Fault::new(bench.dialect, "family", &id, None, mutation).called("types-refused-as-keys");
        Some(fault.described(format!("{}: refused as the key of a dictionary", some(&types))))
    };
    // What is refused with the same words is mostly refused for one reason.
    let each: BTreeSet<LayoutId> = keys.values().flatten().copied().collect();
    let each = each.into_iter().map(|key| BTreeSet::from([key]));
    let all = keys.values().filter(|keys| keys.len() > 1).cloned();
    each.chain(all).filter_map(fault).collect()
}
