//! Faults with objects, RIDs and ids, and what is read with another sign.

use variant_codec::{Codec, Component, F64, Numbers, Role, Value};
use variant_specs::{Dialect, FieldForm, JudgedBy, Precision, RecordField, Scalar};
use variant_values::implementation::{Answer, Input, InvalidValue, Request};
use variant_values::reference;

use super::numbers::{has_vectors_of_ints, wide};
use super::packets::without;
use super::texts::empty_class_read;
use crate::builder::{
    CodecFault, answers, both, change_layouts, decoded, decoded_as_null, encoded, fault, named, reads, writes,
};
use crate::fault::{Mutation, all_in, header_before};
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("ids-through-a-double", "an id of 64 bits goes through a double, which keeps 53 bits").by(|dialect| {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the fault"
            )]
            let through = ids(dialect, |id| id as f64 as u64)?;
            let beyond = out_of_range(|value, _| {
                let Value::Record(_, components) = value else { return None };
                let is_beyond = |part: &Component| matches!(part, Component::Id(id) if *id > u64::MAX - 1024);
                // As JavaScript and Python write 2 to the power of 64.
                components.iter().any(is_beyond).then(|| "18446744073709552000 18446744073709551616".to_owned())
            })?;
            Some(Mutation { answers: beyond.answers, ..through })
        }),
        fault("ids-through-a-signed-double", "an id of 64 bits goes through a double, which keeps 53 bits")
            .by(|dialect| {
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the fault")]
                ids(dialect, |id| (id.cast_signed() as f64 as i64).cast_unsigned())
            })
            .part_of("ids-through-a-double"),
        fault("ids-without-their-highest-bit", "the highest bit of an id of 64 bits is lost")
            .by(|dialect| ids(dialect, |id| id & u64::MAX >> 1)),
        fault("null-properties-not-written", "properties whose value is null are counted, and not written")
            .by(|dialect| without(dialect, "value.header", &[0; 4], |list| list.ends_with("properties")))
            .needs("object=by-id"),
        fault("object-before-name", "the object of a signal stands before its name").by(|dialect| {
            let signal = named(dialect, "signal")?;
            let tables = move |dialect: &mut Dialect| {
                change_layouts(dialect, |id, layout| {
                    if id == signal {
                        layout.record.reverse();
                    }
                });
            };
            let change = both(move |value| {
                if let Value::Record(layout, components) = value
                    && *layout == signal
                {
                    components.reverse();
                }
            })?;
            Some(Mutation { tables: Some(Box::new(tables)), ..change })
        }),
        fault("callables-are-signals", "a callable is read and written with a name and an object id, as a signal is")
            .by(|dialect| {
                let callable = named(dialect, "callable")?;
                let read = reads(move |field| {
                    let behind = Some(field.behind).filter(|_| field.role == Role::Header(callable))?;
                    let length = behind.first_chunk().and_then(|word| usize::try_from(u32::from_le_bytes(*word)).ok());
                    Some(field.widened(length.map_or(8, |length| length.saturating_add(15) & !3)))
                })?;
                let written = writes(move |field| {
                    (field.role == Role::Header(callable)).then(|| [field.bytes, &[0; 12]].concat())
                })?;
                Some(Mutation { reads: read.reads, ..written })
            }),
        fault("ids-cut-to-32-bits", "an id of 64 bits is cut to 32 bits")
            .by(|dialect| ids(dialect, |id| id & 0xffff_ffff)),
        fault("null-objects-have-the-id-0", "an object that is null is written as one with the id 0").by(|dialect| {
            dialect.has("object=by-id").then_some(())?;
            let objects = dialect.layouts.objects().filter(|objects| dialect.layouts.get(*objects).nullable)?;
            encoded(move |value| {
                if *value == Value::Record(objects, Vec::new()) {
                    *value = Value::Record(objects, vec![Component::Flag(true), Component::Id(0)]);
                }
            })
        }),
        fault("null-object-is-plain-null", "an object that is null is read as a plain null").by(|dialect| {
            let objects = dialect.layouts.objects().filter(|objects| dialect.layouts.get(*objects).nullable)?;
            // All of them are null there.
            (!dialect.has("object=empty")).then_some(())?;
            decoded_as_null(move |value| *value == Value::Record(objects, Vec::new()))
        }),
        fault("objects-with-the-id-0-are-null", "an object with the id 0 is read as a plain null")
            .by(|dialect| id_0(dialect, |value, _| *value = Value::Null)),
        fault("object-without-a-class-read-on", "an object without a class is read on, where it is null").by(
            |dialect| {
                dialect.has("object=by-id").then_some(())?;
                let objects = dialect.layouts.objects()?;
                empty_class_read(move |layout| layout == objects)
            },
        ),
        fault("objects-are-null", "objects are read as null").by(|dialect| {
            let objects = dialect.layouts.objects()?;
            decoded_as_null(move |value| matches!(value, Value::Record(layout, _) if *layout == objects))
        }),
        fault("record-words-swapped", "the last two words of a record change places").by(|dialect| {
            let mut layouts = dialect.types.iter().map(|entry| dialect.layout(entry));
            layouts.any(|layout| words_in_a_row(&layout.record)).then_some(())?;
            both(|value| {
                if let Value::Record(_, components) = value {
                    let place = components
                        .windows(2)
                        .rposition(|pair| matches!(pair, [Component::Word(_), Component::Word(_)]));
                    place.into_iter().for_each(|place| components.swap(place, place + 1));
                }
            })
        }),
        fault("properties-sorted", "the properties of an object are sorted by their names").by(|dialect| {
            dialect.has("object=by-id").then_some(())?;
            let objects = dialect.layouts.objects()?;
            both(move |value| {
                if let Value::Record(layout, components) = value
                    && *layout == objects
                {
                    for component in components {
                        if let Component::List(properties) = component {
                            properties.sort_by_key(|property| format!("{:?}", property.first()));
                        }
                    }
                }
            })
        }),
        fault("rid-is-null", "a RID is read as null").by(|dialect| {
            let rid = dialect.layouts.id_of("rid")?;
            decoded_as_null(move |value| *value == Value::Record(rid, Vec::new()))
        }),
        fault("null-id-is-an-object", "an object with the id 0 is not read as null").by(|dialect| {
            id_0(dialect, |value, other| {
                if let Value::Record(_, components) = value {
                    components.iter_mut().filter(|part| **part == other).for_each(|part| *part = Component::Id(0));
                }
            })
        }),
        fault("ids-are-signed", "an id of 64 bits is read with a sign").by(|dialect| {
            dialect.has("object=by-id").then_some(())?;
            out_of_range(|value, _| {
                let Value::Record(_, components) = value else { return None };
                let ids =
                    components.iter().filter_map(|part| if let Component::Id(id) = part { Some(*id) } else { None });
                ids.map(u64::cast_signed).find(|id| *id < 0).map(|id| id.to_string())
            })
        }),
        fault("longs-are-unsigned", "integers of 64 bits are read without a sign").by(|dialect| {
            wide(dialect)?;
            out_of_range(|value, packet| {
                let Value::Int(int @ ..0) = value else { return None };
                let is_wide = packet.windows(8).any(|eight| eight == int.to_le_bytes());
                is_wide.then(|| int.cast_unsigned().to_string())
            })
        }),
        fault("longs-of-arrays-are-unsigned", "integers of an array of 64 bits are read without a sign").by(
            |dialect| {
                named(dialect, "int64_array")?;
                out_of_range(|value, _| {
                    let Value::Packed(_, Numbers::Int64(ints)) = value else { return None };
                    ints.iter().find(|int| **int < 0).map(|int| int.cast_unsigned().to_string())
                })
            },
        ),
        fault("vector-ints-are-unsigned", "negative integers of a vector are read without their sign").by(|dialect| {
            has_vectors_of_ints(dialect)?;
            out_of_range(|value, _| {
                let Value::Fields(_, Numbers::Int32(ints)) = value else { return None };
                ints.iter().find(|int| **int < 0).map(|int| int.cast_unsigned().to_string())
            })
        }),
        fault(
            "packed-ints-without-a-sign",
            "negative integers of 32 bits of a packed array are read without their sign",
        )
        .by(|dialect| {
            dialect.layouts.id_of("int32_array")?;
            out_of_range(|value, _| {
                let Value::Packed(_, Numbers::Int32(ints)) = value else { return None };
                ints.iter().find(|int| **int < 0).map(|int| int.cast_unsigned().to_string())
            })
        }),
        fault(
            "wide-reals-are-not-rounded",
            "reals of a vector with flag 1 keep their 64 bits, where engines round them to 32",
        )
        .by(|dialect| {
            (dialect.has("wide-reals=flag-1") && dialect.precision == Precision::Single).then_some(())?;
            let codec = Codec::new(dialect, JudgedBy::Engines);
            out_of_range(move |value, packet| {
                let (Value::Fields(layout, _) | Value::Packed(layout, _)) = value else { return None };
                let has_reals = codec.layouts().get(*layout).of == Some(Scalar::Real);
                Some(wide_reals(&codec, packet).join(" ")).filter(|numbers| has_reals && !numbers.is_empty())
            })
        }),
        fault("whole-objects-need-no-permission", "whole objects are read without permission").by(|dialect| {
            dialect.has("object=by-id").then_some(())?;
            let codec = Codec::new(dialect, JudgedBy::Engines);
            answers(move |request, answer, _| match (&request.input, &answer) {
                (Input::Decode(_) | Input::Reencode(_), Answer::Refused(_)) => {
                    reference::answer(&codec, &Request { objects: true, ..request.clone() })
                }
                _ => answer,
            })
        }),
        fault("objects-need-no-permission", "what needs permission for objects is read without it").by(|dialect| {
            // The old objects are all whole ones: no case asks for them without permission.
            dialect.has("object=by-id").then_some(())?;
            let codec = Codec::new(dialect, JudgedBy::Engines);
            answers(move |request, answer, _| {
                let allowed = reference::answer(&codec, &Request { objects: true, ..request.clone() });
                match request.input {
                    Input::Decode(_) | Input::Reencode(_) if allowed != reference::answer(&codec, request) => allowed,
                    _ => answer,
                }
            })
        }),
    ]
}

