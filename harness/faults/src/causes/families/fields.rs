//! Numbers of a type that are always the same, and parts of a value that are left out.

use std::collections::{BTreeMap, BTreeSet};

use variant_codec::{Codec, F32, F64, Numbers, Role, Value};
use variant_specs::{Dialect, Layout, LayoutId, Scalar};
use variant_values::compare::scalars;
use variant_values::handshake::Op;
use variant_values::implementation::Answer;
use variant_values::value_text::{Form, value_json};

use super::member::MOST;
use super::orders::numbers_of;
use crate::builder::{decoded, encoded, reads, rewritten, writes};
use crate::causes::bench::Bench;
use crate::causes::seen::some;
use crate::causes::subject::Subject;
use crate::fault::{Fault, Mutation};
use crate::packet::{MutatedField, Splice};
use crate::wire::ends;

/// The numbers of a layout that are always the same, by their places in an element.
type Constants = BTreeMap<usize, Value>;

pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let constants = constants(bench);
    let mut faults: Vec<Fault> = constants
        .iter()
        .filter_map(|((layout, op), constants)| constant(bench.dialect, *layout, *op, constants))
        .collect();
    let mut short: BTreeSet<(LayoutId, Op)> = BTreeSet::new();
    for subject in bench.failed_cases().filter(|subject| !subject.is_heavy() && is_short(subject)) {
        let layout = bench.dialect.layouts.id_of(subject.layout());
        short.extend(layout.map(|layout| (layout, subject.way)));
    }
    for (layout, op) in short {
        let known = constants.get(&(layout, op)).cloned().unwrap_or_default();
        faults.extend(left_out(bench.dialect, layout, op, &known));
        faults.extend(narrow(bench.dialect, layout, op));
        faults.extend((op == Op::Encode).then(|| last_not_written(bench.dialect, layout)).flatten());
    }
    faults
}

/// Whether less was read or written than should be.
fn is_short(subject: &Subject<'_>) -> bool {
    match (&subject.right, subject.reply()) {
        (Some(Answer::Bytes(right)), Some(Answer::Bytes(seen))) => seen.len() < right.len(),
        (Some(Answer::Value { used: right, .. }), Some(Answer::Value { used: seen, .. })) => seen < right,
        _ => false,
    }
}

/// What stands in the place of numbers that are wrong, where that is the same in all failing cases of a type.
fn constants(bench: &Bench<'_>) -> BTreeMap<(LayoutId, Op), Constants> {
    let mut seen_at: BTreeMap<(LayoutId, Op), BTreeMap<usize, Vec<Value>>> = BTreeMap::new();
    for subject in bench.failed_cases().filter(|subject| !subject.is_heavy()) {
        let Some((layout, right)) = subject.value().and_then(numbers_of) else { continue };
        let value = bench.value_of(subject);
        let Some((_, seen)) = value.as_deref().and_then(numbers_of).filter(|(other, _)| *other == layout) else {
            continue;
        };
        let arity = bench.dialect.layouts.get(layout).arity();
        for (at, (right, seen)) in scalars(right).into_iter().zip(scalars(seen)).enumerate() {
            if right != seen {
                let known = seen_at.entry((layout, subject.way)).or_default().entry(at % arity).or_default();
                if !known.contains(&seen) {
                    known.push(seen);
                }
            }
        }
    }
    let constants = seen_at.into_iter().filter(|(_, numbers)| numbers.values().all(|seen| seen.len() == 1));
    constants
        .map(|(of, numbers)| {
            (of, numbers.into_iter().filter_map(|(at, seen)| Some((at, seen.into_iter().next()?))).collect())
        })
        .collect()
}

