//! Lines in, lines out: flushing, order, numbers, length.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::talk::{SHOWN, Talk};
use super::{Found, figure};
use crate::external::Heard;
use variant_wire::implementation::{Answer, Input};
use variant_wire::sanitize::beginning;

/// How often it is asked to see how long an answer takes.
const ROUNDS: usize = 32;
/// An answer that takes longer sleeps somewhere.
const PROMPT: Duration = Duration::from_millis(20);
/// How many requests are sent at once.
const AT_ONCE: usize = 256;
/// The length of a long line.
const LONG: usize = 1 << 20;
/// What a request has around its packet, and a little more.
const AROUND: usize = 256;

/// One line in, nothing more to come: the answer must come out.
pub(super) fn flushes(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let seq = talk.next_seq();
    let line = talk.line(seq, input);
    talk.send_bytes(&line)?;
    let (case, shutdown) = (talk.limits.reply_timeout, talk.limits.shutdown);
    let wire = talk.wire()?;
    let heard = wire.hear(case);
    if let Heard::MalformedReply(why) = heard {
        return Err(why);
    }
    if let Heard::Silence(time) = heard {
        wire.close_input();
        return Err(match wire.hear(shutdown) {
            Heard::Reply(..) | Heard::MalformedReply(_) => {
                "its answer came only when its input was closed: flush standard output after every \
                                 answer, or at least whenever no input is waiting"
                    .to_owned()
            }
            Heard::Silence(_) | Heard::End(_) => {
                format!("it said hello, and did not answer the next line in {time:?}: read lines until the input ends")
            }
        });
    }
    // What it answered is looked at later; here it counts that something came.
    Ok(Found::Good(String::new()))
}

/// One request at a time, many times.
pub(super) fn in_time(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let from = Instant::now();
        talk.send(input.clone())?;
        times.push(from.elapsed());
        // A few are enough to see that it is slow.
        if times.iter().sum::<Duration>() > talk.limits.reply_timeout {
            break;
        }
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    if median > PROMPT {
        return Ok(Found::Remark(format!(
            "an answer takes {}; look for a sleep, or on a socket for TCP_NODELAY",
            figure(median)
        )));
    }
    Ok(Found::Good(figure(median)))
}

/// Numbers beyond 2^32 come back as they went.
pub(super) fn echoes_seq(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    for seq in [(1 << 32) + 5, (1 << 53) - 1] {
        let line = talk.line(seq, input.clone());
        talk.put(seq, &line).map_err(|why| format!("of `seq` {seq}: {why}"))?;
    }
    Ok(Found::Good(String::new()))
}

/// The numbers count up in a run, but nothing may depend on that.
pub(super) fn any_order(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let mut seqs: Vec<u64> = (0..5).map(|_| talk.next_seq()).collect();
    seqs.swap(0, 4);
    seqs.swap(1, 2);
    for seq in seqs {
        let line = talk.line(seq, input.clone());
        talk.put(seq, &line)?;
    }
    Ok(Found::Good(String::new()))
}

/// The protocol may grow: what is not known is no matter, wherever it stands.
pub(super) fn unknown_keys(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let alone = talk.send(input.clone())?;
    let seq = talk.next_seq();
    let line = String::from_utf8_lossy(&talk.line(seq, input)).into_owned();
    let before = r#"{"x-before":{"seq":0,"op":"none","deep":[[{}],null,"}{\"seq\":\\"],"bytes":"ff"},"#;
    let after = r#","x-after":[1.5e3,true,"\u00e9"]}"#;
    let inner = line.trim_end().trim_start_matches('{').strip_suffix('}').unwrap_or_default();
    let answer = talk.put(seq, format!("{before}{inner}{after}\n").as_bytes())?;
    same(&alone, &answer, "keys that it does not know changed the answer: skip them, with all that is in them")
}

/// Lines may end in two characters.
pub(super) fn crlf(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let alone = talk.send(input.clone())?;
    let seq = talk.next_seq();
    let mut line = talk.line(seq, input);
    line.pop();
    line.extend_from_slice(b"\r\n");
    let answer = talk.put(seq, &line)?;
    same(&alone, &answer, "a carriage return before the line end changed the answer: drop it")
}

