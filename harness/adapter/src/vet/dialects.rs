//! The dialects of the handshake reply, and two of them in one process.

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, JudgedBy};

use super::check::{Failed, Found, GOOD};
use super::conversation::{Conversation, input};
use super::refusals::reply_kind;
use super::samples;
use variant_values::implementation::Input;
use variant_values::protocol::Reply;

/// How many requests each of the two dialects gets.
const TURNS: usize = 8;

/// Checks that a simple request is supported in each dialect that it claims.
pub(super) fn known(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let specs = talk.specs;
    let spoken: Vec<&Dialect> = talk.handshake.dialects.iter().filter_map(|name| specs.dialect(name)).collect();
    for dialect in spoken {
        let Some(input) = simple(talk, dialect) else { continue };
        let seq = talk.next_seq();
        let line = talk.line_in(dialect, seq, input);
        let reply = talk.send_line(seq, &line)?;
        if let Reply::Unsupported(_) = reply {
            return Err(Failed(format!(
                "its handshake reply lists {0}, but it replied with {1} to a simple request there; compare `dialect` \
                 with all that the handshake reply lists, or list only what it speaks",
                dialect.name,
                reply_kind(&reply)
            )));
        }
    }
    Ok(GOOD)
}

/// A request that it claims to support in a dialect: of `null`, where it claims that.
fn simple(talk: &Conversation<'_>, dialect: &Dialect) -> Option<Input> {
    let codec = Codec::new(dialect, JudgedBy::Engines);
    let mut values = samples::values(dialect);
    values.sort_by_key(|(_, value)| *value != Value::Null);
    values.into_iter().find_map(|(layout, value)| {
        let packet = codec.encode(&value).ok()?;
        let op = talk.handshake.ops.iter().find(|op| talk.claims(&layout, **op))?;
        Some(input(*op, &packet, &value))
    })
}

/// Checks that alternating requests in two dialects, sent all at once, get the same replies as each alone.
pub(super) fn in_turn(talk: &mut Conversation<'_>) -> Result<Found, Failed> {
    let first = talk.dialect;
    let Some((second, input)) = different(talk) else {
        return Ok(Found::skipped("it has only one dialect, or all that it supports is written alike in its dialects"));
    };
    let mut alone = Vec::new();
    for dialect in [first, second] {
        let seq = talk.next_seq();
        let line = talk.line_in(dialect, seq, input.clone());
        alone.push(talk.send_line(seq, &line)?);
    }
    if alone[0] == alone[1] && !matches!(alone[0], Reply::Refused(_) | Reply::Unsupported(_)) {
        return Err(Failed(format!(
            "the same request has the same reply in {} and in {}, where it means something else; read `dialect` in \
             each request, or list only one dialect",
            first.name, second.name
        )));
    }
    let turns = talk.handshake.max_in_flight.map_or(TURNS, |most| TURNS.min(most / 2));
    let (mut lines, mut sent) = (Vec::new(), Vec::new());
    for place in 0..2 * turns {
        let (seq, which) = (talk.next_seq(), place % 2);
        lines.extend(talk.line_in([first, second][which], seq, input.clone()));
        sent.push((seq, which));
    }
    talk.send_bytes(&lines)?;
    let mut spoilt = None;
    for _ in 0..sent.len() {
        // All of them are read, or the next check would get the rest.
        let reply = talk.receive()?;
        let sent = sent.iter().find(|(seq, _)| *seq == reply.seq);
        spoilt = spoilt.or(sent.map(|(_, which)| *which).filter(|which| reply.says != alone[*which]));
    }
    if let Some(which) = spoilt {
        return Err(Failed(format!(
            "between requests in {}, a request in {} gets a different reply than alone; does each request start with \
             its own state?",
            [second, first][which].name,
            [first, second][which].name
        )));
    }
    Ok(Found::Good(format!("{} and {}", first.name, second.name)))
}

/// Another dialect that it speaks, and a supported request that means something else there.
fn different<'a>(talk: &Conversation<'a>) -> Option<(&'a Dialect, Input)> {
    let specs = talk.specs;
    let spoken = talk.handshake.dialects.iter().filter_map(|name| specs.dialect(name));
    spoken.filter(|other| other.name != talk.dialect.name).find_map(|other| {
        let codec = Codec::new(other, JudgedBy::Engines);
        samples::values(talk.dialect).into_iter().find_map(|(layout, value)| {
            let packet = talk.codec.encode(&value).ok()?;
            let differs = codec.encode(&value).is_ok_and(|there| there != packet)
                && codec.decode(&packet).map_or(true, |decoded| decoded.value != value);
            let op = talk.handshake.ops.iter().find(|op| differs && talk.claims(&layout, **op))?;
            Some((other, input(*op, &packet, &value)))
        })
    })
}
