//! An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//!
//! It reads and writes null, bool, int and float by itself. Put your library into `decode` and `encode`, list its types
//! in `hello`, and leave the rest as it is.

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use serde_json::{json, Map, Value};

fn hello() -> Value {
    json!({
        "protocol": 1,
        "name": "my-adapter",
        "version": env!("CARGO_PKG_VERSION"),
        "language": "rust",
        "dialects": ["godot-3"],
        "ops": ["decode", "encode", "reencode"],
        // Only these are tested.
        "types": ["null", "bool", "int", "float"],
        // Floats come as {"float":"0x3fe0000000000000"}, since JSON has no NaN and no infinity.
        "reals": "bits",
    })
}

/// Why there is no value and no packet.
enum Failure {
    /// The library cannot read this packet, or cannot write this value.
    Refused(String),
    /// The adapter does not support this request.
    Unsupported(String),
}

/// The value of a packet, and how many bytes of it were read.
fn decode(packet: &[u8]) -> Result<(Value, usize), Failure> {
    let header = u32::from_le_bytes(bytes_at(packet, 0)?);
    let wide = header >> 16 & 1 == 1;
    match (header & 0xff, wide) {
        (0, _) => Ok((json!({"null": null}), 4)),
        (1, _) => Ok((json!({"bool": bytes_at(packet, 4)? != [0; 4]}), 8)),
        (2, false) => Ok((json!({"int": i32::from_le_bytes(bytes_at(packet, 4)?)}), 8)),
        (2, true) => Ok((json!({"int": i64::from_le_bytes(bytes_at(packet, 4)?).to_string()}), 12)),
        (3, false) => Ok((float(f64::from(f32::from_le_bytes(bytes_at(packet, 4)?))), 8)),
        (3, true) => Ok((float(f64::from_le_bytes(bytes_at(packet, 4)?)), 12)),
        (other, _) => Err(Failure::Refused(format!("type {other}"))),
    }
}

/// The packet of a value.
fn encode(value: &Value) -> Result<Vec<u8>, Failure> {
    let unreadable = || Failure::Unsupported(format!("the value {value}"));
    let (layout, body) = value.as_object().and_then(|object| object.iter().next()).ok_or_else(unreadable)?;
    match layout.as_str() {
        "null" => Ok(packet(0, &[])),
        "bool" => Ok(packet(1, &u32::from(body.as_bool().ok_or_else(unreadable)?).to_le_bytes())),
        "int" => {
            // A number, or beyond 2^53 a decimal string.
            let text = body.as_str();
            let int: i64 = text.map_or_else(|| body.as_i64(), |text| text.parse().ok()).ok_or_else(unreadable)?;
            Ok(i32::try_from(int).map_or_else(
                |_| packet(2 | 1 << 16, &int.to_le_bytes()),
                |narrow| packet(2, &narrow.to_le_bytes()),
            ))
        }
        "float" => {
            let bits = body.as_str().and_then(|text| text.strip_prefix("0x"));
            let bits = bits.and_then(|bits| u64::from_str_radix(bits, 16).ok()).ok_or_else(unreadable)?;
            let single = f64::from_bits(bits) as f32;
            // Equal as numbers: a NaN never is, and stays wide.
            let fits = f64::from(single) == f64::from_bits(bits);
            Ok(if fits { packet(3, &single.to_le_bytes()) } else { packet(3 | 1 << 16, &bits.to_le_bytes()) })
        }
        other => Err(Failure::Refused(format!("cannot write {other}"))),
    }
}

fn float(float: f64) -> Value {
    json!({"float": format!("0x{:016x}", float.to_bits())})
}

fn packet(header: u32, body: &[u8]) -> Vec<u8> {
    [&header.to_le_bytes(), body].concat()
}

fn bytes_at<const N: usize>(packet: &[u8], at: usize) -> Result<[u8; N], Failure> {
    let bytes = packet.get(at..at + N).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| Failure::Refused("the packet ends too early".to_owned()))
}

/// Everything in a reply except its seq.
fn answer(request: &Map<String, Value>) -> Result<Value, Failure> {
    let text = |key: &str| request.get(key).and_then(Value::as_str).unwrap_or_default();
    let (op, dialect) = (text("op"), text("dialect"));
    match op {
        _ if dialect != "godot-3" => Err(Failure::Unsupported(format!("the dialect {dialect}"))),
        "decode" | "reencode" => {
            let packet = from_hex(text("bytes")).ok_or_else(|| Failure::Unsupported("`bytes` is not hex".to_owned()))?;
            let (value, used) = decode(&packet)?;
            if op == "reencode" { written(&value) } else { Ok(json!({"value": value, "used": used})) }
        }
        "encode" => written(request.get("value").unwrap_or(&Value::Null)),
        other => Err(Failure::Unsupported(format!("the operation {other}"))),
    }
}

fn written(value: &Value) -> Result<Value, Failure> {
    let hex: String = encode(value)?.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(json!({"bytes": hex}))
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok())).collect()
}

/// The reply to a line; none if it is no request.
fn line(line: &[u8]) -> Option<Vec<u8>> {
    let request = serde_json::from_slice::<Map<String, Value>>(line).ok()?;
    let reply = if request.get("op").and_then(Value::as_str) == Some("hello") {
        hello()
    } else {
        let mut reply = answer(&request).unwrap_or_else(|failure| match failure {
            Failure::Refused(why) => json!({"refused": why}),
            Failure::Unsupported(why) => json!({"unsupported": why}),
        });
        reply["seq"] = request.get("seq").cloned().unwrap_or_default();
        reply
    };
    Some(format!("{reply}\n").into_bytes())
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (BufReader::new(io::stdin().lock()), BufWriter::new(io::stdout().lock()));
    loop {
        let mut request = Vec::new();
        if input.read_until(b'\n', &mut request)? == 0 {
            return output.flush();
        }
        output.write_all(&line(&request).unwrap_or_default())?;
        // Once no further request is waiting.
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
}