/// A codec of which these numbers are always the same.
fn constant(dialect: &Dialect, layout: LayoutId, op: Op, constants: &Constants) -> Option<Fault> {
    let own = dialect.layouts.get(layout);
    let mut of_number: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, number) in constants {
        let text = value_json(number, &dialect.layouts, Form::default());
        let text = text.trim_matches(|c: char| !c.is_ascii_digit() && c != '-' && c != '.').to_owned();
        of_number.entry(text).or_default().insert(own.fields.get(*at)?.clone());
    }
    let said: Vec<String> = of_number
        .iter()
        .map(|(number, names)| {
            format!("{} {} always {number}", some(names), if names.len() > 1 { "are" } else { "is" })
        })
        .collect();
    let (arity, set) = (own.arity(), constants.clone());
    let change = move |value: &mut Value| {
        if let Value::Fields(other, numbers) | Value::Packed(other, numbers) = value
            && *other == layout
        {
            set_numbers(numbers, arity, &set);
        }
    };
    let mutation = if op == Op::Encode { encoded(change) } else { decoded(change) }?;
    let names: Vec<String> = constants.keys().map(ToString::to_string).collect();
    let fault =
        Fault::new(dialect, "family", &format!("{}-{}-constant", own.name, names.join("-")), Some(op), mutation);
    let fault = fault.called("numbers-always-the-same").about([own.name.as_str()]);
    Some(fault.described(format!("{}: {}", dialect.type_name_of(&own.name), said.join(", "))))
}

fn set_numbers(numbers: &mut Numbers, arity: usize, constants: &Constants) {
    for (at, number) in constants {
        match (&mut *numbers, number) {
            (Numbers::Float32(list), Value::Float(float)) => {
                list.iter_mut().skip(*at).step_by(arity).for_each(|own| *own = float.nearest());
            }
            (Numbers::Float64(list), Value::Float(float)) => {
                list.iter_mut().skip(*at).step_by(arity).for_each(|own| *own = *float);
            }
            (Numbers::Int32(list), Value::Int(int)) => {
                let int = i32::try_from(*int).unwrap_or(0);
                list.iter_mut().skip(*at).step_by(arity).for_each(|own| *own = int);
            }
            (Numbers::Int64(list), Value::Int(int)) => {
                list.iter_mut().skip(*at).step_by(arity).for_each(|own| *own = *int);
            }
            _ => {}
        }
    }
}

/// Each number of a layout, the numbers of one vector, and the same one of all vectors.
fn parts(own: &Layout) -> BTreeSet<BTreeSet<String>> {
    let mut parts: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    for name in own.fields.iter().take(MOST + MOST) {
        parts.insert(BTreeSet::from([name.clone()]));
        if let Some((vector, component)) = name.rsplit_once('.') {
            let of = |is: &dyn Fn(&str, &str) -> bool| {
                let names = own.fields.iter().filter(|name| name.rsplit_once('.').is_some_and(|(v, c)| is(v, c)));
                names.cloned().collect::<BTreeSet<String>>()
            };
            parts.insert(of(&|other, _| other == vector));
            parts.insert(of(&|_, other| other == component));
        }
    }
    parts.retain(|names| names.len() < own.fields.len());
    parts
}

/// Codecs that read or write a part of a layout in 32 bits where its reals have 64.
fn narrow(dialect: &Dialect, layout: LayoutId, op: Op) -> Vec<Fault> {
    let own = dialect.layouts.get(layout);
    let mut faults = Vec::new();
    for names in parts(own) {
        let (said, slug, how) =
            (some(&names), Vec::from_iter(names.clone()).join("-"), if op == Op::Encode { "written" } else { "read" });
        let is_own = move |field: &MutatedField<'_>| {
            let is_wide = field.layout == layout && field.role == Role::Number(Scalar::Float64);
            is_wide && names.iter().any(|name| ends(field.name, name))
        };
        let mutation = if op == Op::Encode {
            writes(move |field| {
                let bytes = field.bytes.first_chunk().filter(|_| is_own(field))?;
                Some(F64(u64::from_le_bytes(*bytes)).nearest().0.to_le_bytes().to_vec())
            })
        } else {
            reads(move |field| {
                let bytes = field.bytes.first_chunk().filter(|_| is_own(field))?;
                Some(Splice::Instead(4, F32(u32::from_le_bytes(*bytes)).widen().0.to_le_bytes().to_vec()))
            })
        };
        let id = format!("{}-narrow-{slug}", own.name);
        let fault = mutation.map(|mutation| Fault::new(dialect, "family", &id, Some(op), mutation));
        let said = format!("{}: {said} {how} in 32 bits where the others have 64", dialect.type_name_of(&own.name));
        faults.extend(fault.map(|fault| fault.called("numbers-narrow").about([own.name.as_str()]).described(said)));
    }
    faults
}

