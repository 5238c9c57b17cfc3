//! The crate godot-binary-serialization 0.1 on the vectors of Godot 3, for the types that it has. What it does wrong is listed:
//! what is listed must fail, and nothing else may.

use std::panic::catch_unwind;

use godot_binary_serialization::decoder::Decoder;
use godot_binary_serialization::encoder::Encoder;
use godot_binary_serialization::types::primitive::{GodotBool, GodotInteger, GodotNull, GodotString};
use godot_binary_serialization::types::variant::{AsVariant, GodotVariant};
use serde_json::{json, Value};
use variant_vectors::Codec;

struct Crate;

impl Codec for Crate {
    fn decode(&self, packet: &[u8]) -> Result<(Value, Option<usize>), String> {
        let decoded = catch_unwind(|| Decoder::decode_variant(packet).map(|value| (shown(&*value), value.byte_length())));
        match decoded {
            Ok(Ok((value, used))) => Ok((value, Some(used))),
            Ok(Err(error)) => Err(error.to_string()),
            // A panic is no refusal: it is a wrong value.
            Err(_) => Ok((json!({"panicked": true}), None)),
        }
    }

    fn encode(&self, value: &Value) -> Result<Vec<u8>, String> {
        let variant: Box<dyn GodotVariant> = match value.as_object().and_then(|map| map.iter().next()) {
            Some((layout, body)) => match (layout.as_str(), body) {
                ("null", _) => Box::new(GodotNull),
                ("bool", Value::Bool(truth)) => Box::new(GodotBool::new(*truth)),
                ("int", Value::Number(number)) => Box::new(GodotInteger::new_from_i64(number.as_i64().ok_or("large")?)),
                ("int", Value::String(digits)) => {
                    Box::new(GodotInteger::new_from_i64(digits.parse().map_err(|_| "no integer")?))
                }
                ("string", Value::String(text)) => Box::new(GodotString::new(text)),
                _ => return Err(format!("no way to make {value}")),
            },
            None => return Err("no value".to_owned()),
        };
        Encoder::encode_variant(&*variant).map_err(|error| error.to_string())
    }
}

fn shown(value: &dyn GodotVariant) -> Value {
    if let Some(value) = value.as_var::<GodotBool>() {
        json!({"bool": value.value})
    } else if let Some(value) = value.as_var::<GodotInteger>() {
        json!({"int": value.value})
    } else if let Some(value) = value.as_var::<GodotString>() {
        json!({"string": value.value})
    } else if value.as_var::<GodotNull>().is_some() {
        json!({"null": null})
    } else {
        json!({"of another type": null})
    }
}

const KNOWN: &[&str] = &[
    "godot-3/bool/two-is-sent-on-as-one:reencode",
    "godot-3/bool/three-is-true:decode",
    "godot-3/bool/second-byte-alone-is-true:decode",
    "godot-3/bool/sign-bit-alone-is-true:decode",
    "godot-3/bool/all-ones-is-true:decode",
    "godot-3/bool/two-is-true:decode",
    "godot-3/int/flag-1-widens-whatever-stands-beside-it:decode",
    "godot-3/null/null-is-its-header-alone:encode",
    "godot-3/null/null-is-type-0:encode",
    "godot-3/null/three-zero-bytes-are-not-null:decode",
    "godot-3/string/byte-order-mark-alone-is-empty:decode",
    "godot-3/string/bytes-behind-a-nul-need-not-be-utf-8:decode",
    "godot-3/string/counted-nul-is-not-text:decode",
    "godot-3/string/leading-byte-order-mark-is-dropped:decode",
    "godot-3/string/leading-nul-leaves-nothing:decode",
    "godot-3/string/nul-among-sixteen-bytes:decode",
    "godot-3/string/only-one-byte-order-mark-is-dropped:decode",
    "godot-3/string/text-ends-at-an-embedded-nul:decode",
];

variant_vectors::tests! { dialect: "godot-3", codec: Crate, known: KNOWN, layouts: [null, bool, int, string] }

#[test]
fn there_are_vectors() {
    assert!(variant_vectors::corpus().cases.len() > 5000);
}
