//! From a command to an adapter that has said hello.

use std::process::Stdio;
use std::time::Instant;

use super::door::Door;
use super::greeting::greet;
use super::process::Process;
use super::session::Session;
use super::{Command, Limits, Transport};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::ImplementationError;

/// How much of what it said is shown.
const SAID: usize = 1000;

/// Starts a process, waits for its connection where it opens one, and greets it.
pub(super) fn launch(command: &Command, limits: &Limits) -> Result<(Session, Handshake), ImplementationError> {
    let until = Instant::now() + limits.start_up;
    let mut session = start(command, limits, until)?;
    match greet(&mut session, limits, until) {
        Ok((handshake, _)) => Ok((session, handshake)),
        Err(problem) => Err(unusable(problem, session)),
    }
}

/// Starts a process, and waits for its connection where it opens one.
pub(super) fn start(command: &Command, limits: &Limits, until: Instant) -> Result<Session, ImplementationError> {
    let (session, came) = match command.transport {
        Transport::Stdio => {
            let mut session = spawn(command, limits, None)?;
            let came = session.connect_stdio().map_err(|error| format!("its pipes cannot be used: {error}"));
            (session, came)
        }
        Transport::Tcp => {
            let door = Door::open().map_err(|error| {
                ImplementationError(format!("no port of this machine could be opened for it: {error}"))
            })?;
            let mut session = spawn(command, limits, Some(&door))?;
            let came = door.admit(&mut session, until, limits);
            (session, came)
        }
    };
    match came {
        Ok(()) => Ok(session),
        Err(problem) => Err(unusable(problem, session)),
    }
}

fn spawn(command: &Command, limits: &Limits, door: Option<&Door>) -> Result<Session, ImplementationError> {
    let mut std = command.to_std()?;
    std.stdin(if door.is_some() { Stdio::null() } else { Stdio::piped() }).stdout(Stdio::piped());
    std.envs(door.into_iter().flat_map(Door::environment));
    let process = Process::start(&mut std).map_err(|error| command.not_started(&error))?;
    let mut session = Session::new(process, *limits);
    if door.is_some() {
        session
            .disregard_stdout()
            .map_err(|error| ImplementationError(format!("its standard output cannot be read: {error}")))?;
    }
    Ok(session)
}

/// The problem, and what the adapter said on its streams.
pub(super) fn unusable(mut problem: String, mut session: Session) -> ImplementationError {
    session.process.kill();
    let said = session.last_words();
    if !said.is_empty() {
        let from = said.char_indices().rev().nth(SAID).map_or(0, |(at, _)| at);
        problem.push_str(". It said, at the end:\n");
        problem.push_str(&said[from..]);
    }
    ImplementationError(problem)
}
