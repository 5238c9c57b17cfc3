//! Habits with texts.

use variant_codec::{NodePath, Role, Text, Value};
use variant_specs::{Dialect, LayoutId, Shape};

use super::{Habit, both, gives, habit, reads, refuses, takes, writes};
use crate::mutant::Twist;
use crate::packet::{Field, Splice};

pub(super) const HABITS: &[Habit] = &[
    habit("length-in-utf16-units", "the length of a text counts UTF-16 units", |_| {
        writes(|field| length_of_text(field, |text| text.encode_utf16().count()))
    }),
    habit("length-in-characters", "the length of a text counts characters", |_| {
        let written = writes(|field| length_of_text(field, |text| text.chars().count()))?;
        Some(Twist { reads: Some(Box::new(read_characters)), ..written })
    }),
    habit("latin-1", "texts are Latin-1", |_| {
        let taken = takes(|value| texts(value, &|text| text.iter().map(|byte| char::from(*byte)).collect()))?;
        let given =
            gives(|value| strings(value, &|text| text.chars().map(|c| if c < '\u{100}' { c } else { '?' }).collect()))?;
        Some(Twist { gives: given.gives, ..taken })
    }),
    habit("bad-utf8-becomes-a-question-mark", "what is no UTF-8 is replaced", |_| reads(replaced)),
    habit("byte-order-mark-written", "a byte order mark is put in front of each text", |_| {
        gives(|value| strings(value, &|text| format!("\u{feff}{text}")))
    }),
    habit("nul-written", "a text ends with a NUL that is counted", |_| {
        gives(|value| {
            if let Value::Text(_, text) = value {
                *text = with(text, "\0");
            }
        })
    }),
    habit("white-space-trimmed", "white space around a text is lost", |_| {
        both(|value| strings(value, &|text| text.trim().to_owned()))
    }),
    habit("line-ends-translated", "a line feed becomes a carriage return and a line feed", |_| {
        both(|value| strings(value, &|text| text.replace('\n', "\r\n")))
    }),
    habit("composed", "a letter and its accent become one character", |_| {
        both(|value| strings(value, &|text| text.replace("e\u{301}", "é")))
    }),
    habit("three-bytes-refused", "texts of three bytes are refused", |_| {
        refuses(|value| has_text(value, |t| t.len() == 3))
    }),
    habit("four-bytes-refused", "texts that need no padding are refused", |_| {
        refuses(|value| has_text(value, |text| !text.is_empty() && text.len().is_multiple_of(4)))
    }),
    habit("empty-text-refused", "empty texts are refused", |_| {
        refuses(|value| matches!(value, Value::Text(_, text) if text.as_bytes().is_empty()))
    }),
    habit("empty-text-is-null", "an empty text is read as null", |_| {
        takes(|value| {
            if matches!(value, Value::Text(_, text) if text.as_bytes().is_empty()) {
                *value = Value::Null;
            }
        })
    }),
    habit("beyond-the-plane-lost", "characters beyond U+FFFF are replaced", |_| {
        both(|value| {
            strings(value, &|text| text.chars().map(|c| if c > '\u{ffff}' { '\u{fffd}' } else { c }).collect());
        })
    }),
    habit("surrogate-pairs-written", "characters beyond U+FFFF are written as two surrogates of three bytes", |_| {
        writes(|field| {
            if field.role == Role::Text {
                return Some(surrogate_pairs(std::str::from_utf8(field.bytes).ok()?));
            }
            length_of_text(field, |text| surrogate_pairs(text).len())
        })
    }),
    habit("ascii-only", "letters beyond ASCII are replaced", |_| {
        both(|value| strings(value, &|text| text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()))
    }),
    habit("cut-at-255-bytes", "texts are cut at 255 bytes", |_| {
        both(|value| {
            let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= 255;
            strings(value, &|text| text.char_indices().take_while(fits).map(|(_, c)| c).collect());
        })
    }),
    habit("last-byte-of-full-text-lost", "the last letter is lost where no padding follows", |_| {
        both(|value| {
            strings(value, &|text| {
                let full = text.len().is_multiple_of(4);
                let mut text = text.to_owned();
                if full {
                    text.pop();
                }
                text
            });
        })
    }),
    habit("names-are-strings", "a string name is read and written as a string", |dialect| {
        let [string, name] = texts_of(dialect)?;
        both(move |value| relayout(value, name, string))
    }),
    habit("strings-are-names", "a string is read and written as a string name", |dialect| {
        let [string, name] = texts_of(dialect)?;
        both(move |value| relayout(value, string, name))
    }),
    habit("empty-strings-dropped", "empty texts in a string array are dropped", |_| {
        both(|value| {
            if let Value::PackedText(_, list) = value {
                list.retain(|text| !text.as_bytes().is_empty());
            }
        })
    }),
    habit("last-string-lost", "the last text of a string array is lost", |_| {
        both(|value| {
            if let Value::PackedText(_, list) = value {
                drop(list.pop());
            }
        })
    }),
    habit("strings-turned-round", "a string array is in reverse order", |_| {
        both(|value| {
            if let Value::PackedText(_, list) = value {
                list.reverse();
            }
        })
    }),
    habit("nul-only-behind-first-string", "only the first text of a string array ends with a NUL", |_| {
        writes(|field| {
            // The NUL becomes padding, of which there is enough unless the text is a multiple of four without it.
            let behind_first =
                field.role == Role::Length && field.name.starts_with('[') && !field.name.starts_with("[0]");
            let length = u32::from_le_bytes(*field.bytes.first_chunk()?);
            (behind_first && length > 0 && length % 4 != 1).then(|| (length - 1).to_le_bytes().to_vec())
        })
    }),
    habit("path-is-a-string", "a node path is read as a string", |dialect| {
        let string = dialect.type_of_shape(Shape::Text)?.layout;
        takes(move |value| {
            if let Value::NodePath(path) = value {
                *value = Value::Text(string, spelled(path));
            }
        })
    }),
    habit("path-is-never-absolute", "a node path forgets that it is absolute", |_| path(|path| path.absolute = false)),
    habit("path-is-always-absolute", "every node path is absolute", |_| path(|path| path.absolute = true)),
    habit("subnames-joined", "the sub-names of a node path become one", |_| {
        path(|path| {
            if path.subnames.len() > 1 {
                path.subnames = vec![joined(&path.subnames, ":")];
            }
        })
    }),
    habit("subnames-lost", "a node path has no sub-names", |_| path(|path| path.subnames.clear())),
    habit("names-joined", "the names of a node path become one", |_| {
        path(|path| {
            if path.names.len() > 1 {
                path.names = vec![joined(&path.names, "/")];
            }
        })
    }),
    habit("last-name-lost", "the last name of a node path is lost", |_| path(|path| drop(path.names.pop()))),
    habit("names-and-subnames-swapped", "names and sub-names change places", |_| {
        path(|path| std::mem::swap(&mut path.names, &mut path.subnames))
    }),
    habit("empty-path-is-null", "an empty node path is read as null", |_| {
        takes(|value| {
            if matches!(value, Value::NodePath(path) if **path == NodePath::default()) {
                *value = Value::Null;
            }
        })
    }),
];

