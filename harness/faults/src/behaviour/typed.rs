//! Faults with the types of typed arrays and dictionaries.

use std::collections::BTreeSet;

use variant_codec::{
    Array, Codec, DecodeError, Decoded, Dictionary, ElementType, EntryTypes, Refusal, Role, Text, Value,
};
use variant_specs::{Dialect, JudgedBy, LayoutId, Shape};
use variant_values::implementation::{Answer, Input, Request};
use variant_values::reference;

use super::lengths::{counted_text, padded};
use super::texts::empty_class_read;
use crate::builder::{CodecFault, answers, both, decoded, fault, of_shape, reads, rewritten, typed_arrays, writes};
use crate::fault::{Mutation, Reader, header_before};
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("element-types-lost", "an array with a type becomes one without")
            .both(|value| {
                if let Value::Array(array) = value {
                    array.of = None;
                }
            })
            .needs("typed-containers=arrays|all"),
        fault("entry-types-lost", "a dictionary with types becomes one without")
            .both(|value| {
                if let Value::Dictionary(dictionary) = value {
                    dictionary.of = None;
                }
            })
            .needs("typed-containers=all"),
        fault("empty-containers-lose-types", "an empty container with types becomes one without")
            .both(|value| match value {
                Value::Array(array) if array.items.is_empty() => array.of = None,
                Value::Dictionary(dictionary) if dictionary.entries.is_empty() => dictionary.of = None,
                _ => {}
            })
            .needs("typed-containers=arrays|all"),
        fault("typed-elements-have-no-header", "the elements of an array with a type are written without headers").by(
            |dialect| {
                let typed: Vec<LayoutId> = typed_arrays(dialect).collect();
                (!typed.is_empty() || dialect.has("typed-containers=arrays|all")).then_some(())?;
                rewritten(dialect, move |codec, bytes| without_headers(codec, &typed, bytes))
            },
        ),
        fault("null-is-kept-as-a-type", "the type null of a container, which is none, is kept as its type").by(
            |dialect| {
                dialect.has("typed-containers=arrays|all").then_some(())?;
                let null = of_shape(dialect, Shape::Empty)?;
                let (codec, dialect) = (Codec::new(dialect, JudgedBy::Engines), dialect.clone());
                answers(move |request, answer, _| null_kept(&codec, &dialect, null, request).unwrap_or(answer))
            },
        ),
        fault("class-types-lost", "a container with the type of a class or script becomes one without a type")
            .both(lose_classes)
            .needs("typed-containers=arrays|all"),
        fault("type-ids-lost", "a container with the id of a type becomes one without a type; classes and scripts stay")
            .by(|dialect| {
                dialect.has("typed-containers=arrays|all").then_some(())?;
                let objects = dialect.layouts.objects();
                both(move |value| {
                    lose_types(value, |of| {
                        matches!(of, ElementType::Id(_)) || matches!(of, ElementType::Layout(own) if Some(*own) != objects)
                    });
                })
            }),
        fault("classes-need-no-permission", "the class of a typed container is read without permission for objects")
            .by(|dialect| kept_without_permission(dialect, |of| matches!(of, ElementType::Class(_)))),
        fault("scripts-need-no-permission", "the script of a typed container is read without permission for objects")
            .by(|dialect| kept_without_permission(dialect, |of| matches!(of, ElementType::Script(_)))),
        fault(
            "object-types-need-no-permission",
            "the type Object of a typed container is read without permission for objects",
        )
        .by(|dialect| kept_without_permission(dialect, |of| matches!(of, ElementType::Layout(_)))),
        fault(
            "all-types-need-no-permission",
            "classes, scripts and the type Object of typed containers are read without permission for objects",
        )
        .by(|dialect| kept_without_permission(dialect, |_| true)),
        fault("types-ignore-permission", "classes and scripts of typed containers are lost even with permission for objects")
            .by(|dialect| {
                dialect.has("typed-containers=arrays|all").then_some(())?;
                let codec = Codec::new(dialect, JudgedBy::Engines);
                answers(move |request, answer, _| {
                    let without = || reference::answer(&codec, &Request { objects: false, ..request.clone() });
                    let is_read = request.objects && matches!(request.input, Input::Decode(_));
                    let without = is_read.then(without).filter(|without| matches!(without, Answer::Value { .. }));
                    without.unwrap_or(answer)
                })
            }),
        fault("scripts-anywhere", "the path of a script is not checked to begin with res://").by(|dialect| {
            dialect.has("typed-containers=arrays|all").then_some(())?;
            // In front of each path that is refused stands what no case has.
            const ALLOWED: &str = "res://\u{fdd0}";
            let read = reads(|field| {
                let path = counted_text(field)?.filter(|path| field.name.ends_with("script.length") && !path.starts_with(b"res://"))?;
                let more = path.len().next_multiple_of(4).min(field.behind.len());
                Some(Splice::Instead(field.bytes.len() + more, padded(&[ALLOWED.as_bytes(), path].concat())?))
            })?;
            let stripped = decoded(|value| {
                for of in types_of(value) {
                    if let ElementType::Script(path) = of
                        && let Some(own) = path.as_str().and_then(|path| path.strip_prefix(ALLOWED))
                    {
                        *path = Text::from(own);
                    }
                }
            })?;
            Some(Mutation { reads: read.reads, ..stripped })
        }),
        fault("scripts-are-classes", "the script of a typed container is taken for a class").by(|dialect| {
            kinds(dialect, |of| if let ElementType::Script(path) = of { Some(ElementType::Class(path)) } else { None })
        }),
        fault("classes-are-scripts", "the class of a typed container is taken for a script").by(|dialect| {
            kinds(dialect, |of| if let ElementType::Class(name) = of { Some(ElementType::Script(name)) } else { None })
        }),
        fault("classes-and-scripts-swapped", "how a class is given stands for a script in typed containers, and the reverse")
            .by(|dialect| {
                let swapped = |kinds: u8, value: u8| if kinds >> value & 0b10 > 0 { kinds ^ 1 << value } else { kinds };
                let both = move |kinds, is_dictionary: bool| swapped(if is_dictionary { swapped(kinds, 2) } else { kinds }, 0);
                let read = kinds_read(dialect, move |kinds, _, is_dictionary| both(kinds, is_dictionary))?;
                let dictionary = of_shape(dialect, Shape::Dictionary).filter(|_| dialect.has("typed-containers=all"));
                let array = of_shape(dialect, Shape::Array)?;
                let written = writes(move |field| {
                    let is_dictionary = Some(field.layout) == dictionary;
                    let is_typed = field.is_header() && (is_dictionary || field.layout == array);
                    let [a, b, kinds, above] = *field.bytes.first_chunk().filter(|_| is_typed)?;
                    Some(vec![a, b, both(kinds, is_dictionary), above])
                })?;
                Some(Mutation { reads: read.reads, ..written })
            }),
        fault("class-without-a-name-kept", "the class of a typed container is kept where it has no name").by(|dialect| {
            dialect.has("typed-containers=arrays|all").then_some(())?;
            let objects = dialect.layouts.objects();
            empty_class_read(move |layout| Some(layout) != objects)
        }),
        fault("typed-dictionaries-refused", "dictionaries with types are refused")
            .refuses(|value| matches!(value, Value::Dictionary(dictionary) if dictionary.of.is_some()))
            .needs("typed-containers=all"),
        fault("value-type-is-read-as-key-type", "the type of a dictionary's values is taken for that of its keys")
            .decoded(|value| {
                if let Value::Dictionary(Dictionary { of: Some(of), .. }) = value
                    && of.key.is_none()
                {
                    of.key = of.value.take();
                }
            })
            .needs("typed-containers=all"),
        fault("value-type-not-read", "of a dictionary's types only that of the keys is read")
            .kinds_of_entries(|kinds, _| kinds & !VALUE),
        fault(
            "kinds-without-mask",
            "header bits above those that say how a type is given are read with them, and stand for a script",
        )
        .by(|dialect| {
            kinds_read(dialect, |kinds, above, is_dictionary| {
                let (script, all) = if is_dictionary { (VALUE, VALUE | KEY) } else { (KEY, KEY) };
                if kinds > all || above > 0 { kinds | script } else { kinds }
            })
        }),
        fault(
            "key-kind-without-mask",
            "all header bits from 16 on are read as how a dictionary's key type is given; of what is not known, \
             none is",
        )
        .kinds_of_entries(|kinds, above| if kinds > KEY || above > 0 { kinds & !KEY } else { kinds }),
        fault("kinds-of-one-bit", "only the lower of the two header bits of a type is read")
            .by(|dialect| kinds_read(dialect, |kinds, _, _| kinds & !0b1010)),
        fault("classes-are-types", "the class or script of a typed container is read as the id of a type").by(
            |dialect| {
                kinds_read(dialect, |kinds, _, is_dictionary| {
                    let key = kinds & !KEY | (kinds & KEY).min(0b01);
                    if is_dictionary { key & !VALUE | (key & VALUE).min(0b0100) } else { key }
                })
            },
        ),
        fault("one-type-is-none", "the types of a dictionary are read only where both keys and values have one")
            .kinds_of_entries(|kinds, _| {
                let is_one = (kinds & KEY > 0) != (kinds & VALUE > 0);
                if is_one { kinds & !(KEY | VALUE) } else { kinds }
            }),
        fault(
            "key-and-value-kinds-swapped",
            "the header bits of a dictionary's key type and those of its value type change places",
        )
        .by(|dialect| {
            dialect.has("typed-containers=all").then_some(())?;
            let dictionary = of_shape(dialect, Shape::Dictionary)?;
            let swapped = |kinds: u8| kinds & !(KEY | VALUE) | kinds << 2 & VALUE | kinds >> 2 & KEY;
            let Mutation { reads, .. } =
                kinds_read(dialect, move |kinds, _, is_dictionary| if is_dictionary { swapped(kinds) } else { kinds })?;
            let written = writes(move |field| {
                let is_own = field.role == Role::Header(dictionary);
                let [a, b, kinds, above] = *field.bytes.first_chunk().filter(|_| is_own)?;
                Some(vec![a, b, swapped(kinds), above])
            })?;
            Some(Mutation { reads, ..written })
        }),
        fault("value-kind-is-key-kind", "how the key type of a dictionary is given is read for its value type too")
            .kinds_of_entries(|kinds, _| kinds & !VALUE | (kinds & KEY) << 2),
        fault("value-type-read-beside-a-key-type", "the type of a dictionary's values is read only if its keys have one")
            .kinds_of_entries(|kinds, _| if kinds & KEY == 0 { kinds & !VALUE } else { kinds }),
        fault(
            "value-kind-written-for-keys",
            "the header bits that say how a dictionary's value type is given are written in the place of those of its keys",
        )
        .by(|dialect| {
            dialect.has("typed-containers=all").then_some(())?;
            let dictionary = of_shape(dialect, Shape::Dictionary)?;
            writes(move |field| {
                let is_own = field.role == Role::Header(dictionary);
                let [a, b, kinds, above] = *field.bytes.first_chunk().filter(|_| is_own)?;
                Some(vec![a, b, kinds & !(KEY | VALUE) | kinds & KEY | kinds >> 2 & KEY, above])
            })
        }),
        fault("value-kind-shifted-by-one", "how the value type of a dictionary is given is read from one bit too low")
            .kinds_of_entries(|kinds, _| kinds & !VALUE | (kinds >> 1 & 0b11) << 2),
        fault("key-type-written-twice", "the type of a dictionary's keys is written again in the place of that of its values")
            .by(|dialect| {
                dialect.has("typed-containers=all").then_some(())?;
                rewritten(dialect, |codec, bytes| Some(with_key_types(codec, bytes)))
            }),
        fault("value-kind-written-one-bit-low", "how the value type of a dictionary is given is written one bit too low").by(
            |dialect| {
                dialect.has("typed-containers=all").then_some(())?;
                let dictionary = of_shape(dialect, Shape::Dictionary)?;
                writes(move |field| {
                    let is_own = field.role == Role::Header(dictionary);
                    let [a, b, kinds, above] = *field.bytes.first_chunk().filter(|_| is_own)?;
                    Some(vec![a, b, kinds & !VALUE | (kinds & VALUE) >> 1, above])
                })
            },
        ),
        fault("value-kind-from-flag-2", "flag 2 of a dictionary's header is taken for the type of its values")
            .kinds_of_entries(|kinds, _| kinds & KEY | (kinds >> 1 & 1) << 2),
        fault(
            "key-and-value-kinds-are-two-flags",
            "flag 1 of a dictionary's header is taken for the type of its keys, and flag 2 for that of its values",
        )
        .kinds_of_entries(|kinds, _| kinds & 0b01 | (kinds >> 1 & 1) << 2),
        fault("classes-take-twelve-bytes", "the class or script of a typed container is skipped as twelve bytes").by(
            |dialect| {
                dialect.has("typed-containers=arrays|all").then_some(())?;
                let read = reads(|field| {
                    let is_class = field.name.ends_with("class.length") || field.name.ends_with("script.length");
                    (is_class && field.behind.len() >= 8).then(|| Splice::Instead(12, vec![0; 4]))
                })?;
                Some(Mutation { decoded: Some(Box::new(lose_classes)), ..read })
            },
        ),
        fault("key-and-value-types-swapped", "the types of a dictionary's keys and values change places")
            .both(|value| {
                if let Value::Dictionary(Dictionary { of: Some(of), .. }) = value {
                    let of = &mut **of;
                    std::mem::swap(&mut of.key, &mut of.value);
                }
            })
            .needs("typed-containers=all"),
        fault("value-type-comes-first", "of two types of a dictionary, that of the values comes first").by(|dialect| {
            dialect.has("typed-containers=all").then_some(())?;
            let dictionary = of_shape(dialect, Shape::Dictionary)?;
            let swapped = both(|value| {
                if let Value::Dictionary(Dictionary { of: Some(of), .. }) = value
                    && let EntryTypes { key: Some(key), value: Some(value) } = &mut **of
                {
                    std::mem::swap(key, value);
                }
            })?;
            // How each of them is given stays where it is.
            let header = move |field: &MutatedField<'_>| {
                let [a, b, kinds, above] = *field.bytes.first_chunk().filter(|_| field.is_header())?;
                let (key, value) = (kinds & 0b11, kinds >> 2 & 0b11);
                let is_swapped = field.layout == dictionary && key != value && key > 0 && value > 0;
                is_swapped.then(|| vec![a, b, kinds & !0b1111 | key << 2 | value, above])
            };
            let reads = reads(move |field| header(field).map(Splice::As))?;
            Some(Mutation { reads: reads.reads, writes: Some(Box::new(header)), ..swapped })
        }),
        fault("element-classes-lost", "the class of a typed container is lost: any object is meant").by(|dialect| {
            let objects = dialect.layouts.objects()?;
            kinds(dialect, move |of| match of {
                ElementType::Class(_) | ElementType::Script(_) => Some(ElementType::Layout(objects)),
                ElementType::Layout(_) | ElementType::Id(_) => None,
            })
        }),
    ]
}

