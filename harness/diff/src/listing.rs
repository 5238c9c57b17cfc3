//! A packet as a corpus case lists it: every field with all its bytes, and a meaning that lint can read.

use std::fmt::Write;
use std::ops::Range;

use variant_codec::{Codec, Options, Role, Span, Spans};
use variant_specs::{Dialect, JudgedBy};

use super::frame;
use variant_values::explain::Meanings;
use variant_values::implementation::Request;

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
    let end = prefix.map_or(input.len(), |prefix: &[u8; 4]| prefix.len());
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
        let bytes: Vec<String> = self.input[place.clone()].iter().map(|byte| format!("{byte:02x}")).collect();
        let row = format!("{}  {}  {name}  {meaning}", place.start, bytes.join(" "));
        self.text.push_str(row.trim_end());
        self.text.push('\n');
    }
}

/// The meaning of a field, without cutting long texts. A text that is not UTF-8 has none.
fn meaning_in_full(bytes: &[u8], span: &Span, meanings: &mut Meanings<'_>) -> String {
    match span.role {
        Role::Text => std::str::from_utf8(bytes).map(json_text).unwrap_or_default(),
        Role::Bytes => format!("\"{}\"", hex::encode(bytes)),
        Role::Header(_)
        | Role::Count
        | Role::Length
        | Role::Word
        | Role::Flags
        | Role::Bool
        | Role::Number(_)
        | Role::Id
        | Role::Nul
        | Role::Padding => meanings.of(span),
    }
}

/// A text as a JSON string. Everything that YAML does not allow in a block is escaped.
fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            letter if is_printable(letter) => json.push(letter),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
    json
}

/// The most bytes of a comment.
const LONGEST: usize = 2000;

/// A text for a comment: escaped where YAML requires it, and cut if it is long.
pub(super) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if line.len() > LONGEST {
            line.push('…');
            break;
        }
        if is_printable(letter) { line.push(letter) } else { line.extend(letter.escape_unicode()) }
    }
    line
}

/// Whether YAML allows the letter as it is.
fn is_printable(letter: char) -> bool {
    let number = u32::from(letter);
    !letter.is_control() && !matches!(number, 0x2028 | 0x2029 | 0xfeff) && number & 0xfffe != 0xfffe
}
