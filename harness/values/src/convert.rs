//! Packets to values and back, for whoever converts files.

use variant_codec::{Codec, EncodeError, Framing, Options, Value};
use variant_specs::{Dialect, JudgedBy};

use crate::reference;
use crate::value_text::{self, Form, Strictness, SyntaxTree, ValueError, typecheck, value_json};

fn codec(dialect: &Dialect) -> Codec {
    Codec::new(dialect, JudgedBy::Engines).with(Options { objects: true })
}

/// The bytes of a value that is written as JSON.
///
/// # Errors
/// Why there are none, with the path of the innermost value that is refused: `[2].value`.
pub fn encode(json: &str, dialect: &Dialect, framing: Option<Framing>) -> Result<Vec<u8>, ValueError> {
    let tree: SyntaxTree =
        serde_json::from_str(json).map_err(|why| value_text::error(format!("this cannot be read as JSON: {why}")))?;
    let value = typecheck(&tree, dialect, Strictness::Reply)?.value;
    let codec = codec(dialect);
    reference::encode(&codec, &value, framing).map_err(|error| refused(&value, &codec, &error))
}

fn refused(value: &Value, codec: &Codec, error: &EncodeError) -> ValueError {
    for (place, child) in value.children().into_iter().enumerate() {
        let Err(error) = codec.encode(child) else { continue };
        let error = refused(child, codec, &error);
        return match value {
            Value::Dictionary(_) => error.within(["key", "value"][place % 2]).at(place / 2),
            _ => error.at(place),
        };
    }
    value_text::error(error.to_string())
}

/// The values of packets, each as JSON: one after the other, or each with its length in front. The last may be an error: which
/// packet cannot be read, and why; the offset in it counts from its beginning.
pub fn decode(
    bytes: &[u8],
    dialect: &Dialect,
    framing: Option<Framing>,
) -> impl Iterator<Item = Result<String, String>> {
    let codec = codec(dialect);
    let (mut number, mut at) = (0, 0);
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        number += 1;
        let decoded = reference::decode(&codec, rest, framing).map_err(|error| {
            let why = cut_frame(rest, framing).unwrap_or_else(|| error.to_string());
            format!("packet {number}, at byte {at}: {why}")
        });
        at = decoded.as_ref().map_or(bytes.len(), |decoded| at.saturating_add(decoded.used.max(1)));
        Some(decoded.map(|decoded| value_json(&decoded.value, &dialect.layouts, Form::default())))
    })
}

/// That a frame is longer than what is there.
fn cut_frame(bytes: &[u8], framing: Option<Framing>) -> Option<String> {
    let (prefix, packet) = bytes.split_first_chunk()?;
    let length = framing?.length(*prefix);
    let is_cut = usize::try_from(length).is_ok_and(|length| length > packet.len());
    is_cut.then(|| format!("its length says {length} bytes, and {} are here", packet.len()))
}
