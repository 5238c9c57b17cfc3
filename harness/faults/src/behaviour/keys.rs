//! Faults with the keys of dictionaries.

use std::sync::Arc;

use variant_codec::{Codec, F64, Text, Value};
use variant_specs::{Dialect, JudgedBy, KeyRule, Layout, LayoutId, Precision, Scalar, Shape};

use super::packets::without;
use super::reals::any_real;
use crate::builder::{CodecFault, both, fault, layouts_where, of_shape, refuses, two_of_shape};
use crate::fault::{Mutation, all_in};
use crate::repeats::{Kept, KeyPairs, Repeats, join, pairs};
use variant_values::compare::{are_one_float, scalars};

const BY_BITS: &str =
    "keys are the same only where their bits are: 0.0 and -0.0 are two, and so are two NaNs with different bits";

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("keys-are-strings", "keys become strings").by(|dialect| {
            let string = of_shape(dialect, Shape::Text)?;
            both(move |value| pairs(value, |pairs| spell(pairs, string, &[])))
        }),
        fault(AS_PROPERTIES, PROPERTIES).by(|dialect| as_properties(dialect, Vec::new(), false)),
        fault("only-string-keys", "keys that are no strings are refused")
            .refuses_keys(|key| !matches!(key, Value::Text(..))),
        fault(TEXTS_AS_PROPERTIES, TEXT_PROPERTIES).by(|dialect| text_keys_as_properties(dialect, false)),
        fault("keys-sorted", "pairs are sorted by their keys")
            .reorders(|pairs| pairs.sort_by_key(|(key, _)| format!("{key:?}"))),
        fault("text-keys-sorted", "pairs are sorted where all keys are texts")
            .reorders(|pairs| {
                if pairs.iter().all(|(key, _)| text(key).is_some()) {
                    pairs.sort_by_key(|(key, _)| text(key).map(|text| text.as_bytes().to_vec()));
                }
            })
            .part_of("keys-sorted"),
        fault("keys-sorted-as-text", "pairs are sorted by their keys as texts")
            .reorders(|pairs| pairs.sort_by_key(|(key, _)| spelled(key).map(|text| text.as_bytes().to_vec())))
            .part_of("keys-sorted"),
        fault("keys-sorted-by-value", "pairs are sorted by their keys")
            .reorders(|pairs| {
                pairs.sort_by(|(left, _), (right, _)| {
                    let order = |key: &Value| (number(key), text(key).map(|text| text.as_bytes().to_vec()));
                    let ((left, left_text), (right, right_text)) = (order(left), order(right));
                    let numbers = left.zip(right).map(|(left, right)| left.get().total_cmp(&right.get()));
                    numbers.unwrap_or_else(|| left.is_none().cmp(&right.is_none())).then(left_text.cmp(&right_text))
                });
            })
            .part_of("keys-sorted"),
        fault("integer-keys-first", "pairs with integer keys come first, as in JavaScript").reorders(|pairs| {
            pairs.sort_by_key(|(key, _)| if let Value::Int(int) = key { *int } else { i64::MAX });
        }),
        fault("pairs-turned-round", "pairs are in reverse order").reorders(|pairs| pairs.reverse()),
        fault("key-and-value-swapped", "key and value change places").by(|dialect| {
            let swapped = both(|value| {
                pairs(value, |pairs| pairs.iter_mut().for_each(|(key, value)| std::mem::swap(key, value)));
            })?;
            // What is taken for the keys is compared.
            let Mutation { repeats, .. } = repeated(dialect, Kept::LastValue, |_, _| true).unwrap_or_default();
            Some(Mutation { repeats, ..swapped })
        }),
        fault("value-is-the-key", "the key of a pair stands in the place of its value")
            .pairs(|pairs| pairs.iter_mut().for_each(|(key, value)| value.clone_from(key))),
        fault("null-values-dropped", "pairs whose value is null are lost")
            .pairs(|pairs| pairs.retain(|(_, value)| *value != Value::Null)),
        fault("null-values-not-written", "pairs whose value is null are counted, and not written")
            .by(|dialect| without(dialect, "value.header", &[0; 4], |list| list.is_empty() || list.ends_with('.'))),
        fault("null-keys-dropped", "pairs whose key is null are lost")
            .pairs(|pairs| pairs.retain(|(key, _)| *key != Value::Null)),
        fault("other-keys-dropped", "pairs whose key is no text are lost")
            .pairs(|pairs| pairs.retain(|(key, _)| matches!(key, Value::Text(..)))),
        fault("empty-keys-dropped", "pairs whose key is an empty text are lost")
            .pairs(|pairs| pairs.retain(|(key, _)| text(key).is_none_or(|text| !text.as_bytes().is_empty()))),
        fault("first-value-kept", "of a repeated key the first value is kept")
            .by(|dialect| repeated(dialect, Kept::First, |_, _| true)),
        fault("last-key-kept", "of repeated keys the last is kept, in the place of the first")
            .by(|dialect| repeated(dialect, Kept::LastKey, |_, _| true)),
        fault("last-place-kept", "a repeated key takes its last place").by(|dialect| {
            dialect.has("dictionary-order=insertion").then_some(())?;
            repeated(dialect, Kept::LastPlace, |_, _| true)
        }),
        fault("keys-by-their-bits", BY_BITS).by(|dialect| repeated(dialect, Kept::LastValue, Value::eq)),
        fault("keys-by-their-bits-alone", BY_BITS)
            .by(|dialect| compared(dialect, Kept::LastValue, |_, left, right| left == right))
            .part_of("keys-by-their-bits"),
        fault(
            "compound-keys-by-their-bits",
            "keys that are no simple values are the same only where all their bits are: [0.0] and [-0.0] are two",
        )
        .by(|dialect| {
            compared(dialect, Kept::LastValue, |codec, left, right| {
                let is_simple = |key: &Value| {
                    matches!(key, Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(..))
                };
                if is_simple(left) && is_simple(right) { codec.is_same_key(left, right) } else { left == right }
            })
        }),
        fault("zeros-are-two-keys", "0.0 and -0.0 are two keys").by(|dialect| {
            repeated(dialect, Kept::LastValue, |left, right| {
                has(left, any_real, is_minus_zero) == has(right, any_real, is_minus_zero)
            })
        }),
        fault("zeros-alone-are-two-keys", "0.0 and -0.0 are two keys")
            .by(|dialect| {
                let is_minus = |key: &Value| is_float(key, is_minus_zero);
                repeated(dialect, Kept::LastValue, move |left, right| is_minus(left) == is_minus(right))
            })
            .needs("keys=by-content")
            .part_of("zeros-are-two-keys"),
        fault("zeros-but-of-vectors-are-two-keys", "0.0 and -0.0 are two keys")
            .by(|dialect| {
                let is_own = but_of_vectors(dialect, is_minus_zero);
                repeated(dialect, Kept::LastValue, move |left, right| is_own(left) == is_own(right))
            })
            .needs("keys=by-content")
            .part_of("zeros-are-two-keys"),
        fault(
            "float-keys-by-their-bits",
            "floats in keys are compared by their bits: 0.0 and -0.0 are two keys, and a NaN is the same as itself",
        )
        .by(|dialect| {
            compared(dialect, Kept::LastValue, |codec, left, right| {
                let are_alike = || has(left, is_float, is_minus_zero) == has(right, is_float, is_minus_zero);
                codec.is_same_key(left, right) && are_alike() || left == right && has(left, is_float, f64::is_nan)
            })
        }),
        fault("nans-are-many-keys", "a NaN is never the same key as another")
            .by(|dialect| repeated(dialect, Kept::LastValue, |left, _| !has(left, any_real, f64::is_nan))),
        fault("nans-of-floats-are-many-keys", "a NaN is never the same key as another")
            .by(|dialect| repeated(dialect, Kept::LastValue, |left, _| !has(left, is_float, f64::is_nan)))
            .part_of("nans-are-many-keys"),
        fault("nans-but-of-vectors-are-many-keys", "a NaN is never the same key as another")
            .by(|dialect| {
                let is_own = but_of_vectors(dialect, f64::is_nan);
                repeated(dialect, Kept::LastValue, move |left, _| !is_own(left))
            })
            .part_of("nans-are-many-keys"),
        fault("nans-of-vectors-are-many-keys", "a NaN is never the same key as another")
            .by(|dialect| {
                (dialect.precision == Precision::Single).then_some(())?;
                let is_vector = |value: &Value| matches!(value, Value::Fields(..)) && any_real(value, f64::is_nan);
                repeated(dialect, Kept::LastValue, move |left, _| !all_in(left).any(is_vector))
            })
            .part_of("nans-are-many-keys"),
        fault("containers-are-many-keys", "an array or dictionary is never the same key as another").by(|dialect| {
            repeated(dialect, Kept::LastValue, |left, _| !matches!(left, Value::Array(_) | Value::Dictionary(_)))
        }),
        fault("arrays-are-many-keys", "an array is never the same key as another")
            .by(|dialect| repeated(dialect, Kept::LastValue, |left, _| !matches!(left, Value::Array(_)))),
        fault("vectors-are-many-keys", "a vector or color is never the same key as another")
            .by(|dialect| repeated(dialect, Kept::LastValue, |left, _| !matches!(left, Value::Fields(..)))),
        fault("names-are-other-keys", "a string and a string name are two keys").by(|dialect| {
            let [string, name] = two_of_shape(dialect, Shape::Text)?.map(|layout| Value::Text(layout, Text::from("a")));
            Codec::new(dialect, JudgedBy::Engines).is_same_key(&string, &name).then_some(())?;
            let texts = |key: &Value| -> Vec<LayoutId> {
                let layout = |value: &Value| if let Value::Text(layout, _) = value { Some(*layout) } else { None };
                all_in(key).filter_map(layout).collect()
            };
            repeated(dialect, Kept::LastValue, move |left, right| texts(left) == texts(right))
        }),
        fault("keys-by-identity", "of keys, null, bools, ints and strings alone can be the same: all others stay two")
            .by(|dialect| {
                let string = of_shape(dialect, Shape::Text)?;
                dialect.has("dictionary-order=insertion").then_some(())?;
                let is_plain = move |key: &Value| match key {
                    Value::Null | Value::Bool(_) | Value::Int(_) => true,
                    Value::Text(layout, _) => *layout == string,
                    _ => false,
                };
                repeated(dialect, Kept::LastValue, move |left, right| left == right && is_plain(left))
            }),
        fault(
            "keys-as-in-a-map",
            "keys are the same as in a Map of JavaScript: numbers and strings by value, vectors and arrays never",
        )
        .by(keys_of_a_map),
        fault("keys-by-their-text", "keys are the same where they look the same: 1 and \"1\"")
            .by(|dialect| merged(dialect, |left, right| alike(spelled, left, right))),
        fault("one-is-true", "the keys 1 and true are one, as in Python")
            .by(|dialect| merged(dialect, |left, right| alike(int_or_bool, left, right))),
        fault("equal-numbers-are-one-key", "the keys 1, 1.0 and true are one, as in Python")
            .by(|dialect| merged(dialect, |left, right| alike(number_or_bool, left, right))),
        fault("ints-and-floats-are-one-key", "the keys 1 and 1.0 are one")
            .by(|dialect| merged(dialect, |left, right| alike(number, left, right))),
        fault("ints-and-floats-within-keys-are-one", "the keys 1 and 1.0 are one")
            .by(|dialect| merged(dialect, |left, right| left != right && alike(with_floats, left, right)))
            .needs("keys=by-content")
            .part_of("ints-and-floats-are-one-key"),
        fault("ints-and-texts-are-one-key", "the keys 1 and \"1\" are one")
            .by(|dialect| merged(dialect, |left, right| alike(int_or_text, left, right))),
        fault("names-within-keys-are-strings", "a string and a string name are one within an array that is a key too")
            .by(|dialect| {
                let [string, _] = two_of_shape(dialect, Shape::Text)?;
                let same = move |left: &Value, right: &Value| {
                    left != right && with_strings(left, string) == with_strings(right, string)
                };
                both(move |value| pairs(value, |pairs| join(pairs, same, Kept::LastValue)))
            })
            .needs("keys=by-content"),
        fault("nans-within-keys-are-one", "an array or dictionary in which a NaN stands is the same key as another")
            .decoded(|value| {
                let is_container = |key: &Value| matches!(key, Value::Array(_) | Value::Dictionary(_));
                let same = |left: &Value, right: &Value| {
                    is_container(left) && left == right && has(left, is_float, f64::is_nan)
                };
                pairs(value, |pairs| join(pairs, same, Kept::LastValue));
            })
            .needs("keys=by-content"),
        fault(
            "keys-without-their-type",
            "vectors are compared without their type: a Vector4 and a Quaternion are one key",
        )
        .by(|dialect| typeless(dialect, |_, _| true)),
        fault(
            "keys-of-the-same-fields",
            "vectors are compared without their type, by the names and numbers of their fields",
        )
        .by(|dialect| typeless(dialect, |left, right| left.fields == right.fields))
        .part_of("keys-without-their-type"),
        fault(
            "keys-of-the-same-numbers",
            "vectors are compared without their type: a Vector4 and a Quaternion are one key",
        )
        .by(|dialect| {
            typeless(dialect, |left, right| {
                let is_of_ints = |layout: &Layout| layout.of == Some(Scalar::Int32);
                is_of_ints(left) == is_of_ints(right)
            })
        })
        .part_of("keys-without-their-type"),
        fault("members-of-objects-are-no-keys", "keys that every object of JavaScript has as a member are lost")
            .pairs(|pairs| pairs.retain(|(key, _)| !is_member(key))),
        fault("proto-key-lost", "the key `__proto__` is lost, as in an object of JavaScript")
            .pairs(|pairs| pairs.retain(|(key, _)| !is_text(key, "__proto__"))),
        fault("keys-of-digits-first", "keys that look like numbers come first, as in an object of JavaScript")
            .reorders(|pairs| pairs.sort_by_key(|(key, _)| number_of(key).unwrap_or(u32::MAX))),
        fault("keys-in-lower-case", "keys that differ only in case are one").by(|dialect| {
            dialect.has("dictionary-order=insertion").then_some(())?;
            let same = |left: &Value, right: &Value| alike(lower_case, left, right);
            both(move |value| pairs(value, |pairs| join(pairs, same, Kept::LastValue)))
        }),
        fault("dictionaries-are-keys-by-content", "two dictionaries that are equal are one key")
            .decoded(|value| {
                let same = |left: &Value, right: &Value| left == right && matches!(left, Value::Dictionary(_));
                pairs(value, |pairs| join(pairs, same, Kept::LastValue));
            })
            .needs("keys=unique"),
        fault("keys-as-in-javascript", "keys that are whole numbers, or look like them, come first in ascending order")
            .reorders(|pairs| {
                pairs.sort_by_key(|(key, _)| match key {
                    Value::Int(int) => u32::try_from(*int).unwrap_or(u32::MAX),
                    key => number_of(key).unwrap_or(u32::MAX),
                });
            }),
        fault("hexadecimal-keys-are-ints", "keys like \"0x10\" become integers").pairs(|pairs| {
            for (key, _) in pairs {
                let digits = text(key).and_then(|text| text.as_str()?.strip_prefix("0x").map(str::to_owned));
                if let Some(int) = digits.and_then(|digits| i64::from_str_radix(&digits, 16).ok()) {
                    *key = Value::Int(int);
                }
            }
        }),
        fault("null-key-refused", "null is refused as a key").refuses_keys(|key| *key == Value::Null),
    ]
}

