//! A packet field by field, as one dialect reads it: the one function behind `conform explain`, the explorer, the details
//! of failures and campaigns.

mod meaning;
mod oddity;
mod refusal;

use std::ops::Range;

use variant_codec::{Codec, DecodeError, Decoded, Framing, Options, Role, Span, Spans, Step, Trace};
use variant_specs::{Dialect, JudgedBy};

pub use meaning::Meanings;

use self::oddity::Oddities;
use crate::row::Row;

/// How packets are explained.
#[derive(Debug, Clone, Copy)]
pub struct Explainer<'d> {
    /// The dialect that they are read in.
    pub dialect: &'d Dialect,
    /// Which source wins where document and engine disagree.
    pub judged_by: JudgedBy,
    /// The length prefix that they have.
    pub framing: Option<Framing>,
    /// Rows are made of at most so many fields.
    pub most: usize,
}

/// A packet field by field, and what decoding it gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The length prefix, the fields, and bytes that were not read.
    pub rows: Vec<Row>,
    /// How many fields have no row.
    pub more: usize,
    /// Where the first of those begins.
    pub(crate) more_at: usize,
    /// The type ids in its headers, each once; also the word that is no type, if that is why it is refused.
    pub ids: Vec<u32>,
    /// What an engine would not write, and where.
    pub oddities: Vec<String>,
    /// Whether there are objects in it, which a reader may have to be allowed.
    pub objects: bool,
    /// The decoded value with objects allowed, or how the packet is refused.
    pub outcome: Result<Decoded, DecodeError>,
    /// How it is refused, in words: `truncated at 12: the int32_array ends early`; empty if it is read.
    pub refused: String,
}

impl<'d> Explainer<'d> {
    /// Explains bare packets as the engines of a dialect read them.
    pub fn new(dialect: &'d Dialect) -> Self {
        Self { dialect, judged_by: JudgedBy::Engines, framing: None, most: usize::MAX }
    }

    /// Reads a packet with the reference codec, with objects allowed. Offsets count from the first byte of `input`.
    pub fn explain(&self, input: &[u8]) -> Explanation {
        match self.framing {
            None => self.bare(input),
            Some(framing) => self.framed(input, framing),
        }
    }

    fn codec(&self) -> Codec {
        Codec::new(self.dialect, self.judged_by).with(Options { objects: true })
    }

    fn bare(&self, packet: &[u8]) -> Explanation {
        let mut trace = FieldTrace::new(self, packet);
        let outcome = self.codec().decode_traced(packet, &mut trace);
        let mut meanings = Meanings::new(packet, self.dialect, self.judged_by);
        let row = |span: &Span| {
            let meaning = meanings.of(span);
            let meaning = if span.role == Role::Text { cut(meaning) } else { meaning };
            Row::of_bytes(span.bytes.start, &packet[span.bytes.clone()], &tail(&span.path), meaning)
        };
        let mut rows: Vec<Row> = trace.kept.spans.iter().map(row).collect();
        let (name, meaning) = match &outcome {
            Ok(_) => ("trailing", "bytes after the packet".to_owned()),
            Err(error) => ("?", format!("{error}: cannot be read")),
        };
        if trace.end < packet.len() || outcome.is_err() {
            rows.push(Row::of_bytes(trace.end, &packet[trace.end..], name, meaning));
        }
        Explanation {
            rows,
            more: trace.more,
            more_at: trace.more_at,
            ids: trace.ids(&outcome),
            oddities: trace.oddities.found,
            objects: trace.objects,
            refused: refusal::words(packet, &trace.kept.spans, trace.last.as_ref(), &outcome, self),
            outcome,
        }
    }

    fn framed(&self, input: &[u8], framing: Framing) -> Explanation {
        let outcome = self.codec().decode_framed(input, framing);
        let prefix = |meaning| Row::of_bytes(0, &input[..input.len().min(Framing::PREFIX)], "prefix", meaning);
        let Some((length, rest)) = input.split_first_chunk() else {
            let rows = vec![prefix("the length is cut".to_owned())];
            return Explanation { rows, outcome, refused: "the length is cut".to_owned(), ..Explanation::nothing() };
        };
        let length = framing.length(*length);
        let inside = rest.get(..length as usize);
        let cut = if inside.is_some() { "" } else { ", but the packet has fewer" };
        let mut explained = self.bare(inside.unwrap_or(rest));
        explained.moved(Framing::PREFIX);
        explained.rows.insert(0, prefix(format!("{length} bytes follow{cut}")));
        let behind = &rest[inside.map_or(rest.len(), <[u8]>::len)..];
        if !behind.is_empty() {
            let row = Row::of_bytes(input.len() - behind.len(), behind, "trailing", "bytes after the frame".to_owned());
            explained.rows.push(row);
        }
        if let (Err(error), true) = (&outcome, inside.is_none()) {
            explained.refused = format!("{error}: the length in front is more than there is");
        }
        Explanation { outcome, ..explained }
    }
}

