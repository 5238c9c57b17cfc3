//! Faults with texts.

use variant_codec::{DecodeError, Decoded, NodePath, Refusal, Role, Text, Value};
use variant_specs::{Dialect, LayoutId, Shape};

use super::packets::{is_class, is_typed, reads_instead, texts, with_word};
use super::{
    CodecFault, accepts, both, decoded, decoded_as_null, encoded, fault, layouts_where, of_shape, reads, refuses,
    two_of_shape, writes,
};
use crate::fault::{Mutation, Reader};
use crate::packet::{MutatedField, Splice};

pub(super) const FAULTS: &[CodecFault] = &[
    fault("length-in-utf16-units", "the length of a text counts UTF-16 units", |_| {
        let written = writes(|field| length_of_text(field, |text| text.encode_utf16().count()))?;
        Some(Mutation { reads: Some(Box::new(|field| read_counted(field, char::len_utf16))), ..written })
    }),
    fault("length-in-characters", "the length of a text counts characters", |_| {
        let written = writes(|field| {
            let length = usize::try_from(field.word()?).ok()?;
            let bytes = field.behind.get(..length).filter(|_| field.role == Role::Length)?;
            // A byte that is no UTF-8 is a character of its own, where it can be written at all.
            let characters = |chunk: std::str::Utf8Chunk<'_>| chunk.valid().chars().count() + chunk.invalid().len();
            let count: usize = bytes.utf8_chunks().map(characters).sum();
            Some(u32::try_from(count).ok()?.to_le_bytes().to_vec())
        })?;
        Some(Mutation { reads: Some(Box::new(|field| read_counted(field, |_| 1))), ..written })
    }),
    fault("padding-of-characters", "the padding of a text is computed from its characters, not its bytes", |dialect| {
        padded_by(dialect, |text| text.chars().count(), false)
    }),
    fault(
        "padding-of-utf16-units",
        "the padding of a text is computed from its UTF-16 units, not its bytes",
        |dialect| padded_by(dialect, |text| text.encode_utf16().count(), false),
    ),
    fault(
        "length-and-padding-of-characters",
        "the length of a text counts characters, and its padding is computed from that",
        |dialect| padded_by(dialect, |text| text.chars().count(), true),
    ),
    fault(
        "length-and-padding-of-utf16-units",
        "the length of a text counts UTF-16 units, and its padding is computed from that",
        |dialect| padded_by(dialect, |text| text.encode_utf16().count(), true),
    ),
    fault("inner-nuls-kept", "only NULs at the end of a text end it, not those within", |dialect| {
        dialect.has("text-ends-at-nul=true").then_some(())?;
        let trimmed = decoded(|value| {
            texts(value, &mut |text| {
                let bytes = text.as_bytes();
                let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                *text = Text::from_bytes(&bytes[..end]);
            });
        })?;
        Some(Mutation { tables: Some(Box::new(|dialect| dialect.rules.text_ends_at_nul = false)), ..trimmed })
    }),
    fault("latin-1", "texts are Latin-1", |dialect| {
        latin_1(layouts_where(dialect, |layout| matches!(layout.shape, Shape::Text | Shape::NodePath)))
    }),
    // Few codecs write these with the function that writes other texts, because of their NUL.
    fault("latin-1-in-string-arrays", "the texts of a string array are Latin-1", |dialect| {
        latin_1(vec![dialect.layouts.id_of_shape(Shape::PackedText)?])
    }),
    fault("bad-utf8-becomes-a-question-mark", "what is no UTF-8 is replaced", |_| reads(replaced)),
    fault("byte-order-mark-written", "a byte order mark is put in front of each text", |_| {
        encoded(|value| string(value, |text| format!("\u{feff}{text}")))
    }),
    fault("leading-byte-order-mark-not-written", "a byte order mark in front of a text is not written", |_| {
        encoded(|value| string(value, |text| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()))
    }),
    fault("nul-written", "a text ends with a NUL that is counted", |_| {
        encoded(|value| string(value, |text| format!("{text}\0")))
    }),
    fault("nul-is-padding", "the NUL of a text in a string array is counted, and only written as padding", |dialect| {
        let texts = of_shape(dialect, Shape::PackedText)?;
        dialect.rules.string_array_nul.then_some(())?;
        writes(move |field| {
            // Behind four letters, it has four bytes of its own.
            let begins = match field.role {
                Role::Nul => 0,
                Role::Padding => 1,
                _ => return None,
            };
            (field.layout == texts && field.at.start % 4 == begins).then(Vec::new)
        })
    }),
    fault(
        "nul-of-string-arrays-kept",
        "the NUL behind each text of a string array is read as a part of it",
        |dialect| {
            dialect.has("string-array-nul=true").then_some(())?;
            decoded(|value| {
                if let Value::PackedText(_, texts) = value {
                    texts.iter_mut().for_each(|text| *text = Text::from_bytes(&[text.as_bytes(), b"\0"].concat()));
                }
            })
        },
    ),
    fault(
        "padding-without-the-nul",
        "the padding of a text in a string array is computed without its NUL",
        |dialect| {
            let texts = of_shape(dialect, Shape::PackedText)?;
            dialect.rules.string_array_nul.then_some(())?;
            let read = reads(move |field| {
                let text = counted_text(field).filter(|_| field.layout == texts)??;
                padded_as(field, text, text.len().saturating_sub(1))
            })?;
            let write = writes(move |field| match counted_text(field) {
                _ if field.layout != texts => None,
                None => matches!(field.role, Role::Text | Role::Nul | Role::Padding).then(Vec::new),
                Some(text) => {
                    let length = text?.len().saturating_sub(1);
                    Some([field.bytes, text?, &vec![0; length.next_multiple_of(4) - length]].concat())
                }
            })?;
            Some(Mutation { reads: read.reads, ..write })
        },
    ),
    fault(
        "padding-of-what-is-kept",
        "the padding of a text is computed from what is kept of it: without byte order mark, and up to the first NUL",
        |_| {
            reads(|field| {
                let text = counted_text(field)??;
                let kept = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
                let length = kept.iter().position(|byte| *byte == 0).unwrap_or(kept.len());
                (length < text.len()).then(|| padded_as(field, text, length))?
            })
        },
    ),
    fault(
        "last-byte-is-the-nul",
        "the last byte of a text in a string array is taken for its NUL, whatever it is",
        |dialect| {
            let texts = of_shape(dialect, Shape::PackedText)?;
            dialect.rules.string_array_nul.then_some(())?;
            reads(move |field| {
                let length = usize::try_from(field.word().filter(|_| field.role == Role::Length)?).ok()?;
                let (last, before) = field.behind.get(..length)?.split_last()?;
                let as_nul = || Splice::Replace(length, [field.bytes, before, &[0]].concat());
                (field.layout == texts && *last != 0).then(as_nul)
            })
        },
    ),
    fault("white-space-trimmed", "white space around a text is lost", |_| strings(|text| text.trim().to_owned())),
    fault("line-ends-translated", "a line feed becomes a carriage return and a line feed", |_| {
        strings(|text| text.replace('\n', "\r\n"))
    }),
    fault("backslashes-unescaped", "a backslash and an n become a line feed", |_| {
        strings(|text| text.replace("\\n", "\n"))
    }),
    fault("backslashes-doubled", "each backslash becomes two", |_| strings(|text| text.replace('\\', "\\\\"))),
    fault("percent-signs-formatted", "a text is a format: `%s` is filled in", |_| {
        strings(|text| text.replace("%s", ""))
    }),
    fault("quotes-escaped", "a backslash is put before each quote", |_| strings(|text| text.replace('"', "\\\""))),
    fault("markup-escaped", "`<` and `>` are written as in HTML", |_| {
        strings(|text| text.replace('<', "&lt;").replace('>', "&gt;"))
    }),
    fault("trailing-space-lost", "space at the end of a text is lost", |_| {
        strings(|text| text.trim_end_matches(' ').to_owned())
    }),
    fault("trailing-space-lost-in-string-arrays", "space at the end of a text in a string array is lost", |_| {
        packed(|list| {
            for text in list {
                if let Some(whole) = text.as_str() {
                    *text = Text::from(whole.trim_end());
                }
            }
        })
    }),
    fault("zero-text-is-empty", "the text \"0\" becomes empty", |_| {
        both(|value| {
            let texts = match value {
                Value::Text(_, text) => std::slice::from_mut(text),
                Value::PackedText(_, texts) => texts.as_mut_slice(),
                _ => return,
            };
            texts.iter_mut().filter(|text| text.as_bytes() == b"0").for_each(|text| *text = Text::from(""));
        })
    }),
    fault("digits-are-ints", "texts that look like numbers become integers", |_| {
        both(|value| {
            if let Value::Text(_, text) = value
                && let Some(int) = text.as_str().and_then(|text| text.parse::<i64>().ok())
            {
                *value = Value::Int(int);
            }
        })
    }),
    fault("words-are-values", "the texts \"true\", \"false\" and \"null\" become what they say", |_| {
        both(|value| {
            let Value::Text(_, text) = value else { return };
            match text.as_str() {
                Some("true") => *value = Value::Bool(true),
                Some("false") => *value = Value::Bool(false),
                Some("null") => *value = Value::Null,
                _ => {}
            }
        })
    }),
    fault("line-separators-lost", "U+2028 and U+2029 become line feeds", |_| {
        strings(|text| text.replace(['\u{2028}', '\u{2029}'], "\n"))
    }),
    fault("composed", "a letter and its accent become one character", |_| {
        strings(|text| text.replace("e\u{301}", "é"))
    }),
    fault("three-bytes-refused", "texts of three bytes are refused", |_| {
        refuses(|value| has_text(value, |t| t.len() == 3))
    }),
    fault("four-bytes-refused", "texts that need no padding are refused", |_| {
        refuses(|value| has_text(value, |text| !text.is_empty() && text.len().is_multiple_of(4)))
    }),
    fault("empty-text-refused", "empty texts are refused", |_| {
        refuses(|value| matches!(value, Value::Text(_, text) if text.as_bytes().is_empty()))
    }),
    fault("empty-text-is-null", "an empty text is read as null", |_| {
        decoded_as_null(|value| matches!(value, Value::Text(_, text) if text.as_bytes().is_empty()))
    }),
    fault("beyond-the-plane-lost", "characters beyond U+FFFF are replaced", |_| {
        strings(|text| text.chars().map(|c| if c > '\u{ffff}' { '\u{fffd}' } else { c }).collect())
    }),
    fault("surrogate-pairs-written", "characters beyond U+FFFF are written as two surrogates of three bytes", |_| {
        writes(|field| written_as(field, surrogate_pairs))
    }),
    fault("written-char-by-char", "characters beyond U+FFFF are written as two U+FFFD", |_| {
        writes(|field| written_as(field, halves_replaced))
    }),
    fault("ascii-only", "letters beyond ASCII are replaced", |_| {
        strings(|text| text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect())
    }),
    fault("cut-at-255-bytes", "texts are cut at 255 bytes", |_| {
        strings(|text| {
            let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= 255;
            text.char_indices().take_while(fits).map(|(_, c)| c).collect()
        })
    }),
    fault("last-byte-of-full-text-lost", "the last letter is lost where no padding follows", |_| {
        strings(|text| {
            let last = text.chars().next_back().filter(|_| text.len().is_multiple_of(4));
            text[..text.len() - last.map_or(0, char::len_utf8)].to_owned()
        })
    }),
    fault("name-keys-are-strings", "string names that are keys are read and written as strings", |dialect| {
        let [string, name] = two_of_shape(dialect, Shape::Text)?;
        both(move |value| {
            if let Value::Dictionary(dictionary) = value {
                let names = dictionary.entries.iter_mut().map(|(key, _)| key);
                names.for_each(|key| match key {
                    Value::Text(layout, _) if *layout == name => *layout = string,
                    _ => {}
                });
            }
        })
    }),
    fault("names-are-strings", "a string name is read and written as a string", |dialect| {
        let [string, name] = two_of_shape(dialect, Shape::Text)?;
        both(move |value| relayout(value, name, string))
    }),
    fault("strings-are-names", "a string is read and written as a string name", |dialect| {
        let [string, name] = two_of_shape(dialect, Shape::Text)?;
        both(move |value| relayout(value, string, name))
    }),
    fault("empty-strings-dropped", "empty texts in a string array are dropped", |_| {
        packed(|list| list.retain(|text| !text.as_bytes().is_empty()))
    }),
    fault("last-string-lost", "the last text of a string array is lost", |_| packed(|list| drop(list.pop()))),
    fault("strings-turned-round", "a string array is in reverse order", |_| packed(|list| list.reverse())),
    fault("nul-only-behind-first-string", "only the first text of a string array ends with a NUL", |_| {
        writes(|field| {
            // The NUL becomes padding, of which there is enough unless the text is a multiple of four without it.
            let behind_first =
                field.role == Role::Length && field.name.starts_with('[') && !field.name.starts_with("[0]");
            let length = field.word()?;
            (behind_first && length > 0 && length % 4 != 1).then(|| (length - 1).to_le_bytes().to_vec())
        })
    }),
    fault("path-is-a-string", "a node path is read as a string", |dialect| {
        let string = of_shape(dialect, Shape::Text)?;
        decoded(move |value| {
            if let Value::NodePath(path) = value {
                *value = Value::Text(string, spelled(path));
            }
        })
    }),
    fault("new-form-without-bit-31", "the new form of a node path is read and written without bit 31", |dialect| {
        dialect.has("old-node-path=refused").then_some(())?;
        let read = reads_instead(Refusal::UnsupportedForm, |packet, at| {
            let count = u32::from_le_bytes(*packet.get(at..)?.first_chunk()?);
            Some(with_word(packet, at, count | 1 << 31))
        })?;
        let written = writes(|field| (field.name == "name-count").then(|| without_high_bit(field.bytes)))?;
        Some(Mutation { accepts: read.accepts, ..written })
    }),
    fault("path-is-never-absolute", "a node path forgets that it is absolute", |_| path(|path| path.absolute = false)),
    fault("path-is-always-absolute", "every node path is absolute", |_| path(|path| path.absolute = true)),
    fault("subnames-joined", "the sub-names of a node path become one", |_| {
        path(|path| {
            if path.subnames.len() > 1 {
                path.subnames = vec![joined(&path.subnames, ":")];
            }
        })
    }),
    fault("subnames-not-read", "the sub-names of a node path are not read", |_| {
        reads(|field| (field.name == "subname-count").then(|| Splice::As(vec![0; 4])))
    }),
    fault("subnames-lost", "a node path has no sub-names", |_| path(|path| path.subnames.clear())),
    fault("empty-subnames-dropped", "empty sub-names of a node path are lost", |_| {
        path(|path| path.subnames.retain(|name| !name.as_bytes().is_empty()))
    }),
    fault("empty-names-dropped", "empty names of a node path are lost", |_| {
        path(|path| path.names.retain(|name| !name.as_bytes().is_empty()))
    }),
    fault("empty-parts-dropped", "empty names and sub-names of a node path are lost", |_| {
        path(|path| {
            path.names.retain(|name| !name.as_bytes().is_empty());
            path.subnames.retain(|name| !name.as_bytes().is_empty());
        })
    }),
    fault("nameless-is-not-absolute", "a node path without names is never absolute", |dialect| {
        // In the other dialects, no engine was asked for one.
        dialect.has("old-node-path=refused").then_some(())?;
        path(|path| path.absolute &= !path.names.is_empty())
    }),
    fault("name-count-counts-subnames", "the count of the names of a node path counts its sub-names too", |_| {
        writes(|field| {
            let subnames = field.behind.first_chunk().copied().filter(|_| field.name == "name-count")?;
            let names = field.word()?;
            Some(names.wrapping_add(u32::from_le_bytes(subnames)).to_le_bytes().to_vec())
        })
    }),
    fault("names-split-at-slashes", "a name of a node path is split at each slash", |_| {
        path(|path| path.names = split(&path.names, '/'))
    }),
    fault("names-split-at-colons", "what follows a colon in a name of a node path becomes a sub-name", |_| {
        path(|path| {
            let Some(last) = path.names.pop() else { return };
            let mut parts = split(&[last], ':').into_iter();
            path.names.extend(parts.next());
            path.subnames.splice(..0, parts);
        })
    }),
    fault("names-joined", "the names of a node path become one", |_| {
        path(|path| {
            if path.names.len() > 1 {
                path.names = vec![joined(&path.names, "/")];
            }
        })
    }),
    fault("last-name-lost", "the last name of a node path is lost", |_| path(|path| drop(path.names.pop()))),
    fault("names-and-subnames-swapped", "names and sub-names change places", |_| {
        path(|path| std::mem::swap(&mut path.names, &mut path.subnames))
    }),
    fault("empty-path-is-null", "an empty node path is read as null", |_| {
        decoded_as_null(|value| matches!(value, Value::NodePath(path) if **path == NodePath::default()))
    }),
    fault("length-counts-padding", "the length of a text counts its padding", |_| {
        writes(|field| length_of_text(field, |text| text.len().next_multiple_of(4)))
    }),
    fault("length-counts-itself", "the length of a text counts its own four bytes", |_| {
        writes(|field| length_of_text(field, |text| text.len() + 4))
    }),
    fault("bad-utf8-is-replaced", "what is no UTF-8 becomes U+FFFD", |_| {
        accepts(
            |reader, packet, error| {
                if is_class(reader, packet, error) { Err(error) } else { with_replaced(reader, packet, error) }
            },
        )
    }),
    fault("bad-class-is-replaced", "what is no UTF-8 in the class of a typed container becomes U+FFFD", |dialect| {
        is_typed(dialect).then_some(())?;
        accepts(
            |reader, packet, error| {
                if is_class(reader, packet, error) { with_replaced(reader, packet, error) } else { Err(error) }
            },
        )
    }),
    fault("empty-path-has-an-empty-name", "a node path without names has one empty name", |_| {
        path(|path| {
            if path.names.is_empty() {
                path.names.push(Text::from(""));
            }
        })
    }),
];

