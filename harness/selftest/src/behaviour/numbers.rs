//! Habits with numbers.

use variant_codec::{F32, F64, Numbers, Object, Role, Value};
use variant_specs::{Dialect, LayoutId, Shape};

use super::{Habit, both, gives, habit, named, refuses, takes, writes};
use crate::mutant::Twist;
use crate::packet::Field;

pub(super) const HABITS: &[Habit] = &[
    habit("int64-through-double", "integers go through a double", |dialect| {
        wide(dialect)?;
        both(|value| {
            if let Value::Int(int) = value {
                *int = through_double(*int);
            }
        })
    }),
    habit("int-cut-to-32-bits", "integers are cut to 32 bits", |dialect| {
        wide(dialect)?;
        both(|value| {
            if let Value::Int(int) = value {
                *int = i64::from(low_half(*int));
            }
        })
    }),
    habit("int-saturated", "integers beyond 32 bits become the last one within", |dialect| {
        wide(dialect)?;
        both(|value| {
            if let Value::Int(int) = value {
                *int = (*int).clamp(i32::MIN.into(), i32::MAX.into());
            }
        })
    }),
    habit("int-cut-to-53-bits", "integers beyond 53 bits become the last one within", |dialect| {
        wide(dialect)?;
        both(|value| {
            if let Value::Int(int) = value {
                *int = (*int).clamp(-(1 << 53), 1 << 53);
            }
        })
    }),
    habit("int-is-unsigned", "a narrow integer is read without a sign", |_| {
        takes(|value| {
            if let Value::Int(int @ -0x8000_0000..0) = value {
                *int += 1 << 32;
            }
        })
    }),
    habit("unsigned-written-narrow", "integers from 2^31 to 2^32 are written in 32 bits", |dialect| {
        wide(dialect)?;
        gives(|value| {
            if let Value::Int(int @ 0x8000_0000..0x1_0000_0000) = value {
                *int -= 1 << 32;
            }
        })
    }),
    habit("long-is-unsigned", "negative integers of 64 bits become the greatest", |dialect| {
        wide(dialect)?;
        both(|value| {
            if let Value::Int(int @ ..-0x8000_0000) = value {
                *int = i64::MAX;
            }
        })
    }),
    habit("ints-always-wide", "every integer is written in 64 bits", |dialect| always_wide(dialect, Shape::Int)),
    habit("floats-always-wide", "every float is written in 64 bits", |dialect| always_wide(dialect, Shape::Float)),
    habit("least-int-written-wide", "-2^31 is written in 64 bits", |dialect| {
        let int = shape(dialect, Shape::Int).filter(|_| dialect.rules.wide_numbers)?;
        writes(move |field| widened(field, int, |bytes| bytes == [0, 0, 0, 0x80]))
    }),
    habit("zero-is-null", "the integer 0 is read as null", |_| takes(|value| become_null(value, &Value::Int(0)))),
    habit("ints-are-floats", "integers are read as floats", |_| {
        #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
        takes(|value| {
            if let Value::Int(int) = value {
                *value = Value::Float(F64::from(*int as f64));
            }
        })
    }),
    habit("whole-floats-are-ints", "floats without a fraction are integers", |_| {
        both(|value| {
            if let Value::Float(float) = value
                && let Some(int) = whole(*float)
            {
                *value = Value::Int(int);
            }
        })
    }),
    habit("bools-are-ints", "truth values are integers", |_| {
        both(|value| {
            if let Value::Bool(bool) = value {
                *value = Value::Int(i64::from(*bool));
            }
        })
    }),
    habit("false-is-null", "false is read as null", |_| takes(|value| become_null(value, &Value::Bool(false)))),
    habit("float-squeezed", "floats go through 32 bits", |dialect| {
        wide(dialect)?;
        both(|value| float(value, |float| if float.get().is_nan() { float } else { float.nearest().widen() }))
    }),
    habit("nan-written-narrow", "NaN is written in 32 bits", |dialect| {
        let layout = shape(dialect, Shape::Float).filter(|_| dialect.rules.wide_numbers)?;
        writes(move |field| nan_narrowed(field, layout))
    }),
    habit("minus-zero-lost", "the float -0.0 becomes 0.0", |_| both(|value| float(value, unsigned_zero))),
    habit("minus-zero-lost-in-vectors", "-0.0 in a vector becomes 0.0", |_| {
        both(|value| reals(value, |single| F32(if single.0 == 1 << 31 { 0 } else { single.0 }), unsigned_zero))
    }),
    habit("nan-is-null", "NaN is read as null", |_| {
        takes(|value| {
            if matches!(value, Value::Float(float) if float.get().is_nan()) {
                *value = Value::Null;
            }
        })
    }),
    habit("nan-is-zero", "NaN becomes 0.0", |_| {
        both(|value| float(value, |float| if float.get().is_nan() { F64(0) } else { float }))
    }),
    habit("nan-is-zero-in-vectors", "NaN in a vector becomes 0.0", |_| {
        both(|value| {
            reals(
                value,
                |single| if single.get().is_nan() { F32(0) } else { single },
                |double| if double.get().is_nan() { F64(0) } else { double },
            );
        })
    }),
    habit("infinity-is-finite", "infinite floats become the greatest of 32 bits", |_| {
        both(|value| float(value, |float| F64::from(float.get().clamp(f32::MIN.into(), f32::MAX.into()))))
    }),
    habit("infinity-is-finite-in-vectors", "infinite numbers in a vector become the greatest", |_| {
        both(|value| {
            reals(
                value,
                |single| if single.get().is_infinite() { F32(single.0 - 1) } else { single },
                |double| if double.get().is_infinite() { F64(double.0 - 1) } else { double },
            );
        })
    }),
    habit("subnormals-flushed", "floats too small to be normal become 0.0", |dialect| {
        wide(dialect)?;
        both(|value| float(value, |float| if float.get().is_subnormal() { F64(0) } else { float }))
    }),
    habit("subnormals-flushed-in-vectors", "numbers too small to be normal become 0.0 in a vector", |_| {
        both(|value| {
            reals(
                value,
                |single| if single.get().is_subnormal() { F32(0) } else { single },
                |double| if double.get().is_subnormal() { F64(0) } else { double },
            );
        })
    }),
    habit("six-decimals", "floats have six decimals", |_| {
        both(|value| float(value, |float| format!("{:.6}", float.get()).parse::<f64>().map_or(float, F64::from)))
    }),
    habit("fifteen-digits", "floats have fifteen digits", |dialect| {
        wide(dialect)?;
        both(|value| float(value, |float| format!("{:.14e}", float.get()).parse::<f64>().map_or(float, F64::from)))
    }),
    habit("colors-clamped", "numbers of a color stay between 0 and 1", |dialect| {
        let color = named(dialect, "color")?;
        both(move |value| {
            of_layout(value, color, |number| if number.is_nan() { number } else { number.clamp(0.0, 1.0) });
        })
    }),
    habit("colors-of-a-byte", "numbers of a color have eight bits", |dialect| {
        let color = named(dialect, "color")?;
        both(move |value| of_layout(value, color, |number| (number * 255.0).round() / 255.0))
    }),
    habit("quaternions-normalised", "quaternions have length 1", |dialect| unit_length(dialect, "quaternion", 4)),
    habit("planes-normalised", "the normal of a plane has length 1", |dialect| unit_length(dialect, "plane", 3)),
    habit("sizes-made-positive", "negative sizes become positive", |dialect| {
        let boxes = ["rect2", "aabb"].map(|name| named(dialect, name));
        both(move |value| {
            if let Value::Fields(layout, numbers) = value
                && boxes.contains(&Some(*layout))
            {
                let half = numbers.len() / 2;
                change(numbers, |place, number| if place >= half { number.abs() } else { number });
            }
        })
    }),
    habit("boxes-by-their-corners", "a rectangle is its two corners", |dialect| {
        let boxes = ["rect2", "aabb"].map(|name| named(dialect, name));
        takes(move |value| {
            if let Value::Fields(layout, numbers) = value
                && boxes.contains(&Some(*layout))
            {
                let half = numbers.len() / 2;
                let corner: Vec<f64> = doubles(numbers);
                change(numbers, |place, number| if place >= half { number + corner[place - half] } else { number });
            }
        })
    }),
    habit("object-id-cut-to-32-bits", "the id of an object is cut to 32 bits", |dialect| {
        dialect.has("object=by-id").then_some(())?;
        both(|value| {
            if let Value::Object(object) = value
                && let Object::Id(id) = object.as_mut()
            {
                *id &= 0xffff_ffff;
            }
        })
    }),
    habit("objects-are-null", "objects are read as null", |_| {
        takes(|value| {
            if matches!(value, Value::Object(_)) {
                *value = Value::Null;
            }
        })
    }),
    habit("event-words-swapped", "what an event carries is in reverse order", |dialect| {
        shape(dialect, Shape::InputEvent)?;
        both(|value| {
            if let Value::InputEvent(event) = value {
                event.words.reverse();
            }
        })
    }),
    habit("event-words-are-reals", "what an event carries are reals", |dialect| {
        shape(dialect, Shape::InputEvent)?;
        #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
        let real = |word: &mut u32| *word = (*word as f32).to_bits();
        both(move |value| {
            if let Value::InputEvent(event) = value {
                event.words.iter_mut().for_each(real);
            }
        })
    }),
    habit("rid-is-null", "a RID is read as null", |_| takes(|value| become_null(value, &Value::Rid(None)))),
    habit("rid-refused", "a RID is refused", |_| refuses(|value| matches!(value, Value::Rid(_)))),
];

