//! A packet field by field, as one dialect reads it: the one function behind `conform explain`, the explorer, the details
//! of failures and campaigns.

mod meaning;
mod oddity;
mod refusal;

use std::ops::Range;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Options, Refusal, Role, Span, Spans, Step, Trace};
use variant_specs::{Dialect, JudgedBy, LayoutId};

use self::meaning::Meanings;
use self::oddity::Oddities;
use crate::row::{Row, spaced};

#[derive(Debug, Clone, Copy)]
pub struct Explainer<'d> {
    pub dialect: &'d Dialect,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// The length prefix that they have.
    pub framing: Option<Framing>,
    /// Rows are made of at most so many fields.
    pub most: usize,
    /// Whether bytes, paths and texts are uncut, as in a listing of the corpus.
    pub uncut: bool,
    /// Whether the reader allows objects.
    pub objects: bool,
}

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

impl<'d> Explainer<'d> {
    /// Explains bare packets as the engines of a dialect read them.
    pub fn new(dialect: &'d Dialect) -> Self {
        Self { dialect, judged_by: JudgedBy::Engines, framing: None, most: usize::MAX, uncut: false, objects: true }
    }

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

    fn codec(&self) -> Codec {
        Codec::new(self.dialect, self.judged_by).with(Options { objects: self.objects })
    }

    fn bare(&self, start: usize, packet: &[u8]) -> Explanation {
        let mut trace = FieldTrace {
            packet,
            explainer: self,
            kept: Spans::default(),
            more: 0,
            end: 0,
            last: None,
            outer: None,
            begun: None,
            ids: Vec::new(),
            objects: false,
            oddities: Oddities::default(),
        };
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
            self.row(at, bytes, &tail(&span.path), meanings.of(span))
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
            refused: outcome.as_ref().err().map(|error| refusal::words(error, &trace)).unwrap_or_default(),
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

/// A trace that keeps the first fields: in values a thousand levels deep, the paths of all take megabytes.
struct FieldTrace<'a> {
    packet: &'a [u8],
    explainer: &'a Explainer<'a>,
    kept: Spans,
    more: usize,
    /// Where the last field ends, and what it is for.
    end: usize,
    last: Option<Role>,
    /// The layout of the first value in which another one begins, and of the value that began last.
    outer: Option<LayoutId>,
    begun: Option<LayoutId>,
    ids: Vec<u32>,
    objects: bool,
    oddities: Oddities,
}

impl FieldTrace<'_> {
    /// Whether fields are kept still; then nobody asks for paths.
    fn has_room(&self) -> bool {
        self.kept.spans.len() < self.explainer.most
    }

    fn add_id(&mut self, header: Range<usize>) {
        let Some(header) = self.packet.get(header) else { return };
        let id = meaning::word(header) & self.explainer.dialect.header.mask(self.explainer.judged_by);
        if !self.ids.contains(&id) {
            self.ids.push(id);
        }
    }
}

impl Trace for FieldTrace<'_> {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, name: &str, role: Role) {
        (self.end, self.last) = (bytes.end, Some(role));
        if let Role::Header(layout) = role {
            self.outer = self.outer.or(self.begun);
            self.begun = Some(layout);
            self.add_id(bytes.clone());
            self.objects |= self.explainer.dialect.layouts.get(layout).objects;
        }
        if let Some(field) = self.packet.get(bytes.clone()) {
            self.oddities.note(field, bytes.start, role, self.explainer.dialect);
        }
        if self.has_room() {
            self.kept.field(bytes, name, role);
        } else {
            self.more += 1;
        }
    }

    fn enter(&mut self, step: Step<'_>) {
        if self.has_room() {
            self.kept.enter(step);
        }
    }

    fn leave(&mut self) {
        if self.has_room() {
            self.kept.leave();
        }
    }
}

/// The end of a long path, where the name of the field is.
fn tail(path: &str) -> String {
    let letters = path.chars().count();
    if letters <= 60 { path.to_owned() } else { ['…'].into_iter().chain(path.chars().skip(letters - 59)).collect() }
}
