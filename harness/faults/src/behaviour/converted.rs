//! Values that are read or written as those of another type.

use std::sync::Arc;

use variant_codec::{Component, Dictionary, F64, Numbers, Text, Value};
use variant_specs::{Dialect, LayoutId, Precision, Shape};
use variant_values::compare::scalars;
use variant_values::fields::layout_id_of;

use super::doubles::{SAFE, whole};
use super::paths::spelled;
use crate::builder::{CodecFault, array, both, decoded, encoded, fault, named, of_shape, two_of_shape, typed_arrays};
use crate::fault::{Change, Mutation};
use crate::place::Place;

/// The name of all faults that make values of one type those of another within containers: there, nobody says which type
/// is meant.
pub(crate) const LOST_WITHIN: &str = "types-lost-in-containers";

/// The name of all faults that do so everywhere.
pub(crate) const LOST: &str = "types-lost";

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("packed-arrays-are-lists", "packed arrays of integers are read as arrays").decoded(|value| {
            if let Value::Packed(_, Numbers::Int32(ints)) = value {
                *value = array(ints.iter().map(|int| Value::Int(i64::from(*int))).collect());
            }
        }),
        fault("lists-are-packed-arrays", "arrays of integers are written as packed arrays").by(|dialect| {
            let packed = dialect.layouts.id_of("int32_array")?;
            let int = |item: &Value| if let Value::Int(int) = item { i32::try_from(*int).ok() } else { None };
            packed_of(int, move |ints| Value::Packed(packed, Numbers::Int32(ints.into())))
        }),
        fault("strings-are-a-string-array", "arrays of strings are written as a string array").by(|dialect| {
            let packed = of_shape(dialect, Shape::PackedText)?;
            let text = |item: &Value| if let Value::Text(_, text) = item { Some(text.clone()) } else { None };
            packed_of(text, move |texts| Value::PackedText(packed, texts))
        }),
        fault("bytes-are-a-string", "a byte array is read as a string").by(|dialect| {
            let string = of_shape(dialect, Shape::Text)?;
            decoded(move |value| {
                if let Value::Packed(_, Numbers::Bytes(bytes)) = value {
                    *value = Value::Text(string, Text::from_bytes(bytes));
                }
            })
        }),
        fault("points-are-vectors", "vectors of integers become vectors of reals").by(|dialect| {
            let pair = |real| Some((named(dialect, &format!("{real}i"))?, named(dialect, real)?));
            let pairs: Vec<_> = ["vector2", "vector3", "vector4", "rect2"].into_iter().filter_map(pair).collect();
            (!pairs.is_empty() && dialect.precision == Precision::Single).then_some(())?;
            both(move |value| to_reals(value, &pairs))
        }),
        fault("typed-arrays-are-arrays", "a typed array becomes an array").by(|dialect| {
            typed_arrays(dialect).next()?;
            both(|value| {
                if let Value::Record(_, components) = value
                    && let [Component::Type(_), Component::Values(items)] = &mut components[..]
                {
                    *value = array(std::mem::take(items));
                }
            })
        }),
        fault("typed-arrays-are-one", "the two typed arrays are one").by(|dialect| {
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
        fault("dictionary-of-pairs", "a dictionary becomes an array of pairs").both(|value| {
            if let Value::Dictionary(Dictionary { entries, .. }) = value {
                let pairs = std::mem::take(entries).into_iter().map(|(key, value)| array(vec![key, value]));
                *value = array(pairs.collect());
            }
        }),
        fault("vectors-are-lists", "vectors and colors are read as lists of numbers").by(|_| everywhere(as_list)),
        fault("vectors-in-containers-are-lists", "vectors and colors: read as Array within containers")
            .by(|_| everywhere(as_list))
            .at(Place::Within)
            .part_of(LOST_WITHIN),
        fault("vectors-are-dictionaries", "vectors and colors are read as dictionaries")
            .by(|dialect| everywhere(as_dictionary(dialect)?)),
        fault("vectors-in-containers-are-dictionaries", "vectors and colors: read as Dictionary within containers")
            .by(|dialect| everywhere(as_dictionary(dialect)?))
            .at(Place::Within)
            .part_of(LOST_WITHIN),
        fault("all-packed-arrays-are-lists", "packed arrays are read and written as lists")
            .by(|dialect| in_both_ways(unpacked(dialect)?)),
        fault("packed-arrays-are-lists-of-vectors", "packed arrays are read and written as lists")
            .by(|dialect| in_both_ways(unpacked_to_vectors(dialect)))
            .part_of("all-packed-arrays-are-lists"),
        fault("packed-in-containers-are-lists", "packed arrays: read as Array within containers")
            .by(|dialect| everywhere(unpacked(dialect)?))
            .at(Place::Within)
            .part_of(LOST_WITHIN),
        fault("ints-are-floats", "integers are read as floats").by(|_| everywhere(as_float)),
        fault("ints-in-containers-are-floats", "within containers, integers are read as floats")
            .by(|_| everywhere(as_float))
            .at(Place::Within),
        fault("rids-are-ints", "a RID is read and written as an integer")
            .by(|dialect| in_both_ways(rid_as_int(dialect)?)),
        fault("rids-in-containers-are-ints", "RID: read as int within containers")
            .by(|dialect| everywhere(rid_as_int(dialect)?))
            .at(Place::Within)
            .part_of(LOST_WITHIN),
        fault("names-are-strings", "a string name is read and written as a string")
            .by(|dialect| in_both_ways(name_as_string(dialect)?)),
        fault("strings-are-names", "a string is read and written as a string name").by(|dialect| {
            let [string, name] = two_of_shape(dialect, Shape::Text)?;
            in_both_ways(text_as(string, name))
        }),
        fault("names-in-containers-are-strings", "StringName: read as String within containers")
            .by(|dialect| everywhere(name_as_string(dialect)?))
            .at(Place::Within)
            .part_of(LOST_WITHIN),
        fault("name-keys-are-strings", "string names that are keys are read and written as strings")
            .by(|dialect| in_both_ways(name_as_string(dialect)?))
            .at(Place::Key),
        fault("dictionary-of-x-and-y-is-a-vector", "a dictionary with the keys x and y is written as a vector").by(
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
    ]
}

/// A value of one type as one of another.
type Becomes = Arc<dyn Fn(&Value) -> Option<Value> + Send + Sync>;

/// How values become those of another type.
pub(crate) struct Became {
    pub(crate) read: Change,
    pub(crate) written: Change,
    /// Which of them do: ` where it is a whole number`.
    pub(crate) only: String,
}

/// Values of a type of which only some become those of another.
pub(crate) struct Which {
    pub(crate) name: &'static str,
    words: &'static str,
    pub(crate) are: fn(&Value) -> bool,
}

const EMPTY: &str = "-empty";

/// All of them, and those that languages and libraries treat in another way.
pub(crate) const WHICH: [Which; 5] = [
    Which { name: "", words: "", are: |_| true },
    Which {
        name: "-not-finite",
        words: " where it is not finite",
        are: |value| matches!(value, Value::Float(float) if !float.get().is_finite()),
    },
    Which {
        name: "-beyond-32-bits",
        words: " where 32 bits do not hold it",
        are: |value| matches!(value, Value::Int(int) if i32::try_from(*int).is_err()),
    },
    Which {
        name: "-beyond-2-53",
        words: " where it is beyond 2^53",
        are: |value| matches!(value, Value::Int(int) if int.unsigned_abs() > 1 << 53),
    },
    Which {
        name: EMPTY,
        words: " where it is empty",
        are: |value| match value {
            Value::Text(_, text) => text.as_bytes().is_empty(),
            Value::Array(array) => array.items.is_empty(),
            Value::Dictionary(dictionary) => dictionary.entries.is_empty(),
            Value::Packed(_, numbers) => numbers.is_empty(),
            Value::PackedText(_, texts) => texts.is_empty(),
            _ => false,
        },
    },
];

/// How values become those of another type, as one became another.
pub(crate) fn as_became(dialect: &Dialect, one: &Value, other: &Value, which: &Which) -> Option<Became> {
    let way: Option<Becomes> = match (one, other) {
        (_, Value::Array(_) | Value::Dictionary(_)) if which.name == EMPTY => {
            let empty = other.clone();
            (which.are)(other).then(|| Arc::new(move |_: &Value| Some(empty.clone())) as Becomes)
        }
        (_, Value::Null) => Some(Arc::new(|_| Some(Value::Null))),
        (Value::Bool(_) | Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            let to_int = matches!(other, Value::Int(_));
            Some(Arc::new(move |number| as_number(number, to_int)))
        }
        (Value::Text(..) | Value::NodePath(_), Value::Text(layout, _)) => Some(relabelled(*layout)),
        (Value::Fields(_, numbers), Value::Fields(layout, others)) if numbers.len() == others.len() => {
            Some(renumbered(*layout, others.clone()))
        }
        (Value::Record(..), Value::Int(_)) => rid_as_int(dialect).map(|way| Arc::new(way) as Becomes),
        (Value::PackedText(..), Value::Array(_)) => unpacked(dialect).map(|way| Arc::new(way) as Becomes),
        (Value::Packed(..), Value::Array(array)) => {
            let vectors = unpacked_to_vectors(dialect);
            match (vectors(one), array.items.first()) {
                (Some(_), Some(Value::Fields(..))) => Some(Arc::new(vectors)),
                (Some(Value::Array(own)), Some(item @ Value::Dictionary(_))) => {
                    let way = arranged(own.items.first()?, item)?;
                    Some(Arc::new(move |packed| match vectors(packed)? {
                        Value::Array(own) => {
                            Some(crate::builder::array(own.items.iter().map(&way).collect::<Option<_>>()?))
                        }
                        _ => None,
                    }))
                }
                _ => unpacked(dialect).map(|way| Arc::new(way) as Becomes),
            }
        }
        // An empty one shows nothing of others.
        (Value::Dictionary(own), Value::Array(_)) if !own.entries.is_empty() => Some(listed(own)),
        (Value::Fields(..) | Value::Record(..), _) => arranged(one, other).map(|way| Arc::new(way) as Becomes),
        _ => None,
    };
    let (own, are) = (layout_id_of(one, &dialect.layouts), which.are);
    let of_own = |becomes: &Becomes| {
        let (becomes, layouts) = (Arc::clone(becomes), Arc::clone(&dialect.layouts));
        let change = move |value: &Value| becomes(value).filter(|_| layout_id_of(value, &layouts) == own && are(value));
        Box::new(instead(change)) as Change
    };
    let only = match (one, other) {
        (Value::Float(_), Value::Int(_)) => " where it is a whole number",
        (Value::Fields(_, one), Value::Fields(_, other)) if is_of_ints(other) && !is_of_ints(one) => {
            " where its numbers are whole"
        }
        (Value::Dictionary(_), Value::Array(_)) if which.words.is_empty() => " where its keys are those of a list",
        _ => "",
    };
    way.map(|way| Became { read: of_own(&way), written: of_own(&way), only: format!("{only}{}", which.words) })
}

/// A dictionary whose keys follow each other like those of this one, as the list of its values.
fn listed(like: &Dictionary) -> Becomes {
    let first = match like.entries.first() {
        Some((Value::Int(first), _)) => *first,
        _ => 0,
    };
    Arc::new(move |value| {
        let Value::Dictionary(dictionary) = value else { return None };
        let is_next = |(key, place): (&Value, i64)| *key == Value::Int(place);
        let keys = dictionary.entries.iter().map(|(key, _)| key);
        keys.zip(first..).all(is_next).then(|| array(dictionary.entries.iter().map(|(_, own)| own.clone()).collect()))
    })
}

/// The same text or numbers under another layout.
fn relabelled(layout: LayoutId) -> Becomes {
    Arc::new(move |value| match value {
        Value::Text(_, text) => Some(Value::Text(layout, text.clone())),
        Value::NodePath(path) => Some(Value::Text(layout, spelled(path))),
        _ => None,
    })
}

/// The same numbers under another layout, whose numbers are like these.
fn renumbered(layout: LayoutId, like: Numbers) -> Becomes {
    let int = |number: &Value| match as_number(number, true) {
        Some(Value::Int(int)) => Some(int),
        _ => None,
    };
    let float = |number: &Value| real(number).map(F64::from);
    Arc::new(move |value| {
        let Value::Fields(_, numbers) = value else { return None };
        let own = scalars(numbers);
        let ints = own.iter().map(int);
        let floats = own.iter().map(float);
        let numbers = match like {
            Numbers::Bytes(_) => return None,
            Numbers::Int32(_) => Numbers::Int32(ints.map(|int| i32::try_from(int?).ok()).collect::<Option<_>>()?),
            Numbers::Int64(_) => Numbers::Int64(ints.collect::<Option<_>>()?),
            Numbers::Float32(_) => Numbers::Float32(floats.map(|own| Some(own?.nearest())).collect::<Option<_>>()?),
            Numbers::Float64(_) => Numbers::Float64(floats.collect::<Option<_>>()?),
        };
        Some(Value::Fields(layout, numbers))
    })
}

fn is_of_ints(numbers: &Numbers) -> bool {
    matches!(numbers, Numbers::Int32(_) | Numbers::Int64(_))
}

/// A number or truth value as an integer, if it is a whole one, or as a float.
fn as_number(number: &Value, to_int: bool) -> Option<Value> {
    let number = if let Value::Bool(is) = number { Value::Int(i64::from(*is)) } else { number.clone() };
    match number {
        Value::Float(float) if to_int => whole(float, SAFE).map(Value::Int),
        other if to_int => Some(other),
        other => real(&other).map(|real| Value::Float(F64::from(real))),
    }
}

/// The numbers of a value, arranged as in another one: `None` where that does not show which number stands where.
fn arranged(one: &Value, other: &Value) -> Option<impl Fn(&Value) -> Option<Value> + use<>> {
    let (numbers, mut other) = (numbers_of(one), other.clone());
    let mut places = Vec::new();
    let (mut to_float, mut to_int) = (false, false);
    for seen in numbers_in(&mut other) {
        let mut same = numbers.iter().enumerate().filter(|(_, own)| real(own) == real(seen));
        let (place, own) = same.next()?;
        if same.next().is_some() {
            return None;
        }
        to_float |= matches!((own, &*seen), (Value::Int(_), Value::Float(_)));
        to_int |= matches!((own, &*seen), (Value::Float(_), Value::Int(_)));
        places.push(place);
    }
    let as_seen = move |number: &Value| match number {
        Value::Int(_) if to_float => Value::Float(F64::from(real(number).unwrap_or_default())),
        Value::Float(float) if to_int => whole(*float, SAFE).map_or(Value::Float(*float), Value::Int),
        other => other.clone(),
    };
    let (count, is_clear) = (numbers.len(), !places.is_empty());
    is_clear.then_some(move |value: &Value| {
        let (numbers, mut arranged) = (numbers_of(value), other.clone());
        for (number, place) in numbers_in(&mut arranged).into_iter().zip(&places) {
            *number = as_seen(numbers.get(*place)?);
        }
        (numbers.len() == count).then_some(arranged)
    })
}

#[expect(clippy::cast_precision_loss, reason = "numbers of languages that have no integers")]
fn real(number: &Value) -> Option<f64> {
    match number {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(float.get()),
        _ => None,
    }
}

/// The numbers of a vector, and the ids of a record.
fn numbers_of(value: &Value) -> Vec<Value> {
    match value {
        Value::Fields(_, numbers) => scalars(numbers),
        Value::Record(_, components) => {
            let id = |component: &Component| match component {
                Component::Id(id) => Some(Value::Int(id.cast_signed())),
                _ => None,
            };
            components.iter().filter_map(id).collect()
        }
        _ => Vec::new(),
    }
}

/// The numbers in a value, at any depth, but for those of keys.
fn numbers_in(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Int(_) | Value::Float(_) => vec![value],
        Value::Array(array) => array.items.iter_mut().flat_map(numbers_in).collect(),
        Value::Dictionary(dictionary) => {
            dictionary.entries.iter_mut().flat_map(|(_, value)| numbers_in(value)).collect()
        }
        _ => Vec::new(),
    }
}

