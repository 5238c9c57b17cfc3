//! Headers and type ids: the bits, masks and ids that failing packets and replies show.

use std::collections::{BTreeMap, BTreeSet};

use variant_specs::{Dialect, LayoutId, Shape};
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Input};

use super::member::MOST;
use crate::builder::{reads, writes};
use crate::causes::bench::Bench;
use crate::causes::subject::Subject;
use crate::fault::Fault;
use crate::packet::Splice;

pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = masks(bench);
    faults.extend(header_bits(bench));
    faults.extend(as_another(bench));
    faults.extend(ids_in_a_circle(bench));
    faults
}

/// Ids of other widths: those whose highest bit is set in the header of a packet that failed.
fn masks(bench: &Bench<'_>) -> Vec<Fault> {
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
    if bits == 0 || is_of_id {
        return None;
    }
    let mutation = reads(move |field| {
        // All ones are no type of any dialect.
        (field.is_header() && field.word()? & bits != 0).then(|| Splice::As(vec![0xff; 4]))
    })?;
    let fault = Fault::new(bench.dialect, "family", "header-bits-refused", Some(Op::Decode), mutation);
    Some(fault.described(format!("a header with one of the bits {bits:#010x} is refused")))
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
        let mutation = writes(move |field| {
            let header = field.is_header() && field.layout == own;
            header.then(|| [&id.to_le_bytes()[..2], &field.bytes[2..]].concat())
        });
        let Some(mutation) = mutation else { continue };
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
