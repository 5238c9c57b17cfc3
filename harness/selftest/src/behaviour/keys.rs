//! Habits with the keys of dictionaries.

use variant_codec::{F64, Text, Value};
use variant_specs::{Dialect, KeyRule, LayoutId, Shape};

use super::{Habit, both, habit, refuses, takes};
use crate::mutant::Twist;

pub(super) const HABITS: &[Habit] = &[
    habit("keys-are-strings", "keys become strings", |dialect| {
        let string = string(dialect)?;
        both(move |value| {
            keys(value, |key| {
                if let Some(text) = spelled(key) {
                    *key = Value::Text(string, text);
                }
            });
        })
    }),
    habit("only-string-keys", "keys that are no strings are refused", |_| {
        refuses(|value| {
            let no_text = |(key, _): &(Value, Value)| !matches!(key, Value::Text(..));
            matches!(value, Value::Dictionary(dictionary) if dictionary.entries.iter().any(no_text))
        })
    }),
    habit("keys-sorted", "pairs are sorted by their keys", |dialect| {
        dialect.has("dictionary-order=insertion").then_some(())?;
        both(|value| entries(value, |entries| entries.sort_by_key(|(key, _)| format!("{key:?}"))))
    }),
    habit("integer-keys-first", "pairs with integer keys come first, as in JavaScript", |dialect| {
        dialect.has("dictionary-order=insertion").then_some(())?;
        both(|value| {
            entries(value, |entries| {
                entries.sort_by_key(|(key, _)| if let Value::Int(int) = key { *int } else { i64::MAX });
            });
        })
    }),
    habit("pairs-turned-round", "pairs are in reverse order", |dialect| {
        dialect.has("dictionary-order=insertion").then_some(())?;
        both(|value| entries(value, |entries| entries.reverse()))
    }),
    habit("key-and-value-swapped", "key and value change places", |_| {
        both(|value| entries(value, |entries| entries.iter_mut().for_each(|(key, value)| std::mem::swap(key, value))))
    }),
    habit("null-values-dropped", "pairs whose value is null are lost", |_| {
        both(|value| entries(value, |entries| entries.retain(|(_, value)| *value != Value::Null)))
    }),
    habit("null-keys-dropped", "pairs whose key is null are lost", |_| {
        both(|value| entries(value, |entries| entries.retain(|(key, _)| *key != Value::Null)))
    }),
    habit("empty-keys-dropped", "pairs whose key is an empty text are lost", |_| {
        both(|value| {
            entries(value, |entries| {
                entries.retain(|(key, _)| !matches!(key, Value::Text(_, text) if text.as_bytes().is_empty()));
            });
        })
    }),
    habit("first-value-kept", "of a repeated key the first value is kept", |dialect| {
        repeated(dialect, |entries| joined(entries, |left, right| left == right, Kept::First))
    }),
    habit("last-place-kept", "a repeated key takes its last place", |dialect| {
        dialect.has("dictionary-order=insertion").then_some(())?;
        repeated(dialect, |entries| joined(entries, |left, right| left == right, Kept::LastPlace))
    }),
    habit(
        "keys-by-their-bits",
        "keys are the same where their bits are: two zeros, or as many NaNs as there are",
        |dialect| repeated(dialect, |entries| joined(entries, |left, right| left == right, Kept::LastValue)),
    ),
    habit("keys-by-their-text", "keys are the same where they look the same: 1 and \"1\"", |dialect| {
        repeated(dialect, |entries| {
            joined(
                entries,
                |left, right| left == right || spelled(left).is_some() && spelled(left) == spelled(right),
                Kept::LastValue,
            );
        })
    }),
    habit("one-is-true", "the keys 1 and true are one, as in Python", |dialect| {
        repeated(dialect, |entries| joined(entries, as_in_python, Kept::LastValue))
    }),
    habit("ints-and-floats-are-one-key", "the keys 1 and 1.0 are one", |dialect| {
        repeated(dialect, |entries| joined(entries, as_numbers, Kept::LastValue))
    }),
    habit("names-and-strings-are-one-key", "a string and a string name of one text are one key", |dialect| {
        let of_texts = dialect.types.iter().filter(|entry| dialect.layout(entry).shape == Shape::Text);
        (of_texts.count() > 1).then_some(())?;
        repeated(dialect, |entries| joined(entries, as_texts, Kept::LastValue))
    }),
    habit("dictionaries-are-keys-by-content", "two dictionaries that are equal are one key", |dialect| {
        takes_unique(dialect)
    }),
];

