//! An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//!
//! It reads and writes null, bool, int and float by itself. Call your library in `decode` and `encode`. Then add type
//! by type to `to_json`, `from_json` and `hello`.

use std::io::{self, BufRead, Write};

use serde_json::{json, Map, Value as Json};

const DIALECT: &str = "godot-4.4"; // ENGINES; `conform new-adapter --help` names others

fn hello() -> Json {
    json!({
        "protocol": 1, "name": "my-adapter", "version": env!("CARGO_PKG_VERSION"), "language": "rust", "dialects": [DIALECT],
        "ops": ["decode", "encode", "reencode"],
        // Only these are tested. All names, with the engine's names: TYPES
        "types": ["null", "bool", "int", "float"],
        "ints": "strings", // ints come as {"int":"7"}
        "reals": "bits",   // floats come as {"float":"0x3fe0000000000000"}; those of a Vector2 have 8 digits
        // If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
        // put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions of
        // your library that do so in `decode_framed` and `encode_framed`; if it has none, delete this.
        "framing": ["u32le"],
    })
}

/// The library's own values: yours are here instead.
enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
}

/// Why the library cannot read a packet, or cannot write a value.
type Refused = String;

/// The library's own value of a packet, and how many bytes of it were read.
fn decode(packet: &[u8]) -> Result<(Value, usize), Refused> {
    let header = u32::from_le_bytes(bytes_at(packet, 0)?);
    match (header & 0xff, header >> 16 & 1) {
        (0, _) => Ok((Value::Null, 4)),
        (1, _) => Ok((Value::Bool(bytes_at(packet, 4)? != [0; 4]), 8)),
        (2, 0) => Ok((Value::Int(i32::from_le_bytes(bytes_at(packet, 4)?).into()), 8)),
        (2, _) => Ok((Value::Int(i64::from_le_bytes(bytes_at(packet, 4)?)), 12)),
        (3, 0) => Ok((Value::Float(f32::from_le_bytes(bytes_at(packet, 4)?).into()), 8)),
        (3, _) => Ok((Value::Float(f64::from_le_bytes(bytes_at(packet, 4)?)), 12)),
        (other, _) => Err(format!("type {other}")),
    }
}

/// The packet of the library's own value.
fn encode(value: &Value) -> Result<Vec<u8>, Refused> {
    let packet = |header: u32, body: &[u8]| [&header.to_le_bytes(), body].concat();
    Ok(match *value {
        Value::Null => packet(0, &[]),
        Value::Bool(bool) => packet(1, &u32::from(bool).to_le_bytes()),
        Value::Int(int) => match i32::try_from(int) {
            Ok(narrow) => packet(2, &narrow.to_le_bytes()),
            Err(_) => packet(2 | 1 << 16, &int.to_le_bytes()),
        },
        // A NaN never equals itself, and stays wide.
        Value::Float(float) if f64::from(float as f32) == float => packet(3, &(float as f32).to_le_bytes()),
        Value::Float(float) => packet(3 | 1 << 16, &float.to_le_bytes()),
    })
}

/// The library's own value as the protocol writes it.
fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => json!({"null": null}),
        Value::Bool(bool) => json!({"bool": bool}),
        Value::Int(int) => json!({"int": int.to_string()}),
        Value::Float(float) => json!({"float": format!("{:#018x}", float.to_bits())}),
    }
}

fn from_json(value: &Json) -> Option<Value> {
    let (layout, body) = value.as_object()?.iter().next()?;
    match layout.as_str() {
        "null" => Some(Value::Null),
        "bool" => body.as_bool().map(Value::Bool),
        "int" => body.as_str()?.parse().ok().map(Value::Int),
        "float" => u64::from_str_radix(body.as_str()?.strip_prefix("0x")?, 16).ok().map(f64::from_bits).map(Value::Float),
        _ => None,
    }
}

fn bytes_at<const N: usize>(packet: &[u8], at: usize) -> Result<[u8; N], Refused> {
    let bytes = packet.get(at..at + N).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| "the packet ends too early".to_owned())
}

fn decode_framed(packet: &[u8]) -> Result<(Value, usize), Refused> {
    let length = u32::from_le_bytes(bytes_at(packet, 0)?) as usize;
    let inner = packet[4..].get(..length).ok_or("the length is beyond the end")?;
    Ok((decode(inner)?.0, 4 + length))
}

fn encode_framed(value: &Value) -> Result<Vec<u8>, Refused> {
    let packet = encode(value)?;
    Ok([&(packet.len() as u32).to_le_bytes(), packet.as_slice()].concat())
}

/// Everything in a reply except its seq; `None` if the request is not supported.
fn answer(request: &Map<String, Json>) -> Option<Result<Json, Refused>> {
    let text = |key: &str| request.get(key).and_then(Json::as_str).unwrap_or_default();
    let framed = request.get("options").is_some_and(|options| options.get("framing").is_some());
    let read = if framed { decode_framed } else { decode };
    let write = if framed { encode_framed } else { encode };
    let written = |value: &Value| write(value).map(|packet| json!({"bytes": to_hex(&packet)}));
    match text("op") {
        _ if text("dialect") != DIALECT => None,
        "decode" => {
            Some(read(&from_hex(text("bytes"))?).map(|(value, used)| json!({"value": to_json(&value), "used": used})))
        }
        "reencode" => Some(read(&from_hex(text("bytes"))?).and_then(|(value, _)| written(&value))),
        "encode" => Some(written(&from_json(request.get("value")?)?)),
        _ => None,
    }
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok())).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().split(b'\n') {
        let Ok(request) = serde_json::from_slice::<Map<String, Json>>(&line?) else { continue };
        let mut reply = match answer(&request) {
            _ if request.get("op").is_some_and(|op| op == "hello") => hello(),
            Some(Ok(reply)) => reply,
            Some(Err(why)) => json!({"refused": why}),
            None => json!({"unsupported": "no such operation, dialect or value"}),
        };
        if let Some(seq) = request.get("seq") {
            reply["seq"] = seq.clone();
        }
        let mut output = io::stdout().lock();
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(())
}
