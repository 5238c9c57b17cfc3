//! What a line from an adapter says. Texts are bounded and escaped as soon as they are read.

use variant_values::handshake::{Handshake, Types};
use variant_values::malformed_reply::{MalformedReply, malformed_reply};
use variant_values::protocol::{Reply, read_line};
use variant_values::sanitize::{beginning, is_unfit};

/// How many bytes of a line a message shows.
pub(crate) const SHOWN: usize = 200;
/// The longest sentence that is kept from a reply.
const SENTENCE: usize = 1000;
/// The longest name that is kept from a handshake reply.
const NAME: usize = 100;

/// What a line says.
#[derive(Debug)]
pub(crate) enum WireEvent {
    /// A reply to the request with this `seq`; `Garbled` if it cannot be used.
    Reply(u64, Reply),
    /// A line that was meant as a reply, but is malformed.
    Malformed(MalformedReply),
    /// Anything else: a banner, a log line.
    Noise,
}

/// What a line says.
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
pub(super) fn clean_handshake(handshake: &mut Handshake) {
    // All fields are named, so that a new one is thought of. Those that are not texts are `_`.
    let Handshake {
        protocol: _,
        name,
        version,
        language,
        engine,
        dialects,
        own_names: _, // names that the specs know
        ops: _,
        types,
        lossy: _,
        limits: _,
        max_in_flight: _,
        max_line: _,
        ints,
        reals,
        text,
        options,
        framing: _,
        framed: _,
    } = handshake;
    let types: [&mut [String]; 2] = match types {
        None => [&mut [], &mut []],
        Some(Types::Both(both)) => [both, &mut []],
        Some(Types::Each { decode, encode }) => [decode, encode],
    };
    let forms = [engine, ints, reals, text].into_iter().flatten();
    let lists = types.into_iter().flatten().chain(dialects).chain(options);
    [name, version, language].into_iter().chain(forms).chain(lists).for_each(|text| clean(text, NAME));
}

fn clean(text: &mut String, limit: usize) {
    if text.len() > limit || is_unfit(text) {
        *text = beginning(text.as_bytes(), limit);
    }
}

#[cfg(test)]
mod tests {
    use super::{NAME, clean_handshake};

    #[test]
    fn no_text_of_a_handshake_is_left_as_it_was() {
        let red = format!("\u{1b}[31m{}", "x".repeat(NAME));
        let mut texts = serde_json::json!({"protocol": 1, "dialects": [red], "ops": [], "options": [red]});
        for key in ["name", "version", "language", "engine", "ints", "reals", "text"] {
            texts[key] = red.clone().into();
        }
        for types in [serde_json::json!([red]), serde_json::json!({"decode": [red], "encode": [red]})] {
            texts["types"] = types;
            let mut handshake = serde_json::from_value(texts.clone()).unwrap();
            clean_handshake(&mut handshake);
            let cleaned = serde_json::to_string(&handshake).unwrap();
            assert!(!cleaned.contains("u001b") && !cleaned.contains(&"x".repeat(NAME)), "{cleaned}");
        }
    }
}
