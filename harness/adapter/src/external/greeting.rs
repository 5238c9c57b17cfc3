//! The hello: asked for, waited for, and looked into.

use std::time::Instant;

use serde_json::{Map, Value};

use super::lines::Piece;
use super::session::{Pumped, Session};
use super::untrusted::clean_handshake;
use super::{Limits, Tail};
use variant_wire::handshake::{Handshake, PROTOCOL};
use variant_wire::protocol::handshake_line;
use variant_wire::sanitize::{beginning, bytes};

/// How much of what was said instead of a hello is shown.
const INSTEAD: usize = 300;
/// The longest hello.
const LONGEST: usize = 64 << 10;

/// What helps a slow starter.
const MORE_TIME: &str = "allow more with --timeout FACTOR, or `start-timeout:` in its adapter.yaml";

/// A hello, and the object that it was read from.
pub(super) type Greeted = (Handshake, Map<String, Value>);

/// Says hello and returns the answer, or why there is none that can be used.
pub(super) fn greet(session: &mut Session, limits: &Limits, until: Instant) -> Result<Greeted, String> {
    session.outbox.bytes().extend_from_slice(&handshake_line());
    session.outbox.flush();
    loop {
        match session.pump(until) {
            Pumped::Lines => match read_lines(session)? {
                Some(greeted) => return Ok(greeted),
                None if Instant::now() >= until => return Err(silent(session, limits)),
                None => {}
            },
            Pumped::Quiet => return Err(silent(session, limits)),
            Pumped::Ended(end) => return Err(format!("it {end}, and had not answered the hello")),
        }
    }
}

fn read_lines(session: &mut Session) -> Result<Option<Greeted>, String> {
    while let Some(piece) = session.lines.next() {
        match piece {
            Piece::Line(line) if line.len() <= LONGEST => match read_handshake(line)? {
                Some(greeted) => return Ok(Some(greeted)),
                None => session.noise.push_line(line),
            },
            Piece::Line(line) => return Err(too_long(line.len())),
            Piece::TooLong(_, length) => return Err(too_long(length)),
        }
    }
    Ok(None)
}

fn too_long(length: usize) -> String {
    format!("instead of a hello it sent a line of {length} bytes; a hello is one JSON object in one short line")
}

/// Reads a hello; `None` where the line is something else, such as a banner or a log line in JSON.
fn read_handshake(line: &[u8]) -> Result<Option<Greeted>, String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Ok(mut object) = serde_json::from_slice::<Map<String, Value>>(line) else { return Ok(None) };
    if !["protocol", "ops", "dialects"].iter().any(|key| object.contains_key(*key)) {
        return Ok(None);
    }
    for key in ["protocol", "max_in_flight", "max_line"] {
        if let Some(number) = object.get_mut(key) {
            make_whole(number);
        }
    }
    check_protocol(&object)?;
    let mut handshake: Handshake = serde_json::from_value(Value::Object(object.clone())).map_err(|error| {
        let error = beginning(error.to_string().as_bytes(), INSTEAD);
        format!("its hello cannot be used: {error}; `protocol`, `name`, `dialects` and `ops` are what it needs")
    })?;
    for (missing, what) in [(handshake.ops.is_empty(), "ops"), (handshake.dialects.is_empty(), "dialects")] {
        if missing {
            return Err(format!("its hello has no {what}, so there is nothing to ask; name at least one in `{what}`"));
        }
    }
    clean_handshake(&mut handshake);
    Ok(Some((handshake, object)))
}

fn check_protocol(handshake: &Map<String, Value>) -> Result<(), String> {
    match handshake.get("protocol").map(|protocol| (protocol.as_u64(), protocol)) {
        Some((Some(spoken), _)) if spoken > u64::from(PROTOCOL) => Err(format!(
            "it speaks protocol {spoken} and this conform speaks {PROTOCOL}; update conform, or let it answer a \
             hello of protocol {PROTOCOL} with {PROTOCOL}"
        )),
        Some((Some(0), _)) => Err(format!("it speaks protocol 0, which never was; this conform speaks {PROTOCOL}")),
        Some((None, other)) => Err(format!(
            "`protocol` in its hello is {}; it is a number, {PROTOCOL}",
            beginning(other.to_string().as_bytes(), 40)
        )),
        Some((Some(_), _)) | None => Ok(()),
    }
}

/// Godot prints every number of JSON as a float: `64.0`.
fn make_whole(number: &mut Value) {
    let whole = number.as_f64().filter(|float| float.fract() == 0.0 && (0.0..9.0e15).contains(float));
    if let (Some(float), false) = (whole, number.is_u64()) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and small")]
        let whole = float as u64;
        *number = whole.into();
    }
}

/// No hello came in time. One that comes while the input is still open is late; one that comes when it ends was perhaps
/// only not flushed.
fn silent(session: &mut Session, limits: &Limits) -> String {
    let instead = instead(&mut session.noise);
    let asked = Instant::now();
    let so_far = || (limits.start_up + asked.elapsed()).as_secs_f64();
    if comes(session, asked + limits.shutdown) {
        return format!(
            "its hello came only after {:.1} s, and {:?} are allowed: {MORE_TIME}",
            so_far(),
            limits.start_up
        );
    }
    session.outbox.close();
    if comes(session, Instant::now() + limits.shutdown) {
        return format!(
            "its hello came only when its input was closed, after {:.1} s: either it does not flush (flush stdout after \
             every answer, or at least whenever no input is waiting), or it takes that long to start: {MORE_TIME}",
            so_far()
        );
    }
    format!(
        "it did not answer the hello in {:?}{instead}. It must read a line from its standard input and answer it with \
         one on its standard output, flushed. If it takes longer to start, {MORE_TIME}",
        limits.start_up
    )
}

/// Whether a hello comes after all.
fn comes(session: &mut Session, until: Instant) -> bool {
    while let Pumped::Lines = session.pump(until) {
        if let Ok(Some(_)) = read_lines(session) {
            return true;
        }
        if Instant::now() >= until {
            break;
        }
    }
    false
}

fn instead(noise: &mut Tail) -> String {
    let said = noise.take();
    if said.is_empty() {
        said
    } else {
        format!("; instead it printed: {}", beginning(bytes(said.as_bytes()).as_bytes(), INSTEAD))
    }
}
