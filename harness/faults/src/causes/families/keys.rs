//! Keys of dictionaries: those that are refused, and the texts that others become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_codec::{Dictionary, Text, Value};
use variant_specs::{Dialect, LayoutId};
use variant_values::compare::scalars;
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::Answer;
use variant_values::sanitize::counted;

use super::member::{MOST, both_ways};
use super::orders::numbers_of;
use crate::behaviour::keys::{
    AS_PROPERTIES, PROPERTIES, TEXT_PROPERTIES, TEXTS_AS_PROPERTIES, as_properties, refuses_keys, repeated, spelled,
    text, text_keys_as_properties,
};
use crate::builder::both;
use crate::causes::bench::Bench;
use crate::causes::seen::some;
use crate::causes::subject::Subject;
use crate::fault::{Fault, all_in};
use crate::repeats::{Kept, join, pairs};

pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = properties(bench);
    faults.extend(refused_keys(bench));
    faults.extend(equal_keys(bench));
    faults.extend(parts_of_keys(bench));
    faults.extend(loose_keys(bench));
    faults
}

/// For each dictionary in a packet of a case that was read wrongly, the pairs in it, and those in the reply.
fn dictionaries_read(bench: &Bench<'_>) -> Vec<(Vec<Value>, Vec<Value>)> {
    let mut dictionaries = Vec::new();
    for subject in bench.failed_cases().filter(|subject| subject.test.op == Op::Decode && !subject.is_heavy()) {
        let (Some(right), Some(seen)) = (subject.value(), bench.value_of(subject)) else { continue };
        if let (Value::Dictionary(right), Value::Dictionary(seen)) = (right, &*seen) {
            let keys = |dictionary: &Dictionary| dictionary.entries.iter().map(|(key, _)| key.clone()).collect();
            dictionaries.push((keys(right), keys(seen)));
        }
    }
    dictionaries
}

/// Types of which equal keys are two: those of which a reply has two. A type may be forgotten where keys are compared.
fn equal_keys(bench: &Bench<'_>) -> Vec<Fault> {
    let layouts = &bench.dialect.layouts;
    let mut twice: BTreeSet<LayoutId> = BTreeSet::new();
    for (_, seen) in dictionaries_read(bench) {
        for (at, key) in seen.iter().enumerate() {
            let is_again = seen[..at].iter().any(|before| before == key);
            twice.extend(layout_id_of(key, layouts).filter(|_| is_again));
        }
    }
    let fault = |own: BTreeSet<LayoutId>| {
        let of_layouts = Arc::clone(layouts);
        let types: BTreeSet<String> =
            own.iter().map(|own| bench.dialect.type_name_of(&layouts.get(*own).name).to_owned()).collect();
        let is_own = move |key: &Value| layout_id_of(key, &of_layouts).is_some_and(|key| own.contains(&key));
        let mutation = repeated(bench.dialect, Kept::LastValue, move |left, _| !is_own(left))?;
        let id = format!("equal-{}-are-two-keys", types.iter().cloned().collect::<Vec<_>>().join("-"));
        let fault = Fault::new(bench.dialect, "family", &id, Some(Op::Decode), mutation).called("equal-keys-are-two");
        Some(fault.described(format!("{}: equal keys are two, when read", some(&types))))
    };
    let each: Vec<BTreeSet<LayoutId>> = twice.iter().map(|own| BTreeSet::from([*own])).collect();
    let all = Some(twice).filter(|all| all.len() > 1);
    each.into_iter().chain(all).filter_map(fault).collect()
}

