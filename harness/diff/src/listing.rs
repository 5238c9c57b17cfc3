//! A packet as a corpus case lists it: every field with all its bytes, and a meaning that lint can read.

use std::ops::Range;

use serde_json::json;
use variant_codec::{Codec, Framing, Options, Role, Span, Spans};
use variant_specs::{Dialect, JudgedBy};
use variant_values::explain::Meanings;
use variant_values::implementation::Request;
use variant_values::row::spaced;
use variant_values::sanitize;

use super::frame;

/// The name of bytes that could not be read.
const REST: &str = "rest";
/// The name of bytes after the packet.
const TRAILING: &str = "trailing";

/// The listing of a packet, including the length prefix.
pub(super) fn listing(input: &[u8], request: &Request, dialect: &Dialect) -> String {
    let mut listing = RequestListing { text: String::new(), input, objects: request.objects, dialect };
    let Some(framing) = request.framing else {
        listing.packet(0..input.len());
        return listing.text;
    };
    let prefix = input.first_chunk();
    let end = input.len().min(Framing::PREFIX);
    let meaning = prefix.map_or_else(String::new, |prefix| framing.length(*prefix).to_string());
    listing.row(0..end, frame::FIELD, &meaning);
    match frame::inside(input, framing) {
        Some(inside) => {
            listing.packet(inside.clone());
            listing.row(inside.end..input.len(), TRAILING, "");
        }
        None => listing.row(end..input.len(), REST, ""),
    }
    listing.text
}

struct RequestListing<'a> {
    text: String,
    input: &'a [u8],
    objects: bool,
    dialect: &'a Dialect,
}

impl RequestListing<'_> {
    fn packet(&mut self, place: Range<usize>) {
        let packet = &self.input[place.clone()];
        let mut trace = Spans::default();
        let codec = Codec::new(self.dialect, JudgedBy::Engines).with(Options { objects: self.objects });
        let outcome = codec.decode_traced(packet, &mut trace);
        let mut meanings = Meanings::new(packet, self.dialect, JudgedBy::Engines);
        for span in &trace.spans {
            let meaning = meaning_in_full(&packet[span.bytes.clone()], span, &mut meanings);
            self.row(place.start + span.bytes.start..place.start + span.bytes.end, &span.path, &meaning);
        }
        let read = trace.spans.last().map_or(0, |span| span.bytes.end).min(packet.len());
        self.row(place.start + read..place.end, if outcome.is_ok() { TRAILING } else { REST }, "");
    }

    fn row(&mut self, place: Range<usize>, name: &str, meaning: &str) {
        if place.is_empty() {
            return;
        }
        let row = format!("{}  {}  {name}  {meaning}", place.start, spaced(&self.input[place.clone()]));
        self.text.push_str(row.trim_end());
        self.text.push('\n');
    }
}

/// The meaning of a field, without cutting long texts. A text that is not UTF-8 has none.
fn meaning_in_full(bytes: &[u8], span: &Span, meanings: &mut Meanings<'_>) -> String {
    match span.role {
        Role::Text => {
            std::str::from_utf8(bytes).map(|text| sanitize::json(&json!(text).to_string())).unwrap_or_default()
        }
        Role::Bytes => format!("\"{}\"", hex::encode(bytes)),
        _ => meanings.of(span),
    }
}
