//! Listings: a packet, row by row, as a person writes and reads it.

use std::iter::Peekable;
use std::ops::Range;

use serde::{Deserialize, Deserializer};
use variant_specs::{Dialect, UnwrittenPadding};

use super::packet::MaskedPacket;

/// A packet as rows, as `bytes:` of a case has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The rows, in the order of the packet.
    pub rows: Vec<Row>,
    /// The line of the first row in its file.
    pub line: usize,
    /// What is wrong with it, until its file is loaded: the row, from 0.
    pub(crate) wrong: Option<(usize, String)>,
}

/// What is wrong is kept: only the file knows on which line it is.
impl<'de> Deserialize<'de> for Listing {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        let empty = |wrong| Self { rows: Vec::new(), line: 0, wrong: Some(wrong) };
        Ok(Self::parse(&text, 0).unwrap_or_else(empty))
    }
}

/// One row: `OFFSET  BYTES  NAME  [MEANING]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The offset of its first byte in the packet.
    pub offset: usize,
    /// Its bytes, as written: `ff`, `??`, `<vector2>`, `12 x 00`.
    pub tokens: Vec<ByteToken>,
    /// The path of the field: `[0].key.text`.
    pub name: String,
    /// What the bytes mean; may be empty.
    pub meaning: String,
}

/// One word in the bytes column of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ByteToken {
    /// A literal byte, as two hex digits: `ff`.
    Byte(u8),
    /// `??`: a byte that engines leave as it was.
    Unwritten,
    /// `<NAME>`: the header that the dialect writes for a layout.
    Header(String),
    /// `<id:NAME>`: the header of a layout without flags.
    Id(String),
    /// `N x …`: the tokens, repeated N times.
    Repeat(usize, Vec<ByteToken>),
}

/// More than any listing needs, and few enough that a typing error is harmless.
const MOST_BYTES: usize = 1 << 24;

impl Listing {
    /// Reads a listing whose first row is on `line` of its file.
    pub fn parse(text: &str, line: usize) -> Result<Self, (usize, String)> {
        let rows = text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty());
        let rows = rows.map(|(index, row)| Row::parse(row).map_err(|error| (line + index, error)));
        let listing = Self { rows: rows.collect::<Result<_, _>>()?, line, wrong: None };
        let far = listing.rows.iter().find(|row| row.offset > MOST_BYTES);
        let total = listing.len();
        if let Some(row) = far {
            Err((line, format!("offset {}; a listing has at most {MOST_BYTES} bytes", row.offset)))
        } else if total > MOST_BYTES {
            Err((line, format!("{total} bytes; a listing has at most {MOST_BYTES}")))
        } else {
            Ok(listing)
        }
    }

    /// The packet in a dialect, with its headers and its unwritten padding.
    pub fn packet(&self, dialect: &Dialect) -> Result<MaskedPacket, String> {
        let (mut bytes, mut unwritten) = (Vec::with_capacity(self.len()), Vec::new());
        for row in &self.rows {
            let start = bytes.len();
            row.tokens.iter().try_for_each(|token| token.write(dialect, &mut bytes, &mut unwritten))?;
            if is_unwritten(&row.name, dialect) {
                unwritten.push(start..bytes.len());
            }
        }
        Ok(MaskedPacket { bytes: bytes.into(), unwritten })
    }

    /// The field that is missing or incomplete if the packet ends at this offset: `text`; `part-of-text` if its first bytes
    /// are there.
    pub(crate) fn field_at(&self, at: usize) -> Option<String> {
        let row = self.row_at(at)?;
        let name = if row.field().starts_with('[') { "element" } else { row.field() };
        Some(if row.offset == at { name.to_owned() } else { format!("part-of-{name}") })
    }

    /// Whether any header is that of a layout whose name `is` accepts.
    pub(crate) fn any_header(&self, dialect: &Dialect, is: &impl Fn(&str) -> bool) -> bool {
        self.rows.iter().any(|row| {
            let word = row.word().filter(|_| row.field() == "header");
            let of_word = word.and_then(|word| dialect.type_of(word & dialect.header.id_mask));
            of_word.is_some_and(|entry| is(&dialect.layout(entry).name))
                || row.tokens.iter().any(|token| token.names(is))
        })
    }

    /// How many bytes all rows have.
    pub fn len(&self) -> usize {
        sum(self.rows.iter().map(Row::len))
    }

    /// Whether it is the empty packet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The row that contains this byte.
    pub fn row_at(&self, offset: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.bytes().contains(&offset))
    }
}