/// Types whose keys are compared by their first numbers alone: by those that two keys have in common of which a reply has one.
fn parts_of_keys(bench: &Bench<'_>) -> Vec<Fault> {
    let mut parts: BTreeSet<(LayoutId, usize)> = BTreeSet::new();
    for (right, seen) in dictionaries_read(bench) {
        for lost in right.iter().filter(|key| !seen.contains(key)) {
            let first = right.iter().take_while(|key| *key != lost).filter_map(|key| in_common(key, lost));
            parts.extend(first);
        }
    }
    let fault = |(own, count): (LayoutId, usize)| {
        let name = &bench.dialect.layouts.get(own).name;
        let is_same = move |left: &Value, right: &Value| {
            in_common(left, right).is_some_and(|(layout, common)| layout == own && common >= count)
        };
        let part = if count == 0 { "count alone".to_owned() } else { format!("first {}", counted(count, "number")) };
        let sentence = format!("{}: keys are compared by their {part}", bench.dialect.type_name_of(name));
        loosely(bench.dialect, &format!("{name}-keys-by-{count}-numbers"), &sentence, is_same)
            .into_iter()
            .map(|fault| fault.called("keys-by-a-part"))
            .collect::<Vec<_>>()
    };
    parts.into_iter().take(MOST).flat_map(fault).collect()
}

/// A name, what is said, and whether two keys are one that are two to engines.
type Loosely = (&'static str, &'static str, fn(&Value, &Value) -> bool);

const LOOSELY: [Loosely; 6] = [
    ("texts-by-their-beginning", "two texts are one key where one begins with the other", |left, right| {
        let (Some(left), Some(right)) = (text(left), text(right)) else { return false };
        left.as_bytes().starts_with(right.as_bytes()) || right.as_bytes().starts_with(left.as_bytes())
    }),
    ("texts-by-their-length", "two texts are one key where they have the same length", |left, right| {
        text(left).zip(text(right)).is_some_and(|(left, right)| left.as_bytes().len() == right.as_bytes().len())
    }),
    ("texts-by-their-first-letter", "two texts are one key where their first letters are the same", |left, right| {
        text(left).zip(text(right)).is_some_and(|(left, right)| left.as_bytes().first() == right.as_bytes().first())
    }),
    ("ints-by-their-low-half", "two integers are one key where their low 32 bits are the same", |left, right| {
        const LOW: i64 = 0xffff_ffff;
        matches!((left, right), (Value::Int(left), Value::Int(right)) if left & LOW == right & LOW)
    }),
    ("paths-without-their-subnames", "two node paths are one key whatever their sub-names are", |left, right| {
        let (Value::NodePath(left), Value::NodePath(right)) = (left, right) else { return false };
        (left.absolute, &left.names) == (right.absolute, &right.names)
    }),
    ("paths-without-absolute", "two node paths are one key where one is absolute and the other not", |left, right| {
        let (Value::NodePath(left), Value::NodePath(right)) = (left, right) else { return false };
        (&left.names, &left.subnames) == (&right.names, &right.subnames)
    }),
];

/// Keys that are one to a codec and two to engines, where a dictionary has fewer pairs than it should.
fn loose_keys(bench: &Bench<'_>) -> Vec<Fault> {
    let are_lost = dictionaries_read(bench).iter().any(|(right, seen)| seen.len() < right.len());
    let all = LOOSELY.into_iter().filter(|_| are_lost);
    all.flat_map(|(name, sentence, is_same)| loosely(bench.dialect, name, sentence, is_same)).collect()
}

/// A codec to which two keys are one if this says so, in each direction.
fn loosely(
    dialect: &Dialect,
    name: &str,
    sentence: &str,
    is_same: impl Fn(&Value, &Value) -> bool + Clone + Send + Sync + 'static,
) -> Vec<Fault> {
    let mutation = both(move |value| pairs(value, |pairs| join(pairs, &is_same, Kept::LastValue)));
    let faults = mutation.map(|mutation| both_ways(dialect, name, mutation));
    faults.into_iter().flatten().map(|fault| fault.described(sentence)).collect()
}

/// The layout of two vectors, or packed arrays of one length, and how many of their first numbers are the same.
fn in_common(left: &Value, right: &Value) -> Option<(LayoutId, usize)> {
    let ((layout, left), (other, right)) = numbers_of(left).zip(numbers_of(right))?;
    let (left, right) = (scalars(left), scalars(right));
    let common = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    (layout == other && left.len() == right.len()).then_some((layout, common))
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