impl CodecFault {
    /// The pairs of dictionaries.
    fn pairs(self, change: fn(&mut KeyPairs)) -> Self {
        self.of(change, |value, change| pairs(value, change))
    }

    /// The pairs are in another order, in dialects that keep it.
    fn reorders(self, change: fn(&mut KeyPairs)) -> Self {
        let reordered = move || Some(Mutation { reorders: true, ..both(move |value| pairs(value, change))? });
        self.by(move |_| reordered()).needs("dictionary-order=insertion")
    }

    fn refuses_keys(self, which: fn(&Value) -> bool) -> Self {
        self.by(move |_| refuses_keys(which))
    }
}

/// Dictionaries as objects of JavaScript.
pub(crate) const AS_PROPERTIES: &str = "keys-are-properties";
pub(crate) const PROPERTIES: &str =
    "dictionaries become objects of JavaScript: their keys become strings, and those that look like numbers come first";

/// Dictionaries whose keys are all texts, as objects of JavaScript.
pub(crate) const TEXTS_AS_PROPERTIES: &str = "text-keys-are-properties";
pub(crate) const TEXT_PROPERTIES: &str = "dictionaries with nothing but texts as keys become objects of JavaScript: \
     keys that look like numbers come first";

/// Dictionaries become objects of JavaScript: keys become strings, and those that look like numbers come first. `texts` are
/// those of keys that are more than a number or a text. `__proto__` may be lost.
pub(crate) fn as_properties(dialect: &Dialect, texts: Vec<(Value, Text)>, loses_proto: bool) -> Option<Mutation> {
    properties(dialect, loses_proto, move |pairs, string| {
        spell(pairs, string, &texts);
        true
    })
}