impl Row {
    fn parse(text: &str) -> Result<Self, String> {
        let (offset, rest) = first_column(text.trim());
        let (bytes, rest) = first_column(rest);
        let (name, meaning) = first_column(rest);
        if name.is_empty() || name.contains(' ') {
            let text = text.trim();
            return Err(format!("{text:?} is not a row: OFFSET  BYTES  NAME  MEANING, at least two spaces apart"));
        }
        Ok(Self {
            offset: offset.parse().map_err(|_| format!("{offset:?} is not an offset"))?,
            tokens: parse_tokens(&mut bytes.split_whitespace().peekable())?,
            name: name.to_owned(),
            meaning: meaning.to_owned(),
        })
    }

    /// How many bytes it has; a header has 4.
    pub fn len(&self) -> usize {
        sum(self.tokens.iter().map(ByteToken::len))
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> Range<usize> {
        self.offset..self.offset + self.len()
    }

    /// The last part of its name: `[0].key.text` → `text`.
    pub fn field(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// The offsets of its headers in the packet; of those that are repeated, the first.
    pub(crate) fn headers(&self) -> Vec<usize> {
        if self.field() == "header" {
            return vec![self.offset];
        }
        let mut headers = Vec::new();
        headers_of(&self.tokens, self.offset, &mut headers);
        headers
    }

    /// Its bytes as a word, if they are four literal ones.
    pub fn word(&self) -> Option<u32> {
        match self.tokens.as_slice() {
            [ByteToken::Byte(a), ByteToken::Byte(b), ByteToken::Byte(c), ByteToken::Byte(d)] => {
                Some(u32::from_le_bytes([*a, *b, *c, *d]))
            }
            _ => None,
        }
    }
}

/// Whether the field at this path is padding that engines leave as it was.
pub fn is_unwritten(path: &str, dialect: &Dialect) -> bool {
    path.rsplit('.').next() == Some("padding")
        && match dialect.rules.unwritten_padding {
            UnwrittenPadding::None => false,
            UnwrittenPadding::NodePath => path.contains("names["),
            UnwrittenPadding::All => true,
        }
}

impl ByteToken {
    fn names(&self, is: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Byte(_) | Self::Unwritten => false,
            Self::Header(name) | Self::Id(name) => is(name),
            Self::Repeat(_, tokens) => tokens.iter().any(|token| token.names(is)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Byte(_) | Self::Unwritten => 1,
            Self::Header(_) | Self::Id(_) => 4,
            Self::Repeat(times, tokens) => times.saturating_mul(sum(tokens.iter().map(Self::len))),
        }
    }

    fn write(&self, dialect: &Dialect, bytes: &mut Vec<u8>, unwritten: &mut Vec<Range<usize>>) -> Result<(), String> {
        match self {
            Self::Byte(byte) => bytes.push(*byte),
            Self::Unwritten => {
                unwritten.push(bytes.len()..bytes.len() + 1);
                bytes.push(0);
            }
            Self::Header(name) => bytes.extend(header(name, dialect, true)?.to_le_bytes()),
            Self::Id(name) => bytes.extend(header(name, dialect, false)?.to_le_bytes()),
            Self::Repeat(times, tokens) => {
                // Written once and copied: long listings are repeats.
                let (mut once, mut gaps) = (Vec::new(), Vec::new());
                tokens.iter().try_for_each(|token| token.write(dialect, &mut once, &mut gaps))?;
                for turn in 0..if gaps.is_empty() { 0 } else { *times } {
                    let start = bytes.len() + turn * once.len();
                    unwritten.extend(gaps.iter().map(|gap| start + gap.start..start + gap.end));
                }
                bytes.extend(once.repeat(*times));
            }
        }
        Ok(())
    }
}

/// Adds the offsets of the headers in tokens that begin at an offset.
fn headers_of(tokens: &[ByteToken], mut at: usize, headers: &mut Vec<usize>) {
    for token in tokens {
        match token {
            ByteToken::Header(_) | ByteToken::Id(_) => headers.push(at),
            ByteToken::Repeat(_, tokens) => headers_of(tokens, at, headers),
            ByteToken::Byte(_) | ByteToken::Unwritten => {}
        }
        at = at.saturating_add(token.len());
    }
}

/// Adds lengths, which may be absurd in a listing with a typing error.
fn sum(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}

/// The header that the dialect's encoder writes for a layout, with its flags or without.
fn header(name: &str, dialect: &Dialect, with_flags: bool) -> Result<u32, String> {
    let flags = |id| if with_flags { dialect.own_flags(dialect.layouts.get(id)) } else { 0 };
    let layout = dialect.layouts.id_of(name);
    let header = layout.and_then(|id| Some(dialect.id_of(id)? | flags(id)));
    header.ok_or_else(|| format!("{} has no type {name}", dialect.name))
}

/// What is before two spaces, and what follows them. Within the brackets of a repeat, two spaces end nothing.
fn first_column(text: &str) -> (&str, &str) {
    let spaces = text.find("  ").unwrap_or(text.len());
    let end = if text[..spaces].contains(" [ ") { text.find(" ]").unwrap_or(0) } else { 0 };
    let end = text[end..].find("  ").map_or(text.len(), |at| end + at);
    (&text[..end], text[end..].trim_start())
}

fn parse_tokens<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Result<Vec<ByteToken>, String> {
    let mut tokens = Vec::new();
    while let Some(word) = words.next() {
        if words.peek() == Some(&"x") {
            words.next();
            let times = word.parse().map_err(|_| format!("{word:?} x …: not a number of times"))?;
            tokens.push(ByteToken::Repeat(times, parse_repeated(words)?));
            continue;
        }
        tokens.push(parse_token(word)?);
    }
    Ok(tokens)
}

fn parse_repeated<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Vec<ByteToken>, String> {
    match words.next() {
        Some("[") => {
            let mut tokens = Vec::new();
            for word in words {
                if word == "]" {
                    return Ok(tokens);
                }
                tokens.push(parse_token(word)?);
            }
            Err("a repeat's `[` has no `]`".to_owned())
        }
        Some(word) => Ok(vec![parse_token(word)?]),
        None => Err("a repeat has nothing to repeat".to_owned()),
    }
}

fn parse_token(word: &str) -> Result<ByteToken, String> {
    if word == "??" {
        return Ok(ByteToken::Unwritten);
    }
    if let Some(name) = word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        let id = name.strip_prefix("id:").map(|name| ByteToken::Id(name.to_owned()));
        return Ok(id.unwrap_or_else(|| ByteToken::Header(name.to_owned())));
    }
    let byte = u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2 && !word.starts_with('+'));
    byte.map(ByteToken::Byte).ok_or_else(|| format!("{word:?} is not a byte: two hex digits, ??, <layout> or N x …"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::Listing;

    const TEXT: &str = "0  04 00 00 00  [0].header\n4  03 00 00 00  [0].length\n8  61 62 63  [0].text\n11  00  [0].padding\n12  07  [1]";

    #[rstest]
    #[case(0, Some("header"))]
    #[case(4, Some("length"))]
    #[case(5, Some("part-of-length"))]
    #[case(10, Some("part-of-text"))]
    #[case(11, Some("padding"))]
    #[case(12, Some("element"))]
    #[case(13, None)]
    fn a_packet_ends_before_a_field_or_within_it(#[case] at: usize, #[case] field: Option<&str>) {
        assert_eq!(Listing::parse(TEXT, 1).unwrap().field_at(at).as_deref(), field);
    }
}