impl Explanation {
    fn nothing() -> Self {
        Self {
            rows: Vec::new(),
            more: 0,
            more_at: 0,
            ids: Vec::new(),
            oddities: Vec::new(),
            objects: false,
            outcome: Err(DecodeError { at: 0, kind: variant_codec::Refusal::Truncated }),
            refused: String::new(),
        }
    }

    /// The same, for a packet that begins so many bytes later.
    pub(crate) fn moved(&mut self, by: usize) {
        for row in &mut self.rows {
            row.offset = row.offset.map(|offset| offset + by);
        }
        self.more_at += by;
        for oddity in &mut self.oddities {
            if let Some((what, at)) = oddity.rsplit_once(' ') {
                *oddity = format!("{what} {}", at.parse::<usize>().unwrap_or(0) + by);
            }
        }
    }
}

/// A trace that keeps the first fields: in values a thousand levels deep, the paths of all take megabytes.
struct FieldTrace<'a> {
    packet: &'a [u8],
    explainer: &'a Explainer<'a>,
    kept: Spans,
    /// The last field, if it is not kept.
    last: Option<Span>,
    more: usize,
    more_at: usize,
    /// Where the last field ends.
    end: usize,
    ids: Vec<u32>,
    objects: bool,
    oddities: Oddities,
}

/// So many different ids are enough to say.
const IDS: usize = 64;

impl<'a> FieldTrace<'a> {
    fn new(explainer: &'a Explainer<'a>, packet: &'a [u8]) -> Self {
        Self {
            packet,
            explainer,
            kept: Spans::default(),
            last: None,
            more: 0,
            more_at: 0,
            end: 0,
            ids: Vec::new(),
            objects: false,
            oddities: Oddities::default(),
        }
    }

    fn add_id(&mut self, bytes: Range<usize>) {
        let mask = self.explainer.dialect.header.mask(self.explainer.judged_by);
        let Some(id) = self.packet.get(bytes).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes) else {
            return;
        };
        if self.ids.len() < IDS && !self.ids.contains(&(id & mask)) {
            self.ids.push(id & mask);
        }
    }

    fn ids(&mut self, outcome: &Result<Decoded, DecodeError>) -> Vec<u32> {
        if let Err(error) = outcome
            && error.kind == variant_codec::Refusal::UnknownType
        {
            self.add_id(error.at..error.at.saturating_add(4));
        }
        std::mem::take(&mut self.ids)
    }
}

impl Trace for FieldTrace<'_> {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, name: &str, role: Role) {
        self.end = bytes.end;
        if let Role::Header(layout) = role {
            self.add_id(bytes.clone());
            self.objects |= self.explainer.dialect.layouts.get(layout).objects;
        }
        if let Some(field) = self.packet.get(bytes.clone()) {
            self.oddities.note(field, bytes.start, role, self.explainer.dialect);
        }
        if self.kept.spans.len() < self.explainer.most {
            self.kept.field(bytes, name, role);
        } else {
            if self.more == 0 {
                self.more_at = bytes.start;
            }
            self.more += 1;
            self.last = Some(Span { bytes, path: name.to_owned(), role });
        }
    }

    fn enter(&mut self, step: Step<'_>) {
        self.oddities.enter(step);
        self.kept.enter(step);
    }

    fn leave(&mut self) {
        self.oddities.leave();
        self.kept.leave();
    }
}

/// The end of a long path, where the name of the field is.
fn tail(path: &str) -> String {
    let letters = path.chars().count();
    if letters <= 60 { path.to_owned() } else { ['…'].into_iter().chain(path.chars().skip(letters - 59)).collect() }
}

/// The beginning of a long text.
fn cut(text: String) -> String {
    if text.chars().count() <= 60 { text } else { text.chars().take(59).chain(['…']).collect() }
}