/// The same of dictionaries whose keys are all texts.
pub(crate) fn text_keys_as_properties(dialect: &Dialect, loses_proto: bool) -> Option<Mutation> {
    properties(dialect, loses_proto, |pairs, string| {
        pairs.iter().all(|(key, _)| matches!(key, Value::Text(layout, _) if *layout == string))
    })
}

/// The pairs of those dictionaries that `become_properties` become an object of JavaScript.
fn properties(
    dialect: &Dialect,
    loses_proto: bool,
    become_properties: impl Fn(&mut KeyPairs, LayoutId) -> bool + Clone + Send + Sync + 'static,
) -> Option<Mutation> {
    dialect.has("dictionary-order=insertion").then_some(())?;
    let string = of_shape(dialect, Shape::Text)?;
    both(move |value| {
        pairs(value, |pairs| {
            if become_properties(pairs, string) {
                pairs.retain(|(key, _)| !loses_proto || !is_text(key, "__proto__"));
                pairs.sort_by_key(|(key, _)| number_of(key).unwrap_or(u32::MAX));
            }
        });
    })
}

/// Makes strings of keys.
fn spell(pairs: &mut KeyPairs, string: LayoutId, texts: &[(Value, Text)]) {
    for (key, _) in pairs.iter_mut() {
        let known = texts.iter().find(|(other, _)| other == key).map(|(_, text)| text.clone());
        if let Some(text) = known.or_else(|| of_type(texts, key)).or_else(|| spelled(key)) {
            *key = Value::Text(string, text);
        }
    }
}

