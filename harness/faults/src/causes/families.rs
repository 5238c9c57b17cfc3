//! Faults with a number in them: the numbers that the failures suggest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_codec::{F64, Framing, Role, Spans, Text, Value};
use variant_specs::{Dialect, LayoutId, Scalar, Shape};
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Input};

use super::bench::Bench;
use super::orders;
use super::seen::some;
use super::subject::Subject;
use crate::behaviour::converted::{Became, LOST, LOST_WITHIN, WHICH, as_became};
use crate::behaviour::doubles::SAFE;
use crate::behaviour::keys::{
    AS_PROPERTIES, PROPERTIES, TEXT_PROPERTIES, TEXTS_AS_PROPERTIES, as_properties, refuses_keys, spelled, text,
    text_keys_as_properties,
};
use crate::behaviour::reals::{any_real, each_real, reals_of};
use crate::behaviour::texts::texts_of;
use crate::builder::written;
use crate::fault::{Fault, Mutation, all_in};
use crate::packet::{MutatedField, Splice};
use crate::place::Place;

/// A family of faults: how it is called, the numbers that a failure suggests, and the fault of a number.
struct Family {
    name: &'static str,
    sentence: fn(usize) -> String,
    numbers: fn(&Bench<'_>, &Subject<'_>) -> Vec<usize>,
    of: fn(usize) -> Mutation,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "texts-cut-at",
        sentence: |bytes| format!("texts are cut at {bytes} bytes"),
        numbers: |_, subject| match subject.reply() {
            Some(Answer::Value { value: Value::Text(_, text), .. }) => vec![text.as_bytes().len()],
            _ => Vec::new(),
        },
        of: |most| Mutation {
            decoded: change(move |value| cut(value, most)),
            encoded: change(move |value| cut(value, most)),
            ..Mutation::default()
        },
    },
    Family {
        name: "deeper-refused-than",
        sentence: |depth| format!("a path of {} values is refused, and so is a longer one", depth + 1),
        numbers: |bench, subject| {
            let is_refused = matches!(subject.reply(), Some(Answer::Refused(_) | Answer::Crashed(_)));
            let depth = bench.given(subject).filter(|_| is_refused).map(|value| value.depth() - 1);
            depth.filter(|depth| *depth > 2).into_iter().collect()
        },
        of: |most| Mutation {
            refuses: Some(Box::new(move |value: &Value| value.depth() > most)),
            ..Mutation::default()
        },
    },
    Family {
        name: "more-values-refused-than",
        sentence: |most| format!("a packet with {} values is refused, and so is one with more", most + 1),
        numbers: |bench, subject| {
            let is_refused = matches!(subject.reply(), Some(Answer::Refused(_)));
            let count = bench.given(subject).filter(|_| is_refused).map(|value| all_in(&value).count() - 1);
            count.filter(|count| *count > 2).into_iter().collect()
        },
        of: |most| Mutation {
            refuses: Some(Box::new(move |value: &Value| all_in(value).count() > most)),
            ..Mutation::default()
        },
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
        of: |decimals| Mutation {
            decoded: change(move |value| through_decimals(value, decimals, |scaled| scaled.round_ties_even() + 0.0)),
            refuses: Some(Box::new(|value: &Value| {
                all_in(value).any(|value| any_real(value, |number| !number.is_finite()))
            })),
            ..Mutation::default()
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
        numbers: |bench, subject| match bench.value_of(subject).as_deref() {
            Some(Value::Float(float)) => digits(*float).into_iter().collect(),
            _ => Vec::new(),
        },
        of: |digits| Mutation {
            decoded: change(move |value| round(value, digits)),
            encoded: change(move |value| round(value, digits)),
            ..Mutation::default()
        },
    },
];

