//! Habits with arrays, packed arrays, and nesting.

use variant_codec::{Array, Dictionary, F64, Numbers, Role, Text, Value};
use variant_specs::{Dialect, LayoutId, Shape};

use super::{Habit, both, gives, habit, named, reads, refuses, takes};
use crate::packet::Splice;

pub(super) const HABITS: &[Habit] = &[
    habit("empty-array-is-null", "an empty array is read as null", |_| {
        takes(|value| {
            if matches!(value, Value::Array(array) if array.items.is_empty()) {
                *value = Value::Null;
            }
        })
    }),
    habit("empty-dictionary-is-an-array", "an empty dictionary becomes an empty array", |_| {
        both(|value| {
            if matches!(value, Value::Dictionary(dictionary) if dictionary.entries.is_empty()) {
                *value = Value::Array(Array::default());
            }
        })
    }),
    habit("array-of-one-unwrapped", "an array of one becomes its element", |_| {
        both(|value| {
            if let Value::Array(array) = value
                && array.items.len() == 1
            {
                *value = array.items.remove(0);
            }
        })
    }),
    habit("arrays-flattened", "arrays within arrays become one", |_| {
        both(|value| {
            if let Value::Array(array) = value {
                array.items = flattened(std::mem::take(&mut array.items));
            }
        })
    }),
    habit("last-element-lost", "the last element of an array is lost", |_| {
        both(|value| {
            if let Value::Array(array) = value {
                drop(array.items.pop());
            }
        })
    }),
    habit("elements-turned-round", "an array is in reverse order", |_| {
        both(|value| {
            if let Value::Array(array) = value {
                array.items.reverse();
            }
        })
    }),
    habit("nulls-dropped", "nulls in an array are dropped", |_| {
        both(|value| {
            if let Value::Array(array) = value {
                array.items.retain(|item| *item != Value::Null);
            }
        })
    }),
    habit("last-pair-lost", "the last pair of a dictionary is lost", |_| {
        both(|value| {
            if let Value::Dictionary(dictionary) = value {
                drop(dictionary.entries.pop());
            }
        })
    }),
    habit("shared-lost", "the shared bit of a container is lost", |dialect| {
        dialect.has("shared-bit=kept").then_some(())?;
        both(|value| {
            if let Value::Array(array) = value {
                array.shared = false;
            } else if let Value::Dictionary(dictionary) = value {
                dictionary.shared = false;
            }
        })
    }),
    habit("shared-everywhere", "every container is shared", |dialect| {
        dialect.has("shared-bit=kept").then_some(())?;
        both(|value| {
            if let Value::Array(array) = value {
                array.shared = true;
            } else if let Value::Dictionary(dictionary) = value {
                dictionary.shared = true;
            }
        })
    }),
    habit("count-of-a-byte", "of 256 elements or more, only those beyond are kept", |_| {
        both(|value| {
            if let Value::Array(array) = value {
                array.items.truncate(array.items.len() % 256);
            }
        })
    }),
    habit("packed-count-of-a-byte", "of 256 elements or more of a packed array, only those beyond are kept", |_| {
        both(|value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.truncate(bytes.len() % 256);
            } else if let Value::Packed(_, Numbers::Int32(ints)) = value {
                ints.truncate(ints.len() % 256);
            } else if let Value::PackedText(_, texts) = value {
                texts.truncate(texts.len() % 256);
            }
        })
    }),
    habit("big-arrays-refused", "arrays of more than 255 elements are refused", |_| {
        refuses(|value| matches!(value, Value::Array(array) if array.items.len() > 255))
    }),
    habit("depth-4", "more than 4 values on a path are refused", |_| refuses(|value| value.depth() > 4)),
    habit("depth-16", "more than 16 values on a path are refused", |_| refuses(|value| value.depth() > 16)),
    habit("depth-64", "more than 64 values on a path are refused", |_| refuses(|value| value.depth() > 64)),
    habit("depth-512", "more than 512 values on a path are refused", |_| refuses(|value| value.depth() > 512)),
    habit("padding-forgotten-within", "within containers, padding is not read", |_| {
        reads(|field| {
            (field.nested && field.role == Role::Padding).then(|| Splice::Without(vec![0; field.bytes.len()]))
        })
    }),
    habit("padding-forgotten-outside", "outside of containers, padding is not read", |_| {
        reads(|field| {
            (!field.nested && field.role == Role::Padding).then(|| Splice::Without(vec![0; field.bytes.len()]))
        })
    }),
    habit("containers-forbidden-within", "containers may not hold containers", |_| {
        refuses(|value| matches!(value, Value::Array(array) if array.items.iter().any(is_container)))
    }),
    habit("packed-arrays-are-lists", "packed arrays of integers are read as arrays", |_| {
        takes(|value| {
            if let Some(items) = listed(value) {
                *value = array(items);
            }
        })
    }),
    habit("lists-are-packed-arrays", "arrays of integers are written as packed arrays", |dialect| {
        let packed = dialect.layouts.id_of("int32_array")?;
        gives(move |value| {
            if let Some(ints) = all_ints(value) {
                *value = Value::Packed(packed, ints);
            }
        })
    }),
    habit("strings-are-a-string-array", "arrays of strings are written as a string array", |dialect| {
        let packed = dialect.type_of_shape(Shape::PackedText)?.layout;
        gives(move |value| {
            if let Some(texts) = all_strings(value) {
                *value = Value::PackedText(packed, texts);
            }
        })
    }),
    habit("empty-packed-refused", "empty packed arrays are refused", |_| {
        refuses(|value| matches!(value, Value::Packed(_, numbers) if numbers.is_empty()))
    }),
    habit("packed-turned-round", "packed arrays of integers are in reverse order", |_| {
        both(|value| {
            if let Value::Packed(_, Numbers::Int32(ints)) = value {
                ints.reverse();
            }
        })
    }),
    habit("bytes-beyond-ascii-lost", "bytes above 127 become question marks", |_| {
        both(|value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.iter_mut().for_each(ascii);
            }
        })
    }),
    habit("bytes-are-a-string", "a byte array is read as a string", |dialect| {
        let string = dialect.type_of_shape(Shape::Text)?.layout;
        takes(move |value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                *value = Value::Text(string, Text::from_bytes(bytes));
            }
        })
    }),
    habit("packed-ints-are-unsigned", "negative integers of a packed array become the greatest", |_| {
        takes(|value| {
            if let Value::Packed(_, Numbers::Int32(ints)) = value {
                ints.iter_mut().filter(|int| **int < 0).for_each(|int| *int = i32::MAX);
            }
        })
    }),
    habit("points-are-vectors", "vectors of integers become vectors of reals", |dialect| {
        let pairs = ["vector2", "vector3", "vector4", "rect2"]
            .map(|real| Some((points(dialect, real)?, named(dialect, real)?)));
        let pairs: Vec<(LayoutId, LayoutId)> = pairs.into_iter().flatten().collect();
        (!pairs.is_empty() && dialect.precision == variant_specs::Precision::Single).then_some(())?;
        both(move |value| to_reals(value, &pairs))
    }),
    habit("typed-arrays-are-arrays", "a typed array becomes an array", |dialect| {
        typed(dialect)?;
        both(|value| {
            if let Value::Typed(_, typed) = value {
                *value = array(std::mem::take(&mut typed.items));
            }
        })
    }),
    habit("typed-arrays-are-one", "the two typed arrays are one", |dialect| {
        let mut layouts = dialect.types.iter().filter(|entry| dialect.layout(entry).shape == Shape::Typed);
        let [first, second] = [layouts.next()?.layout, layouts.next()?.layout];
        both(move |value| {
            if let Value::Typed(layout, _) = value
                && *layout == second
            {
                *layout = first;
            }
        })
    }),
    habit("dictionary-of-pairs", "a dictionary becomes an array of pairs", |_| {
        both(|value| {
            if let Value::Dictionary(Dictionary { entries, .. }) = value {
                let pairs = std::mem::take(entries).into_iter().map(|(key, value)| array(vec![key, value]));
                *value = array(pairs.collect());
            }
        })
    }),
];

