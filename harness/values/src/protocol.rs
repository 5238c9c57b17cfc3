//! The lines of the protocol: requests out, replies in, one JSON object per line.

use std::io::Write;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use variant_specs::{Dialect, Layouts};

use crate::handshake::{Handshake, Lossy, PROTOCOL};
use crate::implementation::{Answer, Input, RefusalReason, Request, read_value};
use crate::json::{Whole, decode_hex, whole};
use crate::value_text::{Form, write_value};

/// The first line to an adapter: the request `hello`, `\n` included.
pub fn handshake_line() -> Vec<u8> {
    format!("{{\"op\":\"hello\",\"protocol\":{PROTOCOL}}}\n").into_bytes()
}

/// What the line of a request begins with, before its number.
const SEQ: &str = "{\"seq\":";

/// Gives the line of a request that has the number 0 this one.
pub fn set_seq(line: &mut Vec<u8>, seq: u64) {
    line.splice(SEQ.len()..=SEQ.len(), seq.to_string().into_bytes());
}

/// Appends the line of a request, `\n` included.
pub fn write_request(line: &mut Vec<u8>, seq: u64, request: &Request, layouts: &Layouts, handshake: &Handshake) {
    let (op, dialect) = (request.op().name(), handshake.own_name(&request.dialect));
    // Writing to memory cannot fail.
    let _ = write!(line, "{SEQ}{seq},\"op\":\"{op}\",\"dialect\":\"{dialect}\",");
    match &request.input {
        Input::Decode(bytes) | Input::Reencode(bytes) => {
            line.extend_from_slice(b"\"bytes\":\"");
            let from = line.len();
            line.resize(from + 2 * bytes.len(), 0);
            // The length is right, so it cannot fail.
            let _ = hex::encode_to_slice(bytes, &mut line[from..]);
            line.push(b'"');
        }
        Input::Encode(value) => {
            line.extend_from_slice(b"\"value\":");
            write_value(line, value, layouts, Form::of(handshake));
        }
    }
    let mut options = Vec::new();
    if request.objects && handshake.has_option("objects") {
        options.push("\"objects\":true".to_owned());
    }
    if let Some(framing) = request.framing {
        options.push(format!("\"framing\":\"{}\"", framing.name()));
    }
    if !options.is_empty() {
        line.extend_from_slice(format!(",\"options\":{{{}}}", options.join(",")).as_bytes());
    }
    line.extend_from_slice(b"}\n");
}

/// What a line replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The JSON of a value, and how many bytes were consumed, if reported.
    Value { json: Box<str>, used: Option<u64> },
    /// A packet.
    Bytes(Vec<u8>),
    /// The packet or the value is refused.
    Refused(RefusalReason),
    /// The request is not supported, and why.
    Unsupported(String),
    /// No valid reply, and why.
    Garbled(String),
}

impl Reply {
    /// The answer to a request in this dialect, with its value read.
    pub fn answer(self, dialect: &Dialect, lossy: &[Lossy]) -> Answer {
        match self {
            Self::Value { json, used } => match read_value(&json, dialect, lossy) {
                Ok(value) => Answer::Value { value, used },
                Err(why) => Answer::Invalid { json, why },
            },
            Self::Bytes(bytes) => Answer::Bytes(bytes),
            Self::Refused(reason) => Answer::Refused(reason),
            Self::Unsupported(why) => Answer::Unsupported(why),
            Self::Garbled(why) => Answer::Garbled(why),
        }
    }
}

/// The `seq` and the reply in a line from an adapter, without its line end. `None` if it is not a JSON object, or has no
/// `seq`: a banner, a log line. A BOM, `\r` and unknown keys are allowed.
pub fn read_line(line: &[u8]) -> Option<(u64, Reply)> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    // serde would read a list as the fields of a reply, in order.
    if !line.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let error = match serde_json::from_slice::<ReplyFields<'_>>(line) {
        Ok(fields) => return Some((fields.seq.0, fields.reply())),
        Err(error) => error,
    };
    if let Ok(SeqOnly { seq: Whole(seq) }) = serde_json::from_slice::<SeqOnly>(line) {
        return Some((seq, Reply::Garbled(format!("not a reply: {}", why(&error)))));
    }
    // Half an object that begins like a reply is a malformed reply, not a banner.
    seq_of(line).map(|seq| (seq, Reply::Garbled(format!("no JSON: {}", why(&error)))))
}

/// What is wrong with a line. Where in it is said only if nothing else tells.
fn why(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if text.contains("surrogate") || text.contains("hex escape") {
        return "a text in it has half of a surrogate pair, like `\\ud800`, which UTF-8 does not have: such a packet is refused"
            .to_owned();
    }
    match text.rsplit_once(" at line ") {
        Some((what, _)) if error.is_data() => what.to_owned(),
        Some(_) | None => text,
    }
}

/// One of these is in every reply, as a key.
pub(crate) const ANSWERS: [&str; 4] = ["value", "bytes", "refused", "unsupported"];

/// The number of what is no JSON, but begins with `{"seq":N,`, or is a whole line that has `"seq":N` beside an answer.
fn seq_of(line: &[u8]) -> Option<u64> {
    let line = String::from_utf8_lossy(line);
    let (before, after) = line.split_once("\"seq\"")?;
    let number = after.trim_start().strip_prefix(':')?.trim_start();
    let (number, rest) = number.split_at(number.find(|letter: char| !letter.is_ascii_digit())?);
    let is_answer = || ANSWERS.iter().any(|key| line.contains(&format!("\"{key}\"")));
    let is_head = before.trim() == "{" && rest.starts_with(',');
    let is_whole = before.trim_end().ends_with(',') && line.trim_end().ends_with('}');
    number.parse().ok().filter(|_| is_head || is_whole && is_answer())
}

#[derive(Deserialize)]
struct ReplyFields<'a> {
    seq: Whole,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    bytes: Option<String>,
    refused: Option<serde_json::Value>,
    unsupported: Option<String>,
    #[serde(default, deserialize_with = "whole")]
    used: Option<u64>,
}

#[derive(Deserialize)]
struct SeqOnly {
    seq: Whole,
}

impl ReplyFields<'_> {
    fn reply(self) -> Reply {
        let Self { seq: _, value, bytes, refused, unsupported, used } = self;
        match (value, bytes, refused, unsupported) {
            (Some(value), None, None, None) => Reply::Value { json: value.get().into(), used },
            (None, Some(hex), None, None) => match decode_hex(&hex) {
                Ok(bytes) => Reply::Bytes(bytes),
                Err(error) => Reply::Garbled(format!("`bytes` is not hex: {error}")),
            },
            (None, None, Some(refused), None) => refusal(refused).map_or_else(Reply::Garbled, Reply::Refused),
            (None, None, None, Some(why)) => Reply::Unsupported(why),
            (None, None, None, None) => Reply::Garbled("none of `value`, `bytes`, `refused`, `unsupported`".to_owned()),
            _ => Reply::Garbled("more than one of `value`, `bytes`, `refused`, `unsupported`".to_owned()),
        }
    }
}

fn refusal(refused: serde_json::Value) -> Result<RefusalReason, String> {
    match refused {
        serde_json::Value::String(text) => Ok(text.into()),
        serde_json::Value::Object(_) => {
            serde_json::from_value(refused).map_err(|error| format!("not a reply: `refused`: {error}"))
        }
        _ => Err("`refused` must be a text or an object".to_owned()),
    }
}

/// `"value":null` is a malformed value, not an absent one.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}
