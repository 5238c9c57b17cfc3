//! Numbers that JSON libraries change. Each is decoded and encoded, and must stay the same.

use variant_codec::{F32, F64, Numbers, Value};
use variant_specs::{Scalar, Shape};

use super::check::{Failed, Found, GOOD};
use super::conversation::Conversation;
use super::hint::{Hint, both_ways};
use variant_values::handshake::Lossy;

/// An int that a double cannot hold.
pub(super) fn int(talk: &mut Conversation<'_>, int: i64) -> Result<Found, Failed> {
    let hint = Hint {
        reply: &format!("JSON numbers are doubles in many languages: reply with {{\"int\":\"{int}\"}}, in quotes"),
        read: "JSON numbers are doubles in many languages: set \"ints\":\"strings\" in the handshake reply to receive \
               all ints in quotes",
        form_known: talk.handshake.ints.is_some(),
        lossy: "if your language has no such int, list \"int64\" in `lossy`",
        codec: "ignores the flag for 64 bits, or keeps the number in a double",
    };
    of_shape(talk, Shape::Int, &Value::Int(int), hint)
}

pub(super) fn digits(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let reply = "write as many digits as the float needs (17), or reply with bits: {\"float\":\"0x3fd3333333333334\"}";
    let read = "read all digits of a float, or set \"reals\":\"bits\" in the handshake reply to receive bits";
    float(talk, 0x3fd3_3333_3333_3334, [reply, read, "keeps 32 of its 64 bits", ""])
}

pub(super) fn negative_zero(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let reply = "write -0.0 with its sign, or reply with bits: {\"float\":\"0x8000000000000000\"}";
    let read = "read -0.0 with its sign, or set \"reals\":\"bits\" in the handshake reply to receive bits";
    float(talk, 1 << 63, [reply, read, "loses the sign", ""])
}

pub(super) fn subnormal(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let reply = "5e-324 is a normal value: reply with bits if your language prints it as 0";
    let read = "5e-324 is a normal value: if your language reads it as 0, set \"reals\":\"bits\" in the handshake \
                reply to receive bits";
    float(talk, 1, [reply, read, "keeps 32 of its 64 bits", ""])
}

pub(super) fn infinity(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let reply = "JSON has no infinity: reply with {\"float\":\"inf\"}, {\"float\":\"-inf\"} and {\"float\":\"nan\"}, in \
                 quotes";
    let read = "JSON has no infinity: it comes as \"inf\" and \"-inf\", in quotes";
    float(talk, f64::NEG_INFINITY.to_bits(), [reply, read, "does not know it", ""])
}

pub(super) fn nan_payload(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    if talk.handshake.lossy.contains(&Lossy::NanPayload) {
        return Ok(Found::skipped("its handshake reply lists it in `lossy`"));
    }
    let reply = "a NaN has bits: reply with {\"float\":\"0x7ff80000deadbeef\"}";
    let read = "a NaN has bits, and is sent as bits: \"0x7ff80000deadbeef\"";
    let lossy = "if your language cannot, list \"nan-payload\" in `lossy`";
    float(talk, 0x7ff8_0000_dead_beef, [reply, read, "loses it", lossy])
}

pub(super) fn singles(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let hint = Hint {
        reply: "write floats of 32 bits with the digits of a double, and -0.0 with its sign; or as bits of 8 digits: \
                \"0x00000001\"",
        read: "read floats of 32 bits from the digits of a double, or set \"reals\":\"bits\" in the handshake reply, to \
               be sent bits",
        form_known: talk.handshake.reals.is_some(),
        codec: "changes them",
        ..Hint::default()
    };
    // A vector of two takes two of them at a time.
    for bits in [[0x3dcc_cccf, 0x8000_0000, 1, 0x7fc0_0000], [0x7fc0_0000, 1, 0x8000_0000, 0x3dcc_cccf]] {
        let Some((layout, value)) = with_singles(talk, &bits) else {
            return Ok(Found::skipped("it supports no type with them"));
        };
        let found = both_ways(talk, &layout, &value, hint)?;
        if found != GOOD {
            return Ok(found);
        }
    }
    Ok(GOOD)
}

fn with_singles(talk: &Conversation<'_>, bits: &[u32; 4]) -> Option<(String, Value)> {
    talk.dialect.types.iter().find_map(|entry| {
        let layout = talk.dialect.layout(entry);
        let singles = matches!(layout.of, Some(Scalar::Real | Scalar::Channel | Scalar::Float32));
        let claimed = talk.handshake.ops.iter().any(|op| talk.handshake.claims(&layout.name, *op));
        let numbers = Numbers::Float32((0..layout.arity()).map(|place| F32(bits[place % bits.len()])).collect());
        let value = if layout.shape == Shape::Fields { Value::Fields } else { Value::Packed };
        (singles && claimed).then(|| (layout.name.clone(), value(entry.layout, numbers)))
    })
}

fn float(talk: &mut Conversation<'_>, bits: u64, [reply, read, codec, lossy]: [&str; 4]) -> Result<Found, Failed> {
    let form_known = talk.handshake.reals.is_some();
    of_shape(talk, Shape::Float, &Value::Float(F64(bits)), Hint { reply, read, form_known, lossy, codec })
}

fn of_shape(talk: &mut Conversation<'_>, shape: Shape, value: &Value, hint: Hint<'_>) -> Result<Found, Failed> {
    let Some(entry) = talk.dialect.type_of_shape(shape) else {
        return Ok(Found::skipped("its dialect has no such type"));
    };
    let layout = talk.dialect.layout(entry).name.clone();
    both_ways(talk, &layout, value, hint)
}
