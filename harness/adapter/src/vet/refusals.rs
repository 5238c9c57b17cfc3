//! Requests that must be refused or are unsupported, and whether later replies are still right.

use variant_codec::{Array, Dictionary, Value};

use super::check::{Failed, Found, GOOD};
use super::conversation::Conversation;
use variant_values::handshake::Op;
use variant_values::implementation::Input;
use variant_values::protocol::Reply;
use variant_values::sanitize::short;

/// As many as every dialect reads, one within the other.
const LEVELS: usize = 1000;
/// Bytes that are not a packet in any dialect.
const GARBAGE: [u8; 64] = [0xff; 64];

/// Later versions of the protocol may have more operations.
pub(super) fn unknown_op(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let dialect = talk.dialect.name.clone();
    unsupported(talk, "x-unknown", &dialect, "an unknown operation")
}

/// A later conform may send dialects that do not exist yet.
pub(super) fn unknown_dialect(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    match talk.packet_op() {
        Some(op) => unsupported(talk, op.name(), "x-unknown", "an unknown dialect"),
        None => Ok(no_packets()),
    }
}

fn unsupported(talk: &mut Conversation<'_>, op: &str, dialect: &str, what: &str) -> Result<Found, Failed> {
    let seq = talk.next_seq();
    let line = format!("{{\"seq\":{seq},\"op\":\"{op}\",\"dialect\":\"{dialect}\",\"bytes\":\"00000000\"}}\n");
    let hint = format!("reply to {what} with {{\"seq\":{seq},\"unsupported\":\"why\"}}");
    let answer = talk.send_line(seq, line.as_bytes()).map_err(|why| why.hint(&hint))?;
    if let Reply::Unsupported(_) = answer {
        return Ok(GOOD);
    }
    Err(Failed(format!("it replied with {}", reply_kind(&answer))).hint(&hint))
}

pub(super) fn empty_packet(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let hint = "reply to an invalid packet with {\"seq\":…,\"refused\":\"why\"}";
    let Some(input) = talk.of_packet(&[]) else { return Ok(no_packets()) };
    let answer = talk.send(input).map_err(|why| why.hint(hint))?;
    if let Reply::Refused(_) = answer {
        return Ok(GOOD);
    }
    Err(Failed(format!("it replied with {} to an empty packet", reply_kind(&answer))).hint(hint))
}

/// Garbage must get a reply. Whether it must be refused is judged by a run.
pub(super) fn garbage(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let hint = "catch the error of your library, and reply with {\"seq\":…,\"refused\":\"why\"}";
    let Some(input) = talk.of_packet(&GARBAGE) else { return Ok(no_packets()) };
    let answer = talk.send(input).map_err(|why| why.hint(hint))?;
    if let Reply::Refused(_) = answer {
        return Ok(GOOD);
    }
    if let Reply::Unsupported(_) = &answer {
        let rule = "`unsupported` is for bugs, and for what the library cannot do";
        return Ok(Found::Remark(format!(
            "it replied with {}; {rule}; if this is how the library refuses, {hint}",
            reply_kind(&answer)
        )));
    }
    Ok(Found::Remark(format!("it replied with {} and did not refuse", reply_kind(&answer))))
}

/// What is read may be too deep for the JSON of a language, which is no fault of the library.
pub(super) fn deep(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let null = talk.codec.encode(&Value::Null).unwrap_or_default();
    let (container, key) = if talk.claims("array", Op::Decode) {
        (Value::Array(Array::default()), [].as_slice())
    } else if talk.claims("dictionary", Op::Decode) {
        (Value::Dictionary(Dictionary::default()), null.as_slice())
    } else {
        return Ok(Found::skipped("it decodes neither `array` nor `dictionary`"));
    };
    let Ok(container) = talk.codec.encode(&container) else { return Ok(no_packets()) };
    // Each has one element in the place of none.
    let level = [&container[..4], &1u32.to_le_bytes(), key].concat();
    let packet = [level.repeat(LEVELS), null.clone()].concat();
    talk.send(Input::Decode(packet)).map_err(|why| {
        why.hint(
            "if your JSON library cannot nest that deep, catch the exception and reply with \
             {\"seq\":…,\"unsupported\":\"why\"}, which is not a failure here",
        )
    })?;
    Ok(GOOD)
}

/// Sends lines that no run sends, but that a person may type. Whatever the adapter prints about them is fine.
pub(super) fn no_request(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let before = talk.strays.len();
    let found = after_no_request(talk);
    talk.strays.truncate(before);
    found
}

fn after_no_request(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let probe = talk.probe()?;
    let before = talk.send(probe.clone())?;
    let dialect = talk.dialect.name.clone();
    let seq = talk.next_seq();
    let op = talk.packet_op().unwrap_or(Op::Encode).name();
    let lines = [
        (
            "bytes that are not hex",
            format!("{{\"seq\":{seq},\"op\":\"{op}\",\"dialect\":\"{dialect}\",\"bytes\":\"0g\"}}\n"),
        ),
        ("a request without its bytes", format!("{{\"seq\":{seq},\"op\":\"{op}\",\"dialect\":\"{dialect}\"}}\n")),
        ("a line that is not JSON", "no request\n".to_owned()),
        ("JSON that is not an object", "[1,2]\n".to_owned()),
    ];
    let hint = "do not reply, or reply with `refused` or `unsupported`, and continue";
    for (what, line) in lines {
        talk.send_bytes(line.as_bytes())?;
        let (next, line) = talk.next_line(probe.clone());
        talk.send_bytes(&line)?;
        // A reply to the invalid line may come first.
        let after = loop {
            let reply = talk.receive().map_err(|why| Failed(format!("after {what}: {why}")).hint(hint))?;
            if reply.seq == next {
                break reply.says;
            }
            if matches!(reply.says, Reply::Value { .. } | Reply::Bytes(_)) {
                return Err(Failed(format!("it replied with {} to {what}", reply_kind(&reply.says))).hint(hint));
            }
        };
        if after != before {
            return Err(Failed(format!("after {what} its replies differ from before")).hint(hint));
        }
    }
    Ok(GOOD)
}

/// A refusal must not change the replies after it.
pub(super) fn as_before(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let probe = talk.probe()?;
    let before = talk.send(probe.clone())?;
    for packet in [[].as_slice(), &GARBAGE] {
        if let Some(input) = talk.of_packet(packet) {
            talk.send(input)?;
        }
        if talk.send(probe.clone())? != before {
            return Err(Failed(
                "after a refusal it replies differently: start each request with fresh state".to_owned(),
            ));
        }
    }
    Ok(GOOD)
}

pub(super) fn no_packets() -> Found {
    Found::skipped("it is never sent a packet")
}

/// The kind of a reply, for a message, with its reason: an adapter's own bug is found by that.
pub(super) fn reply_kind(reply: &Reply) -> String {
    let kind = match reply {
        Reply::Unsupported(why) if !why.is_empty() => return format!("`unsupported` ({})", short(why, 200)),
        Reply::Value { .. } => "a value",
        Reply::Bytes(_) => "bytes",
        Reply::Refused(_) => "`refused`",
        Reply::Unsupported(_) => "`unsupported`",
        Reply::Garbled(_) => "nothing that the protocol defines",
    };
    kind.to_owned()
}
