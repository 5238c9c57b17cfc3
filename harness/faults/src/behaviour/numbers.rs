//! Faults with numbers.

use std::num::FpCategory;

use variant_codec::{Codec, Component, F32, F64, Numbers, Role, Value};
use variant_specs::{Dialect, FieldForm, JudgedBy, Layout, LayoutId, Layouts, RecordField, Scalar, Shape};

use super::{
    CodecFault, answers, both, decoded, decoded_as_null, encoded, fault, named, of_shape, reads, refuses, writes,
};
use crate::fault::{Mutation, refusal};
use crate::packet::{MutatedField, Splice};
use variant_values::implementation::{Answer, Input, InvalidValue};

pub(super) const FAULTS: &[CodecFault] = &[
    fault("int64-through-double", "integers go through a double", |dialect| wide_ints(dialect, through_double)),
    fault("great-negative-cut", "integers below -2^31 are written in 32 bits", |dialect| {
        wide(dialect)?;
        encoded(|value| {
            if let Value::Int(int) = value
                && *int < i32::MIN.into()
            {
                *int = i64::from(low_half(*int));
            }
        })
    }),
    fault(
        "int64-through-double-wraps",
        "integers go through a double, of which the last one within wraps",
        |dialect| wide_ints(dialect, through_double_and_around),
    ),
    fault("long-elements-through-double", "elements of 64-bit integer arrays go through a double", |dialect| {
        has_long_elements(dialect)?;
        both(|value| long_elements(value, through_double))
    }),
    fault("int-cut-to-32-bits", "integers are cut to 32 bits", |dialect| {
        wide_ints(dialect, |int| i64::from(low_half(int)))
    }),
    fault("int-saturated", "integers beyond 32 bits become the last one within", |dialect| {
        wide_ints(dialect, |int| int.clamp(i32::MIN.into(), i32::MAX.into()))
    }),
    fault("int-cut-to-53-bits", "integers beyond 53 bits become the last one within", |dialect| {
        wide_ints(dialect, |int| int.clamp(-(1 << 53), 1 << 53))
    }),
    fault("int-is-unsigned", "a narrow integer is read without a sign", |dialect| {
        negative_narrow(dialect, |int| int + (1 << 32))
    }),
    fault("unsigned-written-narrow", "integers from 2^31 to 2^32 are written in 32 bits", |dialect| {
        wide(dialect)?;
        encoded(|value| {
            if let Value::Int(int @ 0x8000_0000..0x1_0000_0000) = value {
                *int -= 1 << 32;
            }
        })
    }),
    fault("long-is-unsigned", "negative integers of 64 bits become the greatest", |dialect| {
        wide_ints(dialect, |int| if int < i32::MIN.into() { i64::MAX } else { int })
    }),
    fault("ints-always-wide", "every integer is written in 64 bits", |dialect| always_wide(dialect, Shape::Int)),
    fault("floats-always-wide", "every float is written in 64 bits", |dialect| always_wide(dialect, Shape::Float)),
    fault("floats-of-64-bits", "floats are written in 64 bits, without a flag", |dialect| {
        (!dialect.rules.wide_numbers).then_some(())?;
        let layout = of_shape(dialect, Shape::Float)?;
        writes(move |field| {
            let single = narrow(field, layout).filter(|_| !is_header(field))?;
            Some(F32(u32::from_le_bytes(single)).widen().0.to_le_bytes().to_vec())
        })
    }),
    fault("least-int-written-wide", "-2^31 is written in 64 bits", |dialect| {
        wide(dialect)?;
        let int = of_shape(dialect, Shape::Int)?;
        writes(move |field| widened(field, int, |bytes| bytes == [0, 0, 0, 0x80]))
    }),
    fault("zero-is-null", "the integer 0 is read as null", |_| decoded_as_null(|value| *value == Value::Int(0))),
    fault("ints-are-floats", "integers are read as floats", |_| {
        #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
        decoded(|value| {
            if let Value::Int(int) = value {
                *value = Value::Float(F64::from(*int as f64));
            }
        })
    }),
    fault("whole-floats-are-ints", "floats without a fraction are integers", |_| {
        both(|value| as_int(value, |float| whole(float, BEYOND).filter(|_| float != F64::from(-0.0))))
    }),
    fault("bools-are-ints", "truth values are integers", |_| {
        both(|value| {
            if let Value::Bool(bool) = value {
                *value = Value::Int(i64::from(*bool));
            }
        })
    }),
    fault("false-is-null", "false is read as null", |_| decoded_as_null(|value| *value == Value::Bool(false))),
    fault("float-squeezed", "floats go through 32 bits", |dialect| {
        wide(dialect)?;
        floats(|float| if float.get().is_nan() { float } else { float.nearest().widen() })
    }),
    fault("nan-written-narrow", "NaN is written in 32 bits", |dialect| {
        wide(dialect)?;
        let layout = of_shape(dialect, Shape::Float)?;
        writes(move |field| nan_narrowed(field, layout))
    }),
    fault("minus-zero-lost", "the float -0.0 becomes 0.0", |_| floats(|float| flushed(float, FpCategory::Zero))),
    fault("minus-zero-lost-in-vectors", "-0.0 in a vector becomes 0.0", |_| reals(FpCategory::Zero)),
    fault("nan-is-null", "NaN is read as null", |_| {
        decoded_as_null(|value| matches!(value, Value::Float(float) if float.get().is_nan()))
    }),
    fault("nan-is-zero", "NaN becomes 0.0", |_| floats(|float| flushed(float, FpCategory::Nan))),
    fault("nan-is-zero-in-vectors", "NaN in a vector becomes 0.0", |_| reals(FpCategory::Nan)),
    fault("infinity-is-finite", "infinite floats become the greatest of 32 bits", |_| {
        floats(|float| F64::from(float.get().clamp(f32::MIN.into(), f32::MAX.into())))
    }),
    fault("infinity-is-finite-in-vectors", "infinite numbers in a vector become the greatest", |_| {
        reals(FpCategory::Infinite)
    }),
    fault("subnormals-flushed", "floats too small to be normal become 0.0", |dialect| {
        wide(dialect)?;
        floats(|float| flushed(float, FpCategory::Subnormal))
    }),
    fault("subnormals-flushed-in-vectors", "numbers too small to be normal become 0.0 in a vector", |_| {
        reals(FpCategory::Subnormal)
    }),
    fault("six-decimals", "floats have six decimals", |_| {
        floats(|float| format!("{:.6}", float.get()).parse::<f64>().map_or(float, F64::from))
    }),
    fault("fifteen-digits", "floats have fifteen digits", |dialect| {
        wide(dialect)?;
        floats(|float| format!("{:.14e}", float.get()).parse::<f64>().map_or(float, F64::from))
    }),
    fault("colors-clamped", "numbers of a color stay between 0 and 1", |dialect| {
        colors(dialect, |number| if number.is_nan() { number } else { number.clamp(0.0, 1.0) })
    }),
    fault("colors-of-a-byte", "numbers of a color have eight bits", |dialect| {
        colors(dialect, |number| (number * 255.0).round() / 255.0)
    }),
    fault("quaternions-normalised", "quaternions have length 1", |dialect| unit_length(dialect, "quaternion", 4)),
    fault("planes-normalised", "the normal of a plane has length 1", |dialect| unit_length(dialect, "plane", 3)),
    fault("sizes-made-positive", "negative sizes become positive", |dialect| {
        let sizes = sizes(dialect, |size, _| size.abs());
        both(sizes)
    }),
    fault("boxes-by-their-corners", "a rectangle is its two corners", |dialect| {
        let read = decoded(sizes(dialect, |size, corner| size + corner))?;
        Some(Mutation { decoded: read.decoded, ..encoded(sizes(dialect, |size, corner| size - corner))? })
    }),
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
    fault("sign-subtracts-half", "of a negative integer of 32 bits, 2^31 is subtracted, not 2^32", |dialect| {
        negative_narrow(dialect, |int| int + (1 << 31))
    }),
    fault("sign-of-long-subtracts-half", "of a negative integer of 64 bits, 2^63 is subtracted, not 2^64", |dialect| {
        wide(dialect)?;
        decoded(|value| {
            if let Value::Int(int) = value
                && *int < i32::MIN.into()
            {
                *int &= i64::MAX;
            }
        })
    }),
    fault("greatest-int-written-wide", "2^31 - 1 is written in 64 bits", |dialect| {
        wide(dialect)?;
        let int = of_shape(dialect, Shape::Int)?;
        writes(move |field| widened(field, int, |bytes| bytes == [0xff, 0xff, 0xff, 0x7f]))
    }),
    fault(
        "float32-in-between-written-wide",
        "floats that 32 bits hold exactly are written in 64 bits unless whole",
        |dialect| {
            wide(dialect)?;
            let layout = of_shape(dialect, Shape::Float)?;
            writes(move |field| {
                let single = narrow(field, layout)?;
                let number = F32(u32::from_le_bytes(single));
                (number.get().fract() != 0.0)
                    .then(|| if is_header(field) { with_flag(field) } else { number.widen().0.to_le_bytes().to_vec() })
            })
        },
    ),
    fault("minus-zero-is-an-int", "the float -0.0 becomes the integer 0", |_| {
        both(|value| {
            if *value == Value::Float(F64::from(-0.0)) {
                *value = Value::Int(0);
            }
        })
    }),
    fault("nan-bits-lost", "each NaN of 64 bits becomes the same", |_| {
        floats(|float| if float.get().is_nan() { F64(0x7ff8_0000_0000_0000) } else { float })
    }),
    fault("nan-bits-lost-in-vectors", "each NaN in a vector becomes the same", |_| {
        both(|value| singles(value, |bits| if is_nan(bits) { 0x7fc0_0000 } else { bits }))
    }),
    fault("nan-quieted-in-vectors", "a signalling NaN in a vector becomes a quiet one", |_| {
        both(|value| singles(value, |bits| if is_nan(bits) { bits | 0x0040_0000 } else { bits }))
    }),
    fault("nan-refused", "NaN is refused", |_| refuses(|value| any_real(value, f64::is_nan))),
    fault("infinity-refused", "infinite numbers are refused", |_| refuses(|value| any_real(value, f64::is_infinite))),
    fault("colors-multiplied-by-255", "numbers of a color are multiplied by 255 when read", |dialect| {
        let color = named(dialect, "color")?;
        decoded(move |value| {
            if let Value::Fields(layout, numbers) = value
                && *layout == color
            {
                change(numbers, |_, number| number * 255.0);
            }
        })
    }),
    fault("alpha-is-always-one", "the alpha of a color is always 1", |dialect| {
        let color = named(dialect, "color")?;
        both(move |value| {
            if let Value::Fields(layout, numbers) = value
                && *layout == color
            {
                change(numbers, |place, number| if place == 3 { 1.0 } else { number });
            }
        })
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

fn wide(dialect: &Dialect) -> Option<()> {
    dialect.rules.wide_numbers.then_some(())
}

/// Changes integers in both directions, where they may have 64 bits.
fn wide_ints(dialect: &Dialect, change: fn(i64) -> i64) -> Option<Mutation> {
    wide(dialect)?;
    both(move |value| {
        if let Value::Int(int) = value {
            *int = change(*int);
        }
    })
}

pub(crate) fn has_long_elements(dialect: &Dialect) -> Option<()> {
    dialect.types.iter().any(|entry| dialect.layout(entry).of == Some(Scalar::Int64)).then_some(())
}

pub(crate) fn long_elements(value: &mut Value, change: impl Fn(i64) -> i64) {
    if let Value::Packed(_, Numbers::Int64(ints)) = value {
        ints.iter_mut().for_each(|int| *int = change(*int));
    }
}

fn through_double_and_around(int: i64) -> i64 {
    if through_double(int) == i64::MAX { i64::MIN } else { through_double(int) }
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

/// Changes negative integers that are read in 32 bits. In the wide form they are right.
fn negative_narrow(dialect: &Dialect, change: fn(i64) -> i64) -> Option<Mutation> {
    if wide(dialect).is_none() {
        return decoded(move |value| {
            if let Value::Int(int @ ..0) = value {
                *int = change(*int);
            }
        });
    }
    let layout = of_shape(dialect, Shape::Int)?;
    reads(move |field| {
        if !is_header(field) {
            return None;
        }
        let int = i64::from(i32::from_le_bytes(narrow(field, layout)?));
        let read = || Splice::Replace(4, [&with_flag(field)[..], &change(int).to_le_bytes()].concat());
        (int < 0).then(read)
    })
}

/// Changes floats in both directions.
fn floats(change: fn(F64) -> F64) -> Option<Mutation> {
    both(move |value| {
        if let Value::Float(float) = value {
            *float = change(*float);
        }
    })
}

/// Zero if the number is of this category, otherwise the number.
fn flushed(float: F64, category: FpCategory) -> F64 {
    if float.get().classify() == category { F64(0) } else { float }
}

/// Reals of this category, in vectors and packed arrays, become zero. Infinite ones become the greatest finite number.
fn reals(category: FpCategory) -> Option<Mutation> {
    both(move |value| {
        if let Value::Fields(_, numbers) | Value::Packed(_, numbers) = value {
            if let Numbers::Float32(list) = numbers {
                let of_category = list.iter_mut().filter(|number| number.get().classify() == category);
                of_category
                    .for_each(|number| number.0 = if category == FpCategory::Infinite { number.0 - 1 } else { 0 });
            } else if let Numbers::Float64(list) = numbers {
                let of_category = list.iter_mut().filter(|number| number.get().classify() == category);
                of_category
                    .for_each(|number| number.0 = if category == FpCategory::Infinite { number.0 - 1 } else { 0 });
            }
        }
    })
}

fn colors(dialect: &Dialect, how: fn(f64) -> f64) -> Option<Mutation> {
    let color = named(dialect, "color")?;
    both(move |value| {
        if let Value::Fields(layout, numbers) = value
            && *layout == color
        {
            change(numbers, |_, number| how(number));
        }
    })
}

/// Changes each size of a rectangle or box, given the coordinate of its corner.
fn sizes(dialect: &Dialect, how: fn(f64, f64) -> f64) -> impl Fn(&mut Value) + Clone + Send + Sync + 'static {
    let boxes = ["rect2", "aabb"].map(|name| named(dialect, name));
    move |value| {
        if let Value::Fields(layout, numbers) = value
            && boxes.contains(&Some(*layout))
        {
            let (half, corner) = (numbers.len() / 2, doubles(numbers));
            change(numbers, |place, number| if place >= half { how(number, corner[place - half]) } else { number });
        }
    }
}

fn through_double(int: i64) -> i64 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "that is the fault")]
    let through = int as f64 as i64;
    through
}