/// The text that all keys of a type of vectors have, if it is one.
fn of_type(texts: &[(Value, Text)], key: &Value) -> Option<Text> {
    let is_alike = |other: &Value| matches!((other, key), (Value::Fields(one, _), Value::Fields(own, _)) if one == own);
    let mut alike = texts.iter().filter(|(other, _)| is_alike(other)).map(|(_, text)| text);
    let first = alike.next()?;
    alike.all(|other| other == first).then(|| first.clone())
}

/// Dictionaries with such keys are refused.
pub(crate) fn refuses_keys(which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    refuses(
        move |value| matches!(value, Value::Dictionary(dictionary) if dictionary.entries.iter().any(|(key, _)| which(key))),
    )
}

/// A reader to which two keys that are one in the dialect are one only if `also` holds, and which pair it keeps of those.
pub(crate) fn repeated(
    dialect: &Dialect,
    kept: Kept,
    also: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static,
) -> Option<Mutation> {
    compared(dialect, kept, move |codec, left, right| codec.is_same_key(left, right) && also(left, right))
}

/// A reader that compares keys in its own way, and which pair it keeps of those that are the same.
fn compared(
    dialect: &Dialect,
    kept: Kept,
    same: impl Fn(&Codec, &Value, &Value) -> bool + Send + Sync + 'static,
) -> Option<Mutation> {
    (dialect.rules.keys != KeyRule::Repeated).then_some(())?;
    Some(Mutation { repeats: Some(Repeats { same: Box::new(same), kept }), ..Mutation::default() })
}

