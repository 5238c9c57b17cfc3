//! Bytes of which nothing is known: every dialect that can read them, best first, field by field, with the values.

mod oddity;
mod split;

use serde::Serialize;
use thiserror::Error;
use variant_codec::{Codec, EncodeError, Framing, Options, Spans};
use variant_specs::{Dialect, Reading, Specs, UnknownDialect};

use self::oddity::oddities;
use self::split::{PacketRange, split};
use crate::explain::{self, explain_beginning};
use crate::literal::literal;
use crate::pasted::{self, Pasted, PastedForm};
use crate::sanitize;
use crate::value_text::{Form, Strictness, SyntaxTree, ValueError, typecheck, value_json};

/// At most so many packets and fields are shown, and so many letters of a value.
const PACKETS: usize = 64;
const FIELDS: usize = 2000;
const LETTERS: usize = 1 << 16;

/// All readings of some bytes, the best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exploration {
    /// The readings; those that refuse the bytes come last.
    pub readings: Vec<DialectReading>,
}

/// How some dialects read the bytes, all alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DialectReading {
    /// The names of the dialects: `godot-3`.
    pub dialects: Vec<String>,
    /// The length prefix of each packet, if there is one.
    pub framing: Option<&'static str>,
    /// The packets, in order.
    pub packets: Vec<PacketReading>,
    /// How many packets are left out.
    pub more: usize,
    /// Bytes behind the last packet.
    pub trailing: usize,
    /// What no engine writes: unknown flags, noise for numbers, padding that is not zero.
    pub oddities: Vec<String>,
}

/// One packet as a dialect reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PacketReading {
    /// Where it begins, after the length prefix of it.
    pub offset: usize,
    /// How many bytes it has; fewer than the frame has if bytes are left.
    pub length: usize,
    /// The fields; offsets count from the beginning of the input.
    pub rows: Vec<FieldRow>,
    /// How many fields are left out.
    pub more: usize,
    /// The value as JSON; absent if the packet is refused.
    pub value: Option<String>,
    /// The value as a script of the engine has it; absent if none can.
    pub literal: Option<String>,
    /// How the packet is refused: kind and offset.
    pub refused: Option<String>,
}

/// A field of a packet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldRow {
    /// The offset of its first byte.
    pub offset: usize,
    /// How many bytes it has.
    pub length: usize,
    /// Its bytes in hex, the middle of long ones left out.
    pub bytes: String,
    /// Its path in the packet: `entries[0].key`.
    pub name: String,
    /// What its bytes mean.
    pub meaning: String,
}

/// Reads bytes in every dialect that engines speak, with or without a length prefix.
pub fn explore(bytes: &[u8], specs: &Specs) -> Exploration {
    let doubles = specs.doubles.iter().filter(|double| specs.spoken().any(|dialect| dialect.name == double.base()));
    let mut readings: Vec<DialectReading> = Vec::new();
    for dialect in specs.spoken().chain(doubles) {
        let reading = best_framing(bytes, dialect);
        let alike = |other: &&mut DialectReading| {
            other.packets == reading.packets && other.framing == reading.framing && other.oddities == reading.oddities
        };
        match readings.iter_mut().find(alike) {
            Some(other) if other.dialects.iter().any(|name| name == dialect.base()) => {}
            Some(other) => other.dialects.push(dialect.name.clone()),
            None => readings.push(reading),
        }
    }
    // Of equals, what most dialects read; then the order of the specs.
    readings.sort_by_key(|reading| (reading.badness(), usize::MAX - reading.dialects.len()));
    Exploration { readings }
}

/// The bytes of a value in a dialect, as the reference codec writes them.
///
/// # Errors
/// Why there are none.
pub fn encode(value: &str, dialect: &str, specs: &Specs) -> Result<Vec<u8>, NoBytes> {
    let dialect = specs.find(dialect)?;
    let tree: SyntaxTree = serde_json::from_str(value)?;
    let value = typecheck(&tree, dialect, Strictness::Reply)?;
    Ok(codec(dialect).encode(&value.value)?)
}

