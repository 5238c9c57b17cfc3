//! Lines in, lines out: flushing, order, numbers, length.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::check::{Failed, Found, GOOD, shown_time};
use super::conversation::{Conversation, NoReply};
use super::refusals::no_packets;
use crate::external::SHOWN;
use variant_values::handshake::Op;
use variant_values::implementation::Input;
use variant_values::protocol::Reply;
use variant_values::sanitize::{beginning, time};

/// How many requests measure the time of a reply.
const ROUNDS: usize = 32;
/// If replies are slower than this, the adapter probably sleeps somewhere.
const PROMPT: Duration = Duration::from_millis(20);
/// How many requests are sent at once.
const AT_ONCE: usize = 256;
/// The length of a long line, in bytes.
const LONG: usize = 1 << 20;
/// More than a request has around its packet, in bytes.
const AROUND: usize = 256;

/// The reply to one line must come although no more lines follow. Whether it is right is checked later.
pub(super) fn flushes(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let input = talk.probe()?;
    let (_, line) = talk.next_line(input);
    talk.send_bytes(&line)?;
    match talk.wait(talk.limits.reply_timeout) {
        Ok(_) => Ok(GOOD),
        Err(NoReply::Malformed(why)) => Err(Failed(why)),
        Err(NoReply::Ended(how)) => Err(Failed(format!("{how}{}", talk.reap()))),
        Err(NoReply::Silence(silence)) => {
            talk.close_input()?;
            Err(Failed(match talk.wait(talk.limits.shutdown) {
                Ok(_) | Err(NoReply::Malformed(_)) => {
                    "its reply came only after its input was closed: flush standard output after every reply, or at \
                     least whenever no input is waiting"
                        .to_owned()
                }
                Err(NoReply::Silence(_) | NoReply::Ended(_)) => format!(
                    "it replied to hello, but not to the next line in {}: read lines until the input ends",
                    time(silence)
                ),
            }))
        }
    }
}