/// Changes what a typed container says of its elements, keys or values, in both directions.
fn kinds(
    dialect: &Dialect,
    change: impl Fn(ElementType) -> Option<ElementType> + Clone + Send + Sync + 'static,
) -> Option<Mutation> {
    dialect.has("typed-containers=arrays|all").then_some(())?;
    both(move |value| {
        for of in types_of(value) {
            if let Some(other) = change(of.clone()) {
                *of = other;
            }
        }
    })
}

/// The answer to a packet in which the type of a container is null, which is kept.
fn null_kept(codec: &Codec, dialect: &Dialect, null: LayoutId, request: &Request) -> Option<Answer> {
    let (Input::Decode(packet) | Input::Reencode(packet)) = &request.input else { return None };
    if request.framing.is_some() {
        return None;
    }
    let codec = &*reference::allowing(codec, request.objects);
    let (trace, Ok(_)) = codec.traced(packet) else { return None };
    let types = || trace.spans.iter().filter(|span| span.role == Role::Word && span.path.ends_with("type"));
    let has = |id: u32| types().any(|span| packet[span.bytes.clone()] == id.to_le_bytes());
    has(0).then_some(())?;
    // The right codec reads another type there, of which nothing else in the packet is.
    let is_plain = |layout: LayoutId| layout != null && Some(layout) != dialect.layouts.objects();
    let other = dialect
        .types
        .iter()
        .map(|entry| entry.layout)
        .find(|layout| is_plain(*layout) && !dialect.id_of(*layout).is_some_and(has))?;
    let mut changed = packet.to_vec();
    for span in types().filter(|span| packet[span.bytes.clone()] == [0; 4]) {
        changed[span.bytes.clone()].copy_from_slice(&dialect.id_of(other)?.to_le_bytes());
    }
    let Decoded { mut value, used, .. } = codec.decode(&changed).ok()?;
    put_type(&mut value, &ElementType::Layout(other), &ElementType::Layout(null));
    match request.input {
        Input::Decode(_) => Some(Answer::Value { value, used: u64::try_from(used).ok() }),
        _ => codec.encode(&value).ok().map(Answer::Bytes),
    }
}

