//! What a line from an adapter says. Texts are bounded and escaped as soon as they are read.

use serde_json::Value;
use variant_values::malformed_reply::{MalformedReply, malformed_reply};
use variant_values::protocol::{Reply, read_line};
use variant_values::sanitize::{beginning, is_unfit};

/// How many bytes of a line a message shows.
pub(crate) const SHOWN: usize = 200;
/// The longest sentence that is kept from a reply.
const SENTENCE: usize = 1000;
/// The longest name that is kept from a handshake reply.
const NAME: usize = 100;

/// A line without its line end, and what it says.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) says: WireEvent,
    pub(crate) text: Vec<u8>,
}

#[derive(Debug)]
pub(crate) enum WireEvent {
    /// A reply to the request with this `seq`; `Garbled` if it cannot be used.
    Reply(u64, Reply),
    /// A line that was meant as a reply, but is malformed.
    Malformed(MalformedReply),
    /// Anything else: a banner, a log line.
    Noise,
}

pub(super) fn event(line: &[u8]) -> WireEvent {
    let Some((seq, mut reply)) = read_line(line) else {
        return malformed_reply(line).map_or(WireEvent::Noise, WireEvent::Malformed);
    };
    clean_reply(&mut reply, line);
    WireEvent::Reply(seq, reply)
}

/// Bounds and escapes the sentences of a reply, and shows the line of one that is garbled. Values and bytes are left to
/// the judge.
fn clean_reply(reply: &mut Reply, line: &[u8]) {
    match reply {
        Reply::Refused(reason) => {
            clean(&mut reason.text, SENTENCE);
            reason.kind.iter_mut().for_each(|kind| clean(kind, NAME));
        }
        Reply::Unsupported(text) => clean(text, SENTENCE),
        Reply::Garbled(text) => {
            text.push_str(&format!(": {}", beginning(line, SHOWN)));
            clean(text, SENTENCE);
        }
        Reply::Value { .. } | Reply::Bytes(_) => {}
    }
}

/// Bounds and escapes every text of a handshake reply.
pub(super) fn clean_handshake(json: &mut Value) {
    match json {
        Value::String(text) => clean(text, NAME),
        Value::Array(items) => items.iter_mut().for_each(clean_handshake),
        Value::Object(object) => object.values_mut().for_each(clean_handshake),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean(text: &mut String, limit: usize) {
    if text.len() > limit || is_unfit(text) {
        *text = beginning(text.as_bytes(), limit);
    }
}