fn wide(dialect: &Dialect) -> Option<()> {
    dialect.rules.wide_numbers.then_some(())
}

fn shape(dialect: &Dialect, shape: Shape) -> Option<LayoutId> {
    dialect.type_of_shape(shape).map(|entry| entry.layout)
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

fn whole(float: F64) -> Option<i64> {
    let number = float.get();
    #[expect(clippy::cast_possible_truncation, reason = "only what is whole and small")]
    (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
}

fn become_null(value: &mut Value, which: &Value) {
    if value == which {
        *value = Value::Null;
    }
}

fn float(value: &mut Value, change: impl Fn(F64) -> F64) {
    if let Value::Float(float) = value {
        *float = change(*float);
    }
}

fn unsigned_zero(double: F64) -> F64 {
    F64(if double.0 == 1 << 63 { 0 } else { double.0 })
}

/// Changes the reals of vectors and packed arrays.
fn reals(value: &mut Value, single: impl Fn(F32) -> F32, double: impl Fn(F64) -> F64) {
    if let Value::Fields(_, numbers) | Value::Packed(_, numbers) = value {
        if let Numbers::Float32(list) = numbers {
            list.iter_mut().for_each(|number| *number = single(*number));
        } else if let Numbers::Float64(list) = numbers {
            list.iter_mut().for_each(|number| *number = double(*number));
        }
    }
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

/// Changes reals by arithmetic.
fn change(numbers: &mut Numbers, change: impl Fn(usize, f64) -> f64) {
    if let Numbers::Float32(list) = numbers {
        for (place, number) in list.iter_mut().enumerate() {
            *number = F64::from(change(place, f64::from(number.get()))).nearest();
        }
    } else if let Numbers::Float64(list) = numbers {
        list.iter_mut().enumerate().for_each(|(place, number)| *number = F64::from(change(place, number.get())));
    }
}

fn of_layout(value: &mut Value, layout: LayoutId, how: impl Fn(f64) -> f64) {
    if let Value::Fields(own, numbers) = value
        && *own == layout
    {
        change(numbers, |_, number| how(number));
    }
}

/// The first numbers of a layout, divided by their length.
fn unit_length(dialect: &Dialect, name: &str, count: usize) -> Option<Twist> {
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
fn always_wide(dialect: &Dialect, of: Shape) -> Option<Twist> {
    let layout = shape(dialect, of).filter(|_| dialect.rules.wide_numbers)?;
    if of == Shape::Int {
        return writes(move |field| widened(field, layout, |_| true));
    }
    writes(move |field| {
        let single = narrow(field, layout)?;
        let wide = || F32(u32::from_le_bytes(single)).widen().0.to_le_bytes().to_vec();
        Some(if is_header(field) { with_flag(field) } else { wide() })
    })
}

fn widened(field: &Field<'_>, layout: LayoutId, which: impl Fn([u8; 4]) -> bool) -> Option<Vec<u8>> {
    let int = narrow(field, layout).filter(|bytes| which(*bytes))?;
    let wide = || i64::from(i32::from_le_bytes(int)).to_le_bytes().to_vec();
    Some(if is_header(field) { with_flag(field) } else { wide() })
}

/// The bytes of a narrow number of this layout, where the field is its header or itself.
fn narrow(field: &Field<'_>, layout: LayoutId) -> Option<[u8; 4]> {
    if field.layout != layout {
        None
    } else if is_header(field) {
        field.behind.first_chunk().copied().filter(|_| field.bytes[2] & 1 == 0)
    } else {
        field.bytes.try_into().ok()
    }
}

fn is_header(field: &Field<'_>) -> bool {
    matches!(field.role, Role::Header(_))
}

fn with_flag(field: &Field<'_>) -> Vec<u8> {
    let mut bytes = field.bytes.to_vec();
    bytes[2] ^= 1;
    bytes
}

fn nan_narrowed(field: &Field<'_>, layout: LayoutId) -> Option<Vec<u8>> {
    let is_nan = |bytes: &[u8]| bytes.first_chunk().is_some_and(|bytes| f64::from_le_bytes(*bytes).is_nan());
    if field.layout != layout {
        None
    } else if is_header(field) {
        (field.bytes[2] & 1 == 1 && is_nan(field.behind)).then(|| with_flag(field))
    } else {
        is_nan(field.bytes).then(|| f32::NAN.to_le_bytes().to_vec())
    }
}
