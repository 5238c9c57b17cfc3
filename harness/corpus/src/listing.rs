//! Listings: a packet, row by row, as a person writes and reads it.

use std::iter::Peekable;
use std::ops::Range;

use variant_specs::{Dialect, Layouts, UnwrittenPadding};

use super::case::Packet;

/// A packet as rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The rows.
    pub rows: Vec<Row>,
    /// The file's line of the first row.
    pub line: usize,
}

/// One row: `OFFSET  BYTES  NAME  [MEANING]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The offset of its first byte.
    pub offset: usize,
    /// Its bytes.
    pub pieces: Vec<ByteToken>,
    /// The path of the field.
    pub name: String,
    /// What the bytes mean; empty where nothing is said.
    pub meaning: String,
}

/// A part of a row's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ByteToken {
    /// One byte.
    Byte(u8),
    /// A byte that engines leave as it was.
    Unwritten,
    /// The header of the layout of this name.
    Header(String),
    /// The pieces so many times.
    Repeat(usize, Vec<ByteToken>),
}

/// More than any listing needs, and little enough to be sure that a slip of the keyboard stays harmless.
const MOST_BYTES: usize = 1 << 24;

impl Listing {
    /// Reads a listing whose first row stands on `line` of its file.
    ///
    /// # Errors
    /// The line, and what is wrong there.
    pub fn parse(text: &str, line: usize) -> Result<Self, (usize, String)> {
        let rows = text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty());
        let rows = rows.map(|(index, row)| Row::parse(row).map_err(|message| (line + index, message)));
        let listing = Self { rows: rows.collect::<Result<_, _>>()?, line };
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
    ///
    /// # Errors
    /// The name of a layout that the dialect does not have.
    pub fn packet(&self, dialect: &Dialect) -> Result<Packet, String> {
        let mut packet = Packet { bytes: Vec::with_capacity(self.len()), unwritten: Vec::new() };
        for row in &self.rows {
            let start = packet.bytes.len();
            row.write(dialect, &mut packet)?;
            if row.is_unwritten_in(dialect) {
                packet.unwritten.push(start..packet.bytes.len());
            }
        }
        Ok(packet)
    }

    /// Whether any header names one of those layouts.
    pub fn any_header(&self, dialect: &Dialect, is: &impl Fn(&str) -> bool) -> bool {
        self.rows.iter().any(|row| match (row.pieces.as_slice(), row.header_word()) {
            ([ByteToken::Header(name)], _) => is(name),
            (_, Some(word)) => {
                dialect.type_of(word & dialect.header.id_mask).is_some_and(|entry| is(&dialect.layout(entry).name))
            }
            (_, None) => false,
        })
    }

    /// Bytes in all rows.
    pub fn len(&self) -> usize {
        sum(self.rows.iter().map(Row::len))
    }

    /// Whether there is no byte at all: the empty packet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of this name.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The row in which this byte stands.
    pub fn row_at(&self, offset: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.bytes().contains(&offset))
    }
}

impl Row {
    fn parse(text: &str) -> Result<Self, String> {
        let columns = columns(text.trim());
        let [offset, bytes, name, rest @ ..] = columns.as_slice() else {
            return Err(format!(
                "a row is OFFSET  BYTES  NAME  MEANING, two spaces or more apart, and {:?} is not",
                text.trim()
            ));
        };
        Ok(Self {
            offset: offset.parse().map_err(|_| format!("{offset:?} is no offset"))?,
            pieces: parse_pieces(&mut bytes.split_whitespace().peekable())?,
            name: (*name).to_owned(),
            meaning: rest.join("  "),
        })
    }

    /// How many bytes it has; a header has 4.
    pub fn len(&self) -> usize {
        sum(self.pieces.iter().map(ByteToken::len))
    }

    /// Whether it has no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where its bytes stand.
    pub fn bytes(&self) -> Range<usize> {
        self.offset..self.offset + self.len()
    }