/// Why a text has no bytes in a dialect.
#[derive(Debug, Error)]
pub enum NoBytes {
    /// There is no such dialect.
    #[error(transparent)]
    Dialect(#[from] UnknownDialect),
    /// The text is not JSON.
    #[error("this is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is JSON, but no value of the dialect.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// It is a value that the dialect cannot carry.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

fn codec(dialect: &Dialect) -> Codec {
    Codec::new(dialect, Reading::Engine).with(Options { objects: true })
}

/// Without a length, with a little-endian one, or with a big-endian one: whatever fits best.
fn best_framing(bytes: &[u8], dialect: &Dialect) -> DialectReading {
    let codec = codec(dialect);
    let framings = [None].into_iter().chain(Framing::ALL.map(Some));
    let readings = framings.filter_map(|framing| {
        let (pieces, trailing) = split(bytes, framing, &codec)?;
        Some(DialectReading::new(bytes, &pieces, trailing, framing, dialect))
    });
    // The first of equals: without a length.
    let best = readings.min_by_key(DialectReading::badness);
    best.unwrap_or_else(|| DialectReading::new(bytes, &[], bytes.len(), None, dialect))
}

impl DialectReading {
    fn new(bytes: &[u8], pieces: &[PacketRange], trailing: usize, framing: Option<Framing>, dialect: &Dialect) -> Self {
        let shown = &pieces[..pieces.len().min(PACKETS)];
        let mut found = Vec::new();
        for piece in shown {
            oddities(&bytes[piece.bytes.clone()], piece.bytes.start, dialect, &mut found);
        }
        Self {
            dialects: vec![dialect.name.clone()],
            framing: framing.map(Framing::name),
            packets: shown.iter().map(|piece| PacketReading::new(bytes, piece, framing, dialect)).collect(),
            more: pieces.len() - shown.len(),
            trailing,
            oddities: found,
        }
    }

    /// What makes one reading worse than another, the worst first.
    fn badness(&self) -> (usize, bool, usize) {
        let refused = self.packets.iter().filter(|packet| packet.refused.is_some()).count();
        let refused = if self.packets.is_empty() { usize::MAX } else { refused };
        (refused, self.trailing > 0, self.oddities.len())
    }
}

impl PacketReading {
    fn new(bytes: &[u8], piece: &PacketRange, framing: Option<Framing>, dialect: &Dialect) -> Self {
        let packet = &bytes[piece.bytes.clone()];
        let mut trace = Spans::default();
        // The outcome is the explanation's; this is where each field ends.
        let _ = codec(dialect).decode_traced(packet, &mut trace);
        let (explanation, more) = explain_beginning(packet, dialect, Reading::Engine, FIELDS);
        let mut ends = trace.spans.iter().take(FIELDS).map(|span| span.bytes.end);
        let prefix = framing.map(|_| FieldRow {
            offset: piece.bytes.start - Framing::PREFIX,
            length: Framing::PREFIX,
            bytes: explain::hex(&bytes[piece.bytes.start - Framing::PREFIX..piece.bytes.start]),
            name: "prefix".to_owned(),
            meaning: format!("{} bytes follow", packet.len()),
        });
        let fields = explanation.rows.into_iter().map(|row| {
            let end = ends.next().unwrap_or(packet.len());
            FieldRow {
                offset: piece.bytes.start + row.offset,
                length: end - row.offset,
                bytes: row.bytes,
                // A letter that nobody sees is shown as its number, as on a terminal.
                name: sanitize::line(&row.name),
                meaning: sanitize::line(&row.meaning),
            }
        });
        let value = explanation.outcome.as_ref().ok().map(|decoded| &decoded.value);
        let short = |text: String| Some(text).filter(|text| text.len() <= LETTERS);
        Self {
            offset: piece.bytes.start,
            length: packet.len(),
            rows: prefix.into_iter().chain(fields).collect(),
            more,
            value: value.and_then(|value| short(value_json(value, &dialect.layouts, Form::default()))),
            literal: value.and_then(|value| literal(value, dialect)).and_then(short),
            refused: explanation.outcome.as_ref().err().map(ToString::to_string),
        }
    }
}

/// Reads a text as bytes, and explores them: the whole answer as JSON, the same wherever it is asked for. It is
/// `{"error": …}` if the text is no bytes.
pub fn pasted_json(text: &str, specs: &Specs) -> String {
    #[derive(Serialize)]
    struct PastedBytes {
        form: PastedForm,
        bytes: String,
        #[serde(flatten)]
        exploration: Exploration,
    }
    let answer = pasted::read(text).map(|Pasted { bytes, form }| PastedBytes {
        form,
        bytes: hex::encode(&bytes),
        exploration: explore(&bytes, specs),
    });
    let text = match &answer {
        Ok(answer) => serde_json::to_string(answer),
        Err(error) => serde_json::to_string(&serde_json::json!({"error": error.to_string()})),
    };
    // Plain data cannot fail to become JSON.
    text.unwrap_or_default()
}