/// A packed array of vectors or colors as a list of these.
fn unpacked_to_vectors(dialect: &Dialect) -> impl Fn(&Value) -> Option<Value> + Clone + use<> {
    let layouts = Arc::clone(&dialect.layouts);
    move |packed: &Value| {
        let Value::Packed(layout, numbers) = packed else { return None };
        let layout = layouts.get(*layout);
        let element = layouts.id_of(layout.name.strip_suffix("_array")?)?;
        let arity = layout.arity();
        let elements: Vec<Numbers> = match numbers {
            Numbers::Float32(list) => list.chunks(arity).map(|own| Numbers::Float32(own.into())).collect(),
            Numbers::Float64(list) => list.chunks(arity).map(|own| Numbers::Float64(own.into())).collect(),
            Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => return None,
        };
        Some(array(elements.into_iter().map(|own| Value::Fields(element, own)).collect()))
    }
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

fn to_reals(value: &mut Value, pairs: &[(LayoutId, LayoutId)]) {
    if let Value::Fields(layout, numbers) = value
        && let Some((_, real)) = pairs.iter().find(|(point, _)| point == layout)
        && let Numbers::Int32(ints) = numbers
    {
        let reals = ints.iter().map(|int| F64::from(f64::from(*int)).nearest()).collect();
        *value = Value::Fields(*real, Numbers::Float32(reals));
    }
}

/// A vector as the list of its numbers.
fn as_list(vector: &Value) -> Option<Value> {
    if let Value::Fields(_, numbers) = vector { Some(array(scalars(numbers))) } else { None }
}

/// A vector as a dictionary of its numbers by their names.
fn as_dictionary(dialect: &Dialect) -> Option<impl Fn(&Value) -> Option<Value> + use<>> {
    let string = of_shape(dialect, Shape::Text)?;
    let layouts = dialect.types.iter().map(|entry| entry.layout);
    let vectors: Vec<(LayoutId, Vec<String>)> = layouts
        .map(|layout| (layout, dialect.layouts.get(layout).fields.clone()))
        .filter(|(_, names)| !names.iter().any(|name| name.contains('.')))
        .collect();
    Some(move |vector: &Value| {
        let Value::Fields(layout, numbers) = vector else { return None };
        let (_, names) = vectors.iter().find(|(own, _)| own == layout)?;
        let keys = names.iter().map(|name| Value::Text(string, Text::from(name.as_str())));
        let entries = keys.zip(scalars(numbers)).collect();
        Some(Value::Dictionary(Dictionary { entries, ..Dictionary::default() }))
    })
}

fn as_float(int: &Value) -> Option<Value> {
    let Value::Int(int) = int else { return None };
    #[expect(clippy::cast_precision_loss, reason = "that is the fault")]
    Some(Value::Float(F64::from(*int as f64)))
}

/// A text of one type as one of another.
fn text_as(from: LayoutId, to: LayoutId) -> impl Fn(&Value) -> Option<Value> + Clone {
    move |value| match value {
        Value::Text(layout, text) if *layout == from => Some(Value::Text(to, text.clone())),
        _ => None,
    }
}

fn name_as_string(dialect: &Dialect) -> Option<impl Fn(&Value) -> Option<Value> + Clone + use<>> {
    let [string, name] = two_of_shape(dialect, Shape::Text)?;
    Some(text_as(name, string))
}

fn rid_as_int(dialect: &Dialect) -> Option<impl Fn(&Value) -> Option<Value> + Clone + use<>> {
    let rid = dialect.layouts.id_of("rid").filter(|_| dialect.has("rid=id"))?;
    Some(move |value: &Value| match value {
        Value::Record(layout, components) if *layout == rid => match components[..] {
            [Component::Id(id)] => Some(Value::Int(id.cast_signed())),
            _ => None,
        },
        _ => None,
    })
}

/// A packed array as a list of its elements.
fn unpacked(dialect: &Dialect) -> Option<impl Fn(&Value) -> Option<Value> + Clone + use<>> {
    let layouts = Arc::clone(&dialect.layouts);
    let string = of_shape(dialect, Shape::Text)?;
    Some(move |packed: &Value| match packed {
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
}

/// Values are read as something else, wherever they are.
fn everywhere(change: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { converted: Some(Box::new(instead(change))), ..Mutation::default() })
}

/// Values are read and written as something else, wherever they are.
fn in_both_ways(change: impl Fn(&Value) -> Option<Value> + Clone + Send + Sync + 'static) -> Option<Mutation> {
    Some(Mutation { encoded: Some(Box::new(instead(change.clone()))), ..everywhere(change)? })
}

fn instead(change: impl Fn(&Value) -> Option<Value>) -> impl Fn(&mut Value) {
    move |value| {
        if let Some(other) = change(value) {
            *value = other;
        }
    }
}
