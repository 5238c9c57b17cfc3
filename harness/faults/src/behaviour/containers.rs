//! Faults with arrays, packed arrays, and nesting.

use std::sync::Arc;

use variant_codec::{Array, Component, Dictionary, ElementType, F64, Numbers, Role, Text, Value};
use variant_specs::{Dialect, LayoutId, Precision, Scalar, Shape};
use variant_values::compare::scalars;

use super::{
    CodecFault, array, both, decoded, decoded_as_null, encoded, fault, named, of_shape, reads, refuses, two_of_shape,
    typed_arrays, writes,
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
    fault(
        "vectors-in-containers-are-lists",
        "within containers, vectors and colors are read as lists of numbers",
        |_| within(|item| if let Value::Fields(_, numbers) = item { Some(array(scalars(numbers))) } else { None }),
    ),
    fault("typed-dictionaries-refused", "dictionaries with types are refused", |dialect| {
        dialect.has("typed-containers=all").then_some(())?;
        refuses(|value| matches!(value, Value::Dictionary(dictionary) if dictionary.of.is_some()))
    }),
    fault(
        "vectors-in-containers-are-dictionaries",
        "within containers, vectors and colors are read as dictionaries",
        |dialect| {
            let string = of_shape(dialect, Shape::Text)?;
            let layouts = dialect.types.iter().map(|entry| entry.layout);
            let vectors: Vec<(LayoutId, Vec<String>)> = layouts
                .map(|layout| (layout, dialect.layouts.get(layout).fields.clone()))
                .filter(|(_, names)| !names.iter().any(|name| name.contains('.')))
                .collect();
            within(move |item| {
                let Value::Fields(layout, numbers) = item else { return None };
                let (_, names) = vectors.iter().find(|(own, _)| own == layout)?;
                let keys = names.iter().map(|name| Value::Text(string, Text::from(name.as_str())));
                let entries = keys.zip(scalars(numbers)).collect();
                Some(Value::Dictionary(Dictionary { entries, ..Dictionary::default() }))
            })
        },
    ),
    fault("packed-in-containers-are-lists", "within containers, packed arrays are read as lists", |dialect| {
        let layouts = Arc::clone(&dialect.layouts);
        let string = of_shape(dialect, Shape::Text)?;
        within(move |item| match item {
            Value::Packed(layout, numbers) => {
                let (arity, numbers) = (layouts.get(*layout).arity(), scalars(numbers));
                let elements = || numbers.chunks(arity).map(|element| array(element.to_vec())).collect();
                Some(array(if arity > 1 { elements() } else { numbers }))
            }
            Value::PackedText(_, texts) => {
                Some(array(texts.iter().map(|text| Value::Text(string, text.clone())).collect()))
            }
            _ => None,
        })
    }),
    fault("rids-in-containers-are-ints", "within containers, a RID is read as an integer", |dialect| {
        let rid = dialect.layouts.id_of("rid")?;
        dialect.has("rid=id").then_some(())?;
        within(move |item| match item {
            Value::Record(layout, components) if *layout == rid => match components[..] {
                [Component::Id(id)] => Some(Value::Int(id.cast_signed())),
                _ => None,
            },
            _ => None,
        })
    }),
    fault("names-in-containers-are-strings", "within containers, a string name is read as a string", |dialect| {
        let [string, name] = two_of_shape(dialect, Shape::Text)?;
        within(move |item| match item {
            Value::Text(layout, text) if *layout == name => Some(Value::Text(string, text.clone())),
            _ => None,
        })
    }),
    fault("null-in-containers-not-written", "within containers, null writes no bytes", |_| {
        writes(|field| {
            let null = matches!(field.role, Role::Header(_)) && field.bytes == [0; 4];
            (null && field.nested).then(Vec::new)
        })
    }),
    fault("last-packed-element-lost", "the last element of a packed array is lost", |dialect| {
        let layouts = Arc::clone(&dialect.layouts);
        both(move |value| {
            if let Value::Packed(layout, numbers) = value {
                let layout = layouts.get(*layout);
                shorten(numbers, layout.arity());
            }
        })
    }),
    fault(
        "value-type-is-read-as-key-type",
        "the type of a dictionary's values is taken for that of its keys",
        |dialect| {
            dialect.has("typed-containers=all").then_some(())?;
            decoded(|value| {
                if let Value::Dictionary(Dictionary { of: Some(of), .. }) = value
                    && of.key.is_none()
                {
                    of.key = of.value.take();
                }
            })
        },
    ),
    fault("value-type-not-read", "of a dictionary's types only that of the keys is read", |dialect| {
        let dictionaries = of_shape(dialect, Shape::Dictionary)?;
        dialect.has("typed-containers=all").then_some(())?;
        reads(move |field| {
            let of_values = field.layout == dictionaries && is_header(field) && field.bytes[2] & 0b1100 != 0;
            of_values
                .then(|| Splice::As(vec![field.bytes[0], field.bytes[1], field.bytes[2] & !0b1100, field.bytes[3]]))
        })
    }),
    fault(
        "classes-take-twelve-bytes",
        "the class or script of a typed container is skipped as twelve bytes",
        |dialect| {
            dialect.has("typed-containers=arrays|all").then_some(())?;
            let read = reads(|field| {
                let is_class = field.name.ends_with("class.length") || field.name.ends_with("script.length");
                (is_class && field.behind.len() >= 8).then(|| Splice::Replace(8, vec![0; 4]))
            })?;
            let lost = |value: &mut Value| {
                let lost = |of: &ElementType| matches!(of, ElementType::Class(_) | ElementType::Script(_));
                match value {
                    Value::Array(array) => drop(array.of.take_if(|of| lost(of))),
                    Value::Dictionary(dictionary) => lose(dictionary, lost),
                    _ => {}
                }
            };
            Some(Mutation { decoded: Some(Box::new(lost)), ..read })
        },
    ),
    fault("byte-count-includes-padding", "the count of a byte array includes its padding", |dialect| {
        let bytes = dialect.types.iter().map(|entry| entry.layout);
        let bytes = bytes.filter(|id| {
            let layout = dialect.layouts.get(*id);
            layout.shape == Shape::Packed && layout.of == Some(Scalar::Byte)
        });
        let bytes: Vec<LayoutId> = bytes.collect();
        writes(move |field| {
            let count = u32::from_le_bytes(*field.bytes.first_chunk()?);
            let is_count = field.role == Role::Count && bytes.contains(&field.layout);
            is_count.then(|| count.next_multiple_of(4).to_le_bytes().to_vec())
        })
    }),
    fault("two-numbers-an-element", "an element of a packed array of vectors is read as two numbers", |dialect| {
        elements_of(dialect, 2)
    }),
    fault(
        "three-numbers-an-element",
        "an element of a packed array of vectors or colors is read as three numbers",
        |dialect| elements_of(dialect, 3),
    ),
    fault("four-numbers-an-element", "an element of a packed array of vectors is read as four numbers", |dialect| {
        elements_of(dialect, 4)
    }),
    fault("key-and-value-types-swapped", "the types of a dictionary's keys and values change places", |dialect| {
        dialect.has("typed-containers=all").then_some(())?;
        both(|value| {
            if let Value::Dictionary(Dictionary { of: Some(of), .. }) = value {
                let of = &mut **of;
                std::mem::swap(&mut of.key, &mut of.value);
            }
        })
    }),
    fault("element-classes-lost", "the class of a typed container is lost: any object is meant", |dialect| {
        let objects = dialect.layouts.objects()?;
        kinds(dialect, move |of| match of {
            ElementType::Class(_) | ElementType::Script(_) => Some(ElementType::Layout(objects)),
            ElementType::Layout(_) | ElementType::Id(_) => None,
        })
    }),
    fault(
        "dictionary-of-x-and-y-is-a-vector",
        "a dictionary with the keys x and y is written as a vector",
        |dialect| {
            let vector = named(dialect, "vector2")?;
            dialect.has("dictionary-order=insertion").then_some(())?;
            (dialect.precision == Precision::Single).then_some(())?;
            encoded(move |value| {
                if let Value::Dictionary(dictionary) = &*value
                    && let [(Value::Text(_, x), Value::Float(first)), (Value::Text(_, y), Value::Float(second))] =
                        &dictionary.entries[..]
                    && (x.as_str(), y.as_str()) == (Some("x"), Some("y"))
                {
                    *value = Value::Fields(
                        vector,
                        Numbers::Float32([first.nearest(), second.nearest()].into_iter().collect()),
                    );
                }
            })
        },
    ),
    fault("packed-count-is-of-bytes", "the count of a packed array is of bytes, not of elements", |dialect| {
        counted_as(dialect, |size, _| size)
    }),
    fault("packed-count-is-of-numbers", "the count of a packed array is of numbers, not of elements", |dialect| {
        counted_as(dialect, |_, arity| arity)
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
fn kinds(
    dialect: &Dialect,
    change: impl Fn(ElementType) -> Option<ElementType> + Clone + Send + Sync + 'static,
) -> Option<Mutation> {
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

/// Takes the types of a dictionary away that are so.
fn lose(dictionary: &mut Dictionary, lost: impl Fn(&ElementType) -> bool) {
    let Some(of) = &mut dictionary.of else { return };
    for side in [&mut of.key, &mut of.value] {
        side.take_if(|of| lost(of));
    }
    if of.key.is_none() && of.value.is_none() {
        dictionary.of = None;
    }
}

/// Each element of a packed array is read as so many numbers, without those behind or with zeros for them; the fourth
/// of a color is one.
fn elements_of(dialect: &Dialect, numbers: usize) -> Option<Mutation> {
    let packed = dialect.types.iter().map(|entry| entry.layout);
    let packed = packed.filter_map(|id| {
        let layout = dialect.layouts.get(id);
        let other = layout.shape == Shape::Packed && layout.arity() > 1 && layout.arity() != numbers;
        let real = matches!(dialect.scalar(layout), Scalar::Float32);
        (other && real).then(|| (id, layout.arity(), layout.name.starts_with("color")))
    });
    let packed: Vec<(LayoutId, usize, bool)> = packed.collect();
    (!packed.is_empty()).then_some(())?;
    reads(move |field| {
        let (_, arity, color) = packed.iter().find(|(id, ..)| *id == field.layout && field.role == Role::Count)?;
        let count = usize::try_from(u32::from_le_bytes(*field.bytes.first_chunk()?)).ok()?;
        let Some(there) = field.behind.get(..count.saturating_mul(4 * numbers)) else { return Some(Splice::Refuse) };
        let mut read = field.bytes.to_vec();
        for element in there.chunks(4 * numbers) {
            let kept = &element[..element.len().min(4 * arity)];
            read.extend_from_slice(kept);
            let last = if *color { 1f32 } else { 0f32 };
            (kept.len() / 4..*arity).for_each(|_| read.extend(last.to_le_bytes()));
        }
        Some(Splice::Replace(there.len(), read))
    })
}

fn is_header(field: &MutatedField<'_>) -> bool {
    matches!(field.role, Role::Header(_))
}

/// Values directly within containers are read as something else.
fn within(change: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Option<Mutation> {
    let change = move |item: &mut Value| {
        if let Some(other) = change(item) {
            *item = other;
        }
    };
    Some(Mutation { within: Some(Box::new(change)), ..Mutation::default() })
}

fn shorten(numbers: &mut Numbers, by: usize) {
    let left = numbers.len().saturating_sub(by.max(1));
    match numbers {
        Numbers::Bytes(bytes) => bytes.truncate(left),
        Numbers::Int32(ints) => ints.truncate(left),
        Numbers::Int64(ints) => ints.truncate(left),
        Numbers::Float32(floats) => floats.truncate(left),
        Numbers::Float64(floats) => floats.truncate(left),
    }
}

/// The count of a packed array is of something smaller, of which an element has several: given its size and its numbers.
fn counted_as(dialect: &Dialect, several: fn(usize, usize) -> usize) -> Option<Mutation> {
    let several = move |dialect: &Dialect, layout: LayoutId| {
        let layout = dialect.layouts.get(layout);
        let size = match dialect.scalar(layout) {
            Scalar::Byte => 1,
            Scalar::Int32 | Scalar::Float32 => 4,
            Scalar::Int64 | Scalar::Float64 => 8,
            Scalar::Real | Scalar::Channel => return 1,
        };
        several(size * layout.arity().max(1), layout.arity().max(1))
    };
    let packed =
        dialect.types.iter().map(|entry| entry.layout).filter(|id| dialect.layouts.get(*id).shape == Shape::Packed);
    let factors: Vec<(LayoutId, usize)> =
        packed.map(|id| (id, several(dialect, id))).filter(|(_, more)| *more > 1).collect();
    (!factors.is_empty()).then_some(())?;
    let written = factors.clone();
    let factor = |factors: &[(LayoutId, usize)], field: &MutatedField<'_>| {
        let own = factors.iter().find(|(layout, _)| *layout == field.layout && field.role == Role::Count)?;
        Some((u32::try_from(own.1).ok()?, u32::from_le_bytes(*field.bytes.first_chunk()?)))
    };
    let read = reads(move |field| {
        let (factor, count) = factor(&factors, field)?;
        Some(Splice::As((count / factor).to_le_bytes().to_vec()))
    })?;
    let write = writes(move |field| {
        let (factor, count) = factor(&written, field)?;
        Some(count.wrapping_mul(factor).to_le_bytes().to_vec())
    })?;
    Some(Mutation { reads: read.reads, ..write })
}