fn packed(change: fn(&mut Vec<Text>)) -> Option<Mutation> {
    both(move |value| {
        if let Value::PackedText(_, list) = value {
            change(list);
        }
    })
}

fn path(change: fn(&mut NodePath)) -> Option<Mutation> {
    both(move |value| {
        if let Value::NodePath(path) = value {
            change(path);
        }
    })
}

/// Changes strings and names in both directions.
fn strings(change: fn(&str) -> String) -> Option<Mutation> {
    both(move |value| string(value, change))
}

fn string(value: &mut Value, change: fn(&str) -> String) {
    if let Value::Text(_, text) = value
        && let Some(old) = text.as_str()
    {
        *text = Text::from(change(old).as_str());
    }
}

/// The texts of these layouts are Latin-1.
fn latin_1(texts: Vec<LayoutId>) -> Option<Mutation> {
    let written = texts.clone();
    let read = reads(move |field| if texts.contains(&field.layout) { read_latin_1(field) } else { None })?;
    let write =
        writes(move |field| if written.contains(&field.layout) { written_as(field, as_latin_1) } else { None })?;
    Some(Mutation { reads: read.reads, ..write })
}

/// Reads each byte of a text as a character: the text and its padding take the place of those that are there.
fn read_latin_1(field: &MutatedField<'_>) -> Option<Splice> {
    let raw = counted_text(field)?.filter(|raw| !raw.is_ascii())?;
    let text: String = raw.iter().map(|byte| char::from(*byte)).collect();
    let more = raw.len().next_multiple_of(4).min(field.behind.len());
    Some(Splice::Replace(more, padded(text.as_bytes())?))
}