/// A dictionary in which more keys are the same than in engines.
fn merged(dialect: &Dialect, same: fn(&Value, &Value) -> bool) -> Option<Mutation> {
    // Else no case says which pair comes first.
    dialect.has("dictionary-order=insertion").then_some(())?;
    (dialect.rules.keys != KeyRule::Repeated).then_some(())?;
    both(move |value| pairs(value, |pairs| join(pairs, same, Kept::LastValue)))
}

/// A dictionary in which vectors of two types are one key, if their numbers are the same, and this holds of their layouts.
fn typeless(dialect: &Dialect, also: fn(&Layout, &Layout) -> bool) -> Option<Mutation> {
    // What else the cases write of those is not as builds of double precision write it.
    (dialect.precision == Precision::Single && dialect.has("keys=by-content")).then_some(())?;
    let layouts = Arc::clone(&dialect.layouts);
    let same = move |left: &Value, right: &Value| match (left, right) {
        (Value::Fields(one, _), Value::Fields(other, _)) => {
            one != other && also(layouts.get(*one), layouts.get(*other)) && alike(numbers_of, left, right)
        }
        _ => false,
    };
    both(move |value| pairs(value, |pairs| join(pairs, &same, Kept::LastValue)))
}

/// Whether a number of a value itself is so.
type Look = fn(&Value, fn(f64) -> bool) -> bool;

