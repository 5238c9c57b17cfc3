//! Faults with texts.

use variant_codec::{Component, DecodeError, Decoded, ElementType, NodePath, Refusal, Text, Value};
use variant_specs::{Dialect, LayoutId, Shape};

use super::lengths::{counted_text, padded, written_as};
use super::typed::{is_class, is_typed, types_of};
use crate::builder::{CodecFault, accepts, both, decoded, fault, layouts_where, reads, refuses, writes};
use crate::fault::{Mutation, Reader, all_in};
use crate::packet::{MutatedField, Splice};
use crate::place::Place;

pub(super) fn faults() -> Vec<CodecFault> {
    let mut faults = alone();
    // Classes and scripts of typed containers have a reader of their own, or that of texts.
    for (name, of_classes_too, sentence, text) in BAD_TEXTS {
        let of_texts = move |dialect: &Dialect| bad_text(dialect, text, |is_class| !is_class);
        let of_all = move |dialect: &Dialect| is_typed(dialect).then(|| bad_text(dialect, text, |_| true)).flatten();
        faults.push(fault(name, sentence).by(of_texts));
        faults.push(fault(of_classes_too, sentence).by(of_all).part_of(name));
    }
    faults
}

/// What a text that is no UTF-8 is read as.
type ReadAs = fn(&[u8]) -> String;

const BAD_TEXTS: [(&str, &str, &str, ReadAs); 6] = [
    ("bad-utf8-is-replaced", "bad-utf8-is-replaced-in-classes-too", "what is no UTF-8 becomes U+FFFD", replacing),
    (
        "bad-utf8-is-replaced-as-in-java",
        "bad-utf8-is-replaced-as-in-java-in-classes-too",
        "what is no UTF-8 becomes U+FFFD, a surrogate only one",
        |bytes| {
            replacing(&with_one_for(bytes, |bytes| matches!(bytes, [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..]).then_some(3)))
        },
    ),
    (
        "bad-utf8-is-replaced-as-in-mono",
        "bad-utf8-is-replaced-as-in-mono-in-classes-too",
        "what is no UTF-8 becomes U+FFFD, two bytes that begin a surrogate or an overlong form only one",
        |bytes| {
            replacing(&with_one_for(bytes, |bytes| match bytes {
                [0xe0, 0x80..=0x9f, ..]
                | [0xed, 0xa0..=0xbf, ..]
                | [0xf0, 0x80..=0x8f, ..]
                | [0xf4, 0x90..=0xbf, ..] => Some(2),
                _ => None,
            }))
        },
    ),
    (
        "bad-utf8-becomes-a-question-mark",
        "bad-utf8-becomes-a-question-mark-in-classes-too",
        "each byte of a text that is no UTF-8 becomes a question mark",
        |bytes| "?".repeat(bytes.len()),
    ),
    (
        "bad-utf8-is-latin-1",
        "bad-utf8-is-latin-1-in-classes-too",
        "a text that is no UTF-8 is read as Latin-1",
        of_latin_1,
    ),
    (
        "bad-utf8-is-dropped",
        "bad-utf8-is-dropped-in-classes-too",
        "bytes of a text that are no UTF-8 are left out",
        dropping,
    ),
];

const FIRST_LOST: &str = "the first character of each text is lost, as if it were a byte order mark";