/// Writes texts with the padding of another length, which may be the one that is written too. All that follows the length is
/// written with it.
fn padded_by(dialect: &Dialect, length: fn(&str) -> usize, is_written: bool) -> Option<Mutation> {
    let packed = layouts_where(dialect, |layout| layout.shape == Shape::Packed);
    writes(move |field| match counted_text(field) {
        _ if packed.contains(&field.layout) => None,
        None => matches!(field.role, Role::Text | Role::Nul | Role::Padding).then(Vec::new),
        Some(raw) => {
            let text = std::str::from_utf8(raw?).ok()?;
            let length = length(text);
            let counted = if is_written { &u32::try_from(length).ok()?.to_le_bytes() } else { field.bytes };
            Some([counted, text.as_bytes(), &vec![0; length.next_multiple_of(4) - length]].concat())
        }
    })
}

/// Writes texts in another encoding. All that follows the length is written with it.
fn written_as(field: &MutatedField<'_>, encode: fn(&str) -> Vec<u8>) -> Option<Vec<u8>> {
    match counted_text(field) {
        None => matches!(field.role, Role::Text | Role::Nul | Role::Padding).then(Vec::new),
        Some(raw) => padded(&encode(&String::from_utf8_lossy(raw?))),
    }
}

/// Each character of a text as a byte.
fn as_latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

