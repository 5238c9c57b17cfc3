//! What must be refused, or cannot be asked, and that it does no harm.

use super::Found;
use super::talk::{Talk, named};
use variant_wire::handshake::Op;
use variant_wire::implementation::{Answer, Input};

/// Bytes that are no packet in any dialect.
const GARBAGE: [u8; 64] = [0xff; 64];

/// The protocol may grow.
pub(super) fn unknown_op(talk: &mut Talk<'_>) -> Result<Found, String> {
    let seq = talk.next_seq();
    let dialect = &talk.dialect.name;
    let line = format!("{{\"seq\":{seq},\"op\":\"x-unknown\",\"dialect\":\"{dialect}\",\"bytes\":\"00000000\"}}\n");
    unsupported(talk, seq, &line, "an operation that it does not know")
}

/// So may the family.
pub(super) fn unknown_dialect(talk: &mut Talk<'_>) -> Result<Found, String> {
    let Some(op) = talk.handshake.ops.iter().find(|op| **op != Op::Encode).copied() else {
        return Ok(Found::Skipped("it is never sent a packet".to_owned()));
    };
    let seq = talk.next_seq();
    let op = op.name();
    let line = format!("{{\"seq\":{seq},\"op\":\"{op}\",\"dialect\":\"x-unknown\",\"bytes\":\"00000000\"}}\n");
    unsupported(talk, seq, &line, "a dialect that it does not know")
}

fn unsupported(talk: &mut Talk<'_>, seq: u64, line: &str, what: &str) -> Result<Found, String> {
    let mend = format!("answer {what} with {{\"seq\":{seq},\"unsupported\":\"why\"}}");
    let answer = talk.put(seq, line.as_bytes()).map_err(|why| format!("{why}; {mend}"))?;
    if matches!(answer, Answer::Unsupported(_)) {
        return Ok(Found::Good(String::new()));
    }
    Err(format!("it answered {}; {mend}", named(&answer)))
}

/// Nothing is no packet.
pub(super) fn empty_packet(talk: &mut Talk<'_>) -> Result<Found, String> {
    let Some(input) = input(talk, &[]) else {
        return Ok(Found::Skipped("it is never sent a packet".to_owned()));
    };
    let mend = "answer a packet that cannot be read with {\"seq\":…,\"refused\":\"why\"}";
    let answer = talk.send(input).map_err(|why| format!("{why}; {mend}"))?;
    if matches!(answer, Answer::Refused(_)) {
        return Ok(Found::Good(String::new()));
    }
    Err(format!("it answered {} to an empty packet; {mend}", named(&answer)))
}

/// A packet that nobody wrote. Whether it is refused is for a run to judge.
pub(super) fn garbage(talk: &mut Talk<'_>) -> Result<Found, String> {
    let Some(input) = input(talk, &GARBAGE) else {
        return Ok(Found::Skipped("it is never sent a packet".to_owned()));
    };
    let mend = "catch what your codec throws, and answer {\"seq\":…,\"refused\":\"why\"}";
    let answer = talk.send(input).map_err(|why| format!("{why}; {mend}"))?;
    if matches!(answer, Answer::Refused(_)) {
        return Ok(Found::Good(String::new()));
    }
    Ok(Found::Remark(format!("it answered {}, and did not refuse", named(&answer))))
}

/// Lines that no run sends, but a hand may.
pub(super) fn no_request(talk: &mut Talk<'_>) -> Result<Found, String> {
    let alone = talk.probe()?;
    let alone = (alone.clone(), talk.send(alone)?);
    let dialect = talk.dialect.name.clone();
    let seq = talk.next_seq();
    let op = talk.handshake.ops.iter().find(|op| **op != Op::Encode).copied().unwrap_or(Op::Encode).name();
    let lines = [
        (
            "bytes that are no hex",
            format!("{{\"seq\":{seq},\"op\":\"{op}\",\"dialect\":\"{dialect}\",\"bytes\":\"0g\"}}\n"),
        ),
        ("a request without its bytes", format!("{{\"seq\":{seq},\"op\":\"{op}\",\"dialect\":\"{dialect}\"}}\n")),
        ("a line that is no JSON", "no request\n".to_owned()),
        ("JSON that is no object", "[1,2]\n".to_owned()),
    ];
    for (what, line) in lines {
        talk.send_bytes(line.as_bytes())?;
        let next = talk.next_seq();
        let probe = talk.line(next, alone.0.clone());
        talk.send_bytes(&probe)?;
        let mend = "answer nothing, or with `refused` or `unsupported`, and go on";
        // An answer to it is welcome, and not needed.
        let answer = loop {
            let (heard, answer, _) = talk.hear().map_err(|why| format!("after {what}: {why}; {mend}"))?;
            if heard == next {
                break answer;
            }
            if matches!(answer, Answer::Value { .. } | Answer::Bytes(_)) {
                return Err(format!("it answered {} to {what}; {mend}", named(&answer)));
            }
        };
        if answer != alone.1 {
            return Err(format!("after {what} its answers are others than before; {mend}"));
        }
    }
    Ok(Found::Good(String::new()))
}

/// A refusal leaves nothing behind.
pub(super) fn as_before(talk: &mut Talk<'_>) -> Result<Found, String> {
    let probe = talk.probe()?;
    let before = talk.send(probe.clone())?;
    for packet in [[].as_slice(), &GARBAGE] {
        if let Some(input) = input(talk, packet) {
            talk.send(input)?;
        }
        if talk.send(probe.clone())? != before {
            return Err("after a refusal it answers otherwise: begin each request with a fresh state".to_owned());
        }
    }
    Ok(Found::Good(String::new()))
}

/// The question that sends a packet, where it can be asked one.
fn input(talk: &Talk<'_>, packet: &[u8]) -> Option<Input> {
    talk.handshake.ops.iter().find_map(|op| match op {
        Op::Decode => Some(Input::Decode(packet.to_vec())),
        Op::Reencode => Some(Input::Reencode(packet.to_vec())),
        Op::Encode => None,
    })
}