/// Puts a type in the place of another, in a value and all within it.
fn put_type(value: &mut Value, old: &ElementType, new: &ElementType) {
    types_of(value).into_iter().filter(|of| *of == old).for_each(|of| *of = new.clone());
    value.children_mut().into_iter().for_each(|child| put_type(child, old, new));
}

/// What a typed container says of its elements, keys or values.
pub(super) fn types_of(value: &mut Value) -> Vec<&mut ElementType> {
    match value {
        Value::Array(Array { of: Some(of), .. }) => vec![of],
        Value::Dictionary(Dictionary { of: Some(of), .. }) => {
            let EntryTypes { key, value } = &mut **of;
            [key, value].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// The header bits that say how the type of elements or keys is given, and how that of values is.
const KEY: u8 = 0b11;
const VALUE: u8 = 0b1100;

impl CodecFault {
    /// Other header bits of dictionaries are read: given those that say how the types are given, and those above them.
    fn kinds_of_entries(self, change: fn(u8, u8) -> u8) -> Self {
        let of_entries = move |kinds, above, is_dictionary| if is_dictionary { change(kinds, above) } else { kinds };
        self.by(move |dialect| kinds_read(dialect, of_entries)).needs("typed-containers=all")
    }
}

/// Reads other header bits of typed containers: given those that say how the types are given, those above them, and whether
/// it is a dictionary.
fn kinds_read(dialect: &Dialect, change: impl Fn(u8, u8, bool) -> u8 + Send + Sync + 'static) -> Option<Mutation> {
    dialect.has("typed-containers=arrays|all").then_some(())?;
    let array = of_shape(dialect, Shape::Array)?;
    let dictionary = of_shape(dialect, Shape::Dictionary).filter(|_| dialect.has("typed-containers=all"));
    reads(move |field| {
        let is_dictionary = Some(field.layout) == dictionary;
        let is_typed = field.is_header() && (is_dictionary || field.layout == array);
        let [a, b, kinds, above] = *field.bytes.first_chunk().filter(|_| is_typed)?;
        let read = change(kinds, above, is_dictionary);
        (read != kinds).then(|| Splice::As(vec![a, b, read, above]))
    })
}

/// The packet without the headers of the elements of arrays that have a type.
fn without_headers(codec: &Codec, typed: &[LayoutId], packet: &[u8]) -> Option<Vec<u8>> {
    let (trace, Ok(_)) = codec.traced(packet) else { return None };
    let (mut arrays, mut written) = (BTreeSet::new(), Vec::new());
    for span in &trace.spans {
        let bytes = packet.get(span.bytes.clone())?;
        let parent = span.path.strip_suffix("].header").and_then(|path| path.rsplit_once('['));
        if let (Role::Header(layout), Some(path)) = (span.role, span.path.strip_suffix("header")) {
            let has_type = codec.layouts().get(layout).shape == Shape::Array && bytes[2] != 0;
            if has_type || typed.contains(&layout) {
                arrays.insert(path);
            }
        }
        if !parent.is_some_and(|(path, _)| arrays.contains(path)) {
            written.extend_from_slice(bytes);
        }
    }
    Some(written)
}

/// Keeps such types of containers without permission for objects, as with it.
fn kept_without_permission(dialect: &Dialect, which: fn(&ElementType) -> bool) -> Option<Mutation> {
    dialect.has("typed-containers=arrays|all").then_some(())?;
    let codec = Codec::new(dialect, JudgedBy::Engines);
    answers(move |request, answer, _| {
        let Input::Decode(_) = request.input else { return answer };
        let allowed = reference::answer(&codec, &Request { objects: true, ..request.clone() });
        match (answer, allowed) {
            (Answer::Value { mut value, used }, Answer::Value { value: mut with, .. }) if !request.objects => {
                keep_types(&mut value, &mut with, which);
                Answer::Value { value, used }
            }
            (answer, _) => answer,
        }
    })
}

/// Puts such types of containers in the place of those that the same value has.
fn keep_types(value: &mut Value, with: &mut Value, which: fn(&ElementType) -> bool) {
    for (own, other) in types_of(value).into_iter().zip(types_of(with)).filter(|(_, other)| which(other)) {
        *own = other.clone();
    }
    for (own, other) in value.children_mut().into_iter().zip(with.children_mut()) {
        keep_types(own, other, which);
    }
}

/// The packet with the type of the keys of each dictionary again where that of its values stands.
fn with_key_types(codec: &Codec, packet: &[u8]) -> Vec<u8> {
    let (trace, _) = codec.traced(packet);
    let (mut key, mut written, mut prefix) = (Vec::new(), Vec::new(), None);
    for span in &trace.spans {
        let bytes = packet.get(span.bytes.clone()).unwrap_or_default();
        let own = prefix.and_then(|prefix| span.path.strip_prefix(prefix)).unwrap_or_default();
        match span.role {
            Role::Header(layout) => {
                let is_dictionary = codec.layouts().get(layout).shape == Shape::Dictionary;
                prefix = span.path.strip_suffix("header").filter(|_| is_dictionary);
            }
            // The types stand between the header and the count.
            Role::Count => {
                written.append(&mut key);
                prefix = None;
            }
            _ if own.starts_with("key.") => key.extend_from_slice(bytes),
            _ if own.starts_with("value.") => continue,
            _ => {}
        }
        written.extend_from_slice(bytes);
    }
    written
}

/// Takes the types away that are a class or script.
fn lose_classes(value: &mut Value) {
    lose_types(value, |of| matches!(of, ElementType::Class(_) | ElementType::Script(_)));
}

/// Takes such types away.
fn lose_types(value: &mut Value, is_lost: impl Fn(&ElementType) -> bool) {
    match value {
        Value::Array(array) => drop(array.of.take_if(|of| is_lost(of))),
        Value::Dictionary(Dictionary { of, .. }) => {
            let Some(types) = of else { return };
            [&mut types.key, &mut types.value].into_iter().for_each(|side| drop(side.take_if(|of| is_lost(of))));
            if types.key.is_none() && types.value.is_none() {
                *of = None;
            }
        }
        _ => {}
    }
}

/// Whether what is no UTF-8 is the class or script of a typed container.
pub(super) fn is_class(reader: &Reader<'_>, packet: &[u8], error: DecodeError) -> bool {
    let (trace, decoded) = reader.codec.traced(packet);
    let refused = error.kind == Refusal::BadUtf8 && decoded.is_err();
    let is_class = |path: &str| path.ends_with("class.text") || path.ends_with("script.text");
    let is_object = |layout| reader.codec.layouts().get(layout).name == "object";
    let in_container = header_before(&trace, error.at).is_some_and(|(layout, _)| !is_object(layout));
    refused && in_container && trace.spans.iter().any(|span| span.bytes.start == error.at && is_class(&span.path))
}

/// Whether the dialect has containers whose elements have a class.
pub(super) fn is_typed(dialect: &Dialect) -> bool {
    typed_arrays(dialect).next().is_some() || dialect.has("typed-containers=arrays|all")
}
