//! From a command to an adapter that has replied to hello.

use std::process::Stdio;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::command::{Command, Transport};
use super::limits::Limits;
use super::listener::Listener;
use super::process::Process;
use super::session::Session;
use super::streams::{NAME, clean};
use variant_specs::Specs;
use variant_values::handshake::{Handshake, PROTOCOL};
use variant_values::implementation::ImplementationError;
use variant_values::protocol::handshake_line;
use variant_values::sanitize::beginning;
use variant_values::suggest::with_known;
use variant_values::version::{is_version, numbers};

/// How much of its output an error shows.
const OUTPUT: usize = 1000;
/// How much an error shows of what was received instead of a handshake reply.
const INSTEAD: usize = 300;
/// A handshake reply, and the object that it was read from.
type HandshakeReply = (Handshake, Map<String, Value>);

/// Starts a process, waits for its connection if it opens one, and does the handshake.
pub(crate) fn launch(
    command: &Command,
    specs: &Specs,
    limits: &Limits,
) -> Result<(Session, Handshake), ImplementationError> {
    let until = Instant::now() + limits.start_up;
    let mut session = start(command, limits, until)?;
    let (handshake, _) = handshake(&mut session, specs, until)?;
    Ok((session, handshake))
}

/// Starts a process, and waits for its connection if it opens one.
///
/// # Errors
/// It does not start, or does not connect in time. The message says why, and what to do.
pub(crate) fn start(command: &Command, limits: &Limits, until: Instant) -> Result<Session, ImplementationError> {
    let mut std = command.to_std()?;
    let listener = (command.transport == Transport::Tcp).then(Listener::open).transpose();
    let listener = listener.map_err(|error| ImplementationError(format!("no port could be opened for it: {error}")))?;
    std.envs(listener.iter().flat_map(Listener::environment));
    let input = if listener.is_some() { Stdio::null() } else { Stdio::piped() };
    let process = Process::start(std, input).map_err(|error| command.not_started(&error))?;
    let mut session = Session::new(process, *limits);
    if let Some(listener) = listener {
        listener.accept(&mut session, until).map_err(|error| unusable(&error, &mut session))?;
    }
    Ok(session)
}

/// Sends hello and waits for the reply.
///
/// # Errors
/// The adapter sends no valid reply in time. The message says why, and what to do.
pub(crate) fn handshake(
    session: &mut Session,
    specs: &Specs,
    until: Instant,
) -> Result<HandshakeReply, ImplementationError> {
    receive(session, specs, until).map_err(|problem| unusable(&problem, session))
}

/// Kills the adapter. Returns the problem, with the end of what the adapter printed.
fn unusable(problem: &str, session: &mut Session) -> ImplementationError {
    let output = session.kill();
    let from = output.char_indices().rev().nth(OUTPUT).map_or(0, |(at, _)| at);
    let output = &output[from..];
    ImplementationError(match output {
        "" => problem.to_owned(),
        _ => format!("{problem}. The end of its output:\n{output}"),
    })
}

fn receive(session: &mut Session, specs: &Specs, until: Instant) -> Result<HandshakeReply, String> {
    session.send(handshake_line());
    loop {
        let ended = |end| {
            let hello = handshake_line();
            let hello = String::from_utf8_lossy(&hello);
            format!(
                "it {end}, before replying to hello, the first request. To see why, start its command yourself, and send it \
                 `{}`",
                hello.trim_end()
            )
        };
        let lines = session.wait(until).map_err(ended)?;
        let mut found = None;
        for line in lines {
            match read_reply(&line.text, specs)? {
                Some(reply) => found = Some(reply),
                None => session.noise.push_line(&line.text),
            }
        }
        if let Some(reply) = found {
            return Ok(reply);
        }
        if Instant::now() >= until {
            return Err(silent(session));
        }
    }
}