fn low_half(int: i64) -> i32 {
    let [a, b, c, d, ..] = int.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The first whole number that 64 bits do not hold.
pub(crate) const BEYOND: f64 = 9_223_372_036_854_775_808.0;

pub(crate) fn as_int(value: &mut Value, int: impl Fn(F64) -> Option<i64>) {
    if let Value::Float(float) = value
        && let Some(int) = int(*float)
    {
        *value = Value::Int(int);
    }
}

/// A number without a fraction, below a limit.
pub(crate) fn whole(float: F64, beyond: f64) -> Option<i64> {
    let number = float.get();
    #[expect(clippy::cast_possible_truncation, reason = "only what is whole and fits")]
    (number.fract() == 0.0 && number.abs() < beyond).then_some(number as i64)
}

fn doubles(numbers: &Numbers) -> Vec<f64> {
    if let Numbers::Float32(list) = numbers {
        list.iter().map(|number| f64::from(number.get())).collect()
    } else if let Numbers::Float64(list) = numbers {
        list.iter().map(|number| number.get()).collect()
    } else {
        Vec::new()
    }
}

/// Changes each real, given its index and itself.
fn change(numbers: &mut Numbers, change: impl Fn(usize, f64) -> f64) {
    if let Numbers::Float32(list) = numbers {
        for (place, number) in list.iter_mut().enumerate() {
            *number = F64::from(change(place, f64::from(number.get()))).nearest();
        }
    } else if let Numbers::Float64(list) = numbers {
        list.iter_mut().enumerate().for_each(|(place, number)| *number = F64::from(change(place, number.get())));
    }
}

/// The first numbers of a layout, divided by their length.
fn unit_length(dialect: &Dialect, name: &str, count: usize) -> Option<Mutation> {
    let layout = named(dialect, name)?;
    both(move |value| {
        if let Value::Fields(own, numbers) = value
            && *own == layout
        {
            let length = doubles(numbers).iter().take(count).map(|number| number * number).sum::<f64>().sqrt();
            if length > 0.0 {
                change(numbers, |place, number| if place < count { number / length } else { number });
            }
        }
    })
}

/// Numbers of this shape are written in 64 bits, whatever they are.
fn always_wide(dialect: &Dialect, of: Shape) -> Option<Mutation> {
    wide(dialect)?;
    let layout = of_shape(dialect, of)?;
    if of == Shape::Int {
        return writes(move |field| widened(field, layout, |_| true));
    }
    writes(move |field| {
        let single = narrow(field, layout)?;
        let wide = || F32(u32::from_le_bytes(single)).widen().0.to_le_bytes().to_vec();
        Some(if is_header(field) { with_flag(field) } else { wide() })
    })
}

fn widened(field: &MutatedField<'_>, layout: LayoutId, which: impl Fn([u8; 4]) -> bool) -> Option<Vec<u8>> {
    let int = narrow(field, layout).filter(|bytes| which(*bytes))?;
    let wide = || i64::from(i32::from_le_bytes(int)).to_le_bytes().to_vec();
    Some(if is_header(field) { with_flag(field) } else { wide() })
}

/// The bytes of a narrow number of this layout, if the field is its header or the number itself.
fn narrow(field: &MutatedField<'_>, layout: LayoutId) -> Option<[u8; 4]> {
    if field.layout != layout {
        None
    } else if is_header(field) {
        field.behind.first_chunk().copied().filter(|_| field.bytes[2] & 1 == 0)
    } else {
        field.bytes.try_into().ok()
    }
}

fn is_header(field: &MutatedField<'_>) -> bool {
    matches!(field.role, Role::Header(_))
}

fn with_flag(field: &MutatedField<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes[2] ^= 1;
    bytes
}

fn nan_narrowed(field: &MutatedField<'_>, layout: LayoutId) -> Option<Vec<u8>> {
    let is_nan = |bytes: &[u8]| bytes.first_chunk().is_some_and(|bytes| f64::from_le_bytes(*bytes).is_nan());
    if field.layout != layout {
        None
    } else if is_header(field) {
        (field.bytes[2] & 1 == 1 && is_nan(field.behind)).then(|| with_flag(field))
    } else {
        is_nan(field.bytes).then(|| f32::NAN.to_le_bytes().to_vec())
    }
}

/// Changes the bits of each single in a vector or packed array.
fn singles(value: &mut Value, change: fn(u32) -> u32) {
    if let Value::Fields(_, Numbers::Float32(list)) | Value::Packed(_, Numbers::Float32(list)) = value {
        list.iter_mut().for_each(|number| number.0 = change(number.0));
    }
}

fn is_nan(bits: u32) -> bool {
    F32(bits).get().is_nan()
}

/// Whether any real of a value itself is so.
fn any_real(value: &Value, is: fn(f64) -> bool) -> bool {
    match value {
        Value::Float(float) => is(float.get()),
        Value::Fields(_, numbers) | Value::Packed(_, numbers) => doubles(numbers).into_iter().any(is),
        _ => false,
    }
}

fn not_nullable(dialect: &mut Dialect, id: LayoutId) {
    let layouts = dialect
        .layouts
        .iter()
        .map(|(other, layout)| Layout { nullable: layout.nullable && other != id, ..layout.clone() });
    dialect.layouts = std::sync::Arc::new(Layouts::new(layouts.collect()));
}