    /// The last part of its name: `[0].key.text` → `text`.
    pub fn field(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Its word, where it is the header of a value in literal bytes.
    fn header_word(&self) -> Option<u32> {
        if self.field() == "header" { self.word() } else { None }
    }

    /// Its four literal bytes as a word.
    pub fn word(&self) -> Option<u32> {
        match self.pieces.as_slice() {
            [ByteToken::Byte(a), ByteToken::Byte(b), ByteToken::Byte(c), ByteToken::Byte(d)] => {
                Some(u32::from_le_bytes([*a, *b, *c, *d]))
            }
            _ => None,
        }
    }

    fn write(&self, dialect: &Dialect, packet: &mut Packet) -> Result<(), String> {
        self.pieces.iter().try_for_each(|piece| piece.write(dialect, packet))
    }

    fn is_unwritten_in(&self, dialect: &Dialect) -> bool {
        if self.field() != "padding" {
            return false;
        }
        match dialect.rules.unwritten_padding {
            UnwrittenPadding::None => false,
            UnwrittenPadding::NodePath => self.name.contains("names["),
            UnwrittenPadding::All => true,
        }
    }
}

impl ByteToken {
    fn len(&self) -> usize {
        match self {
            Self::Byte(_) | Self::Unwritten => 1,
            Self::Header(_) => 4,
            Self::Repeat(times, pieces) => times.saturating_mul(sum(pieces.iter().map(Self::len))),
        }
    }

    fn write(&self, dialect: &Dialect, packet: &mut Packet) -> Result<(), String> {
        match self {
            Self::Byte(byte) => packet.bytes.push(*byte),
            Self::Unwritten => {
                packet.unwritten.push(packet.bytes.len()..packet.bytes.len() + 1);
                packet.bytes.push(0);
            }
            Self::Header(name) => packet.bytes.extend(header(name, dialect)?.to_le_bytes()),
            Self::Repeat(times, pieces) => {
                // Written once and copied: long listings are repeats.
                let mut once = Packet::default();
                pieces.iter().try_for_each(|piece| piece.write(dialect, &mut once))?;
                for turn in 0..if once.unwritten.is_empty() { 0 } else { *times } {
                    let start = packet.bytes.len() + turn * once.bytes.len();
                    let moved = |range: &Range<usize>| start + range.start..start + range.end;
                    packet.unwritten.extend(once.unwritten.iter().map(moved));
                }
                packet.bytes.extend(once.bytes.repeat(*times));
            }
        }
        Ok(())
    }
}

/// Lengths added up; a slip of the keyboard may make them as long as can be.
fn sum(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}

/// The header that the dialect's encoder writes for a layout.
fn header(name: &str, dialect: &Dialect) -> Result<u32, String> {
    let layouts: &Layouts = &dialect.layouts;
    layouts
        .id_of(name)
        .and_then(|layout| Some(dialect.id_of(layout)? | dialect.own_flags(layouts.get(layout))))
        .ok_or_else(|| format!("{} has no type {name}", dialect.name))
}

/// Columns stand two spaces or more apart, but for those within brackets of a repeat.
fn columns(text: &str) -> Vec<&str> {
    let mut columns = Vec::new();
    let (mut start, mut spaces, mut depth) = (0, 0, 0usize);
    for (place, letter) in text.char_indices() {
        let alone = |place: usize| {
            text[..place].ends_with(' ') && text[place + 1..].chars().next().is_none_or(|next| next == ' ')
        };
        match letter {
            ' ' => spaces += 1,
            _ => {
                if spaces >= 2 && depth == 0 && columns.len() < 3 {
                    columns.push(text[start..place].trim_end());
                    start = place;
                }
                spaces = 0;
                match letter {
                    '[' if alone(place) => depth += 1,
                    ']' if alone(place) => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }
    columns.push(text[start..].trim_end());
    columns
}

fn parse_pieces<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> Result<Vec<ByteToken>, String> {
    let mut pieces = Vec::new();
    while let Some(word) = words.next() {
        if words.peek() == Some(&"x") {
            words.next();
            let times = word.parse().map_err(|_| format!("{word:?} x …: not a number of times"))?;
            pieces.push(ByteToken::Repeat(times, parse_repeated(words)?));
            continue;
        }
        pieces.push(parse_piece(word)?);
    }
    Ok(pieces)
}

fn parse_repeated<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Vec<ByteToken>, String> {
    match words.next() {
        Some("[") => {
            let mut pieces = Vec::new();
            for word in words {
                if word == "]" {
                    return Ok(pieces);
                }
                pieces.push(parse_piece(word)?);
            }
            Err("a repeat's `[` has no `]`".to_owned())
        }
        Some(word) => Ok(vec![parse_piece(word)?]),
        None => Err("a repeat has nothing to repeat".to_owned()),
    }
}

fn parse_piece(word: &str) -> Result<ByteToken, String> {
    if word == "??" {
        return Ok(ByteToken::Unwritten);
    }
    if let Some(name) = word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return Ok(ByteToken::Header(name.to_owned()));
    }
    let byte = u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2 && !word.starts_with('+'));
    byte.map(ByteToken::Byte).ok_or_else(|| format!("{word:?} is no byte: two hex digits, ??, <layout> or N x …"))
}