fn alone() -> Vec<CodecFault> {
    vec![
        fault("inner-nuls-kept", "only NULs at the end of a text end it, not those within").by(|dialect| {
            dialect.has("text-ends-at-nul=true").then_some(())?;
            let trimmed = decoded(|value| {
                each_text(value, &mut |text| {
                    let bytes = text.as_bytes();
                    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                    *text = Text::from_bytes(&bytes[..end]);
                });
            })?;
            Some(Mutation { tables: Some(Box::new(|dialect| dialect.rules.text_ends_at_nul = false)), ..trimmed })
        }),
        fault("nul-in-front-kept", "a text that begins with a NUL does not end there").by(|dialect| {
            dialect.has("text-ends-at-nul=true").then_some(())?;
            // In the place of each NUL stands what no case has.
            const KEPT: &str = "\u{fdd0}";
            let read = reads(|field| {
                let raw = counted_text(field)?.filter(|raw| raw.first() == Some(&0))?;
                let text: Vec<u8> = raw
                    .iter()
                    .flat_map(|byte| if *byte == 0 { KEPT.as_bytes() } else { std::slice::from_ref(byte) })
                    .copied()
                    .collect();
                let more = raw.len().next_multiple_of(4).min(field.behind.len());
                Some(Splice::Instead(field.bytes.len() + more, padded(&text)?))
            })?;
            let kept = decoded(|value| {
                for text in texts_of(value) {
                    if let Some(old) = text.as_str() {
                        *text = Text::from(old.replace(KEPT, "\0").as_str());
                    }
                }
            })?;
            Some(Mutation { reads: read.reads, ..kept })
        }),
        fault("first-character-lost", FIRST_LOST).decoded(|value| lose_first(value, "")),
        fault("first-utf16-unit-lost", FIRST_LOST)
            .decoded(|value| lose_first(value, "\u{fffd}"))
            .part_of("first-character-lost"),
        fault("replacement-characters-refused", "a text in which U+FFFD stands is refused")
            .refuses(|value| own_texts(value).any(|text| text.as_str().is_some_and(|text| text.contains('\u{fffd}')))),
        fault("latin-1", "texts are Latin-1").by(|_| {
            let Mutation { reads, .. } = reads(read_latin_1)?;
            Some(Mutation { reads, reads_meaning: true, ..writes(|field| written_as(field, as_latin_1))? })
        }),
        fault("latin-1-or-refused", "texts are Latin-1")
            .by(|_| {
                let is_beyond = |text: &Text| text.as_str().is_some_and(|text| text.chars().any(|c| c > '\u{ff}'));
                let refused = refuses(move |value| all_in(value).any(|own| own_texts(own).any(is_beyond)))?;
                Some(Mutation { refuses: refused.refuses, ..writes(|field| written_as(field, as_latin_1))? })
            })
            .part_of("latin-1"),
        fault("low-bytes-of-letters", "texts are Latin-1: of other letters the low byte is written")
            .writes(|field| written_as(field, |text| text.encode_utf16().map(|unit| unit.to_le_bytes()[0]).collect()))
            .part_of("latin-1"),
        fault("byte-order-mark-written", "a byte order mark is put in front of each text")
            .by(|dialect| marked(dialect, |text| format!("\u{feff}{text}").into())),
        fault("byte-order-mark-written-but-to-empty-texts", "a byte order mark is put in front of each text")
            .by(|dialect| {
                marked(dialect, |text| if text.is_empty() { Vec::new() } else { format!("\u{feff}{text}").into() })
            })
            .part_of("byte-order-mark-written"),
        fault("leading-byte-order-mark-not-written", "a byte order mark in front of a text is not written")
            .encoded(|value| string(value, |text| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned())),
        fault("all-byte-order-marks-dropped", "all byte order marks in front of a text are dropped, not one")
            .decoded(|value| string(value, |text| text.trim_start_matches('\u{feff}').to_owned())),
        fault("byte-order-marks-lost", "byte order marks are dropped, wherever they are in a text")
            .strings(|text| text.replace('\u{feff}', "")),
        fault("white-space-trimmed", "white space around a text is lost").strings(|text| text.trim().to_owned()),
        fault("white-space-of-javascript-trimmed", "white space around a text is lost")
            .strings(|text| {
                text.trim_matches(|c: char| c.is_whitespace() && c != '\u{85}' || c == '\u{feff}').to_owned()
            })
            .part_of("white-space-trimmed"),
        fault("white-space-of-java-trimmed", "white space around a text is lost")
            .strings(|text| text.trim_matches(|c| c <= ' ').to_owned())
            .part_of("white-space-trimmed"),
        fault("white-space-of-ascii-trimmed", "white space around a text is lost")
            .strings(|text| text.trim_ascii().to_owned())
            .part_of("white-space-trimmed"),
        fault("line-ends-translated", "a line feed becomes a carriage return and a line feed")
            .strings(|text| text.replace('\n', "\r\n")),
        fault("carriage-returns-lost", "a carriage return and a line feed become a line feed")
            .strings(|text| text.replace("\r\n", "\n")),
        fault("backslashes-unescaped", "a backslash and an n become a line feed")
            .strings(|text| text.replace("\\n", "\n")),
        fault("backslashes-doubled", "each backslash becomes two").strings(|text| text.replace('\\', "\\\\")),
        fault("percent-signs-formatted", "a text is a format: `%s` is filled in")
            .strings(|text| text.replace("%s", "")),
        fault("quotes-escaped", "a backslash is put before each quote").strings(|text| text.replace('"', "\\\"")),
        fault("markup-escaped", "`<` and `>` are written as in HTML")
            .strings(|text| text.replace('<', "&lt;").replace('>', "&gt;")),
        fault("trailing-space-lost", "space at the end of a text is lost")
            .strings(|text| text.trim_end_matches(' ').to_owned()),
        fault("trailing-white-space-lost", "white space at the end of a text is lost")
            .strings(|text| text.trim_end().to_owned()),
        fault("last-line-end-lost", "a line feed at the end of a text is lost")
            .strings(|text| text.strip_suffix('\n').unwrap_or(text).to_owned()),
        fault("text-ends-at-a-line-feed", "a text ends at its first line feed")
            .strings(|text| text.split('\n').next().unwrap_or_default().to_owned()),
        fault("zero-text-is-empty", "the text \"0\" becomes empty").both(|value| {
            let texts = match value {
                Value::Text(_, text) => std::slice::from_mut(text),
                Value::PackedText(_, texts) => texts.as_mut_slice(),
                _ => return,
            };
            texts.iter_mut().filter(|text| text.as_bytes() == b"0").for_each(|text| *text = Text::from(""));
        }),
        fault("digits-are-ints", "texts that look like numbers become integers").by(|_| texts_to_ints(|_| true)),
        fault("digits-alone-are-ints", "texts of nothing but digits become integers")
            .by(|_| texts_to_ints(|text| text.bytes().all(|byte| byte.is_ascii_digit())))
            .part_of("digits-are-ints"),
        fault("keys-of-digits-are-ints", "keys that look like numbers become integers")
            .by(|_| texts_to_ints(|_| true))
            .at(Place::Key),
        fault("words-are-values", "the texts \"true\", \"false\" and \"null\" become what they say").both(|value| {
            let Value::Text(_, text) = value else { return };
            match text.as_str() {
                Some("true") => *value = Value::Bool(true),
                Some("false") => *value = Value::Bool(false),
                Some("null") => *value = Value::Null,
                _ => {}
            }
        }),
        fault("line-separators-lost", "U+2028 and U+2029 become line feeds")
            .strings(|text| text.replace(['\u{2028}', '\u{2029}'], "\n")),
        fault("composed", "a letter and its accent become one character").strings(|text| text.replace("e\u{301}", "é")),
        fault("four-bytes-refused", "texts that need no padding are refused")
            .refuses(|value| has_text(value, |text| !text.is_empty() && text.len().is_multiple_of(4))),
        fault("empty-text-refused", "empty texts are refused")
            .refuses(|value| matches!(value, Value::Text(_, text) if text.as_bytes().is_empty())),
        fault("empty-text-is-null", "an empty text is read as null")
            .read_as_null(|value| matches!(value, Value::Text(_, text) if text.as_bytes().is_empty())),
        fault("beyond-the-plane-lost", "characters beyond U+FFFF are replaced")
            .strings(|text| text.chars().map(|c| if c > '\u{ffff}' { '\u{fffd}' } else { c }).collect()),
        fault("characters-of-16-bits", "characters beyond U+FFFF keep their low 16 bits alone").strings(|text| {
            let low = |c| char::from_u32(u32::from(c) & 0xffff).unwrap_or(char::REPLACEMENT_CHARACTER);
            text.chars().map(low).collect()
        }),
        fault("surrogate-pairs-written", "characters beyond U+FFFF are written as two surrogates of three bytes")
            .writes(|field| written_as(field, surrogate_pairs)),
        fault("written-char-by-char", "characters beyond U+FFFF are written as two U+FFFD")
            .writes(|field| written_as(field, halves_replaced)),
        fault("ascii-only", "letters beyond ASCII are replaced")
            .strings(|text| text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()),
        fault("ascii-only-by-units", "letters beyond ASCII are replaced")
            .strings(|text| {
                text.chars().map(|c| if c.is_ascii() { c.to_string() } else { "?".repeat(c.len_utf16()) }).collect()
            })
            .part_of("ascii-only"),
        fault("cut-at-255-bytes", "texts are cut at 255 bytes").strings(|text| {
            let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= 255;
            text.char_indices().take_while(fits).map(|(_, c)| c).collect()
        }),
        fault("last-byte-of-full-text-lost", "the last letter is lost where no padding follows").strings(|text| {
            let last = text.chars().next_back().filter(|_| text.len().is_multiple_of(4));
            text[..text.len() - last.map_or(0, char::len_utf8)].to_owned()
        }),
        fault("empty-strings-dropped", "empty texts in a string array are dropped")
            .texts(|list| list.retain(|text| !text.as_bytes().is_empty())),
        fault("last-string-lost", "the last text of a string array is lost").texts(|list| drop(list.pop())),
        fault("strings-turned-round", "a string array is in reverse order").texts(|list| list.reverse()),
        fault("strings-sorted", "the texts of a string array are sorted")
            .texts(|list| list.sort_by(|one, other| one.as_bytes().cmp(other.as_bytes()))),
        fault("repeated-strings-dropped", "of equal texts in a string array, the first alone is kept").texts(|list| {
            let mut seen: Vec<Text> = Vec::new();
            list.retain(|text| {
                let is_new = !seen.contains(text);
                seen.extend(is_new.then(|| text.clone()));
                is_new
            });
        }),
        fault("bad-class-is-read", "the class or script of a typed container is read though it is no UTF-8")
            .by(|dialect| is_typed(dialect).then(|| bad_text(dialect, replacing, |is_class| is_class)).flatten()),
    ]
}

