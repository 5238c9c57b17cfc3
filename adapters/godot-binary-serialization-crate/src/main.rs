//! The crate godot-binary-serialization behind the protocol: `Decoder`, `Encoder`, and what a caller of theirs holds in
//! between. Serves two versions of it: this package has the version of the crate.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use godot_binary_serialization::decoder::Decoder;
use godot_binary_serialization::encoder::Encoder;
use godot_binary_serialization::types::primitive::{GodotBool, GodotFloat, GodotInteger, GodotNull, GodotString};
use godot_binary_serialization::types::structures::{GodotDictionary, GodotVector2, GodotVector3};
use godot_binary_serialization::types::variant::{AsVariant, GodotVariant};
use serde_json::{Value, json};

type Variant = Box<dyn GodotVariant>;

/// Why there is no value and no packet.
enum Failure {
    /// What the library says.
    Refused(String),
    /// There is no way to ask it, or to say what it gave.
    Unsupported(String),
}

fn main() -> io::Result<()> {
    // What it panics with is told in the answer.
    std::panic::set_hook(Box::new(|_| {}));
    for line in io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        let mut reply = if request["op"] == "hello" { hello() } else { answer(&request) };
        if request["op"] != "hello" {
            reply["seq"] = request["seq"].clone();
        }
        writeln!(io::stdout().lock(), "{reply}")?;
    }
    Ok(())
}

/// 0.1 has the ids of Godot 3 as far as it goes, 0.2 those of Godot 4; the README names neither.
fn hello() -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let dialects =
        if version.starts_with("0.1.") { json!(["godot-3"]) } else { json!(["godot-4.0", "godot-4.3", "godot-4.4"]) };
    json!({"protocol": 1, "name": "godot-binary-serialization (crate)", "version": version, "language": "rust",
        "dialects": dialects, "ops": ["decode", "encode", "reencode"],
        "types": ["null", "bool", "int", "float", "string", "vector2", "vector3", "dictionary"],
        "ints": "strings", "reals": "bits", "text": "hex"})
}

fn answer(request: &Value) -> Value {
    let answered = catch_unwind(AssertUnwindSafe(|| match request["op"].as_str() {
        Some("decode") => shown(&*decoded(request)?),
        Some("encode") => packet(&*built(&request["value"])?),
        Some("reencode") => packet(&*decoded(request)?),
        _ => Err(unsupported("no such operation")),
    }));
    // A panic is no refusal: who calls it is gone.
    match answered {
        Ok(Ok(answer)) => answer,
        Ok(Err(Failure::Unsupported(why))) => json!({ "unsupported": why }),
        Ok(Err(Failure::Refused(why))) => json!({"refused": why}),
        Err(panic) => {
            json!({"unsupported": format!("it panicked: {}", panic.downcast_ref::<String>().map_or("?", String::as_str))})
        }
    }
}

fn unsupported(why: impl ToString) -> Failure {
    Failure::Unsupported(why.to_string())
}

fn decoded(request: &Value) -> Result<Variant, Failure> {
    let bytes = hex::decode(request["bytes"].as_str().unwrap_or_default()).map_err(unsupported)?;
    Decoder::decode_variant(&bytes).map_err(|error| Failure::Refused(error.to_string()))
}

fn packet(value: &dyn GodotVariant) -> Result<Value, Failure> {
    let packet = Encoder::encode_variant(value).map_err(|error| Failure::Refused(error.to_string()))?;
    Ok(json!({"bytes": hex::encode(packet)}))
}

/// `byte_length` is what it goes by itself, from one element to the next.
fn shown(value: &dyn GodotVariant) -> Result<Value, Failure> {
    Ok(json!({"value": written(value)?, "used": value.byte_length()}))
}

fn written(value: &dyn GodotVariant) -> Result<Value, Failure> {
    let bits = |number: f32| format!("{:#010x}", number.to_bits());
    Ok(if let Some(value) = value.as_var::<GodotBool>() {
        json!({"bool": value.value})
    } else if let Some(value) = value.as_var::<GodotInteger>() {
        json!({"int": value.value.to_string()})
    } else if let Some(value) = value.as_var::<GodotFloat>() {
        json!({"float": format!("{:#018x}", value.value.to_bits())})
    } else if let Some(value) = value.as_var::<GodotString>() {
        json!({"string": {"utf8": hex::encode(&value.value)}})
    } else if let Some(value) = value.as_var::<GodotVector2>() {
        json!({"vector2": [bits(value.x), bits(value.y)]})
    } else if let Some(value) = value.as_var::<GodotVector3>() {
        json!({"vector3": [bits(value.x), bits(value.y), bits(value.z)]})
    } else if let Some(value) = value.as_var::<GodotDictionary>() {
        let entries = value.map.iter().map(|(key, value)| Ok(json!([written(&**key)?, written(&**value)?])));
        json!({"dictionary": entries.collect::<Result<Vec<_>, _>>()?})
    } else if value.as_var::<GodotNull>().is_some() {
        json!({"null": null})
    } else {
        return Err(unsupported("a value of another type"));
    })
}

fn built(json: &Value) -> Result<Variant, Failure> {
    let (layout, body) = json.as_object().and_then(|map| map.iter().next()).ok_or_else(|| unsupported("no value"))?;
    let text = || body["utf8"].as_str().or(body.as_str()).unwrap_or_default();
    let hex_of = |body: &Value| u64::from_str_radix(body.as_str().unwrap_or_default().trim_start_matches("0x"), 16);
    let real = |place: usize| f32::from_bits(hex_of(&body[place]).unwrap_or_default() as u32);
    Ok(match layout.as_str() {
        "null" => Box::new(GodotNull),
        "bool" => Box::new(GodotBool::new(body.as_bool().unwrap_or_default())),
        "int" => Box::new(GodotInteger::new_from_i64(body.as_str().unwrap_or_default().parse().map_err(unsupported)?)),
        // There is a constructor for each width, and nothing that chooses.
        "float" => Box::new(GodotFloat::new_from_f64(f64::from_bits(hex_of(body).map_err(unsupported)?))),
        "string" => {
            let bytes = hex::decode(text()).map_err(unsupported)?;
            Box::new(GodotString::new(&String::from_utf8(bytes).map_err(unsupported)?))
        }
        "vector2" => Box::new(GodotVector2::new(real(0), real(1))),
        "vector3" => Box::new(GodotVector3::new(real(0), real(1), real(2))),
        "dictionary" if body.is_object() => return Err(unsupported("there are no typed dictionaries")),
        "dictionary" => {
            let mut dictionary = GodotDictionary::new();
            for entry in body.as_array().into_iter().flatten() {
                dictionary.map.insert(built(&entry[0])?, built(&entry[1])?);
            }
            Box::new(dictionary)
        }
        other => return Err(unsupported(format!("there is no {other}"))),
    })
}
