//! Faults with arrays, packed arrays, and nesting.

use variant_codec::{Array, Component, Dictionary, ElementType, F64, Numbers, Role, Text, Value};
use variant_specs::{Dialect, LayoutId, Precision, Shape};

use super::{
    CodecFault, array, both, decoded, decoded_as_null, encoded, fault, named, of_shape, reads, refuses, typed_arrays,
};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};

pub(super) const FAULTS: &[CodecFault] = &[
    fault("empty-array-is-null", "an empty array is read as null", |_| {
        decoded_as_null(|value| matches!(value, Value::Array(array) if array.items.is_empty()))
    }),
    fault("empty-dictionary-is-an-array", "an empty dictionary becomes an empty array", |_| {
        both(|value| {
            if matches!(value, Value::Dictionary(dictionary) if dictionary.entries.is_empty()) {
                *value = Value::Array(Array::default());
            }
        })
    }),
    fault("array-of-one-unwrapped", "an array of one becomes its element", |_| {
        both(|value| {
            if let Value::Array(array) = value
                && array.items.len() == 1
            {
                *value = array.items.remove(0);
            }
        })
    }),
    fault("arrays-flattened", "arrays within arrays become one", |_| items(flatten)),
    fault("last-element-lost", "the last element of an array is lost", |_| items(|items| drop(items.pop()))),
    fault("elements-turned-round", "an array is in reverse order", |_| items(|items| items.reverse())),
    fault("nulls-dropped", "nulls in an array are dropped", |_| {
        items(|items| items.retain(|item| *item != Value::Null))
    }),
    fault("last-pair-lost", "the last pair of a dictionary is lost", |_| {
        both(|value| {
            if let Value::Dictionary(dictionary) = value {
                drop(dictionary.entries.pop());
            }
        })
    }),
    fault("shared-lost", "the shared bit of a container is lost", |dialect| shared(dialect, false)),
    fault("shared-everywhere", "every container is shared", |dialect| shared(dialect, true)),
    fault("count-of-a-byte", "of 256 elements or more, only those beyond are kept", |_| {
        items(|items| items.truncate(items.len() % 256))
    }),
    fault("packed-count-of-a-byte", "of 256 elements or more of a packed array, only those beyond are kept", |_| {
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
    fault("big-arrays-refused", "arrays of more than 255 elements are refused", |_| {
        refuses(|value| matches!(value, Value::Array(array) if array.items.len() > 255))
    }),
    fault("depth-4", "more than 4 values on a path are refused", |_| refuses(|value| value.depth() > 4)),
    fault("depth-16", "more than 16 values on a path are refused", |_| refuses(|value| value.depth() > 16)),
    fault("depth-64", "more than 64 values on a path are refused", |_| refuses(|value| value.depth() > 64)),
    fault("depth-512", "more than 512 values on a path are refused", |_| refuses(|value| value.depth() > 512)),
    fault("dictionaries-512-deep", "dictionaries of more than 512 levels are refused", |_| {
        refuses(|value| matches!(value, Value::Dictionary(_)) && value.depth() > 512)
    }),
    fault("padding-forgotten-within", "within containers, padding is not read", |_| unpadded(|field| field.nested)),
    fault("padding-forgotten-outside", "outside of containers, padding is not read", |_| {
        unpadded(|field| !field.nested)
    }),
    fault("containers-forbidden-within", "containers may not hold containers", |_| {
        refuses(|value| matches!(value, Value::Array(array) if array.items.iter().any(is_container)))
    }),
    fault("packed-arrays-are-lists", "packed arrays of integers are read as arrays", |_| {
        decoded(|value| {
            if let Value::Packed(_, Numbers::Int32(ints)) = value {
                *value = array(ints.iter().map(|int| Value::Int(i64::from(*int))).collect());
            }
        })
    }),
    fault("lists-are-packed-arrays", "arrays of integers are written as packed arrays", |dialect| {
        let packed = dialect.layouts.id_of("int32_array")?;
        let int = |item: &Value| if let Value::Int(int) = item { i32::try_from(*int).ok() } else { None };
        packed_of(int, move |ints| Value::Packed(packed, Numbers::Int32(ints.into())))
    }),
    fault("strings-are-a-string-array", "arrays of strings are written as a string array", |dialect| {
        let packed = of_shape(dialect, Shape::PackedText)?;
        let text = |item: &Value| if let Value::Text(_, text) = item { Some(text.clone()) } else { None };
        packed_of(text, move |texts| Value::PackedText(packed, texts))
    }),
    fault("empty-packed-refused", "empty packed arrays are refused", |_| {
        refuses(|value| matches!(value, Value::Packed(_, numbers) if numbers.is_empty()))
    }),
    fault("packed-turned-round", "packed arrays of integers are in reverse order", |_| {
        both(|value| {
            if let Value::Packed(_, Numbers::Int32(ints)) = value {
                ints.reverse();
            }
        })
    }),
    fault("bytes-beyond-ascii-lost", "bytes above 127 become question marks", |_| {
        both(|value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                bytes.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
            }
        })
    }),
    fault("bytes-are-a-string", "a byte array is read as a string", |dialect| {
        let string = of_shape(dialect, Shape::Text)?;
        decoded(move |value| {
            if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                *value = Value::Text(string, Text::from_bytes(bytes));
            }
        })
    }),
    fault("packed-ints-are-unsigned", "negative integers of a packed array become the greatest", |_| {
        decoded(|value| {
            if let Value::Packed(_, Numbers::Int32(ints)) = value {
                ints.iter_mut().filter(|int| **int < 0).for_each(|int| *int = i32::MAX);
            }
        })
    }),
    fault("points-are-vectors", "vectors of integers become vectors of reals", |dialect| {
        let pair = |real| Some((named(dialect, &format!("{real}i"))?, named(dialect, real)?));
        let pairs: Vec<_> = ["vector2", "vector3", "vector4", "rect2"].into_iter().filter_map(pair).collect();
        (!pairs.is_empty() && dialect.precision == Precision::Single).then_some(())?;
        both(move |value| to_reals(value, &pairs))
    }),
    fault("typed-arrays-are-arrays", "a typed array becomes an array", |dialect| {
        typed_arrays(dialect).next()?;
        both(|value| {
            if let Value::Record(_, components) = value
                && let [Component::Type(_), Component::Values(items)] = &mut components[..]
            {
                *value = array(std::mem::take(items));
            }
        })
    }),
    fault("element-types-lost", "an array with a type becomes one without", |dialect| {
        dialect.has("typed-containers=arrays|all").then_some(())?;
        both(|value| {
            if let Value::Array(array) = value {
                array.of = None;
            }
        })
    }),
    fault("entry-types-lost", "a dictionary with types becomes one without", |dialect| {
        dialect.has("typed-containers=all").then_some(())?;
        both(|value| {
            if let Value::Dictionary(dictionary) = value {
                dictionary.of = None;
            }
        })
    }),
    fault("scripts-are-classes", "the script of a typed container is taken for a class", |dialect| {
        kinds(dialect, |of| if let ElementType::Script(path) = of { Some(ElementType::Class(path)) } else { None })
    }),
    fault("classes-are-scripts", "the class of a typed container is taken for a script", |dialect| {
        kinds(dialect, |of| if let ElementType::Class(name) = of { Some(ElementType::Script(name)) } else { None })
    }),
    fault("typed-arrays-are-one", "the two typed arrays are one", |dialect| {
        let mut all = typed_arrays(dialect);
        let (first, second) = (all.next()?, all.next()?);
        both(move |value| {
            if let Value::Record(layout, _) = value
                && *layout == second
            {
                *layout = first;
            }
        })
    }),
    fault("dictionary-of-pairs", "a dictionary becomes an array of pairs", |_| {
        both(|value| {
            if let Value::Dictionary(Dictionary { entries, .. }) = value {
                let pairs = std::mem::take(entries).into_iter().map(|(key, value)| array(vec![key, value]));
                *value = array(pairs.collect());
            }
        })
    }),
];