/// Objects with the id 0 are read as something else: given the id that they have instead.
fn id_0(dialect: &Dialect, change: fn(&mut Value, Component)) -> Option<Mutation> {
    dialect.has("object=by-id").then_some(())?;
    let objects = dialect.layouts.objects()?;
    // No case has this id.
    const OTHER: [u8; 8] = [0x1a; 8];
    let other = || Component::Id(u64::from_le_bytes(OTHER));
    let read = reads(move |field| {
        let is_null = field.layout == objects && field.role == Role::Id && field.bytes == [0; 8];
        is_null.then(|| Splice::As(OTHER.to_vec()))
    })?;
    let changed = decoded(move |value| {
        if matches!(value, Value::Record(_, components) if components.contains(&other())) {
            change(value, other());
        }
    })?;
    Some(Mutation { reads: read.reads, ..changed })
}

/// Ids of 64 bits become others.
fn ids(dialect: &Dialect, change: fn(u64) -> u64) -> Option<Mutation> {
    let rid = named(dialect, "rid").filter(|_| dialect.has("rid=id"));
    (dialect.has("object=by-id") || rid.or(named(dialect, "signal")).is_some()).then_some(())?;
    let changed = move |field: &MutatedField<'_>| {
        let id = field.bytes.first_chunk().filter(|_| field.role == Role::Id)?;
        Some(change(u64::from_le_bytes(*id)).to_le_bytes().to_vec())
    };
    let Mutation { reads, .. } = reads(move |field| changed(field).map(Splice::As))?;
    Some(Mutation { reads, ..writes(changed)? })
}

