//! Exchanges single lines with an adapter: one request, one reply, and a fresh process after a crash.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use variant_codec::{Codec, Value};
use variant_specs::{Dialect, JudgedBy, Specs};

use super::check::Failed;
use super::samples;
use crate::external::{Command, Limits, Line, SHOWN, Session, WireEvent, launch, without_folders};
use variant_values::handshake::{Handshake, Op, changes};
use variant_values::implementation::{Answer, Input, Request};
use variant_values::protocol::{Reply, write_request};
use variant_values::sanitize::{beginning, time};

/// How many stray lines are kept.
const STRAYS: usize = 20;

pub(super) struct VetReply {
    pub(super) seq: u64,
    pub(super) says: Reply,
    pub(super) line: Vec<u8>,
}

pub(super) enum NoReply {
    /// A line was meant as a reply, but is malformed: what is wrong with it.
    Malformed(String),
    /// Nothing came for this long.
    Silence(Duration),
    /// How the process ended, or failed to start again.
    Ended(String),
}

pub(super) struct Conversation<'a> {
    pub(super) command: &'a Command,
    pub(super) limits: &'a Limits,
    pub(super) specs: &'a Specs,
    pub(super) dialect: &'a Dialect,
    pub(super) codec: Codec,
    pub(super) handshake: Handshake,
    session: Option<Session>,
    /// Lines that were not looked at yet.
    received: VecDeque<Line>,
    seq: u64,
    /// How its handshake reply changed after a restart.
    pub(super) changed: Option<String>,
    /// The first lines outside the protocol on standard output.
    pub(super) strays: Vec<String>,
    /// The end of the standard error of the last process that was shut down.
    pub(super) stderr: String,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(
        command: &'a Command,
        limits: &'a Limits,
        specs: &'a Specs,
        dialect: &'a Dialect,
        handshake: Handshake,
        session: Session,
    ) -> Self {
        let mut conversation = Self {
            command,
            limits,
            specs,
            dialect,
            codec: Codec::new(dialect, JudgedBy::Engines),
            handshake,
            session: None,
            received: VecDeque::new(),
            seq: 0,
            changed: None,
            strays: Vec::new(),
            stderr: String::new(),
        };
        conversation.adopt(session);
        conversation
    }

    pub(super) fn claims(&self, layout: &str, op: Op) -> bool {
        self.handshake.ops.contains(&op) && self.handshake.claims(layout, op)
    }

    /// The line of the next request, and its `seq`.
    pub(super) fn next_line(&mut self, input: Input) -> (u64, Vec<u8>) {
        let seq = self.next_seq();
        (seq, self.line_in(self.dialect, seq, input))
    }

    /// A `seq` that was not used yet.
    pub(super) fn next_seq(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    /// Requests that the adapter supports; the first is the simplest.
    pub(super) fn probes(&self) -> Vec<Input> {
        let mut probes = Vec::new();
        for (layout, value) in samples::values(self.dialect) {
            let Ok(packet) = self.codec.encode(&value) else { continue };
            let ops = self.handshake.ops.iter().filter(|op| self.claims(&layout, **op));
            probes.extend(ops.map(|op| input(*op, &packet, &value)));
        }
        probes
    }

    /// The simplest request that the adapter supports.
    pub(super) fn probe(&self) -> Result<Input, Failed> {
        let probe = self.probes().into_iter().next();
        probe.ok_or_else(|| Failed("its handshake reply supports nothing that can be tested".to_owned()))
    }

    /// The request that sends a packet, if the adapter supports one.
    pub(super) fn of_packet(&self, packet: &[u8]) -> Option<Input> {
        self.packet_op().map(|op| input(op, packet, &Value::Null))
    }

    /// The first supported operation that takes a packet: decode or reencode.
    pub(super) fn packet_op(&self) -> Option<Op> {
        self.handshake.ops.iter().find(|op| **op != Op::Encode).copied()
    }

    /// The line of a request, `\n` included.
    pub(super) fn line_in(&self, dialect: &Dialect, seq: u64, input: Input) -> Vec<u8> {
        let dialect = dialect.name.as_str().into();
        let request = Request { dialect, input, objects: false, framing: None, kind: None };
        let mut line = Vec::new();
        write_request(&mut line, seq, &request, &self.specs.layouts, &self.handshake);
        line
    }

    pub(super) fn send(&mut self, input: Input) -> Result<Reply, Failed> {
        let (seq, line) = self.next_line(input);
        self.send_line(seq, &line)
    }

    /// Sends a line and waits for the reply to this `seq`.
    pub(super) fn send_line(&mut self, seq: u64, line: &[u8]) -> Result<Reply, Failed> {
        self.send_bytes(line)?;
        let reply = self.receive()?;
        if reply.seq == seq {
            return Ok(reply.says);
        }
        Err(Failed(format!(
            "it replied with `seq` {} to `seq` {seq}: {}; return the number from the request",
            reply.seq,
            beginning(&reply.line, SHOWN)
        )))
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        self.session()?.send(bytes.to_vec());
        Ok(())
    }

    pub(super) fn close_input(&mut self) -> Result<(), Failed> {
        self.session()?.close_input();
        Ok(())
    }

    /// The next reply. If there is none, the process is killed.
    pub(super) fn receive(&mut self) -> Result<VetReply, Failed> {
        match self.wait(self.limits.reply_timeout) {
            Ok(VetReply { seq, says: Reply::Garbled(why), .. }) => {
                Err(Failed(format!("its reply to `seq` {seq} is invalid: {why}")))
            }
            Ok(reply) => Ok(reply),
            Err(NoReply::Malformed(why)) => {
                // Its real reply may follow, and answers nothing that is asked from now on.
                self.session = None;
                Err(Failed(why))
            }
            Err(NoReply::Silence(silence)) => Err(Failed(format!("no reply in {}{}", time(silence), self.reap()))),
            Err(NoReply::Ended(how)) => Err(Failed(format!("{how}{}", self.reap()))),
        }
    }

    /// Waits for the next reply, no longer than `patience`. Other lines are kept as strays.
    pub(super) fn wait(&mut self, patience: Duration) -> Result<VetReply, NoReply> {
        let until = Instant::now() + patience;
        loop {
            while let Some(Line { says, text }) = self.received.pop_front() {
                match says {
                    WireEvent::Reply(seq, says) => return Ok(VetReply { seq, says, line: text }),
                    WireEvent::Malformed(reply) => {
                        return Err(NoReply::Malformed(format!("{}: {}", reply.why, beginning(&text, SHOWN))));
                    }
                    WireEvent::Noise => self.note(&text),
                }
            }
            let lines = self.session().map_err(|Failed(why)| NoReply::Ended(why))?.wait(until);
            self.received.extend(lines.map_err(|end| NoReply::Ended(format!("it {end}")))?);
            if Instant::now() >= until && self.received.is_empty() {
                return Err(NoReply::Silence(patience));
            }
        }
    }

    /// The running process, or a fresh one.
    fn session(&mut self) -> Result<&mut Session, Failed> {
        if self.session.is_none() {
            let (session, handshake) = launch(self.command, self.specs, self.limits)
                .map_err(|why| Failed(format!("when it was started again: {why}")))?;
            if handshake != self.handshake {
                self.changed = Some(changes(&self.handshake, &handshake));
            }
            self.adopt(session);
        }
        self.session.as_mut().ok_or_else(|| Failed("it is not running".to_owned()))
    }

    /// Goes on with this process, and what it printed before its handshake reply.
    fn adopt(&mut self, mut session: Session) {
        let printed = session.noise.take();
        printed.lines().for_each(|line| self.note(line.as_bytes()));
        self.received.clear();
        self.session = Some(session);
    }

    fn note(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if self.strays.len() < STRAYS {
            self.strays.push(without_folders(&beginning(line, SHOWN)));
        }
    }

    /// Ends the process: the next request starts it again.
    pub(super) fn restart(&mut self) {
        drop(self.reap());
    }

    /// Closes the input of the process, and waits for its exit. Returns what went wrong.
    pub(super) fn shutdown(&mut self) -> Option<Answer> {
        let (problem, stderr) = self.session.take()?.shutdown();
        self.stderr = stderr;
        problem
    }

    /// Kills the process; returns what it printed instead of a reply.
    pub(super) fn reap(&mut self) -> String {
        let Some(mut session) = self.session.take() else { return String::new() };
        let stray = self.strays.last().map(|line| format!("; instead it printed: {line}")).unwrap_or_default();
        let noise = session.kill();
        let mut lines: Vec<&str> = noise.lines().filter(|line| !line.trim().is_empty()).collect();
        // Some name the error before the calls that led to it, and some after.
        if lines.len() > 10 {
            lines.splice(5..lines.len() - 5, ["…"]);
        }
        if lines.is_empty() { stray } else { format!("{stray}; the end of its output:\n{}", lines.join("\n")) }
    }
}

/// The request for an operation on a value, of which this is the packet.
pub(super) fn input(op: Op, packet: &[u8], value: &Value) -> Input {
    match op {
        Op::Decode => Input::Decode(packet.to_vec()),
        Op::Encode => Input::Encode(value.clone()),
        Op::Reencode => Input::Reencode(packet.to_vec()),
    }
}