/// Of two pairs with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// The first of them stays, and nothing of the second.
    First,
    /// The first place, the last value.
    LastValue,
    /// The last of them stays.
    LastPlace,
}

fn string(dialect: &Dialect) -> Option<LayoutId> {
    dialect.type_of_shape(Shape::Text).map(|entry| entry.layout)
}

fn entries(value: &mut Value, change: impl Fn(&mut Vec<(Value, Value)>)) {
    if let Value::Dictionary(dictionary) = value {
        change(&mut dictionary.entries);
    }
}

fn keys(value: &mut Value, change: impl Fn(&mut Value)) {
    entries(value, |entries| entries.iter_mut().for_each(|(key, _)| change(key)));
}

/// A reader of its own idea of what a repeated key is.
fn repeated(dialect: &Dialect, change: fn(&mut Vec<(Value, Value)>)) -> Option<Twist> {
    dialect.has("keys=unique").then_some(())?;
    let mut tables = dialect.clone();
    tables.rules.keys = KeyRule::Repeated;
    let twist = takes(move |value| entries(value, change))?;
    Some(Twist { tables: Some(Box::new(tables)), ..twist })
}

fn takes_unique(dialect: &Dialect) -> Option<Twist> {
    dialect.has("keys=unique").then_some(())?;
    takes(|value| {
        entries(value, |entries| joined(entries, |a, b| a == b && matches!(a, Value::Dictionary(_)), Kept::LastValue));
    })
}

fn joined(entries: &mut Vec<(Value, Value)>, same: impl Fn(&Value, &Value) -> bool, kept: Kept) {
    let mut left: Vec<(Value, Value)> = Vec::new();
    for (key, value) in std::mem::take(entries) {
        match (left.iter().position(|(other, _)| same(other, &key)), kept) {
            (None, _) => left.push((key, value)),
            (Some(_), Kept::First) => {}
            (Some(place), Kept::LastValue) => left[place].1 = value,
            (Some(place), Kept::LastPlace) => {
                left.remove(place);
                left.push((key, value));
            }
        }
    }
    *entries = left;
}

fn as_numbers(left: &Value, right: &Value) -> bool {
    left == right || number(left).is_some() && number(left) == number(right)
}

fn number(value: &Value) -> Option<F64> {
    if let Value::Int(int) = value {
        #[expect(clippy::cast_precision_loss, reason = "keys of cases are small")]
        return Some(F64::from(*int as f64));
    }
    if let Value::Float(float) = value { Some(*float) } else { None }
}

fn as_in_python(left: &Value, right: &Value) -> bool {
    let truth = |value: &Value| if let Value::Bool(bool) = value { Some(i64::from(*bool)) } else { None };
    let int = |value: &Value| if let Value::Int(int) = value { Some(*int) } else { truth(value) };
    left == right || int(left).is_some() && int(left) == int(right)
}

fn as_texts(left: &Value, right: &Value) -> bool {
    let text = |value: &Value| if let Value::Text(_, text) = value { Some(text.clone()) } else { None };
    left == right || text(left).is_some() && text(left) == text(right)
}

/// A key as text, where it is a simple one.
fn spelled(key: &Value) -> Option<Text> {
    if let Value::Text(_, text) = key {
        return Some(text.clone());
    }
    let text = if let Value::Int(int) = key {
        int.to_string()
    } else if let Value::Float(float) = key {
        float.get().to_string()
    } else if let Value::Bool(bool) = key {
        bool.to_string()
    } else if *key == Value::Null {
        "null".to_owned()
    } else {
        return None;
    };
    Some(Text::from(text.as_str()))
}

#[cfg(test)]
mod tests {
    use variant_codec::Dictionary;

    use super::*;

    #[test]
    fn a_repeated_key_is_joined_in_three_ways() {
        let pair = |key, value| (Value::Int(key), Value::Int(value));
        let pairs = vec![pair(1, 10), pair(2, 20), pair(1, 30)];
        for (kept, wanted) in [
            (Kept::First, vec![pair(1, 10), pair(2, 20)]),
            (Kept::LastValue, vec![pair(1, 30), pair(2, 20)]),
            (Kept::LastPlace, vec![pair(2, 20), pair(1, 30)]),
        ] {
            let mut dictionary = Value::Dictionary(Dictionary { entries: pairs.clone(), ..Dictionary::default() });
            entries(&mut dictionary, |entries| joined(entries, |left, right| left == right, kept));
            assert_eq!(dictionary, Value::Dictionary(Dictionary { entries: wanted, ..Dictionary::default() }));
        }
    }
}
