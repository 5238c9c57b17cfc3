//! A program that is started for every request: `./tool decode|encode|reencode DIALECT`.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use variant_specs::Layouts;

use super::budget::Budget;
use super::exit::End;
use super::line_reader::Message;
use super::process::Process;
use super::session::{IoEvent, Session};
use super::wire_event::{SHOWN, clean_answer};
use super::{Command, Limits};
use crate::guard::NOT_STARTED;
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{
    Answer, Implementation, ImplementationError, Input, Outcome, RefusalReason, Request,
};
use variant_wire::interrupt::INTERRUPTED;
use variant_wire::protocol::{Line, added, prefix, read_line, unframed};
use variant_wire::sanitize::beginning;
use variant_wire::value_text::{Form, write_value};

/// The exit status for a request that the tool does not support.
const UNSUPPORTED: i32 = 89;
/// How much of stderr counts as the reason of a refusal.
const REASON: usize = 300;

/// A tool without a loop. Bytes and values travel on its standard input and output, and its exit status is the answer:
/// 0 done, 1 refused, 89 unsupported, anything else a crash.
#[derive(Debug)]
pub struct OneShot {
    command: Command,
    handshake: Handshake,
    layouts: Arc<Layouts>,
    limits: Limits,
    budget: Budget,
}

impl OneShot {
    /// A tool with this handshake, since it sends none itself. It is not started yet.
    pub fn new(command: Command, handshake: Handshake, layouts: Arc<Layouts>, limits: Limits) -> Self {
        Self { command, handshake, layouts, limits, budget: Budget::default() }
    }

    fn send_one(&mut self, request: &Request) -> Result<Outcome, ImplementationError> {
        let from = Instant::now();
        let (op, input) = match &request.input {
            Input::Decode(bytes) => (Op::Decode, self.framed(request, bytes)),
            Input::Reencode(bytes) => (Op::Reencode, self.framed(request, bytes)),
            Input::Encode(value) => {
                let mut json = b"{\"value\":".to_vec();
                write_value(&mut json, value, &self.layouts, Form::of(&self.handshake));
                json.extend_from_slice(b"}\n");
                (Op::Encode, json)
            }
        };
        let mut session = self.start(op, &request.dialect)?;
        session.exchange(input);
        let (output, end) = self.receive(&mut session, request);
        let took = from.elapsed();
        // On a machine with other work, most of the time may be theirs.
        let worked = session.work().unwrap_or(took);
        let noise = session.kill();
        if let Some((_, why)) = noise.split_once(NOT_STARTED) {
            return Err(ImplementationError(why.trim_end().to_owned()));
        }
        let mut answer = match end {
            End::Interrupted => return Err(ImplementationError(INTERRUPTED.to_owned())),
            End::Exited(status) => match status.code() {
                Some(0) => output.map_or_else(Answer::Garbled, |output| done(op, output)),
                Some(1) => refused(op, &output.unwrap_or_default(), &noise),
                Some(UNSUPPORTED) => Answer::Unsupported(beginning(noise.as_bytes(), REASON)),
                Some(_) | None => end.answer(),
            },
            End::ClosedOutput | End::Memory { .. } | End::Silent(_) => end.answer(),
        };
        match (&answer, end) {
            (Answer::TimedOut(_), End::Silent(time)) => {
                self.budget.count(request, true);
                self.budget.spend(time);
            }
            (Answer::Crashed(_), _) => self.budget.count(request, false),
            (_, _) => {
                self.budget.answered(request);
                self.budget.took(took);
            }
        }
        clean_answer(&mut answer);
        let answer = unframed(answer, request, &self.handshake);
        Ok(Outcome { answer, noise, slow: Some(worked).filter(|worked| *worked > self.limits.slow_after) })
    }

    fn framed(&self, request: &Request, packet: &[u8]) -> Vec<u8> {
        let front = added(request, &self.handshake).map(|framing| prefix(framing, packet));
        [front.as_ref().map_or(&[][..], |front| front), packet].concat()
    }

    fn start(&self, op: Op, dialect: &str) -> Result<Session, ImplementationError> {
        let mut std = self.command.to_std()?;
        std.arg(op.name()).arg(dialect);
        let process = Process::start(std, Stdio::piped()).map_err(|error| self.command.not_started(error))?;
        let mut session = Session::new(process, self.limits);
        session.connect_stdio().map_err(|error| ImplementationError(format!("its pipes cannot be used: {error}")))?;
        Ok(session)
    }

    /// All its output, or what is wrong with it; and how it ended. The timeout is for both.
    fn receive(&self, session: &mut Session, request: &Request) -> (Result<Vec<u8>, String>, End) {
        let timeout = self.budget.timeout(request, &self.limits);
        let until = Instant::now() + timeout;
        let mut output = Ok(Vec::new());
        loop {
            match session.pump(until) {
                IoEvent::Lines => match session.lines.next() {
                    Some(Message::Line(all) | Message::Frame(all)) => output = Ok(all.to_vec()),
                    Some(Message::TooLong(_, length)) => output = Err(format!("it wrote {length} bytes")),
                    None => {}
                },
                IoEvent::Quiet => return (output, End::Silent(timeout)),
                IoEvent::Ended(end) => return (output, end),
            }
        }
    }
}

impl Implementation for OneShot {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            // It is started for each request, so only those that it keeps us waiting for count.
            let given_up = self.budget.exceeded(&Limits { restarts: usize::MAX, ..self.limits });
            answered(
                place,
                if let Some(why) = given_up {
                    Answer::NotRun(why).into()
                } else if let Some(why) = self.budget.skips(&request, &self.limits) {
                    Answer::Skipped(why).into()
                } else {
                    self.send_one(&request)?
                },
            );
        }
        Ok(())
    }
}

/// The output of a tool that is done: a reply when decoding, else a packet.
fn done(op: Op, output: Vec<u8>) -> Answer {
    match op {
        Op::Decode => reply(&output).unwrap_or_else(|| {
            Answer::Garbled(format!("its output is not a JSON object: {}", beginning(&output, SHOWN)))
        }),
        Op::Encode | Op::Reencode => Answer::Bytes(output),
    }
}

/// The reason of a refusal: in its output when decoding, or else stderr.
fn refused(op: Op, output: &[u8], noise: &str) -> Answer {
    match (op, reply(output)) {
        (Op::Decode, Some(Answer::Refused(reason))) => Answer::Refused(reason),
        _ => Answer::Refused(RefusalReason { text: beginning(noise.as_bytes(), REASON), ..RefusalReason::default() }),
    }
}

/// A reply without `seq`, which is added for the reader of the protocol.
fn reply(output: &[u8]) -> Option<Answer> {
    let object = output.trim_ascii().strip_prefix(b"\xef\xbb\xbf").unwrap_or(output.trim_ascii());
    let line = [b"{\"seq\":0,", object.strip_prefix(b"{")?].concat();
    match read_line(&line) {
        Line::Reply(_, answer) => Some(answer),
        Line::Garbled(_, why) => Some(Answer::Garbled(format!("{why}: {}", beginning(object, SHOWN)))),
        Line::Noise => None,
    }
}