/// How far a float that was written in 32 bits is from what it became, in decimals.
fn narrowed(subject: &Subject<'_>, of: fn(f64) -> f64) -> Vec<usize> {
    match (subject.value(), subject.reply()) {
        // A narrow float has eight bytes.
        (Some(Value::Float(float)), Some(Answer::Bytes(bytes))) if bytes.len() == 8 => {
            off_by(*float, of).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Floats become the nearest of 32 bits where so many decimals are the same.
fn narrow(digits: usize, of: fn(f64) -> f64) -> Mutation {
    Mutation {
        encoded: change(move |value| {
            if let Value::Float(float) = value
                && off_by(*float, of).is_some_and(|own| own >= digits)
            {
                *float = float.nearest().widen();
            }
        }),
        ..Mutation::default()
    }
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
fn decimals(text: &str) -> Option<usize> {
    let count = text.split_once('.')?.1.len();
    (1..=10).contains(&count).then_some(count)
}

/// Numbers are rounded to so many decimals.
fn through_decimals(value: &mut Value, decimals: usize, round: fn(f64) -> f64) {
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
fn rounded(bench: &Bench<'_>) -> Vec<Fault> {
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
            let rounded = move |value: &mut Value| through_decimals(value, decimals, round);
            let mutation = Mutation { decoded: change(rounded), encoded: change(rounded), ..Mutation::default() };
            let [name, sentence] = match decimals {
                NEARLY_ALL => ["small-numbers-lost", "real numbers near zero become 0.0"].map(str::to_owned),
                _ => [
                    format!("rounded-to-{decimals}-decimals"),
                    format!("real numbers are rounded to {decimals} decimals"),
                ],
            };
            let both = both_ways(bench.dialect, &format!("{name}-{way}"), mutation);
            faults.extend(both.map(|fault| fault.called(&name).described(&sentence)));
        }
    }
    faults
}

/// A family has at most this many members in one run.
pub(super) const MOST: usize = 12;

/// The members of all families that failures suggest.
pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for family in FAMILIES {
        let numbers: BTreeSet<usize> =
            bench.failed_cases().flat_map(|subject| (family.numbers)(bench, subject)).collect();
        faults.extend(numbers.into_iter().take(MOST).map(|number| {
            let name = format!("{}-{number}", family.name);
            Fault::new(bench.dialect, "family", &name, None, (family.of)(number)).described((family.sentence)(number))
        }));
    }
    faults.extend(rounded(bench));
    faults.extend(properties(bench));
    faults.extend(orders::orders(bench));
    faults.extend(refused_keys(bench));
    faults.extend(ids(bench));
    faults.extend(header_bits(bench));
    faults.extend(padded_with(bench));
    faults.extend(zeros_behind(bench));
    faults.extend(as_another(bench));
    faults.extend(ids_in_a_circle(bench));
    faults.extend(lost(bench));
    faults
}

/// Types that become others, within containers or everywhere: those of replies in which one does, as the first that shows
/// how.
fn lost(bench: &Bench<'_>) -> Vec<Fault> {
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

/// Whether a value is a number or a vector. What becomes of other types everywhere, the catalogue knows.
fn are_numbers(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Fields(..))
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

/// A fault of values, in each direction.
pub(super) fn both_ways(dialect: &Dialect, name: &str, mutation: Mutation) -> [Fault; 2] {
    mutation.divided().map(|(op, mutation)| Fault::new(dialect, "family", name, Some(op), mutation))
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

/// Ids of other widths: those whose highest bit is set in the header of a packet that failed.
fn ids(bench: &Bench<'_>) -> Vec<Fault> {
    let mut bits = BTreeSet::new();
    for subject in bench.failed_cases() {
        if let Input::Decode(packet) | Input::Reencode(packet) = &subject.request.input
            && let Some(header) = packet.first_chunk().copied().map(u32::from_le_bytes)
        {
            bits.extend((5..32).filter(|bit| header >> bit & 1 == 1).flat_map(|bit| [bit, bit + 1]));
        }
    }
    let masks = bits.into_iter().map(|bits: u32| u32::MAX >> (32 - bits.clamp(1, 32)));
    // One that is too narrow for all types may do for those that are claimed.
    let masks = masks.filter(|mask| *mask != bench.dialect.header.id_mask);
    masks.take(MOST).map(|mask| crate::tables::id_mask(bench.dialect, mask)).collect()
}

/// Bits of headers that are refused: those of headers that were, but for those of headers that were read.
fn header_bits(bench: &Bench<'_>) -> Option<Fault> {
    let header = |subject: &Subject<'_>| match (&subject.request.input, subject.request.framing) {
        (Input::Decode(packet) | Input::Reencode(packet), None) => {
            packet.first_chunk().copied().map(u32::from_le_bytes)
        }
        _ => None,
    };
    let bits = |subjects: &[Subject<'_>], is_one: fn(&Subject<'_>) -> bool| {
        let subjects = subjects.iter().filter(|subject| subject.test.expected.class.has_value() && is_one(subject));
        subjects.filter_map(header).fold(0, |bits, header| bits | header)
    };
    let refused = bits(&bench.fails, |subject| matches!(subject.reply(), Some(Answer::Refused(_))));
    let bits = refused & !bits(&bench.passes, |_| true) & !bench.dialect.header.id_mask;
    // All that are next to the id are read as a part of it: then the mask is another one.
    let mask = bits | bench.dialect.header.id_mask;
    let is_of_id = mask & mask.wrapping_add(1) == 0;
    let reads = move |field: &MutatedField<'_>| {
        // All ones are no type of any dialect.
        (field.is_header() && field.word()? & bits != 0).then(|| Splice::As(vec![0xff; 4]))
    };
    let mutation = Mutation { reads: Some(Box::new(reads)), ..Mutation::default() };
    let fault = || {
        Fault::new(bench.dialect, "family", "header-bits-refused", Some(Op::Decode), mutation)
            .described(format!("a header with one of the bits {bits:#010x} is refused"))
    };
    (bits != 0 && !is_of_id).then(fault)
}

/// Padding that is not of zeros, of texts or of byte arrays: with the bytes that the first padding of a reply has.
fn padded_with(bench: &Bench<'_>) -> Vec<Fault> {
    let layouts = &bench.dialect.layouts;
    let mut bytes = BTreeSet::new();
    for subject in bench.failed_cases() {
        let (Some(Answer::Bytes(right)), Some(Answer::Bytes(wrong))) = (&subject.right, subject.reply()) else {
            continue;
        };
        let mut trace = Spans::default();
        if right.len() == wrong.len() && bench.codec.decode_traced(right, &mut trace).is_ok() {
            let padding = trace.spans.iter().find(|span| span.role == Role::Padding);
            bytes.extend(padding.map(|span| wrong[span.bytes.start]).filter(|byte| *byte != 0));
        }
    }
    let of_bytes: BTreeSet<LayoutId> =
        layouts.iter().filter(|(_, layout)| layout.of == Some(Scalar::Byte)).map(|(id, _)| id).collect();
    let fault = |byte: u8, name: &str, is_of_bytes: bool| {
        let of_bytes = of_bytes.clone();
        let writes = move |field: &MutatedField<'_>| {
            let is_own = field.role == Role::Padding && of_bytes.contains(&field.layout) == is_of_bytes;
            is_own.then(|| vec![byte; field.bytes.len()])
        };
        let mutation = Mutation { writes: Some(Box::new(writes)), ..Mutation::default() };
        Fault::new(bench.dialect, "family", &format!("padding-of-{name}-{byte:02x}"), Some(Op::Encode), mutation)
            .called("padding-filled")
            .described(format!("the padding of {} is filled with {byte:#04x}, not with zeros", name.replace('-', " ")))
    };
    bytes
        .into_iter()
        .take(MOST)
        .flat_map(|byte| [fault(byte, "texts", false), fault(byte, "byte-arrays", true)])
        .collect()
}

/// Zeros behind packets, of a buffer that is larger: up to one length, to a multiple of a length or to a power of two. The
/// shortest reply has the length.
fn zeros_behind(bench: &Bench<'_>) -> Vec<Fault> {
    let Some(length) = bench.failed_cases().filter_map(Subject::with_zeros_behind).min() else { return Vec::new() };
    let fault = |name: &str, sentence: String, up_to: fn(usize, usize) -> usize| {
        let mutation = written(move |request, bytes| {
            // Beside another fault there may be no length in front.
            let framed = request.framing.map_or(0, |_| Framing::PREFIX);
            let mut packet = bytes.get(framed..).unwrap_or_default().to_vec();
            packet.resize(up_to(packet.len(), length), 0);
            let count = u32::try_from(packet.len()).unwrap_or(u32::MAX);
            let prefix = request.framing.map(|framing| framing.prefix(count));
            [prefix.as_slice().as_flattened(), &packet].concat()
        })?;
        Some(Fault::new(bench.dialect, "family", name, Some(Op::Encode), mutation).described(sentence))
    };
    let up_to = "zeros are written behind each packet, up to a";
    let faults = [
        fault("zeros-up-to-a-length", format!("{up_to} length of {length} bytes"), usize::max),
        fault("zeros-up-to-a-multiple", format!("{up_to} multiple of {length} bytes"), usize::next_multiple_of),
        fault("zeros-up-to-a-power-of-two", format!("{up_to} power of two, at least {length} bytes"), |own, least| {
            own.next_power_of_two().max(least)
        }),
    ];
    faults.into_iter().flatten().collect()
}

/// Types that are read as another, and types that are written with the id of another: those of replies that are of another
/// type, or whose first byte is another id.
fn as_another(bench: &Bench<'_>) -> Vec<Fault> {
    let (dialect, layouts) = (bench.dialect, &bench.dialect.layouts);
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for subject in bench.failed_cases().filter(|subject| subject.frame() == 0) {
        let Some(own) = subject.value().and_then(|value| layout_id_of(value, layouts)) else { continue };
        match subject.reply() {
            Some(Answer::Value { value, .. }) => {
                read.extend(layout_id_of(value, layouts).map(|other| (own, other)));
            }
            Some(Answer::Bytes(bytes)) => {
                let other = bytes.first().and_then(|id| dialect.type_of(u32::from(*id)));
                written.extend(other.map(|other| (own, other.layout)));
            }
            _ => {}
        }
    }
    let name = |layout: LayoutId| layouts.get(layout).name.as_str();
    let shown = |layout: LayoutId| dialect.type_name_of(name(layout));
    let is_text = |layout: LayoutId| layouts.get(layout).shape == Shape::Text;
    // Of two texts, the catalogue knows it in both directions.
    read.retain(|(own, other)| own != other && !(is_text(*own) && is_text(*other)));
    written.retain(|(own, other)| own != other);
    let mut faults = Vec::new();
    for (own, other) in read.into_iter().take(MOST) {
        let change = move |dialect: &mut Dialect| {
            dialect.types.iter_mut().filter(|entry| entry.layout == own).for_each(|entry| entry.layout = other);
        };
        let id = format!("{}-read-as-{}", name(own), name(other));
        let fault = Fault::of_tables(dialect, "family", &id, Some(Op::Decode), change).about([name(own)]);
        faults.push(fault.described(format!("the bytes of {} are read as those of {}", shown(own), shown(other))));
    }
    for (own, other) in written.into_iter().take(MOST) {
        let Some(id) = dialect.id_of(other) else { continue };
        let writes = move |field: &MutatedField<'_>| {
            let header = field.is_header() && field.layout == own;
            header.then(|| [&id.to_le_bytes()[..2], &field.bytes[2..]].concat())
        };
        let mutation = Mutation { writes: Some(Box::new(writes)), ..Mutation::default() };
        let id = format!("{}-written-as-{}", name(own), name(other));
        let fault = Fault::new(dialect, "family", &id, Some(Op::Encode), mutation);
        faults.push(fault.described(format!("{} is written with the type id of {}", shown(own), shown(other))));
    }
    faults
}