/// The bytes that a length counts, if they are there.
fn counted_text<'f>(field: &MutatedField<'f>) -> Option<Option<&'f [u8]>> {
    let length = field.right.first_chunk().copied().filter(|_| field.role == Role::Length)?;
    Some(usize::try_from(u32::from_le_bytes(length)).ok().and_then(|length| field.behind.get(..length)))
}

/// Reads a text with the padding of another length.
fn padded_as(field: &MutatedField<'_>, text: &[u8], length: usize) -> Option<Splice> {
    let taken = text.len() + length.next_multiple_of(4) - length;
    let is_there = field.behind.len() >= taken;
    Some(if is_there { Splice::Replace(taken, padded(text)?) } else { Splice::Refuse })
}

/// A text behind its length, with its padding.
fn padded(text: &[u8]) -> Option<Vec<u8>> {
    let padding = vec![0; text.len().next_multiple_of(4) - text.len()];
    Some([&u32::try_from(text.len()).ok()?.to_le_bytes(), text, &padding].concat())
}

fn has_text(value: &Value, which: impl Fn(&[u8]) -> bool) -> bool {
    matches!(value, Value::Text(_, text) if which(text.as_bytes()))
}

fn joined(names: &[Text], by: &str) -> Text {
    Text::from(between(names, by).as_str())
}

