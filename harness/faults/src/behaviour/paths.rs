//! Faults with node paths.

use variant_codec::{NodePath, Refusal, Role, Text, Value};
use variant_specs::Shape;

use super::packets::with_word;
use crate::builder::{CodecFault, both, decoded, encoded, fault, of_shape, reads, reads_instead, writes};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("path-is-a-string", "a node path is read as a string").by(|dialect| {
            let string = of_shape(dialect, Shape::Text)?;
            decoded(move |value| {
                if let Value::NodePath(path) = value {
                    *value = Value::Text(string, spelled(path));
                }
            })
        }),
        fault(
            "path-is-one-text",
            "a node path is kept as one text, like \"/a/b:c\": what is in a name splits it, \
 and empty names are lost",
        )
        .path(|path| *path = reparsed(path, |names| names.retain(|name| !name.as_bytes().is_empty()))),
        fault(
            "path-is-one-text-with-empty-names",
            "a node path is kept as one text, like \"/a/b:c\": what is in a name splits it",
        )
        .path(|path| {
            *path = reparsed(path, |names| {
                if matches!(&names[..], [name] if name.as_bytes().is_empty()) {
                    names.clear();
                }
            });
        })
        .part_of("path-is-one-text"),
        fault(
            "path-is-one-text-that-is-always-split",
            "a node path is kept as one text, like \"/a/b:c\": what is in a name splits it, \
 and where there are none is an empty one",
        )
        .path(|path| *path = reparsed(path, |_| {}))
        .part_of("path-is-one-text"),
        fault(
            "path-is-one-text-without-its-end",
            "a node path is kept as one text, like \"/a/b:c\": what is in a name splits it, \
 and empty names at the end are lost",
        )
        .path(|path| {
            *path = reparsed(path, without_end);
            without_end(&mut path.subnames);
        })
        .part_of("path-is-one-text"),
        fault("new-form-without-bit-31", "the new form of a node path is read and written without bit 31").by(
            |dialect| {
                dialect.has("old-node-path=refused").then_some(())?;
                let read = reads_instead(Refusal::UnsupportedForm, |packet, at| {
                    let count = u32::from_le_bytes(*packet.get(at..)?.first_chunk()?);
                    Some(with_word(packet, at, count | 1 << 31))
                })?;
                let written = writes(|field| (field.name == "name-count").then(|| without_high_bit(field.bytes)))?;
                Some(Mutation { accepts: read.accepts, ..written })
            },
        ),
        fault("path-flags-come-before-counts", "the flags of a node path stand before the count of its sub-names").by(
            |_| {
                let swapped = |field: &MutatedField<'_>| {
                    let (flags, _) = field.behind.split_first_chunk::<4>().filter(|_| field.name == "subname-count")?;
                    Some([&flags[..], field.bytes].concat())
                };
                let read = reads(move |field| Some(Splice::Instead(8, swapped(field)?)))?;
                let written = writes(move |field| match field.name {
                    "flags" => Some(Vec::new()),
                    _ => swapped(field),
                })?;
                Some(Mutation { reads: read.reads, ..written })
            },
        ),
        fault("path-counts-swapped", "the counts of names and sub-names change places, and the texts do not").by(
            |_| {
                const NEW_FORM: u32 = 1 << 31;
                let swapped = |field: &MutatedField<'_>| {
                    let names = field.word().filter(|_| field.name == "name-count")?;
                    let subnames = u32::from_le_bytes(*field.behind.first_chunk()?);
                    Some([(subnames | NEW_FORM).to_le_bytes(), (names & !NEW_FORM).to_le_bytes()].concat())
                };
                let read = reads(move |field| Some(Splice::Instead(8, swapped(field)?)))?;
                let written = writes(move |field| match field.name {
                    "subname-count" => Some(Vec::new()),
                    _ => swapped(field),
                })?;
                Some(Mutation { reads: read.reads, ..written })
            },
        ),
        fault("path-is-never-absolute", "a node path forgets that it is absolute").path(|path| path.absolute = false),
        fault("path-is-always-absolute", "every node path is absolute").path(|path| path.absolute = true),
        fault("subnames-joined", "the sub-names of a node path become one").path(|path| {
            if path.subnames.len() > 1 {
                path.subnames = vec![joined(&path.subnames, ":")];
            }
        }),
        fault("subnames-not-read", "the sub-names of a node path are not read")
            .reads(|field| (field.name == "subname-count").then(|| Splice::As(vec![0; 4]))),
        fault("subnames-lost", "a node path has no sub-names").path(|path| path.subnames.clear()),
        fault("empty-subnames-dropped", "empty sub-names of a node path are lost")
            .path(|path| path.subnames.retain(|name| !name.as_bytes().is_empty())),
        fault("empty-names-dropped", "empty names of a node path are lost")
            .path(|path| path.names.retain(|name| !name.as_bytes().is_empty())),
        fault("empty-parts-dropped", "empty names and sub-names of a node path are lost").path(|path| {
            path.names.retain(|name| !name.as_bytes().is_empty());
            path.subnames.retain(|name| !name.as_bytes().is_empty());
        }),
        fault("empty-names-not-written", "empty names of a node path are counted, and not written")
            .writes(|field| field.name.starts_with("names[").then(|| without_empty(field))?),
        fault("empty-subnames-not-written", "empty sub-names of a node path are counted, and not written")
            .writes(|field| field.name.starts_with("subnames[").then(|| without_empty(field))?),
        fault("nameless-is-not-absolute", "a node path without names is never absolute").by(|dialect| {
            // In the other dialects, no engine was asked for one.
            dialect.has("old-node-path=refused").then_some(())?;
            both(|value| {
                if let Value::NodePath(path) = value {
                    path.absolute &= !path.names.is_empty();
                }
            })
        }),
        fault("name-count-counts-subnames", "the count of the names of a node path counts its sub-names too").writes(
            |field| {
                let subnames = field.behind.first_chunk().copied().filter(|_| field.name == "name-count")?;
                let names = field.word()?;
                Some(names.wrapping_add(u32::from_le_bytes(subnames)).to_le_bytes().to_vec())
            },
        ),
        fault("names-split-at-slashes", "a name of a node path is split at each slash")
            .path(|path| path.names = split(&path.names, '/')),
        fault("names-split-at-colons", "what follows a colon in a name of a node path becomes a sub-name").path(
            |path| {
                let Some(last) = path.names.pop() else { return };
                let mut parts = split(&[last], ':').into_iter();
                path.names.extend(parts.next());
                path.subnames.splice(..0, parts);
            },
        ),
        fault("names-joined", "the names of a node path become one").path(|path| {
            if path.names.len() > 1 {
                path.names = vec![joined(&path.names, "/")];
            }
        }),
        fault("last-name-lost", "the last name of a node path is lost").path(|path| drop(path.names.pop())),
        fault("names-and-subnames-swapped", "names and sub-names change places")
            .path(|path| std::mem::swap(&mut path.names, &mut path.subnames)),
        fault("subnames-come-first", "the sub-names of a node path stand before its names").by(|_| {
            let read = decoded(|value| {
                if let Value::NodePath(path) = value {
                    let path = &mut **path;
                    regroup(&mut path.names, &mut path.subnames);
                }
            })?;
            let written = encoded(|value| {
                if let Value::NodePath(path) = value {
                    let path = &mut **path;
                    regroup(&mut path.subnames, &mut path.names);
                }
            })?;
            Some(Mutation { decoded: read.decoded, ..written })
        }),
        fault("empty-path-is-null", "an empty node path is read as null")
            .read_as_null(|value| matches!(value, Value::NodePath(path) if **path == NodePath::default())),
        fault("empty-path-has-an-empty-name", "a node path without names has one empty name").path(|path| {
            if path.names.is_empty() {
                path.names.push(Text::from(""));
            }
        }),
    ]
}