impl CodecFault {
    /// All texts but those of string arrays.
    fn strings(self, change: fn(&str) -> String) -> Self {
        Self { of_texts: Some(change), ..self.of(change, string) }
    }

    /// The texts of string arrays.
    fn texts(self, change: fn(&mut Vec<Text>)) -> Self {
        self.of(change, |value, change| {
            if let Value::PackedText(_, list) = value {
                change(list);
            }
        })
    }
}

/// Such texts become the integers that they look like.
fn texts_to_ints(which: fn(&str) -> bool) -> Option<Mutation> {
    both(move |value| {
        if let Value::Text(_, text) = value
            && let Some(text) = text.as_str().filter(|text| which(text))
            && let Ok(int) = text.parse::<i64>()
        {
            *value = Value::Int(int);
        }
    })
}

/// Changes the texts of a value, but those of a string array: these have a NUL, and so mostly a function of their own.
fn string(value: &mut Value, change: fn(&str) -> String) {
    if !matches!(value, Value::PackedText(..)) {
        all(value, change);
    }
}

/// Changes all texts of a value.
pub(super) fn all(value: &mut Value, change: fn(&str) -> String) {
    for text in texts_of(value) {
        if let Some(old) = text.as_str() {
            *text = Text::from(change(old).as_str());
        }
    }
}