fn path(change: fn(&mut NodePath)) -> Option<Twist> {
    both(move |value| {
        if let Value::NodePath(path) = value {
            change(path);
        }
    })
}

/// Changes the text of strings and names.
fn strings(value: &mut Value, change: &dyn Fn(&str) -> String) {
    if let Value::Text(_, text) = value {
        *text = changed(text, change);
    }
}

/// Changes every text, as bytes.
fn texts(value: &mut Value, change: &dyn Fn(&[u8]) -> String) {
    let each = |text: &mut Text| *text = Text::from(change(text.as_bytes()).as_str());
    if let Value::Text(_, text) = value {
        each(text);
    } else if let Value::PackedText(_, list) = value {
        list.iter_mut().for_each(each);
    } else if let Value::NodePath(path) = value {
        path.names.iter_mut().chain(&mut path.subnames).for_each(each);
    }
}

fn changed(text: &Text, change: &dyn Fn(&str) -> String) -> Text {
    text.as_str().map_or_else(|| text.clone(), |text| Text::from(change(text).as_str()))
}

fn with(text: &Text, end: &str) -> Text {
    changed(text, &|text| format!("{text}{end}"))
}

fn has_text(value: &Value, which: impl Fn(&[u8]) -> bool) -> bool {
    matches!(value, Value::Text(_, text) if which(text.as_bytes()))
}

fn joined(names: &[Text], between: &str) -> Text {
    Text::from(names.iter().filter_map(Text::as_str).collect::<Vec<_>>().join(between).as_str())
}

fn spelled(path: &NodePath) -> Text {
    Text::from(format!("{}{:?}", if path.absolute { "/" } else { "" }, joined(&path.names, "/")).as_str())
}

/// The layouts of strings and of string names, where the dialect has both.
fn texts_of(dialect: &Dialect) -> Option<[LayoutId; 2]> {
    let mut texts = dialect.types.iter().filter(|entry| dialect.layout(entry).shape == Shape::Text);
    Some([texts.next()?.layout, texts.next()?.layout])
}

fn relayout(value: &mut Value, from: LayoutId, to: LayoutId) {
    if let Value::Text(layout, _) = value
        && *layout == from
    {
        *layout = to;
    }
}

/// Another length in front of a text.
fn length_of_text(field: &Field<'_>, count: impl Fn(&str) -> usize) -> Option<Vec<u8>> {
    if field.role != Role::Length {
        return None;
    }
    let length = usize::try_from(u32::from_le_bytes(*field.bytes.first_chunk()?)).ok()?;
    let text = std::str::from_utf8(field.behind.get(..length)?).ok()?;
    Some(u32::try_from(count(text)).ok()?.to_le_bytes().to_vec())
}

/// Reads as many characters as the length says.
fn read_characters(field: &Field<'_>) -> Option<Splice> {
    if field.role != Role::Length {
        return None;
    }
    let count = usize::try_from(u32::from_le_bytes(*field.bytes.first_chunk()?)).ok()?;
    let length = String::from_utf8_lossy(field.behind).chars().take(count).map(char::len_utf8).sum::<usize>();
    Some(Splice::As(u32::try_from(length).ok()?.to_le_bytes().to_vec()))
}

/// Question marks in the place of what is no UTF-8.
fn replaced(field: &Field<'_>) -> Option<Splice> {
    let bad = field.role == Role::Text && std::str::from_utf8(field.bytes).is_err();
    bad.then(|| Splice::As(vec![b'?'; field.bytes.len()]))
}

fn surrogate_pairs(text: &str) -> Vec<u8> {
    let unit = |unit: u16| -> Vec<u8> {
        let low = |bits: u16| bits.to_le_bytes()[0];
        match unit {
            0..0x80 => vec![low(unit)],
            0x80..0x800 => vec![0xc0 | low(unit >> 6), 0x80 | low(unit & 0x3f)],
            0x800.. => vec![0xe0 | low(unit >> 12), 0x80 | low(unit >> 6 & 0x3f), 0x80 | low(unit & 0x3f)],
        }
    };
    text.encode_utf16().flat_map(unit).collect()
}
