//! What mends a value that did not come through: the pipe may spoil it, or the codec. What its hello says already, or its
//! answer has already, is not advised.

use serde_json::Value as Json;

use variant_wire::implementation::{Answer, AnsweredValue};

/// Advice about one value.
#[derive(Clone, Copy)]
pub(super) struct Mend<'a> {
    /// How to answer it, so that no JSON library spoils it.
    pub(super) answer: &'a str,
    /// How to read it, or to be sent it, likewise.
    pub(super) read: &'a str,
    /// Its hello asks already to be sent it in the form that nothing spoils.
    pub(super) said: bool,
    /// What to say where the language cannot hold it; or nothing.
    pub(super) lossy: &'a str,
    /// What a codec does that spoils it.
    pub(super) codec: &'a str,
}

impl Mend<'_> {
    /// What to do about a value that was decoded to this.
    pub(super) fn decoded(&self, answer: Option<&Answer>) -> String {
        self.advice(self.answer, answer.is_some_and(is_exact))
    }

    /// What to do about a value that was encoded wrongly.
    pub(super) fn encoded(&self) -> String {
        self.advice(self.read, self.said)
    }

    fn advice(&self, pipe: &str, known: bool) -> String {
        let pipe = if known { "" } else { pipe };
        let parts: Vec<&str> = [pipe, self.lossy].into_iter().filter(|part| !part.is_empty()).collect();
        let codec = format!("the codec {}: `conform run` says more", self.codec);
        if parts.is_empty() { format!("perhaps {codec}") } else { format!("{}; or {codec}", parts.join("; ")) }
    }
}

/// Whether it was answered in a form that no JSON library spoils: an integer or bits in quotes, a text in hex.
fn is_exact(answer: &Answer) -> bool {
    let Answer::Value { value: AnsweredValue::Json(json), .. } = answer else { return false };
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