/// What has come so far need not be a line.
pub(super) fn two_halves(talk: &mut Talk<'_>) -> Result<Found, String> {
    let input = talk.probe()?;
    let alone = talk.send(input.clone())?;
    let seq = talk.next_seq();
    let line = talk.line(seq, input);
    let (head, rest) = line.split_at(line.len() / 2);
    talk.send_bytes(head)?;
    match talk.wire()?.hear(Duration::from_millis(100)) {
        Heard::Silence(_) => {}
        Heard::Reply(_, _, line) => {
            let line = beginning(&line, SHOWN);
            return Err(format!("it answered half a line with {line}: collect what comes until a line end comes"));
        }
        Heard::MalformedReply(why) => return Err(why),
        Heard::End(how) => {
            return Err(format!("half a line came, and it {how}: collect what comes until a line end comes"));
        }
    }
    let answer = talk.put(seq, rest)?;
    same(&alone, &answer, "a line that came in two pieces was answered otherwise: collect what comes until a line end")
}

/// A packet with a very long tail, which a decoder either leaves alone or refuses.
pub(super) fn long_line(talk: &mut Talk<'_>) -> Result<Found, String> {
    let packet = talk.probes().into_iter().find_map(|input| match input {
        Input::Decode(packet) | Input::Reencode(packet) => Some((packet, question_is_decode(talk))),
        Input::Encode(_) => None,
    });
    let Some((mut packet, decodes)) = packet else {
        return Ok(Found::Skipped("it is never sent a packet".to_owned()));
    };
    let length = talk.handshake.max_line.unwrap_or(LONG).min(LONG);
    packet.resize(packet.len().max(length.saturating_sub(AROUND) / 2), 0);
    let input = if decodes { Input::Decode(packet) } else { Input::Reencode(packet) };
    talk.send(input).map_err(|why| {
        format!("of a line of {} KiB: {why}; read lines of any length, or name `max_line` in the hello", length >> 10)
    })?;
    Ok(Found::Good(if length < LONG { format!("{} KiB, its max_line", length >> 10) } else { String::new() }))
}

fn question_is_decode(talk: &Talk<'_>) -> bool {
    talk.handshake.ops.contains(&variant_wire::handshake::Op::Decode)
}

/// As many as may be in flight, in one write: each gets its own answer.
pub(super) fn many_in_flight(talk: &mut Talk<'_>) -> Result<Found, String> {
    let count = talk.handshake.max_in_flight.unwrap_or(AT_ONCE).min(AT_ONCE);
    let probes = talk.probes();
    let mut alone = Vec::new();
    for probe in probes.iter().take(count) {
        alone.push(talk.send(probe.clone())?);
    }
    let mut waiting: HashMap<u64, usize> = HashMap::new();
    let mut lines = Vec::new();
    for number in 0..count {
        let which = number % alone.len();
        let seq = talk.next_seq();
        waiting.insert(seq, which);
        lines.extend_from_slice(&talk.line(seq, probes[which].clone()));
    }
    talk.send_bytes(&lines)?;
    let mut in_order = true;
    let mut last = 0;
    while !waiting.is_empty() {
        let left = waiting.len();
        let heard = talk.hear().map_err(|why| {
            format!(
                "of {count} requests sent at once {left} were left unanswered: {why}; if it cannot take so many, \
                     name `max_in_flight` in the hello"
            )
        })?;
        let (seq, answer, line) = heard;
        let Some(which) = waiting.remove(&seq) else {
            let line = beginning(&line, SHOWN);
            return Err(format!("it answered `seq` {seq}, which nobody asked or which it had answered: {line}"));
        };
        if answer != alone[which] {
            let line = beginning(&line, SHOWN);
            return Err(format!(
                "asked with {} others it gave another answer than alone: {line}; does each request have a state of its own?",
                count - 1
            ));
        }
        in_order &= seq > last;
        last = seq;
    }
    Ok(Found::Good(format!("{count}{}", if in_order { "" } else { ", in an order of its own, which is fine" })))
}

/// Whether an answer is the same as the one to the plain question.
fn same(alone: &Answer, answer: &Answer, otherwise: &str) -> Result<Found, String> {
    if alone == answer { Ok(Found::Good(String::new())) } else { Err(otherwise.to_owned()) }
}
