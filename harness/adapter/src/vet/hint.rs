//! Sends a value both ways. If it comes back changed, says how to fix that where JSON may have changed it. What only the
//! codec can have changed is a remark: to test that is what a run is for.

use serde_json::Value as Json;
use variant_codec::{Numbers, Value};

use super::conversation::Conversation;
use super::refusals::named;
use super::{Failed, Found, GOOD};
use variant_values::compare::{Comparison, compare};
use variant_values::fields::layout_id_of;
use variant_values::handshake::Op;
use variant_values::implementation::{Input, read_value};
use variant_values::protocol::Reply;
use variant_values::sanitize::short;
use variant_values::value_text::{ExpectedValue, Form, value_json};

/// How to fix one value.
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
    fn changed(&self, what: String, pipe: Option<&str>, is_of_type: bool) -> Result<Option<String>, Failed> {
        let codec = format!("the codec {}", self.codec);
        let Some(pipe) = pipe.filter(|_| is_of_type) else {
            let perhaps = if is_of_type { format!("perhaps {codec}: ") } else { String::new() };
            return Ok(Some(format!("{what}; {perhaps}`conform run` says more")));
        };
        let parts: Vec<&str> = [pipe, self.lossy].into_iter().filter(|part| !part.is_empty()).collect();
        let advice =
            if parts.is_empty() { format!("perhaps {codec}") } else { format!("{}; or {codec}", parts.join("; ")) };
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
    let claims = |op| talk.handshake.ops.contains(&op) && talk.handshake.claims(layout, op);
    let (decodes, encodes) = (claims(Op::Decode), claims(Op::Encode));
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
        remarks.extend(decoded(talk, value, &reply, hint)?);
    }
    if encodes {
        let reply = talk.send(Input::Encode(value.clone())).map_err(|why| why.hint(hint.read))?;
        remarks.extend(encoded(talk, value, &reply, hint)?);
    }
    Ok(if remarks.is_empty() { GOOD } else { Found::Remark(remarks.join("; ")) })
}

/// Compares a reply with the value. Returns a remark if it was refused, is a declared loss, or was changed by the codec; or an
/// error with what was received instead.
fn decoded(talk: &Conversation<'_>, value: &Value, reply: &Reply, hint: Hint<'_>) -> Result<Option<String>, Failed> {
    if let Reply::Refused(reason) = reply {
        return Ok(Some(format!("its decoder refused the packet: {}", reason.text)));
    }
    let pipe = if is_exact(reply) { None } else { Some(hint.reply) };
    let Reply::Value { json, .. } = reply else {
        return Err(Failed(format!("decoding gave {}", with_text(reply))).hint(hint.reply));
    };
    let shown = || json.chars().take(120).collect::<String>();
    let read = match read_value(json, talk.dialect, &talk.handshake.lossy) {
        Ok(read) => read,
        Err(error) => return hint.changed(format!("decoding gave {} ({error})", shown()), Some(hint.reply), true),
    };
    match compared(talk, value, &read) {
        Comparison::Same => Ok(None),
        Comparison::DeclaredLoss(_) => Ok(Some(format!("{}, which its `lossy` allows", shown()))),
        Comparison::Different(_) => {
            hint.changed(format!("decoding gave {}", shown()), pipe, is_of_one_type(talk, value, &read))
        }
    }
}

/// Compares what an encoded packet means with the value, whatever form it has. Returns the same as [`decoded`].
fn encoded(talk: &Conversation<'_>, value: &Value, reply: &Reply, hint: Hint<'_>) -> Result<Option<String>, Failed> {
    if let Reply::Refused(reason) = reply {
        return Ok(Some(format!("its encoder refused the value: {}", reason.text)));
    }
    let pipe = if hint.form_known { None } else { Some(hint.read) };
    let Reply::Bytes(bytes) = reply else {
        return Err(Failed(format!("encoding gave {}", with_text(reply))).hint(hint.read));
    };
    let shown = || hex::encode(&bytes[..bytes.len().min(60)]);
    let read = match talk.codec.decode(bytes) {
        Ok(read) => read.value,
        Err(error) => return hint.changed(format!("encoding gave {} ({error})", shown()), pipe, false),
    };
    match compared(talk, value, &read) {
        Comparison::Same => Ok(None),
        Comparison::DeclaredLoss(_) => Ok(Some("not exactly the value, which its `lossy` allows".to_owned())),
        Comparison::Different(_) => {
            let json = value_json(&read, &talk.specs.layouts, Form::default());
            let what = format!("encoding gave {}, which means {}", shown(), short(&json, 120));
            hint.changed(what, pipe, is_of_one_type(talk, value, &read))
        }
    }
}

/// Whether JSON may have made one of the other: it makes no value one of another type.
fn is_of_one_type(talk: &Conversation<'_>, one: &Value, other: &Value) -> bool {
    let of = |value| layout_id_of(value, &talk.dialect.layouts);
    of(one) == of(other)
}

/// What it replied, with its reason: an adapter's own bug is found by that.
fn with_text(reply: &Reply) -> String {
    match reply {
        Reply::Unsupported(why) if !why.is_empty() => format!("{} ({})", named(reply), short(why, 200)),
        other => named(other).to_owned(),
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
