//! Sends a value both ways. If it comes back changed, says how to fix that: JSON may have changed it, or the codec.
//! Advice that the adapter already follows is left out.

use serde_json::Value as Json;
use variant_codec::{Numbers, Value};

use super::conversation::Conversation;
use super::refusals::named;
use super::{Failed, Found, GOOD};
use variant_values::compare::{Comparison, compare};
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
    /// How to fix a value that was decoded to this.
    fn decoded(&self, reply: Option<&Reply>) -> String {
        self.advice(self.reply, reply.is_some_and(is_exact))
    }

    /// How to fix a value that was encoded wrongly.
    fn encoded(&self) -> String {
        self.advice(self.read, self.form_known)
    }

    fn advice(&self, pipe: &str, known: bool) -> String {
        let pipe = if known { "" } else { pipe };
        let parts: Vec<&str> = [pipe, self.lossy].into_iter().filter(|part| !part.is_empty()).collect();
        let codec = format!("the codec {}: see `conform run`", self.codec);
        if parts.is_empty() { format!("perhaps {codec}") } else { format!("{}; or {codec}", parts.join("; ")) }
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
        let reply = talk.send(Input::Decode(packet)).map_err(|why| why.hint(&hint.decoded(None)))?;
        let advised = |Failed(what)| Failed(format!("decoding gave {what}")).hint(&hint.decoded(Some(&reply)));
        remarks.extend(decoded(talk, value, &reply).map_err(advised)?);
    }
    if encodes {
        let reply = talk.send(Input::Encode(value.clone())).map_err(|why| why.hint(&hint.encoded()))?;
        let advised = |Failed(what)| Failed(format!("encoding gave {what}")).hint(&hint.encoded());
        remarks.extend(encoded(talk, value, &reply).map_err(advised)?);
    }
    Ok(if remarks.is_empty() { GOOD } else { Found::Remark(remarks.join("; ")) })
}

/// Compares a reply with the value. Returns a remark if it was refused or is a declared loss, or an error with what was received instead.
fn decoded(talk: &Conversation<'_>, value: &Value, reply: &Reply) -> Result<Option<String>, Failed> {
    if let Reply::Refused(reason) = reply {
        return Ok(Some(format!("its decoder refused the packet: {}", reason.text)));
    }
    let Reply::Value { json, .. } = reply else { return Err(Failed(with_text(reply))) };
    let shown = || json.chars().take(120).collect::<String>();
    let read = read_value(json, talk.dialect, &talk.handshake.lossy)
        .map_err(|error| Failed(format!("{} ({error})", shown())))?;
    match compared(talk, value, &read) {
        Comparison::Same => Ok(None),
        Comparison::DeclaredLoss(_) => Ok(Some(format!("{}, which its `lossy` allows", shown()))),
        Comparison::Different(_) => Err(Failed(shown())),
    }
}

/// Compares what an encoded packet means with the value, whatever form it has. Returns the same as [`decoded`].
fn encoded(talk: &Conversation<'_>, value: &Value, reply: &Reply) -> Result<Option<String>, Failed> {
    if let Reply::Refused(reason) = reply {
        return Ok(Some(format!("its encoder refused the value: {}", reason.text)));
    }
    let Reply::Bytes(bytes) = reply else { return Err(Failed(with_text(reply))) };
    let shown = || hex::encode(&bytes[..bytes.len().min(60)]);
    let read = talk.codec.decode(bytes).map_err(|error| Failed(format!("{} ({error})", shown())))?;
    match compared(talk, value, &read.value) {
        Comparison::Same => Ok(None),
        Comparison::DeclaredLoss(_) => Ok(Some("not exactly the value, which its `lossy` allows".to_owned())),
        Comparison::Different(_) => {
            let json = value_json(&read.value, &talk.specs.layouts, Form::default());
            Err(Failed(format!("{}, which means {}", shown(), short(&json, 120))))
        }
    }
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