/// The same of a value in a key.
fn has(key: &Value, look: Look, is: fn(f64) -> bool) -> bool {
    all_in(key).any(|value| look(value, is))
}

/// Whether a real number in a key is so that is none of a vector.
fn but_of_vectors(dialect: &Dialect, is: fn(f64) -> bool) -> impl Fn(&Value) -> bool + Send + Sync + 'static {
    let vectors = layouts_where(dialect, |layout| !layout.fields.is_empty());
    let is_of_vector = move |value: &Value| matches!(value, Value::Fields(layout, _) | Value::Packed(layout, _) if vectors.contains(layout));
    move |key| all_in(key).any(|value| !is_of_vector(value) && any_real(value, is))
}

fn is_float(value: &Value, is: fn(f64) -> bool) -> bool {
    matches!(value, Value::Float(float) if is(float.get()))
}

fn is_minus_zero(real: f64) -> bool {
    real == 0.0 && real.is_sign_negative()
}

/// Repeated keys in a Map of JavaScript: null, truth values, numbers and strings are compared by value, all others never
/// are the same.
fn keys_of_a_map(dialect: &Dialect) -> Option<Mutation> {
    let string = of_shape(dialect, Shape::Text)?;
    dialect.has("dictionary-order=insertion").then_some(())?;
    let same = move |left: &Value, right: &Value| match (left, right) {
        (Value::Float(left), Value::Float(right)) => are_one_float(*left, *right),
        (Value::Null, Value::Null) | (Value::Bool(_), Value::Bool(_)) | (Value::Int(_), Value::Int(_)) => left == right,
        (Value::Text(layout, _), Value::Text(..)) => *layout == string && left == right,
        _ => false,
    };
    repeated(dialect, Kept::LastValue, same)
}