/// One request at a time, many times.
pub(super) fn in_time(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let input = talk.probe()?;
    let mut times = Vec::new();
    // If it is slow, a few are enough to see that.
    while times.len() < ROUNDS && times.iter().sum::<Duration>() <= talk.limits.reply_timeout {
        let from = Instant::now();
        talk.send(input.clone())?;
        times.push(from.elapsed());
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    if median <= PROMPT {
        return Ok(Found::Good(shown_time(median)));
    }
    let hint = "look for a sleep, or for TCP_NODELAY on a socket";
    Ok(Found::Remark(format!("a reply takes {}; {hint}", shown_time(median))))
}

/// Numbers beyond 2^32 come back as they were sent.
pub(super) fn echoes_seq(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let input = talk.probe()?;
    for seq in [(1 << 32) + 5, (1 << 53) - 1] {
        let line = talk.line_in(talk.dialect, seq, input.clone());
        talk.send_line(seq, &line).map_err(|why| Failed(format!("`seq` {seq}: {why}")))?;
    }
    Ok(GOOD)
}

/// Later versions of the protocol may have more keys, anywhere in a line.
pub(super) fn unknown_keys(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let before = r#"{"x-before":{"seq":0,"op":"none","deep":[[{}],null,"}{\"seq\":\\"],"bytes":"ff"},"#;
    let after = r#","x-after":[1.5e3,true,"\u00e9"]}"#;
    let hint = "unknown keys changed the reply: skip them and their values";
    same_reply(talk, hint, |talk, seq, line| {
        let line = String::from_utf8_lossy(line);
        let inner = line.trim_end().trim_start_matches('{').strip_suffix('}').unwrap_or_default();
        talk.send_line(seq, format!("{before}{inner}{after}\n").as_bytes())
    })
}

pub(super) fn crlf(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    same_reply(talk, "a carriage return before the line end changed the reply: ignore it", |talk, seq, line| {
        talk.send_line(seq, &[&line[..line.len() - 1], b"\r\n"].concat())
    })
}

/// What has arrived so far need not be a line.
pub(super) fn two_halves(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let hint = "read until the end of the line";
    same_reply(talk, &format!("a line in two pieces got a different reply: {hint}"), |talk, seq, line| {
        let (head, rest) = line.split_at(line.len() / 2);
        talk.send_bytes(head)?;
        match talk.wait(Duration::from_millis(100)) {
            Err(NoReply::Silence(_)) => talk.send_line(seq, rest),
            Ok(reply) => {
                Err(Failed(format!("it replied to a partial line with {}: {hint}", beginning(&reply.line, SHOWN))))
            }
            Err(NoReply::Malformed(why)) => Err(Failed(why)),
            Err(NoReply::Ended(how)) => Err(Failed(format!("after a partial line {how}: {hint}"))),
        }
    })
}

/// Whether a request gets the same reply when its line is sent in a special way.
fn same_reply(
    talk: &mut Conversation<'_>,
    otherwise: &str,
    special: impl FnOnce(&mut Conversation<'_>, u64, &[u8]) -> Result<Reply, Failed>,
) -> Result<Found, Failed> {
    let input = talk.probe()?;
    let plain = talk.send(input.clone())?;
    let (seq, line) = talk.next_line(input);
    if special(talk, seq, &line)? == plain { Ok(GOOD) } else { Err(Failed(otherwise.to_owned())) }
}

/// A packet followed by many bytes, which a decoder either ignores or refuses.
pub(super) fn long_line(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let is_packet = |input: &Input| !matches!(input, Input::Encode(_));
    let Some(Input::Decode(mut packet) | Input::Reencode(mut packet)) = talk.probes().into_iter().find(is_packet)
    else {
        return Ok(no_packets());
    };
    let length = talk.handshake.max_line.unwrap_or(LONG).min(LONG);
    packet.resize(packet.len().max(length.saturating_sub(AROUND) / 2), 0);
    let decodes = talk.handshake.ops.contains(&Op::Decode);
    let input = if decodes { Input::Decode(packet) } else { Input::Reencode(packet) };
    let kib = length >> 10;
    talk.send(input).map_err(|why| {
        Failed(format!(
            "a line of {kib} KiB: {why}; read lines of any length, or set `max_line` in the handshake reply"
        ))
    })?;
    Ok(if length < LONG { Found::Good(format!("{kib} KiB, its max_line")) } else { GOOD })
}

/// As many as may be in flight, in one write: each gets its own reply.
pub(super) fn many_in_flight(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let count = talk.handshake.max_in_flight.unwrap_or(AT_ONCE).min(AT_ONCE);
    let probes = talk.probes();
    let mut alone = Vec::new();
    for probe in probes.iter().take(count) {
        alone.push(talk.send(probe.clone())?);
    }
    let mut waiting: HashMap<u64, usize> = HashMap::new();
    let mut lines = Vec::new();
    for which in (0..alone.len()).cycle().take(count) {
        let (seq, line) = talk.next_line(probes[which].clone());
        waiting.insert(seq, which);
        lines.extend(line);
    }
    talk.send_bytes(&lines)?;
    let (mut in_order, mut last) = (true, 0);
    while !waiting.is_empty() {
        let left = waiting.len();
        let reply = talk.receive().map_err(|why| {
            Failed(format!(
                "of {count} requests sent at once {left} got no reply: {why}; if this is too many, set \
                 `max_in_flight` in the handshake reply"
            ))
        })?;
        let (seq, line) = (reply.seq, beginning(&reply.line, SHOWN));
        let Some(which) = waiting.remove(&seq) else {
            return Err(Failed(format!(
                "it replied to `seq` {seq}, which was not sent or already had a reply: {line}"
            )));
        };
        if reply.says != alone[which] {
            return Err(Failed(format!(
                "sent with {} others, a request got a different reply than alone: {line}; does each request start with \
                 its own state?",
                count - 1
            )));
        }
        in_order &= seq > last;
        last = seq;
    }
    Ok(Found::Good(format!("{count}{}", if in_order { "" } else { ", in a different order, which is fine" })))
}