fn between(names: &[Text], by: &str) -> String {
    names.iter().filter_map(Text::as_str).collect::<Vec<_>>().join(by)
}

/// Names split at this character.
fn split(names: &[Text], at: char) -> Vec<Text> {
    let parts = |name: &Text| name.as_str().unwrap_or_default().split(at).map(Text::from).collect::<Vec<_>>();
    names.iter().flat_map(parts).collect()
}

/// A path as it is written in a script: `/root/x:y`.
fn spelled(path: &NodePath) -> Text {
    let subnames = if path.subnames.is_empty() { String::new() } else { format!(":{}", between(&path.subnames, ":")) };
    Text::from(format!("{}{}{subnames}", if path.absolute { "/" } else { "" }, between(&path.names, "/")).as_str())
}

fn relayout(value: &mut Value, from: LayoutId, to: LayoutId) {
    if let Value::Text(layout, _) = value
        && *layout == from
    {
        *layout = to;
    }
}

/// The length of a text, counted another way.
fn length_of_text(field: &MutatedField<'_>, count: impl Fn(&str) -> usize) -> Option<Vec<u8>> {
    if field.role != Role::Length {
        return None;
    }
    let length = usize::try_from(field.word()?).ok()?;
    let text = std::str::from_utf8(field.behind.get(..length)?).ok()?;
    Some(u32::try_from(count(text)).ok()?.to_le_bytes().to_vec())
}