fn typed(dialect: &Dialect) -> Option<()> {
    dialect.types.iter().any(|entry| dialect.layout(entry).shape == Shape::Typed).then_some(())
}

fn points(dialect: &Dialect, real: &str) -> Option<LayoutId> {
    named(dialect, &format!("{real}i"))
}

fn array(items: Vec<Value>) -> Value {
    Value::Array(Array { items, ..Array::default() })
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Dictionary(_))
}

fn flattened(items: Vec<Value>) -> Vec<Value> {
    let mut flat = Vec::new();
    for item in items {
        if let Value::Array(inner) = item {
            flat.extend(inner.items);
        } else {
            flat.push(item);
        }
    }
    flat
}

fn listed(value: &Value) -> Option<Vec<Value>> {
    if let Value::Packed(_, Numbers::Int32(ints)) = value {
        return Some(ints.iter().map(|int| Value::Int(i64::from(*int))).collect());
    }
    None
}

fn all_ints(value: &Value) -> Option<Numbers> {
    let Value::Array(array) = value else { return None };
    let int = |item: &Value| if let Value::Int(int) = item { i32::try_from(*int).ok() } else { None };
    let ints = array.items.iter().map(int).collect::<Option<_>>()?;
    (!array.items.is_empty()).then_some(Numbers::Int32(ints))
}

fn all_strings(value: &Value) -> Option<Vec<Text>> {
    let Value::Array(array) = value else { return None };
    let text = |item: &Value| if let Value::Text(_, text) = item { Some(text.clone()) } else { None };
    let texts = array.items.iter().map(text).collect::<Option<_>>()?;
    (!array.items.is_empty()).then_some(texts)
}

fn ascii(byte: &mut u8) {
    if !byte.is_ascii() {
        *byte = b'?';
    }
}

fn to_reals(value: &mut Value, pairs: &[(LayoutId, LayoutId)]) {
    if let Value::Fields(layout, numbers) = value
        && let Some((_, real)) = pairs.iter().find(|(point, _)| point == layout)
        && let Numbers::Int32(ints) = numbers
    {
        let reals = ints.iter().map(|int| F64::from(f64::from(*int)).nearest()).collect();
        *value = Value::Fields(*real, Numbers::Float32(reals));
    }
}