/// Every text of a value, those within too.
pub(super) fn each_text(value: &mut Value, change: &mut dyn FnMut(&mut Text)) {
    texts_of(value).into_iter().for_each(&mut *change);
    value.children_mut().into_iter().for_each(|child| each_text(child, change));
}

/// A class without a name is read as one, where it stands for none or for another.
pub(super) fn empty_class_read(is_own: impl Fn(LayoutId) -> bool + Send + Sync + 'static) -> Option<Mutation> {
    // A name that no case has.
    const NAME: &str = "\u{fdd0}";
    let read = reads(move |field| {
        let is_empty = field.name.ends_with("class.length") && field.word() == Some(0) && is_own(field.layout);
        is_empty.then(|| padded(NAME.as_bytes())).flatten().map(|name| Splice::Instead(4, name))
    })?;
    let unnamed = decoded(|value| {
        for text in texts_of(value).into_iter().filter(|text| text.as_str() == Some(NAME)) {
            *text = Text::from("");
        }
    })?;
    Some(Mutation { reads: read.reads, ..unnamed })
}

/// The texts of a value itself: a string, names, classes.
pub(crate) fn texts_of(value: &mut Value) -> Vec<&mut Text> {
    match value {
        Value::Text(_, text) => vec![text],
        Value::PackedText(_, list) => list.iter_mut().collect(),
        Value::NodePath(path) => {
            let NodePath { names, subnames, .. } = &mut **path;
            names.iter_mut().chain(subnames).collect()
        }
        Value::Record(_, components) => components.iter_mut().flat_map(texts_in).collect(),
        other => types_of(other).into_iter().filter_map(class).collect(),
    }
}