/// Reads as many characters as the length says, each of which counts so much.
fn read_counted(field: &MutatedField<'_>, counts: fn(char) -> usize) -> Option<Splice> {
    if field.role != Role::Length {
        return None;
    }
    let count = usize::try_from(field.word()?).ok()?;
    // Bytes that are no UTF-8 are as many characters as readers show that replace them.
    let (mut counted, mut length) = (0, 0);
    for chunk in field.behind.utf8_chunks() {
        let replaced = (!chunk.invalid().is_empty()).then_some((char::REPLACEMENT_CHARACTER, chunk.invalid().len()));
        for (c, bytes) in chunk.valid().chars().map(|c| (c, c.len_utf8())).chain(replaced) {
            if counted < count {
                (counted, length) = (counted + counts(c), length + bytes);
            }
        }
    }
    // More than there are is more than there are, in bytes too.
    let length = if counted >= count { length } else { count.max(field.behind.len() + 1) };
    Some(Splice::As(u32::try_from(length).ok()?.to_le_bytes().to_vec()))
}

/// Reads a text that is not UTF-8 as question marks.
fn replaced(field: &MutatedField<'_>) -> Option<Splice> {
    let bad = field.role == Role::Text && std::str::from_utf8(field.bytes).is_err();
    bad.then(|| Splice::As(vec![b'?'; field.bytes.len()]))
}

