//! Numbers that JSON libraries spoil, sent both ways: decoded they must arrive as they are, encoded likewise.

use variant_codec::{F32, F64, Numbers, Value};
use variant_specs::{Scalar, Shape};

use super::Found;
use super::mend::Mend;
use super::talk::{Talk, named};
use variant_wire::compare::{Comparison, compare};
use variant_wire::handshake::{Lossy, Op};
use variant_wire::implementation::{Answer, AnsweredValue, Input};
use variant_wire::sanitize::short;
use variant_wire::value_text::{Expected, Form, value_json};

/// Where a double ends to be exact.
const BEYOND_DOUBLE: i64 = (1 << 53) + 1;

pub(super) fn beyond_double(talk: &mut Talk<'_>) -> Result<Found, String> {
    int(talk, BEYOND_DOUBLE)
}

pub(super) fn smallest_int(talk: &mut Talk<'_>) -> Result<Found, String> {
    int(talk, i64::MIN)
}

pub(super) fn digits(talk: &mut Talk<'_>) -> Result<Found, String> {
    let mend = Mend {
        answer: "write as many digits as give the float back (17), or answer bits: {\"float\":\"0x3fd3333333333334\"}",
        read: "read all digits of a float, or say \"reals\":\"bits\" in the hello, to be sent bits",
        codec: "keeps 32 of its 64 bits",
        ..reals(talk)
    };
    float(talk, 0x3fd3_3333_3333_3334, mend)
}

pub(super) fn negative_zero(talk: &mut Talk<'_>) -> Result<Found, String> {
    let mend = Mend {
        answer: "write -0.0 with its sign, or answer bits: {\"float\":\"0x8000000000000000\"}",
        read: "read -0.0 with its sign, or say \"reals\":\"bits\" in the hello, to be sent bits",
        codec: "loses the sign",
        ..reals(talk)
    };
    float(talk, 1 << 63, mend)
}

pub(super) fn subnormal(talk: &mut Talk<'_>) -> Result<Found, String> {
    let mend = Mend {
        answer: "5e-324 is a float like others: answer bits where your language prints it as 0",
        read: "5e-324 is a float like others: where your language reads it as 0 say \"reals\":\"bits\" in the hello, to \
               be sent bits",
        codec: "keeps 32 of its 64 bits",
        ..reals(talk)
    };
    float(talk, 1, mend)
}

pub(super) fn infinity(talk: &mut Talk<'_>) -> Result<Found, String> {
    let mend = Mend {
        answer: "JSON has no infinity: answer {\"float\":\"inf\"}, {\"float\":\"-inf\"} and {\"float\":\"nan\"}, in \
                 quotes",
        read: "JSON has no infinity: it comes as \"inf\" and \"-inf\", in quotes",
        codec: "does not know it",
        ..reals(talk)
    };
    float(talk, f64::NEG_INFINITY.to_bits(), mend)
}

pub(super) fn nan_payload(talk: &mut Talk<'_>) -> Result<Found, String> {
    if talk.handshake.lossy.contains(&Lossy::NanPayload) {
        return Ok(Found::Skipped("its hello says that it is lossy in it".to_owned()));
    }
    let mend = Mend {
        answer: "a NaN has bits: answer {\"float\":\"0x7ff80000deadbeef\"}",
        read: "a NaN has bits, and comes as them: \"0x7ff80000deadbeef\"",
        lossy: "if your language cannot, name \"nan-payload\" in `lossy`",
        codec: "keeps 32 of its 64 bits",
        ..reals(talk)
    };
    float(talk, 0x7ff8_0000_dead_beef, mend)
}