/// Three types or more that have each other's ids, in a circle: those that replies show, and the one that is left.
fn ids_in_a_circle(bench: &Bench<'_>) -> Option<Fault> {
    let (dialect, layouts) = (bench.dialect, &bench.dialect.layouts);
    let mut ids: BTreeMap<LayoutId, u32> = BTreeMap::new();
    for subject in bench.failed_cases().filter(|subject| subject.frame() == 0) {
        let own = subject.value().and_then(|value| layout_id_of(value, layouts));
        let (layout, packet) = match (subject.reply(), &subject.request.input) {
            (Some(Answer::Value { value, .. }), Input::Decode(packet)) => (layout_id_of(value, layouts), packet),
            (Some(Answer::Bytes(packet)), _) => (own, packet),
            _ => continue,
        };
        if let (Some(layout), Some(id)) = (layout, packet.first().map(|id| u32::from(*id)))
            && dialect.id_of(layout).is_some_and(|right| right != id)
        {
            ids.entry(layout).or_insert(id);
        }
    }
    let right: BTreeSet<u32> = ids.keys().filter_map(|layout| dialect.id_of(*layout)).collect();
    let taken: BTreeSet<u32> = ids.values().copied().collect();
    if let ([id], [of]) = (
        &right.difference(&taken).copied().collect::<Vec<_>>()[..],
        &taken.difference(&right).copied().collect::<Vec<_>>()[..],
    ) {
        ids.insert(dialect.type_of(*of)?.layout, *id);
    }
    let all: BTreeSet<u32> = ids.keys().filter_map(|layout| dialect.id_of(*layout)).collect();
    if ids.len() < 3 || all.len() != ids.len() || all != ids.values().copied().collect() {
        return None;
    }
    let names: Vec<&str> = ids.keys().map(|layout| layouts.get(*layout).name.as_str()).collect();
    let said = ids.iter().map(|(layout, id)| format!("{} has {id}", dialect.type_name_of(&layouts.get(*layout).name)));
    let said = said.collect::<Vec<_>>().join(", ");
    let change = move |dialect: &mut Dialect| {
        for entry in &mut dialect.types {
            let own = ids.iter().find(|(_, id)| **id == entry.id);
            own.into_iter().for_each(|(layout, _)| entry.layout = *layout);
        }
    };
    let fault = Fault::of_tables(dialect, "family", "ids-in-a-circle", None, change).about(names.iter().copied());
    Some(fault.described(format!("ids of types changed places in a circle: {said}")))
}

pub(super) fn change(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Option<crate::fault::Change> {
    Some(Box::new(change))
}

fn cut(value: &mut Value, most: usize) {
    for text in texts_of(value) {
        if text.as_bytes().len() > most {
            *text = Text::from_bytes(&text.as_bytes()[..most]);
        }
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