/// Changes the elements of arrays, in both directions.
fn items(change: fn(&mut Vec<Value>)) -> Option<Mutation> {
    both(move |value| {
        if let Value::Array(array) = value {
            change(&mut array.items);
        }
    })
}

fn shared(dialect: &Dialect, is: bool) -> Option<Mutation> {
    dialect.has("shared-bit=kept").then_some(())?;
    both(move |value| {
        if let Value::Array(Array { shared, .. }) | Value::Dictionary(Dictionary { shared, .. }) = value {
            *shared = is;
        }
    })
}

/// Changes what a typed container says of its elements, keys or values, in both directions.
fn kinds(dialect: &Dialect, change: fn(ElementType) -> Option<ElementType>) -> Option<Mutation> {
    dialect.has("typed-containers=arrays|all").then_some(())?;
    both(move |value| {
        let mut types: Vec<&mut ElementType> = Vec::new();
        if let Value::Array(Array { of: Some(of), .. }) = value {
            types.push(of);
        } else if let Value::Dictionary(Dictionary { of: Some(of), .. }) = value {
            types.extend([&mut of.key, &mut of.value].into_iter().flatten());
        }
        for of in types {
            if let Some(other) = change(of.clone()) {
                *of = other;
            }
        }
    })
}

fn unpadded(which: fn(&MutatedField<'_>) -> bool) -> Option<Mutation> {
    reads(move |field| {
        (which(field) && field.role == Role::Padding).then(|| Splice::Without(vec![0; field.bytes.len()]))
    })
}

/// Arrays of one kind of element are written as a packed array.
fn packed_of<T: 'static>(
    of: fn(&Value) -> Option<T>,
    packed: impl Fn(Vec<T>) -> Value + Send + Sync + 'static,
) -> Option<Mutation> {
    encoded(move |value| {
        if let Value::Array(array) = value
            && !array.items.is_empty()
            && let Some(all) = array.items.iter().map(of).collect()
        {
            *value = packed(all);
        }
    })
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Dictionary(_))
}

fn flatten(items: &mut Vec<Value>) {
    let inner = |item| if let Value::Array(inner) = item { inner.items } else { vec![item] };
    *items = std::mem::take(items).into_iter().flat_map(inner).collect();
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