/// Whether `look` finds something in both keys, and the same in both.
fn alike<T: PartialEq>(look: fn(&Value) -> Option<T>, left: &Value, right: &Value) -> bool {
    look(left).is_some_and(|look_left| look(right) == Some(look_left))
}

fn number(value: &Value) -> Option<F64> {
    if let Value::Int(int) = value {
        #[expect(clippy::cast_precision_loss, reason = "keys of cases are small")]
        return Some(F64::from(*int as f64));
    }
    if let Value::Float(float) = value { Some(*float) } else { None }
}

/// A key with floats for its integers.
fn with_floats(key: &Value) -> Option<Value> {
    if let Some(number) = number(key) {
        return Some(Value::Float(number));
    }
    let mut key = key.clone();
    for child in key.children_mut() {
        *child = with_floats(child)?;
    }
    Some(key)
}

/// A key with strings for the string names in its arrays.
fn with_strings(key: &Value, string: LayoutId) -> Value {
    let mut key = key.clone();
    if let Value::Array(array) = &mut key {
        for item in &mut array.items {
            *item = with_strings(item, string);
            if let Value::Text(layout, _) = item {
                *layout = string;
            }
        }
    }
    key
}

/// The numbers of a vector, integers as floats.
fn numbers_of(key: &Value) -> Option<Vec<F64>> {
    if let Value::Fields(_, numbers) = key { scalars(numbers).iter().map(number).collect() } else { None }
}

fn int_or_text(key: &Value) -> Option<Text> {
    if matches!(key, Value::Int(_) | Value::Text(..)) { spelled(key) } else { None }
}

fn number_or_bool(value: &Value) -> Option<F64> {
    int_or_bool(value).map_or_else(|| number(value), |int| number(&Value::Int(int)))
}

fn int_or_bool(value: &Value) -> Option<i64> {
    if let Value::Bool(bool) = value {
        return Some(i64::from(*bool));
    }
    if let Value::Int(int) = value { Some(*int) } else { None }
}

pub(crate) fn text(value: &Value) -> Option<&Text> {
    if let Value::Text(_, text) = value { Some(text) } else { None }
}

fn is_text(value: &Value, wanted: &str) -> bool {
    matches!(value, Value::Text(_, text) if text.as_str() == Some(wanted))
}

fn is_member(key: &Value) -> bool {
    ["constructor", "toString", "length"].iter().any(|member| is_text(key, member))
}

fn number_of(key: &Value) -> Option<u32> {
    let text = text(key)?;
    let number: u32 = text.as_str()?.parse().ok()?;
    (text.as_str() == Some(number.to_string().as_str())).then_some(number)
}

fn lower_case(key: &Value) -> Option<String> {
    Some(text(key)?.as_str()?.to_lowercase())
}

/// A float as JavaScript writes it: without a sign of zero, and with an exponent from 1e21 on.
fn as_in_javascript(float: f64) -> String {
    match float {
        _ if float == 0.0 => "0".to_owned(),
        _ if float.is_infinite() => format!("{}Infinity", if float < 0.0 { "-" } else { "" }),
        _ if float.is_finite() && (float.abs() >= 1e21 || float.abs() < 1e-6) => {
            let text = format!("{float:e}");
            if text.contains("e-") { text } else { text.replace('e', "e+") }
        }
        _ => float.to_string(),
    }
}

/// A simple key as text.
pub(crate) fn spelled(key: &Value) -> Option<Text> {
    let spelled = if let Value::Int(int) = key {
        int.to_string()
    } else if let Value::Float(float) = key {
        as_in_javascript(float.get())
    } else if let Value::Bool(bool) = key {
        bool.to_string()
    } else if *key == Value::Null {
        "null".to_owned()
    } else {
        return text(key).cloned();
    };
    Some(Text::from(spelled.as_str()))
}