fn texts_in(component: &mut Component) -> Vec<&mut Text> {
    match component {
        Component::Text(text) => vec![text],
        Component::Type(of) => class(of).into_iter().collect(),
        Component::List(elements) => elements.iter_mut().flatten().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

fn class(of: &mut ElementType) -> Option<&mut Text> {
    match of {
        ElementType::Class(text) | ElementType::Script(text) => Some(text),
        ElementType::Layout(_) | ElementType::Id(_) => None,
    }
}

/// Reads each byte of a text as a character: the text and its padding take the place of those that are there.
fn read_latin_1(field: &MutatedField<'_>) -> Option<Splice> {
    let raw = counted_text(field)?.filter(|raw| !raw.is_ascii())?;
    let text: String = raw.iter().map(|byte| char::from(*byte)).collect();
    let more = raw.len().next_multiple_of(4).min(field.behind.len());
    Some(Splice::Instead(field.bytes.len() + more, padded(text.as_bytes())?))
}

/// Writes all texts but those of string arrays in another way.
fn marked(dialect: &Dialect, encode: fn(&str) -> Vec<u8>) -> Option<Mutation> {
    let lists = layouts_where(dialect, |layout| layout.shape == Shape::PackedText);
    writes(move |field| written_as(field, encode).filter(|_| !lists.contains(&field.layout)))
}

/// Each character of a text as a byte.
fn as_latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect()
}

fn has_text(value: &Value, which: impl Fn(&[u8]) -> bool) -> bool {
    matches!(value, Value::Text(_, text) if which(text.as_bytes()))
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

/// As readers do that replace what is no UTF-8.
/// Takes the first character of texts away; of one of two UTF-16 units, this stays.
fn lose_first(value: &mut Value, half: &str) {
    for text in texts_of(value) {
        let mut characters = text.as_str().unwrap_or_default().chars();
        if let Some(first) = characters.next() {
            let left = if first > '\u{ffff}' { half } else { "" };
            *text = Text::from(format!("{left}{}", characters.as_str()).as_str());
        }
    }
}

/// The texts of a value itself: a string, those of a string array, the names of a path.
fn own_texts(value: &Value) -> impl Iterator<Item = &Text> {
    let (texts, more): (&[Text], &[Text]) = match value {
        Value::Text(_, text) => (std::slice::from_ref(text), &[]),
        Value::PackedText(_, texts) => (texts, &[]),
        Value::NodePath(path) => (&path.names, &path.subnames),
        _ => (&[], &[]),
    };
    texts.iter().chain(more)
}

fn replacing(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One U+FFFD for each run of so many bytes.
fn with_one_for(mut bytes: &[u8], run: fn(&[u8]) -> Option<usize>) -> Vec<u8> {
    let mut replaced = Vec::new();
    while let [first, ..] = bytes {
        match run(bytes) {
            Some(_) => replaced.extend_from_slice("\u{fffd}".as_bytes()),
            None => replaced.push(*first),
        }
        bytes = &bytes[run(bytes).unwrap_or(1)..];
    }
    replaced
}

fn dropping(bytes: &[u8]) -> String {
    bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()
}

fn of_latin_1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// A text that is no UTF-8 is read as this one, where that is so of the class or script of a typed container or of another
/// text.
fn bad_text(dialect: &Dialect, text: ReadAs, is_of: fn(bool) -> bool) -> Option<Mutation> {
    (!dialect.has("utf8=any")).then_some(())?;
    let ends_at_nul = dialect.rules.text_ends_at_nul;
    accepts(move |reader, packet, error| {
        let is_own = is_of(is_class(reader, packet, error));
        if is_own { shown_as(text, ends_at_nul, reader, packet, error) } else { Err(error) }
    })
}

/// Reads a text that is no UTF-8 as this one.
fn shown_as(
    text: ReadAs,
    ends_at_nul: bool,
    reader: &Reader<'_>,
    packet: &[u8],
    error: DecodeError,
) -> Result<Decoded, DecodeError> {
    let shown = with_text(packet, error.at, text, ends_at_nul).filter(|_| error.kind == Refusal::BadUtf8);
    let Some((replaced, longer)) = shown else {
        return Err(error);
    };
    let decoded = reader.decode(&replaced)?;
    Ok(Decoded { used: decoded.used.saturating_add_signed(-longer), ..decoded })
}

/// The packet with another text at this offset, and how much longer it is.
fn with_text(packet: &[u8], at: usize, text: ReadAs, ends_at_nul: bool) -> Option<(Vec<u8>, isize)> {
    let length = usize::try_from(u32::from_le_bytes(*packet.get(at.checked_sub(4)?..)?.first_chunk()?)).ok()?;
    let text = text(packet.get(at..at + length)?);
    if ends_at_nul && text.len() <= length {
        // What is behind its first NUL, and the padding, stays as it is.
        let mut replaced = packet.to_vec();
        replaced[at..at + length].fill(0);
        replaced[at..at + text.len()].copy_from_slice(text.as_bytes());
        return Some((replaced, 0));
    }
    let rest = packet.get(at + length.next_multiple_of(4)..).unwrap_or_default();
    let padding = vec![0; text.len().next_multiple_of(4) - text.len()];
    let count = u32::try_from(text.len()).ok()?.to_le_bytes();
    let replaced = [&packet[..at - 4], &count, text.as_bytes(), &padding, rest].concat();
    let longer = isize::try_from(replaced.len()).ok()? - isize::try_from(packet.len()).ok()?;
    Some((replaced, longer))
}
