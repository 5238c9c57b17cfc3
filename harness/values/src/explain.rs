//! A packet field by field, as one dialect reads it: the one function behind `conform explain`, the explorer, the details
//! of failures and campaigns.

mod explainer;
mod meaning;
mod oddity;
mod refusal;
mod trace;

use variant_codec::{DecodeError, Decoded, Framing, Refusal, Span};

use self::meaning::Meanings;
use self::trace::FieldTrace;
use crate::row::{Row, spaced};

pub use self::explainer::Explainer;

/// A packet field by field, and what decoding it gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The length prefix, the fields, and bytes that were not read.
    pub rows: Vec<Row>,
    /// How many fields have no row.
    pub more: usize,
    /// Where those begin.
    pub(crate) more_at: usize,
    /// The type ids in its headers, each once; also the word that is no type, if that is why it is refused.
    pub(crate) ids: Vec<u32>,
    /// What an engine would not write, and where.
    pub(crate) oddities: Vec<String>,
    /// Whether there are objects in it, which a reader may have to be allowed.
    pub(crate) objects: bool,
    /// The decoded value, or how the packet is refused.
    pub outcome: Result<Decoded, DecodeError>,
    /// How it is refused, in words: `truncated at 12: the PackedInt32Array ends early`; empty if it is read.
    pub refused: String,
}

impl Explainer<'_> {
    /// Reads a packet with the reference codec. Offsets count from the first byte of `input`.
    pub fn explain(&self, input: &[u8]) -> Explanation {
        self.explain_at(0, input)
    }

    /// The same, for a packet that begins at this offset.
    pub(crate) fn explain_at(&self, start: usize, input: &[u8]) -> Explanation {
        match self.framing {
            None => self.bare(start, input),
            Some(framing) => self.framed(start, input, framing),
        }
    }

    fn bare(&self, start: usize, packet: &[u8]) -> Explanation {
        let mut trace = FieldTrace::new(packet, self);
        let outcome = self.codec().decode_traced(packet, &mut trace);
        if let Err(DecodeError { at, kind: Refusal::UnknownType }) = outcome {
            trace.add_id(at..at.saturating_add(4));
        }
        let mut meanings = Meanings::new(packet, self);
        let row = |span: &Span| {
            let (at, bytes) = (start + span.bytes.start, &packet[span.bytes.clone()]);
            if self.uncut {
                return self.row(at, bytes, &span.path, meanings.uncut(span));
            }
            self.row(at, bytes, &tail(&span.path), meanings.meaning(span))
        };
        let mut rows: Vec<Row> = trace.kept.spans.iter().map(row).collect();
        let (name, meaning) = match &outcome {
            Ok(_) => ("trailing", "bytes after the packet".to_owned()),
            Err(error) => ("?", format!("{error}: cannot be read")),
        };
        if trace.end < packet.len() || outcome.is_err() {
            rows.push(self.row(start + trace.end, &packet[trace.end..], name, meaning));
        }
        Explanation {
            rows,
            more: trace.more,
            more_at: start + trace.kept.spans.last().map_or(0, |span| span.bytes.end),
            refused: outcome.as_ref().err().map(|error| refusal::in_words(error, &trace)).unwrap_or_default(),
            ids: trace.ids,
            oddities: trace.oddities.found.iter().map(|(what, at)| format!("{what} at {}", start + at)).collect(),
            objects: trace.objects,
            outcome,
        }
    }

    fn row(&self, offset: usize, bytes: &[u8], name: &str, meaning: String) -> Row {
        let row = Row::of_bytes(offset, bytes, name, meaning);
        if self.uncut { Row { bytes: spaced(bytes), ..row } } else { row }
    }

    fn framed(&self, start: usize, input: &[u8], framing: Framing) -> Explanation {
        let outcome = self.codec().decode_framed(input, framing);
        let prefix = |meaning| self.row(start, &input[..input.len().min(Framing::PREFIX)], "prefix", meaning);
        let Some((length, rest)) = input.split_first_chunk() else {
            let rows = vec![prefix("the length is cut".to_owned())];
            return Explanation { rows, outcome, refused: "the length is cut".to_owned(), ..self.bare(start, &[]) };
        };
        let length = framing.length(*length);
        let inside = rest.get(..length as usize);
        let cut = if inside.is_some() { "" } else { ", but the packet has fewer" };
        let mut explained = self.bare(start + Framing::PREFIX, inside.unwrap_or(rest));
        explained.rows.insert(0, prefix(format!("{length} bytes follow{cut}")));
        let behind = &rest[inside.map_or(rest.len(), <[u8]>::len)..];
        if !behind.is_empty() {
            let at = start + input.len() - behind.len();
            explained.rows.push(self.row(at, behind, "trailing", "bytes after the frame".to_owned()));
        }
        if let (Err(error), true) = (&outcome, inside.is_none()) {
            explained.refused = format!("{error}: the length in front is more than there is");
        }
        Explanation { outcome, ..explained }
    }
}

/// The end of a long path, where the name of the field is.
fn tail(path: &str) -> String {
    let letters = path.chars().count();
    if letters <= 60 { path.to_owned() } else { ['…'].into_iter().chain(path.chars().skip(letters - 59)).collect() }
}
