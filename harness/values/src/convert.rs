//! Packets to values and back, for whoever converts files.

use serde::Deserialize as _;
use thiserror::Error;
use variant_codec::{Codec, Component, DecodeError, EncodeError, Framing, Options, Value};
use variant_specs::{Dialect, JudgedBy};

use crate::value_text::{Form, Strictness, SyntaxTree, ValueError, typecheck, value_json};

/// Why a text has no bytes in a dialect.
#[derive(Debug, Error)]
pub enum NoBytes {
    /// The text is not JSON.
    #[error("this is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// No dialect reads a value that is nested so deep.
    #[error("this is nested too deep for any dialect")]
    TooDeep,
    /// It is JSON, but no value of the dialect.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// It is a value that the dialect cannot carry.
    #[error("{}{error}", if path.is_empty() { String::new() } else { format!("{path}: ") })]
    Encode {
        /// The path of the innermost value that is refused: `[2].value`.
        path: String,
        /// What is wrong with it.
        error: EncodeError,
    },
}

/// Why packets cannot be read to their end.
#[derive(Debug, Error)]
#[error("packet {packet}, at byte {at}: {error}")]
pub struct NoValue {
    /// Which packet, from 1.
    pub packet: usize,
    /// Where in the input the packet begins.
    pub at: usize,
    /// What is wrong with it; its offset counts from there.
    pub error: DecodeError,
}

fn codec(dialect: &Dialect) -> Codec {
    Codec::new(dialect, JudgedBy::Engines).with(Options { objects: true })
}

/// The bytes of a value that is written as JSON.
///
/// # Errors
/// Why there are none.
pub fn encode(json: &str, dialect: &Dialect, framing: Option<Framing>) -> Result<Vec<u8>, NoBytes> {
    let tree = tree(json)?;
    let value = typecheck(&tree, dialect, Strictness::Reply)?.value;
    let codec = codec(dialect);
    let encoded = match framing {
        None => codec.encode(&value),
        Some(framing) => codec.encode_framed(&value, framing),
    };
    encoded.map_err(|error| refused(&value, &codec, error))
}

/// JSON may be nested so deep: three brackets for each value of the deepest path that a dialect allows.
const NESTED: usize = if cfg!(target_family = "wasm") { 127 } else { 4096 };

fn tree(json: &str) -> Result<SyntaxTree, NoBytes> {
    if nested(json) > NESTED {
        return Err(NoBytes::TooDeep);
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.disable_recursion_limit();
    let tree = SyntaxTree::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(tree)
}

/// How many brackets are open at most; those in strings do not count.
fn nested(json: &str) -> usize {
    let (mut open, mut most, mut is_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' if !is_text => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The error of the innermost value that is refused.
fn refused(value: &Value, codec: &Codec, error: EncodeError) -> NoBytes {
    let guilty = children(value).into_iter().find_map(|(step, child)| Some((step, child, codec.encode(child).err()?)));
    let Some((step, child, error)) = guilty else { return NoBytes::Encode { path: String::new(), error } };
    match refused(child, codec, error) {
        NoBytes::Encode { path, error } if path.is_empty() => NoBytes::Encode { path: step, error },
        NoBytes::Encode { path, error } => NoBytes::Encode { path: format!("{step}.{path}"), error },
        other => other,
    }
}

/// The values directly in a value, by their paths.
fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(array) => each(&array.items),
        Value::Dictionary(dictionary) => {
            let entries = dictionary.entries.iter().enumerate();
            entries
                .flat_map(|(place, (key, value))| {
                    [(format!("[{place}].key"), key), (format!("[{place}].value"), value)]
                })
                .collect()
        }
        Value::Record(_, components) => components.iter().flat_map(within).collect(),
        _ => Vec::new(),
    }
}

fn each(values: &[Value]) -> Vec<(String, &Value)> {
    values.iter().enumerate().map(|(place, value)| (format!("[{place}]"), value)).collect()
}

fn within(component: &Component) -> Vec<(String, &Value)> {
    if let Component::Value(value) = component {
        vec![("value".to_owned(), value)]
    } else if let Component::Values(values) = component {
        each(values)
    } else if let Component::List(elements) = component {
        elements.iter().flatten().flat_map(within).collect()
    } else {
        Vec::new()
    }
}

/// The values of packets, each as JSON: one after the other, or each with its length in front.
///
/// # Errors
/// Which packet cannot be read, and why.
pub fn decode(bytes: &[u8], dialect: &Dialect, framing: Option<Framing>) -> Result<Vec<String>, NoValue> {
    let codec = codec(dialect);
    let (mut values, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let decoded = match framing {
            None => codec.decode(rest),
            Some(framing) => codec.decode_framed(rest, framing),
        };
        let decoded = decoded.map_err(|error| NoValue { packet: values.len() + 1, at, error })?;
        values.push(value_json(&decoded.value, &dialect.layouts, Form::default()));
        at = at.saturating_add(decoded.used.max(1));
    }
    Ok(values)
}
