//! A packet as the corpus lists it: every field with all its bytes, and a meaning that lint can read.

use variant_codec::{Codec, Options, Role, Span, Spans};
use variant_specs::{Dialect, Reading};

use super::frame;
use super::yaml;
use variant_wire::explain::{ExplainedRow, meaning};
use variant_wire::implementation::Request;

/// The rows of a listing, the length in front with them.
pub(super) fn rows(input: &[u8], request: &Request, dialect: &Dialect) -> Vec<ExplainedRow> {
    let Some(framing) = request.framing else { return packet_rows(input, request.objects, dialect) };
    let Some((prefix, rest)) = input.split_first_chunk() else {
        return (!input.is_empty()).then(|| row(0, input, frame::FIELD, String::new())).into_iter().collect();
    };
    let mut all = vec![row(0, prefix, frame::FIELD, framing.length(*prefix).to_string())];
    let Some(inside) = frame::inside(input, framing) else {
        all.extend((!rest.is_empty()).then(|| row(prefix.len(), rest, REST, String::new())));
        return all;
    };
    let shifted = |row: ExplainedRow| ExplainedRow { offset: row.offset + prefix.len(), ..row };
    all.extend(packet_rows(&rest[..inside.len()], request.objects, dialect).into_iter().map(shifted));
    if inside.end < input.len() {
        all.push(row(inside.end, &input[inside.end..], TRAILING, String::new()));
    }
    all
}

/// What nobody could read.
const REST: &str = "rest";
/// What stands behind the packet.
const TRAILING: &str = "trailing";

fn packet_rows(packet: &[u8], objects: bool, dialect: &Dialect) -> Vec<ExplainedRow> {
    let mut trace = Spans::default();
    let codec = Codec::new(dialect, Reading::Engine).with(Options { objects });
    let outcome = codec.decode_traced(packet, &mut trace);
    let field = |span: &Span| {
        let bytes = &packet[span.bytes.clone()];
        row(span.bytes.start, bytes, &span.path, listed(bytes, span, dialect))
    };
    let mut rows: Vec<_> = trace.spans.iter().map(field).collect();
    let told = trace.spans.last().map_or(0, |span| span.bytes.end);
    if told < packet.len() {
        let name = if outcome.is_ok() { TRAILING } else { REST };
        rows.push(row(told, &packet[told..], name, String::new()));
    }
    rows
}

fn row(offset: usize, bytes: &[u8], name: &str, meaning: String) -> ExplainedRow {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    ExplainedRow { offset, bytes: bytes.join(" "), name: name.to_owned(), meaning }
}

/// The meaning in full: what is long is not cut, and bytes that are no text mean nothing.
fn listed(bytes: &[u8], span: &Span, dialect: &Dialect) -> String {
    match span.role {
        Role::Text => std::str::from_utf8(bytes).map(yaml::json_text).unwrap_or_default(),
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
        | Role::Padding => meaning(bytes, span, dialect, Reading::Engine),
    }
}