/// Codecs that leave out one number of a layout, those of one vector, the same one of all vectors, or all but the header.
/// What is not read is zero, or what always stands there.
fn left_out(dialect: &Dialect, layout: LayoutId, op: Op, known: &Constants) -> Vec<Fault> {
    let own = dialect.layouts.get(layout);
    let mut faults = Vec::new();
    for names in parts(own) {
        let (one, said) = (names.len() == 1, some(&names));
        let slug: Vec<&str> = names.iter().map(String::as_str).collect();
        let fills: BTreeMap<String, f32> = names
            .iter()
            .map(|name| (name.clone(), fill(own.fields.iter().position(|own| own == name), known)))
            .collect();
        let own_names = names.clone();
        let is_own = move |field: &MutatedField<'_>| {
            field.layout == layout && own_names.iter().any(|name| ends(field.name, name))
        };
        let (mutation, what) = if op == Op::Encode {
            (writes(move |field| is_own(field).then(Vec::new)), "written")
        } else {
            let read = reads(move |field| {
                let (_, fill) = fills.iter().find(|(name, _)| is_own(field) && ends(field.name, name))?;
                let number = if field.bytes.len() == 8 {
                    f64::from(*fill).to_le_bytes().to_vec()
                } else {
                    fill.to_le_bytes().to_vec()
                };
                Some(Splice::Instead(0, number))
            });
            (read, "read")
        };
        let Some(mutation) = mutation else { continue };
        let fault =
            Fault::new(dialect, "family", &format!("{}-without-{}", own.name, slug.join("-")), Some(op), mutation);
        let fault = fault.called("numbers-left-out").about([own.name.as_str()]);
        let is = if one { "is" } else { "are" };
        faults.push(fault.described(format!("{}: {said} {is} not {what}", dialect.type_name_of(&own.name))));
    }
    if op == Op::Encode {
        let nothing: Option<Mutation> =
            writes(move |field| (field.layout == layout && !field.is_header()).then(Vec::new));
        let fault = nothing
            .map(|nothing| Fault::new(dialect, "family", &format!("{}-header-alone", own.name), Some(op), nothing));
        let said = format!("{}: nothing but the header is written", dialect.type_name_of(&own.name));
        faults.extend(fault.map(|fault| fault.called("header-alone").about([own.name.as_str()]).described(said)));
    }
    faults
}

fn fill(at: Option<usize>, known: &Constants) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "it was a number of a vector")]
    match at.and_then(|at| known.get(&at)) {
        Some(Value::Float(float)) => float.get() as f32,
        _ => 0.0,
    }
}

/// A codec that counts the last element of a container or packed array, and does not write it.
fn last_not_written(dialect: &Dialect, layout: LayoutId) -> Option<Fault> {
    let own = dialect.layouts.get(layout);
    let mutation = rewritten(dialect, move |codec, bytes| without_last(codec, layout, bytes))?;
    let fault = Fault::new(dialect, "family", &format!("{}-without-its-last", own.name), Some(Op::Encode), mutation);
    let said = format!("{}: the last element is counted, and not written", dialect.type_name_of(&own.name));
    Some(fault.called("last-not-written").about([own.name.as_str()]).described(said))
}

/// A packet without the last element of each value of this layout; `None` if there is none.
fn without_last(codec: &Codec, layout: LayoutId, packet: &[u8]) -> Option<Vec<u8>> {
    let (trace, decoded) = codec.traced(packet);
    decoded.ok()?;
    let mut left_out = vec![false; packet.len()];
    for header in trace.spans.iter().filter(|span| span.role == Role::Header(layout)) {
        let prefix = header.path.strip_suffix("header")?;
        let within = trace.spans.iter().filter(|span| span.path.starts_with(prefix));
        let count = within.clone().find(|span| span.role == Role::Count)?;
        let count = u32::from_le_bytes(*packet.get(count.bytes.clone())?.first_chunk()?) & 0x7fff_ffff;
        let last = format!("{prefix}[{}]", count.wrapping_sub(1));
        for span in within.filter(|span| span.path.starts_with(&last)) {
            left_out.get_mut(span.bytes.clone())?.fill(true);
        }
    }
    let kept = packet.iter().zip(&left_out).filter(|(_, out)| !**out).map(|(byte, _)| *byte);
    left_out.contains(&true).then(|| kept.collect())
}