/// What holds of all reals.
fn reals(talk: &Talk<'_>) -> Mend<'static> {
    Mend { answer: "", read: "", said: talk.handshake.reals.is_some(), lossy: "", codec: "" }
}

/// A number that needs all its digits, -0.0, the smallest float and a NaN, in the first type that has numbers of 32 bits.
pub(super) fn singles(talk: &mut Talk<'_>) -> Result<Found, String> {
    let mend = Mend {
        answer: "answer floats of 32 bits with the digits of a double, or as bits of 8 digits: \"0x00000001\"",
        read: "read floats of 32 bits from the digits of a double, or say \"reals\":\"bits\" in the hello, to be sent bits",
        codec: "changes them on their way",
        ..reals(talk)
    };
    let mut bits = [0x3dcc_cccf, 0x8000_0000, 1, 0x7fc0_0000];
    for _ in 0..2 {
        let found = match with_singles(talk, &bits) {
            Some((layout, value)) => both_ways(talk, &layout, &value, mend)?,
            None => return Ok(Found::Skipped("it claims no type that has them".to_owned())),
        };
        if !matches!(found, Found::Good(_)) {
            return Ok(found);
        }
        // A vector of two takes two of them at a time.
        bits.reverse();
    }
    Ok(Found::Good(String::new()))
}

fn with_singles(talk: &Talk<'_>, bits: &[u32; 4]) -> Option<(String, Value)> {
    talk.dialect.types.iter().find_map(|entry| {
        let layout = talk.dialect.layout(entry);
        let singles = matches!(layout.of, Some(Scalar::Real | Scalar::Channel | Scalar::Float32));
        let claimed = talk.handshake.ops.iter().any(|op| talk.handshake.claims(&layout.name, *op));
        let numbers = Numbers::Float32((0..layout.arity()).map(|place| F32(bits[place % bits.len()])).collect());
        let value = if layout.shape == Shape::Fields { Value::Fields } else { Value::Packed };
        (singles && claimed).then(|| (layout.name.clone(), value(entry.layout, numbers)))
    })
}

fn int(talk: &mut Talk<'_>, int: i64) -> Result<Found, String> {
    let mend = Mend {
        answer: &format!("JSON numbers are doubles in many languages: answer {{\"int\":\"{int}\"}}, in quotes"),
        read: "JSON numbers are doubles in many languages: say \"ints\":\"strings\" in the hello, to be sent all ints in \
               quotes",
        said: talk.handshake.ints.is_some(),
        lossy: "if your language has no such int, name \"int64\" in `lossy`",
        codec: "ignores the flag by which it has eight bytes, or keeps it in a double",
    };
    of_shape(talk, Shape::Int, &Value::Int(int), mend)
}

fn float(talk: &mut Talk<'_>, bits: u64, mend: Mend<'_>) -> Result<Found, String> {
    of_shape(talk, Shape::Float, &Value::Float(F64(bits)), mend)
}

fn of_shape(talk: &mut Talk<'_>, shape: Shape, value: &Value, mend: Mend<'_>) -> Result<Found, String> {
    let Some(entry) = talk.dialect.type_of_shape(shape) else {
        return Ok(Found::Skipped("its dialect has no such type".to_owned()));
    };
    let layout = talk.dialect.layout(entry).name.clone();
    both_ways(talk, &layout, value, mend)
}

/// Decodes the value's packet and encodes the value, where that is claimed: neither may change it.
pub(super) fn both_ways(talk: &mut Talk<'_>, layout: &str, value: &Value, mend: Mend<'_>) -> Result<Found, String> {
    let claims = |op| talk.handshake.ops.contains(&op) && talk.handshake.claims(layout, op);
    let (decodes, encodes) = (claims(Op::Decode), claims(Op::Encode));
    let packet = match talk.codec.encode(value) {
        _ if !decodes && !encodes => return Ok(Found::Skipped(format!("it does not claim `{layout}`"))),
        Ok(packet) if matches!(talk.codec.decode(&packet), Ok(decoded) if decoded.value == *value) => packet,
        Ok(_) | Err(_) => return Ok(Found::Skipped(format!("{} cannot carry it", talk.dialect.name))),
    };
    let mut remarks = Vec::new();
    if decodes {
        let answer = talk.send(Input::Decode(packet)).map_err(|why| format!("{why}; {}", mend.decoded(None)))?;
        let advised = |what| format!("decoding gave {what}; {}", mend.decoded(Some(&answer)));
        remarks.extend(decoded(talk, value, &answer).map_err(advised)?);
    }
    if encodes {
        let answer = talk.send(Input::Encode(value.clone())).map_err(|why| format!("{why}; {}", mend.encoded()))?;
        let advised = |what| format!("encoding gave {what}; {}", mend.encoded());
        remarks.extend(encoded(talk, value, &answer).map_err(advised)?);
    }
    let remarks: Vec<String> = remarks.into_iter().collect();
    Ok(if remarks.is_empty() { Found::Good(String::new()) } else { Found::Remark(remarks.join("; ")) })
}

/// Whether the answer is the value; a remark where it was not given at all.
fn decoded(talk: &Talk<'_>, value: &Value, answer: &Answer) -> Result<Option<String>, String> {
    if let Answer::Refused(said) = answer {
        return Ok(Some(format!("its decoder refused the packet: {}", said.text)));
    }
    let Answer::Value { value: answered @ AnsweredValue::Json(json), .. } = answer else {
        return Err(named(answer).to_owned());
    };
    let shown = || json.chars().take(120).collect::<String>();
    let read = answered.read(talk.dialect).map_err(|error| format!("{} ({error})", shown()))?;
    let expected = Expected { value: value.clone(), any_nan: any_nan(value) };
    match compare(&expected, &read, &talk.handshake.lossy, &talk.dialect.layouts) {
        Comparison::Same => Ok(None),
        Comparison::Relaxed(_) => Ok(Some(format!("{}, which its hello allows by `lossy`", shown()))),
        Comparison::Different(_) => Err(shown()),
    }
}

/// Whether the answered packet means the value, in whatever form.
fn encoded(talk: &Talk<'_>, value: &Value, answer: &Answer) -> Result<Option<String>, String> {
    if let Answer::Refused(said) = answer {
        return Ok(Some(format!("its encoder refused the value: {}", said.text)));
    }
    let Answer::Bytes(bytes) = answer else { return Err(named(answer).to_owned()) };
    let shown = || hex::encode(&bytes[..bytes.len().min(60)]);
    let read = talk.codec.decode(bytes).map_err(|error| format!("{} ({error})", shown()))?;
    let expected = Expected { value: value.clone(), any_nan: any_nan(value) };
    match compare(&expected, &read.value, &talk.handshake.lossy, &talk.dialect.layouts) {
        Comparison::Same => Ok(None),
        Comparison::Relaxed(_) => Ok(Some("not quite the value, which its hello allows by `lossy`".to_owned())),
        Comparison::Different(_) => {
            let json = value_json(&read.value, &talk.specs.layouts, Form::default());
            Err(format!("{}, which means {}", shown(), short(&json, 120)))
        }
    }
}

/// In 32 bits the payload of a NaN is not what is looked at.
fn any_nan(value: &Value) -> Vec<usize> {
    let (Value::Fields(_, Numbers::Float32(floats)) | Value::Packed(_, Numbers::Float32(floats))) = value else {
        return Vec::new();
    };
    floats.iter().enumerate().filter(|(_, float)| float.get().is_nan()).map(|(place, _)| place).collect()
}
