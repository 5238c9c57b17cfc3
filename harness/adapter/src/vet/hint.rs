//! Sends a value both ways. If it comes back changed, says how to fix that where JSON may have changed it. What only the
//! codec can have changed is a remark: to test that is what a run is for.

use serde_json::Value as Json;
use variant_codec::{Numbers, Value};

use super::check::{Failed, Found, GOOD};
use super::conversation::Conversation;
use super::refusals::reply_kind;
use variant_values::compare::{Comparison, compare};
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::{Input, InvalidValue, read_value};
use variant_values::protocol::Reply;
use variant_values::sanitize::short;
use variant_values::value_text::{ExpectedValue, Form, value_json};

#[derive(Clone, Copy, Default)]
pub(super) struct Hint<'a> {
    /// How to reply with it, so that no JSON library changes it.
    pub(super) reply: &'a str,
    /// How to read it, or how to request a form that is easier to read.
    pub(super) read: &'a str,
    /// Whether the handshake reply already requests the form that no JSON library changes.
    pub(super) form_known: bool,
    /// What to declare if the language cannot hold it; or nothing.
    pub(super) lossy: &'a str,
    /// What a codec does that changes it.
    pub(super) codec: &'a str,
}

impl Hint<'_> {
    /// What to say of a changed value. `pipe` is how to keep JSON from changing it; `None` if JSON has not.
    fn changed(&self, what: String, pipe: Option<&str>) -> Result<Option<String>, Failed> {
        let Some(pipe) = pipe else {
            let lossy = if self.lossy.is_empty() { String::new() } else { format!("; {}", self.lossy) };
            return Ok(Some(format!("{what}; perhaps the codec {}{lossy}: `conform run` says more", self.codec)));
        };
        let parts: Vec<&str> = [pipe, self.lossy].into_iter().filter(|part| !part.is_empty()).collect();
        let perhaps = if parts.is_empty() { "perhaps" } else { "or" };
        let advice = [parts, vec![&format!("{perhaps} the codec {}", self.codec)]].concat().join("; ");
        Err(Failed(what).hint(&format!("{advice}: see `conform run`")))
    }
}

/// Decodes the value's packet and encodes the value, as far as the adapter supports it: neither may change it.
pub(super) fn both_ways(
    talk: &mut Conversation<'_>,
    layout: &str,
    value: &Value,
    hint: Hint<'_>,
) -> Result<Found, Failed> {
    let [decodes, encodes] = [Op::Decode, Op::Encode].map(|op| talk.claims(layout, op));
    if !decodes && !encodes {
        return Ok(Found::Skipped(format!("it does not support `{layout}`")));
    }
    let packet = match talk.codec.encode(value) {
        Ok(packet) if matches!(talk.codec.decode(&packet), Ok(decoded) if decoded.value == *value) => packet,
        Ok(_) | Err(_) => return Ok(Found::Skipped(format!("{} cannot hold it", talk.dialect.name))),
    };
    let mut remarks = Vec::new();
    if decodes {
        let reply = talk.send(Input::Decode(packet)).map_err(|why| why.hint(hint.reply))?;
        remarks.extend(judged(talk, value, Op::Decode, &reply, hint)?);
    }
    if encodes {
        let reply = talk.send(Input::Encode(value.clone())).map_err(|why| why.hint(hint.read))?;
        remarks.extend(judged(talk, value, Op::Encode, &reply, hint)?);
    }
    Ok(if remarks.is_empty() { GOOD } else { Found::Remark(remarks.join("; ")) })
}

/// Compares what was decoded, or what an encoded packet means, with the value. Returns a remark if it was refused, is a declared
/// loss, or was changed by the codec; or an error with what was received instead.
fn judged(
    talk: &Conversation<'_>,
    value: &Value,
    op: Op,
    reply: &Reply,
    hint: Hint<'_>,
) -> Result<Option<String>, Failed> {
    let decodes = op == Op::Decode;
    let (refused, gave, advice, is_exact) = match op {
        Op::Decode => ("its decoder refused the packet", "decoding gave", hint.reply, is_exact(reply)),
        _ => ("its encoder refused the value", "encoding gave", hint.read, hint.form_known),
    };
    let (shown, read) = match reply {
        Reply::Refused(reason) => return Ok(Some(format!("{refused}: {}", reason.text))),
        Reply::Value { json, .. } if decodes => {
            let read = read_value(json, talk.dialect, &talk.handshake.lossy);
            // Without a path it is the form or the name of the type that is wrong, which no number is to blame for.
            let is_inside = matches!(&read, Err(InvalidValue::NoSuchValue(error)) if !error.path.is_empty());
            (json.chars().take(120).collect(), read.map_err(|error| (error.to_string(), is_inside)))
        }
        Reply::Bytes(bytes) if !decodes => {
            let read = talk.codec.decode(bytes).map(|read| read.value);
            (hex::encode(&bytes[..bytes.len().min(60)]), read.map_err(|error| (error.to_string(), false)))
        }
        // What the adapter says in words of its own is no slip of JSON.
        Reply::Unsupported(_) => return Err(Failed(format!("{gave} {}", reply_kind(reply)))),
        other => return Err(Failed(format!("{gave} {}", reply_kind(other))).hint(advice)),
    };
    let what = format!("{gave} {shown}");
    let read = match read {
        Ok(read) => read,
        Err((error, true)) => return hint.changed(format!("{what} ({error})"), Some(advice)),
        Err((error, false)) if decodes => return Err(Failed(format!("{what}: {error}"))),
        Err((error, false)) => return Ok(Some(format!("{what} ({error}); `conform run` says more"))),
    };
    match compared(talk, value, &read) {
        Comparison::Same => Ok(None),
        Comparison::DeclaredLoss(_) => {
            let what = if decodes { shown } else { "not exactly the value".to_owned() };
            Ok(Some(format!("{what}, which its `lossy` allows")))
        }
        Comparison::Different(_) => {
            let json = value_json(&read, &talk.specs.layouts, Form::default());
            let what = if decodes { what } else { format!("{what}, which means {}", short(&json, 120)) };
            // JSON makes no value one of another type.
            let type_of = |value| layout_id_of(value, &talk.dialect.layouts);
            if type_of(value) != type_of(&read) {
                return Ok(Some(format!("{what}; `conform run` says more")));
            }
            hint.changed(what, (!is_exact).then_some(advice))
        }
    }
}

/// Compares two values. In floats of 32 bits, the payload of a NaN does not count.
fn compared(talk: &Conversation<'_>, value: &Value, actual: &Value) -> Comparison {
    let mut any_nan = Vec::new();
    if let Value::Fields(_, Numbers::Float32(floats)) | Value::Packed(_, Numbers::Float32(floats)) = value {
        any_nan.extend((0..floats.len()).filter(|place| floats[*place].get().is_nan()));
    }
    let expected = ExpectedValue { value: value.clone(), any_nan };
    compare(&expected, actual, &talk.handshake.lossy, &talk.dialect.layouts)
}

/// Whether the reply has a form that no JSON library changes: an integer or bits in quotes, a text in hex.
fn is_exact(reply: &Reply) -> bool {
    let Reply::Value { json, .. } = reply else { return false };
    let Ok(Json::Object(object)) = serde_json::from_str::<Json>(json) else { return false };
    !object.is_empty() && object.values().all(exact)
}

fn exact(json: &Json) -> bool {
    match json {
        Json::String(text) => text.starts_with("0x") || text.parse::<i128>().is_ok(),
        Json::Array(items) => items.iter().all(exact),
        Json::Object(object) => object.contains_key("utf8"),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}