/// Reads a handshake reply; `None` if the line is something else, such as a banner or a log line in JSON.
fn read_reply(line: &[u8], specs: &Specs) -> Result<Option<HandshakeReply>, String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Ok(mut object) = serde_json::from_slice::<Map<String, Value>>(line) else { return Ok(None) };
    if !["protocol", "ops", "dialects"].iter().any(|key| object.contains_key(*key)) {
        return Ok(None);
    }
    object.values_mut().for_each(tidy);
    check_protocol(&object)?;
    let mut handshake: Handshake = serde_json::from_value(Value::Object(object.clone()))
        .map_err(|error| format!("its handshake reply is invalid: {}", invalid(&object, &error)))?;
    for (is_empty, what) in [(handshake.ops.is_empty(), "ops"), (handshake.dialects.is_empty(), "dialects")] {
        if is_empty {
            let advice = format!("so there is nothing to test; list at least one in `{what}`");
            return Err(format!("its handshake reply has no {what}, {advice}"));
        }
    }
    handshake.understand(specs);
    check_engine(&handshake, specs)?;
    Ok(Some((handshake, object)))
}

/// What is wrong in a handshake reply: the key that is invalid beside what it needs, or what it needs.
fn invalid(object: &Map<String, Value>, error: &serde_json::Error) -> String {
    let shown = |error: &serde_json::Error| with_known(beginning(error.to_string().as_bytes(), INSTEAD));
    let wrong = object.iter().find_map(|(key, value)| {
        let mut least = json!({"protocol": PROTOCOL, "name": "", "dialects": [], "ops": []});
        least[key.as_str()] = value.clone();
        Some(format!("`{key}`: {}", shown(&serde_json::from_value::<Handshake>(least).err()?)))
    });
    wrong.unwrap_or_else(|| format!("{}; it needs `protocol`, `name`, `dialects` and `ops`", shown(error)))
}

fn check_protocol(handshake: &Map<String, Value>) -> Result<(), String> {
    let Some(protocol) = handshake.get("protocol") else { return Ok(()) };
    if protocol.as_u64() == Some(u64::from(PROTOCOL)) {
        return Ok(());
    }
    let protocol = beginning(protocol.to_string().as_bytes(), 40);
    Err(format!("`protocol` in its handshake reply is {protocol}; it must be {PROTOCOL}, which this conform speaks"))
}

/// A version that is not understood, or that of no engine of its dialects, would switch tests off.
fn check_engine(handshake: &Handshake, specs: &Specs) -> Result<(), String> {
    let Some(engine) = &handshake.engine else { return Ok(()) };
    let said = format!("`engine` in its handshake reply is {engine:?}; it must be");
    let version = numbers(engine);
    if !is_version(engine) || version.len() < 2 {
        return Err(format!("{said} a version such as \"3.6\", or absent"));
    }
    let engines = |name: &String| specs.dialect(name).and_then(|dialect| dialect.engines.as_deref());
    let engines: Vec<&str> = handshake.dialects.iter().filter_map(engines).collect();
    if engines.is_empty() || engines.iter().any(|engines| may_be(&version, engines)) {
        return Ok(());
    }
    Err(format!("{said} one of {}, or absent", engines.join(", ")))
}

/// Whether a version is of these engines (`Godot 3.1–3.6`), or of a later one with the same first number. If they have none,
/// any is.
fn may_be(version: &[u64], engines: &str) -> bool {
    let last = engines.rsplit(' ').next().unwrap_or_default();
    let (first, last) = last.split_once('–').unwrap_or((last, last));
    let (first, last) = (numbers(first), numbers(last));
    first.is_empty() || *version >= *first && version.first() <= last.first()
}

/// Bounds and escapes every text of a handshake reply, and makes its numbers whole: Godot prints each as a float, `64.0`.
fn tidy(json: &mut Value) {
    match json {
        Value::String(text) => clean(text, NAME),
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => object.values_mut().for_each(tidy),
        Value::Number(number) => {
            let whole = |float: &f64| float.fract() == 0.0 && (0.0..9.0e15).contains(float);
            if let Some(float) = number.as_f64().filter(whole) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "checked to be whole and small"
                )]
                let whole = float as u64;
                *json = whole.into();
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Why no reply came in time.
fn silent(session: &mut Session) -> String {
    let (allowed, instead) = (session.limits.start_up, session.noise.take());
    let instead = match instead.as_str() {
        "" => instead,
        _ => format!("; instead it printed: {}", beginning(instead.as_bytes(), INSTEAD)),
    };
    format!(
        "it did not reply to hello in {allowed:?}{instead}. It must read a line from its standard input and reply with \
         one on its standard output, flushed. If it takes longer to start, allow more with --timeout FACTOR, or \
         `start-timeout:` in its adapter.yaml"
    )
}
