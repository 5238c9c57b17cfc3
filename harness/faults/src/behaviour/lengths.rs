//! Faults with the length of a text, its NUL and its padding.

use variant_codec::{Role, Text, Value};
use variant_specs::{Dialect, Layout, LayoutId, Scalar, Shape};

use crate::builder::{CodecFault, fault, layouts_where, of_shape, reads, writes};
use crate::fault::Mutation;
use crate::packet::{MutatedField, Splice};

pub(super) fn faults() -> Vec<CodecFault> {
    vec![
        fault("length-in-utf16-units", "the length of a text counts UTF-16 units").by(|_| {
            let written = writes(|field| length_of_text(field, |text| text.encode_utf16().count()))?;
            Some(Mutation { reads: Some(Box::new(|field| read_counted(field, char::len_utf16))), ..written })
        }),
        fault("length-in-characters", "the length of a text counts characters").by(|_| {
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
        fault("padding-of-characters", "the padding of a text is computed from its characters, not its bytes")
            .by(|dialect| padded_by(dialect, |text| text.chars().count(), false)),
        fault("padding-of-utf16-units", "the padding of a text is computed from its UTF-16 units, not its bytes")
            .by(|dialect| padded_by(dialect, |text| text.encode_utf16().count(), false)),
        fault(
            "length-and-padding-of-characters",
            "the length of a text counts characters, and its padding is computed from that",
        )
        .by(|dialect| padded_by(dialect, |text| text.chars().count(), true)),
        fault(
            "length-and-padding-of-utf16-units",
            "the length of a text counts UTF-16 units, and its padding is computed from that",
        )
        .by(|dialect| padded_by(dialect, |text| text.encode_utf16().count(), true)),
        fault("padding-left-out", "the padding of texts is left out").padded(Role::Text, |_| 0),
        fault("padding-of-bytes-left-out", "the padding of byte arrays is left out")
            .padded(Role::Bytes, |_| 0)
            .part_of("padding-left-out"),
        fault("each-byte-of-padding-is-a-word", "for each byte of padding four bytes are written")
            .writes(|field| (field.role == Role::Padding).then(|| vec![0; 4 * field.bytes.len()])),
        fault(
            "bytes-behind-a-nul-not-skipped",
            "of a text in which a NUL stands, what is behind that is taken for what follows",
        )
        .reads(|field| {
            let raw = counted_text(field)??;
            let end = raw.iter().position(|byte| *byte == 0)?;
            let padding = raw.len().next_multiple_of(4) - raw.len();
            Some(Splice::Instead(field.bytes.len() + end + padding, padded(&raw[..end])?))
        }),
        fault("property-names-not-padded", "no padding follows the names of an object's properties")
            .by(|_| {
                let is_name =
                    |field: &MutatedField<'_>| field.name.starts_with("properties[") && field.name.contains("].name.");
                let read = reads(move |field| {
                    let text = counted_text(field).filter(|_| is_name(field))??;
                    Some(Splice::Instead(field.bytes.len() + text.len(), padded(text)?))
                })?;
                let written = writes(move |field| (is_name(field) && field.role == Role::Padding).then(Vec::new))?;
                Some(Mutation { reads: read.reads, ..written })
            })
            .needs("object=by-id"),
        fault("text-padded-by-four-when-full", "four bytes of padding follow a text that needs none")
            .padded(Role::Text, |length| 4 - length % 4),
        fault("bytes-padded-by-four-when-full", "four bytes of padding follow a byte array that needs none")
            .padded(Role::Bytes, |length| 4 - length % 4)
            .part_of("text-padded-by-four-when-full"),
        // Who skips padding does not always look whether it is there.
        fault("text-skipped-by-four-when-full", "four bytes of padding follow a text that needs none")
            .skipped(Role::Text, |length| 4 - length % 4)
            .part_of("text-padded-by-four-when-full"),
        fault("bytes-skipped-by-four-when-full", "four bytes of padding follow a byte array that needs none")
            .skipped(Role::Bytes, |length| 4 - length % 4)
            .part_of("text-padded-by-four-when-full"),
        fault("bytes-skipped-by-four", "four bytes of padding follow each byte array, however long it is")
            .skipped(Role::Bytes, |_| 4),
        fault("padding-to-eight-bytes", "the padding of texts is to a multiple of eight bytes, not four")
            .padded(Role::Text, |length| length.next_multiple_of(8) - length),
        fault(
            "padding-of-bytes-to-eight-bytes",
            "the padding of byte arrays is to a multiple of eight bytes, not four",
        )
        .padded(Role::Bytes, |length| length.next_multiple_of(8) - length)
        .part_of("padding-to-eight-bytes"),
        fault("padding-is-the-rest", "the padding of texts has length % 4 bytes, not those that are missing to four")
            .padded(Role::Text, |length| length % 4),
        fault(
            "padding-of-bytes-is-the-rest",
            "the padding of byte arrays has length % 4 bytes, not those that are missing to four",
        )
        .padded(Role::Bytes, |length| length % 4)
        .part_of("padding-is-the-rest"),
        fault("padding-of-four-letters", "texts of more than four bytes have no padding: (4 - length) % 4 is negative")
            .padded(Role::Text, |length| 4usize.saturating_sub(length) % 4),
        fault(
            "padding-of-four-bytes",
            "byte arrays of more than four bytes have no padding: (4 - count) % 4 is negative",
        )
        .padded(Role::Bytes, |length| 4usize.saturating_sub(length) % 4)
        .part_of("padding-of-four-letters"),
        fault("nul-written", "a text ends with a NUL that is counted").by(|dialect| {
            // The texts of string arrays have one.
            let has_nul = |layout: &Layout| layout.shape == Shape::PackedText && dialect.rules.string_array_nul;
            let others = layouts_where(dialect, |layout| !has_nul(layout));
            writes(move |field| others.contains(&field.layout).then(|| written_as(field, with_nul))?)
        }),
        fault("nul-is-padding", "the NUL of a text in a string array is counted, and only written as padding").by(
            |dialect| {
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
            },
        ),
        fault("nul-of-string-arrays-kept", "the NUL behind each text of a string array is read as a part of it")
            .decoded(|value| {
                if let Value::PackedText(_, texts) = value {
                    texts.iter_mut().for_each(|text| *text = Text::from_bytes(&[text.as_bytes(), b"\0"].concat()));
                }
            })
            .needs("string-array-nul=true"),
        fault("padding-without-the-nul", "the padding of a text in a string array is computed without its NUL").by(
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
            "the padding of a text is computed from what is kept of it: \
 without byte order mark, and up to the first NUL",
        )
        .reads(|field| {
            let text = counted_text(field)??;
            let kept = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
            let length = kept.iter().position(|byte| *byte == 0).unwrap_or(kept.len());
            (length < text.len()).then(|| padded_as(field, text, length))?
        }),
        fault("last-byte-is-the-nul", "the last byte of a text in a string array is taken for its NUL, whatever it is")
            .by(|dialect| {
                let texts = of_shape(dialect, Shape::PackedText)?;
                dialect.rules.string_array_nul.then_some(())?;
                reads(move |field| {
                    let length = usize::try_from(field.word().filter(|_| field.role == Role::Length)?).ok()?;
                    let (last, before) = field.behind.get(..length)?.split_last()?;
                    let as_nul = || Splice::Instead(field.bytes.len() + length, [field.bytes, before, &[0]].concat());
                    (field.layout == texts && *last != 0).then(as_nul)
                })
            }),
        fault("length-of-seven-bits", "the length of a text has seven bits in each byte, and no padding follows").by(
            |_| {
                let read = reads(|field| {
                    let there = || field.bytes.iter().chain(field.behind).copied();
                    (field.role == Role::Length).then_some(())?;
                    let Some(last) = there().take(5).position(|byte| byte < 0x80) else { return Some(Splice::Refuse) };
                    let bytes = last + 1;
                    let parts = there().take(bytes).enumerate();
                    let length = parts.map(|(place, byte)| usize::from(byte & 0x7f) << (7 * place)).sum();
                    let text: Vec<u8> = there().skip(bytes).take(length).collect();
                    Some(Splice::Instead(bytes + length, padded(&text)?))
                })?;
                let write = writes(|field| match counted_text(field) {
                    Some(text) => Some([&seven_bits(text?.len()), text?].concat()),
                    None => (matches!(field.role, Role::Text | Role::Nul) || field.is_padding_of_text()).then(Vec::new),
                })?;
                Some(Mutation { reads: read.reads, ..write })
            },
        ),
        fault("length-counts-padding", "the length of a text counts its padding")
            .writes(|field| length_of_text(field, |text| text.len().next_multiple_of(4))),
        fault("length-counts-itself", "the length of a text counts its own four bytes")
            .writes(|field| length_of_text(field, |text| text.len() + 4)),
    ]
}

impl CodecFault {
    /// Texts, or byte arrays, have so many bytes of padding. All that follows the length is written with it.
    fn padded(self, of: Role, padding: fn(usize) -> usize) -> Self {
        self.by(move |dialect| {
            let read = padding_read(dialect, of, padding, Splice::Instead)?;
            let is_own = counts(dialect, of);
            let write = writes(move |field| match counted(field, of) {
                _ if !is_own(field.layout) => None,
                Some(bytes) => Some([field.bytes, bytes?, &vec![0; padding(bytes?.len())]].concat()),
                None => matches!(field.role, Role::Text | Role::Nul | Role::Bytes | Role::Padding).then(Vec::new),
            })?;
            Some(Mutation { reads: read.reads, ..write })
        })
    }

    /// Texts, or byte arrays, are read with so many bytes of padding, which need not be there.
    fn skipped(self, of: Role, padding: fn(usize) -> usize) -> Self {
        self.by(move |dialect| padding_read(dialect, of, padding, Splice::Beyond))
    }
}

/// Whether the values of a layout are byte arrays, or have texts.
fn counts(dialect: &Dialect, of: Role) -> impl Fn(LayoutId) -> bool + use<> {
    let arrays = layouts_where(dialect, |layout| layout.of == Some(Scalar::Byte));
    move |layout| arrays.contains(&layout) == (of == Role::Bytes)
}

fn padding_read(
    dialect: &Dialect,
    of: Role,
    padding: fn(usize) -> usize,
    read: fn(usize, Vec<u8>) -> Splice,
) -> Option<Mutation> {
    let is_own = counts(dialect, of);
    reads(move |field| {
        let bytes = counted(field, of).filter(|_| is_own(field.layout))??;
        Some(read(field.bytes.len() + bytes.len() + padding(bytes.len()), padded(bytes)?))
    })
}

/// A number with seven bits in each byte, the low ones first; the eighth says that more follow.
fn seven_bits(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = number.to_le_bytes()[0];
        number >>= 7;
        if number == 0 {
            bytes.push(low & 0x7f);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn with_nul(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

/// Texts have the padding of another length, which may be the one that is written too. All that follows the length is
/// written with it.
fn padded_by(dialect: &Dialect, length: fn(&str) -> usize, is_written: bool) -> Option<Mutation> {
    let is_own = counts(dialect, Role::Text);
    let write = writes(move |field| match counted_text(field) {
        _ if !is_own(field.layout) => None,
        None => matches!(field.role, Role::Text | Role::Nul | Role::Padding).then(Vec::new),
        Some(raw) => {
            let text = std::str::from_utf8(raw?).ok()?;
            let length = length(text);
            let counted = if is_written { &u32::try_from(length).ok()?.to_le_bytes() } else { field.bytes };
            Some([counted, text.as_bytes(), &vec![0; length.next_multiple_of(4) - length]].concat())
        }
    })?;
    if is_written {
        return Some(write);
    }
    let is_own = counts(dialect, Role::Text);
    let read = reads(move |field| {
        let text = counted_text(field).filter(|_| is_own(field.layout))??;
        padded_as(field, text, length(std::str::from_utf8(text).ok()?))
    })?;
    Some(Mutation { reads: read.reads, ..write })
}

/// The bytes that the length of a text counts, if they are there.
pub(super) fn counted_text<'f>(field: &MutatedField<'f>) -> Option<Option<&'f [u8]>> {
    counted(field, Role::Text)
}

/// The bytes that the length of a text, or the count of a byte array, counts, if they are there.
fn counted<'f>(field: &MutatedField<'f>, of: Role) -> Option<Option<&'f [u8]>> {
    let is_count = field.role == if of == Role::Text { Role::Length } else { Role::Count };
    let length = field.right.first_chunk().copied().filter(|_| is_count)?;
    Some(usize::try_from(u32::from_le_bytes(length)).ok().and_then(|length| field.behind.get(..length)))
}

/// Reads a text with the padding of another length.
fn padded_as(field: &MutatedField<'_>, text: &[u8], length: usize) -> Option<Splice> {
    let taken = field.bytes.len() + text.len() + length.next_multiple_of(4) - length;
    Some(Splice::Instead(taken, padded(text)?))
}

/// A text behind its length, with its padding.
pub(super) fn padded(text: &[u8]) -> Option<Vec<u8>> {
    let padding = vec![0; text.len().next_multiple_of(4) - text.len()];
    Some([&u32::try_from(text.len()).ok()?.to_le_bytes(), text, &padding].concat())
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

/// Writes texts in another encoding. All that follows the length is written with it.
pub(super) fn written_as(field: &MutatedField<'_>, encode: fn(&str) -> Vec<u8>) -> Option<Vec<u8>> {
    match counted_text(field) {
        None => (matches!(field.role, Role::Text | Role::Nul) || field.is_padding_of_text()).then(Vec::new),
        Some(raw) => padded(&encode(&String::from_utf8_lossy(raw?))),
    }
}