fn words_in_a_row(fields: &[RecordField]) -> bool {
    let words = |pair: &[RecordField]| pair.iter().all(|field| field.form == FieldForm::Word);
    fields.windows(2).any(words) || fields.iter().any(|field| field.form.lists().into_iter().any(words_in_a_row))
}

/// A number of 64 bits is read as one that the dialect does not have: the reply is no value. Its bits are the same, and may
/// be sent on as they came.
fn out_of_range(number: impl Fn(&Value, &[u8]) -> Option<String> + Send + Sync + 'static) -> Option<Mutation> {
    answers(move |request, answer, _| {
        let (Input::Decode(packet), Answer::Value { value, .. }) = (&request.input, &answer) else { return answer };
        let found = all_in(value).find_map(|value| number(value, packet));
        found.map_or(answer, |number| no_value(&[number]))
    })
}

/// The reals of a packet that flag 1 makes wide and that 32 bits do not hold, as their bits.
fn wide_reals(codec: &Codec, packet: &[u8]) -> Vec<String> {
    let (trace, _) = codec.traced(packet);
    let is_real = |at: usize| {
        header_before(&trace, at).is_some_and(|(layout, _)| codec.layouts().get(layout).of == Some(Scalar::Real))
    };
    let wide =
        trace.spans.iter().filter(|span| span.role == Role::Number(Scalar::Float64) && is_real(span.bytes.start));
    let bits = wide.filter_map(|span| packet.get(span.bytes.clone())?.first_chunk().copied().map(u64::from_le_bytes));
    let rounded = bits.filter(|bits| F64(*bits).narrow().is_none() && !F64(*bits).get().is_nan());
    rounded.map(|bits| format!("{bits:#018x}")).collect()
}

/// A reply that is no value of the dialect, in which one of these numbers stands.
pub(crate) fn no_value(numbers: &[String]) -> Answer {
    Answer::Invalid { json: numbers.join(" ").into(), why: InvalidValue::Unreadable(numbers.join(" ")) }
}