/// A word with bit 31 off.
fn without_high_bit(word: &[u8]) -> Vec<u8> {
    let mut word = word.to_vec();
    word.iter_mut().last().into_iter().for_each(|byte| *byte &= 0x7f);
    word
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

/// As encoders do that get the two halves of a character one by one.
fn halves_replaced(text: &str) -> Vec<u8> {
    text.replace(|c| c > '\u{ffff}', "\u{fffd}\u{fffd}").into_bytes()
}

fn with_replaced(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> Result<Decoded, DecodeError> {
    let Some((replaced, longer)) = replaced_text(packet, error.at).filter(|_| error.kind == Refusal::BadUtf8) else {
        return Err(error);
    };
    let decoded = reader.decode(&replaced)?;
    Ok(Decoded { used: decoded.used.saturating_add_signed(-longer), ..decoded })
}

/// The packet with the text at this offset as readers show it that replace what is no UTF-8, and how much longer it is.
fn replaced_text(packet: &[u8], at: usize) -> Option<(Vec<u8>, isize)> {
    let length = usize::try_from(u32::from_le_bytes(*packet.get(at.checked_sub(4)?..)?.first_chunk()?)).ok()?;
    let text = String::from_utf8_lossy(packet.get(at..at + length)?).into_owned();
    let rest = packet.get(at + length.next_multiple_of(4)..).unwrap_or_default();
    let padding = vec![0; text.len().next_multiple_of(4) - text.len()];
    let count = u32::try_from(text.len()).ok()?.to_le_bytes();
    let replaced = [&packet[..at - 4], &count, text.as_bytes(), &padding, rest].concat();
    let longer = isize::try_from(replaced.len()).ok()? - isize::try_from(packet.len()).ok()?;
    Some((replaced, longer))
}