/// Of an empty text, nothing is there but its length.
fn without_empty(field: &MutatedField<'_>) -> Option<Vec<u8>> {
    (field.role == Role::Length && field.word() == Some(0)).then(Vec::new)
}

impl CodecFault {
    fn path(self, change: fn(&mut NodePath)) -> Self {
        self.of(change, |value, change| {
            if let Value::NodePath(path) = value {
                change(path);
            }
        })
    }
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
pub(super) fn spelled(path: &NodePath) -> Text {
    let subnames = if path.subnames.is_empty() { String::new() } else { format!(":{}", between(&path.subnames, ":")) };
    Text::from(format!("{}{}{subnames}", if path.absolute { "/" } else { "" }, between(&path.names, "/")).as_str())
}

/// The path that is spelled like this one, without those of its names that are not kept.
fn reparsed(path: &NodePath, keep: fn(&mut Vec<Text>)) -> NodePath {
    let spelled = spelled(path);
    let mut parts = spelled.as_str().unwrap_or_default().split(':');
    let names = parts.next().unwrap_or_default();
    let absolute = names.starts_with('/');
    let mut names = names.strip_prefix('/').unwrap_or(names).split('/').map(Text::from).collect();
    keep(&mut names);
    NodePath { absolute, names, subnames: parts.map(Text::from).collect(), ..path.clone() }
}

/// Takes the names of the second list from the first of both, and those of the first list from the others.
fn regroup(all: &mut Vec<Text>, first: &mut Vec<Text>) {
    let count = first.len();
    all.append(first);
    *first = all.drain(..count).collect();
}

fn without_end(names: &mut Vec<Text>) {
    while names.pop_if(|name| name.as_bytes().is_empty()).is_some() {}
}

/// A word with bit 31 off.
fn without_high_bit(word: &[u8]) -> Vec<u8> {
    let mut word = word.to_vec();
    word.iter_mut().last().into_iter().for_each(|byte| *byte &= 0x7f);
    word
}
