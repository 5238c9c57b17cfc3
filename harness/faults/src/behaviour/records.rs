//! Faults with objects, RIDs and ids, and what is read with another sign.

use variant_codec::{Codec, Component, Role, Value};
use variant_specs::{Dialect, FieldForm, JudgedBy, Layout, LayoutId, Layouts, RecordField};
use variant_values::implementation::{Answer, Input, InvalidValue};

use super::numbers::wide;
use super::{CodecFault, answers, both, decoded_as_null, fault, named, reads, refuses};
use crate::fault::{Mutation, refusal};
use crate::packet::Splice;

pub(super) const FAULTS: &[CodecFault] = &[
    fault("object-id-cut-to-32-bits", "the id of an object is cut to 32 bits", |dialect| {
        dialect.has("object=by-id").then_some(())?;
        let objects = dialect.layouts.objects()?;
        both(move |value| {
            if let Value::Record(layout, components) = value
                && let (true, [_, Component::Id(id)]) = (*layout == objects, &mut components[..])
            {
                *id &= 0xffff_ffff;
            }
        })
    }),
    fault("rid-cut-to-32-bits", "the id of a RID is cut to 32 bits", |dialect| {
        let rid = named(dialect, "rid").filter(|_| dialect.has("rid=id"))?;
        both(move |value| {
            if let Value::Record(layout, components) = value
                && let (true, [Component::Id(id)]) = (*layout == rid, &mut components[..])
            {
                *id &= 0xffff_ffff;
            }
        })
    }),
    fault("objects-are-null", "objects are read as null", |dialect| {
        let objects = dialect.layouts.objects()?;
        decoded_as_null(move |value| matches!(value, Value::Record(layout, _) if *layout == objects))
    }),
    fault("record-words-swapped", "the last two words of a record change places", |dialect| {
        let mut layouts = dialect.types.iter().map(|entry| dialect.layout(entry));
        layouts.any(|layout| words_in_a_row(&layout.record)).then_some(())?;
        both(|value| {
            if let Value::Record(_, components) = value {
                let place =
                    components.windows(2).rposition(|pair| matches!(pair, [Component::Word(_), Component::Word(_)]));
                place.into_iter().for_each(|place| components.swap(place, place + 1));
            }
        })
    }),
    fault("rid-is-null", "a RID is read as null", |dialect| {
        let rid = dialect.layouts.id_of("rid")?;
        decoded_as_null(move |value| *value == Value::Record(rid, Vec::new()))
    }),
    fault("rid-refused", "a RID is refused", |dialect| {
        let rid = dialect.layouts.id_of("rid")?;
        refuses(move |value| matches!(value, Value::Record(layout, _) if *layout == rid))
    }),
    fault("null-id-is-an-object", "an object with the id 0 is not read as null", |dialect| {
        dialect.has("object=by-id").then_some(())?;
        let objects = dialect.layouts.objects()?;
        Some(Mutation { tables: Some(Box::new(move |dialect| not_nullable(dialect, objects))), ..Mutation::default() })
    }),
    fault("ids-are-signed", "an id of 64 bits is read with a sign", |dialect| {
        dialect.has("object=by-id").then_some(())?;
        out_of_range(dialect, |value, _| {
            let Value::Record(_, components) = value else { return None };
            let ids = components.iter().filter_map(|part| if let Component::Id(id) = part { Some(*id) } else { None });
            let mut signed = ids.map(u64::cast_signed).filter(|id| *id < 0);
            signed.next().map(|id| id.to_string())
        })
    }),
    fault("longs-are-unsigned", "integers of 64 bits are read without a sign", |dialect| {
        wide(dialect)?;
        out_of_range(dialect, |value, packet| {
            let Value::Int(int @ ..0) = value else { return None };
            let is_wide = packet.windows(8).any(|eight| eight == int.to_le_bytes());
            is_wide.then(|| int.cast_unsigned().to_string())
        })
    }),
    fault("rid-takes-four-bytes", "a RID takes four bytes", |dialect| {
        let rid = named(dialect, "rid")?;
        let own_id = dialect.has("rid=id");
        reads(move |field| match field.role {
            Role::Header(_) if field.layout == rid && !own_id => Some(Splice::Swallow(4)),
            Role::Id if field.layout == rid => Some(Splice::Narrow(4)),
            _ => None,
        })
    }),
];

fn words_in_a_row(fields: &[RecordField]) -> bool {
    let words = |pair: &[RecordField]| pair.iter().all(|field| field.form == FieldForm::Word);
    fields.windows(2).any(words) || fields.iter().any(|field| field.form.lists().into_iter().any(words_in_a_row))
}

/// A number of 64 bits is read as one that the dialect does not have: the reply is no value, and cannot be sent on.
fn out_of_range(dialect: &Dialect, number: fn(&Value, &[u8]) -> Option<String>) -> Option<Mutation> {
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let first = move |value: &Value, packet: &[u8]| {
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            if let Some(number) = number(value, packet) {
                return Some(number);
            }
            left.extend(value.children());
        }
        None
    };
    answers(move |request, answer, _| match (&request.input, &answer) {
        (Input::Decode(packet), Answer::Value { value, .. }) => match first(value, packet) {
            Some(number) => no_value(&[number]),
            None => answer,
        },
        (Input::Reencode(packet), Answer::Bytes(_)) => {
            let sent = codec.decode(packet).ok().and_then(|decoded| first(&decoded.value, packet));
            if sent.is_some() { Answer::Refused(refusal("this faulty codec cannot send it on")) } else { answer }
        }
        _ => answer,
    })
}

/// A reply that is no value of the dialect, in which one of these numbers stands.
pub(crate) fn no_value(numbers: &[String]) -> Answer {
    Answer::Invalid { json: numbers.join(" ").into(), why: InvalidValue::Unreadable(numbers.join(" ")) }
}

fn not_nullable(dialect: &mut Dialect, id: LayoutId) {
    let layouts = dialect
        .layouts
        .iter()
        .map(|(other, layout)| Layout { nullable: layout.nullable && other != id, ..layout.clone() });
    dialect.layouts = std::sync::Arc::new(Layouts::new(layouts.collect()));
}
