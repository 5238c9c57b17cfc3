//! A conversation with an adapter line by line, for those who look at the lines themselves.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::end::End;
use super::greeting::greet;
use super::launch::{start, unusable};
use super::lines::Piece;
use super::session::{Pumped, Session};
use super::untrusted::clean_answer;
use super::{Command, ExitReport, Limits};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Answer, ImplementationError};
use variant_wire::malformed_reply::malformed_reply;
use variant_wire::protocol::{Line, read_line};
use variant_wire::sanitize::beginning;

/// How much of a stray line is kept.
const STRAY: usize = 200;
/// How many stray lines are kept.
const STRAYS: usize = 20;
/// Which part of one's patience a real reply has to follow what looks like one.
const GRACE: u32 = 20;

/// A running adapter and its two streams.
#[derive(Debug)]
pub struct Wire {
    session: Session,
    /// What it said beside the protocol.
    strays: Vec<String>,
    stray_count: usize,
}

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A reply to this request, and its line.
    Reply(u64, Answer, Vec<u8>),
    /// What was meant for a reply, and is none: why, and its line. No other came.
    MalformedReply(String),
    /// Nothing, for so long.
    Silence(Duration),
    /// It ended: how.
    End(String),
}

/// How an adapter ended, and what it said besides.
#[derive(Debug)]
pub struct Parting {
    /// How it took the end of its input.
    pub exit: ExitReport,
    /// Lines of standard output that were no replies, the first ones.
    pub strays: Vec<String>,
    /// How many there were.
    pub stray_count: usize,
}

impl Wire {
    /// Starts the program, and waits for its connection where it opens one.
    ///
    /// # Errors
    /// Why it did not start, and what to do.
    pub fn open(command: &Command, limits: &Limits) -> Result<Self, ImplementationError> {
        let session = start(command, limits, Instant::now() + limits.start_up)?;
        Ok(Self { session, strays: Vec::new(), stray_count: 0 })
    }

    /// Says hello, and gives back the answer and the object that it was read from.
    ///
    /// # Errors
    /// Why there is no hello that can be used.
    pub fn greet(mut self) -> Result<(Self, Handshake, Map<String, Value>), ImplementationError> {
        let limits = self.session.limits;
        match greet(&mut self.session, &limits, Instant::now() + limits.start_up) {
            Ok((handshake, object)) => {
                let said = self.session.noise.take();
                said.lines().for_each(|line| self.note(line.as_bytes()));
                Ok((self, handshake, object))
            }
            Err(problem) => Err(unusable(problem, self.session)),
        }
    }

    /// Sends these bytes, as far as they go; the rest goes while it is listened.
    pub fn send(&mut self, bytes: &[u8]) {
        self.session.outbox.bytes().extend_from_slice(bytes);
        self.session.outbox.flush();
    }

    /// Ends its input.
    pub fn close_input(&mut self) {
        self.session.outbox.close();
    }

    /// The next reply, waited for no longer than `patience`. What is no reply is kept apart.
    pub fn hear(&mut self, patience: Duration) -> Heard {
        let mut until = Instant::now() + patience;
        let mut slipped: Option<(String, Vec<u8>)> = None;
        loop {
            while let Some(piece) = self.session.lines.next() {
                let (line, answer) = match piece {
                    Piece::Line(line) => (line.to_vec(), read_line(line)),
                    Piece::TooLong(head, length) => {
                        return Heard::End(format!("sent a line of {length} bytes: {}", beginning(head, STRAY)));
                    }
                };
                match answer {
                    Line::Reply(seq, mut answer) => {
                        clean_answer(&mut answer);
                        self.note(slipped.as_ref().map_or(&[], |(_, said)| said));
                        return Heard::Reply(seq, answer, line);
                    }
                    Line::Garbled(seq, why) => return Heard::Reply(seq, Answer::Garbled(why), line),
                    Line::Noise => match malformed_reply(&line).filter(|_| slipped.is_none()) {
                        // The real one may follow, but then it follows soon.
                        Some(malformed_reply) => {
                            until = until.min(Instant::now() + patience / GRACE);
                            slipped = Some((format!("{}: {}", malformed_reply.why, beginning(&line, STRAY)), line));
                        }
                        None => self.note(&line),
                    },
                }
            }
            match self.session.pump(until) {
                Pumped::Lines => {}
                Pumped::Quiet | Pumped::Ended(End::Silent(_)) => return silence(slipped, patience),
                Pumped::Ended(end) => return Heard::End(end.to_string()),
            }
            if Instant::now() >= until && !self.session.lines.any() {
                return silence(slipped, patience);
            }
        }
    }

    /// Lines of standard output that were no replies, the first ones.
    pub fn strays(&self) -> &[String] {
        &self.strays
    }

    /// The end of what it said beside the protocol, on both streams; it is killed before, so that all is said.
    pub fn last_words(mut self) -> String {
        self.session.process.kill();
        self.session.last_words()
    }

    /// Ends its input, waits for its end, and tells how that went.
    pub fn part(self) -> Parting {
        let Self { session, strays, stray_count } = self;
        Parting { exit: session.shutdown(), strays, stray_count }
    }

    fn note(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        self.stray_count += 1;
        if self.strays.len() < STRAYS {
            self.strays.push(beginning(line, STRAY));
        }
    }
}

fn silence(slipped: Option<(String, Vec<u8>)>, patience: Duration) -> Heard {
    slipped.map_or(Heard::Silence(patience), |(why, _)| Heard::MalformedReply(why))
}
