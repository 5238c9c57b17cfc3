//! Talking with an adapter: one question, one answer, and a fresh process where it died of it.

use variant_codec::Codec;
use variant_specs::{Dialect, Reading, Specs};

use super::samples;
use crate::external::{Command, Heard, Limits, Parting, Wire};
use variant_wire::handshake::changes;
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Answer, ImplementationError, Input, Request};
use variant_wire::protocol::write_request;
use variant_wire::sanitize::beginning;

/// How much of a line is shown.
pub(super) const SHOWN: usize = 200;

/// An adapter that said hello.
pub(super) struct Talk<'a> {
    pub(super) command: &'a Command,
    pub(super) limits: &'a Limits,
    pub(super) specs: &'a Specs,
    pub(super) dialect: &'a Dialect,
    pub(super) codec: Codec,
    pub(super) handshake: Handshake,
    wire: Option<Wire>,
    seq: u64,
    /// How its hello was another one after a restart.
    pub(super) changed: Option<String>,
    /// What the last process said beside the protocol: lines of standard output, and how many there were.
    pub(super) strays: Vec<String>,
    pub(super) stray_count: usize,
    /// The end of its standard error.
    pub(super) stderr: String,
}

impl<'a> Talk<'a> {
    pub(super) fn new(
        command: &'a Command,
        limits: &'a Limits,
        specs: &'a Specs,
        dialect: &'a Dialect,
        handshake: Handshake,
        wire: Wire,
    ) -> Self {
        Self {
            command,
            limits,
            specs,
            dialect,
            codec: Codec::new(dialect, Reading::Engine),
            handshake,
            wire: Some(wire),
            seq: 0,
            changed: None,
            strays: Vec::new(),
            stray_count: 0,
            stderr: String::new(),
        }
    }

    /// A `seq` that was not used yet.
    pub(super) fn next_seq(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    /// Questions that it can be asked, by what it claims; the first is the simplest.
    pub(super) fn probes(&self) -> Vec<Input> {
        let mut probes = Vec::new();
        for (layout, value) in samples::values(self.dialect) {
            let Ok(packet) = self.codec.encode(&value) else { continue };
            for op in self.handshake.ops.iter().filter(|op| self.handshake.claims(&layout, **op)) {
                probes.push(match op {
                    Op::Decode => Input::Decode(packet.clone()),
                    Op::Encode => Input::Encode(value.clone()),
                    Op::Reencode => Input::Reencode(packet.clone()),
                });
            }
        }
        probes
    }

    /// The simplest question.
    pub(super) fn probe(&self) -> Result<Input, String> {
        self.probes().into_iter().next().ok_or_else(|| "its hello claims nothing that could be asked here".to_owned())
    }

    /// The line that asks this, `\n` included.
    pub(super) fn line(&self, seq: u64, input: Input) -> Vec<u8> {
        let mut line = Vec::new();
        let request = Request { dialect: self.dialect.name.as_str().into(), input, objects: false, framing: None };
        write_request(&mut line, seq, &request, &self.specs.layouts, &self.handshake);
        line
    }

    /// Asks, and waits for the answer; or why there is none.
    pub(super) fn send(&mut self, input: Input) -> Result<Answer, String> {
        let seq = self.next_seq();
        let line = self.line(seq, input);
        self.put(seq, &line)
    }

    /// Sends a line, and waits for the answer to this `seq`.
    pub(super) fn put(&mut self, seq: u64, line: &[u8]) -> Result<Answer, String> {
        self.send_bytes(line)?;
        self.answer_to(seq)
    }

    /// Sends bytes to the process, which is started again where it ended.
    pub(super) fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.wire()?.send(bytes);
        Ok(())
    }

    /// Waits for the answer to this `seq`.
    fn answer_to(&mut self, seq: u64) -> Result<Answer, String> {
        match self.hear()? {
            (heard, answer, _) if heard == seq => Ok(answer),
            (heard, _, line) => Err(format!(
                "it answered `seq` {heard} to `seq` {seq}: {}; give back the number that came with the request",
                beginning(&line, SHOWN)
            )),
        }
    }

    /// The next reply; or how it died, or that it was silent.
    pub(super) fn hear(&mut self) -> Result<(u64, Answer, Vec<u8>), String> {
        let patience = self.limits.reply_timeout;
        match self.wire()?.hear(patience) {
            Heard::Reply(seq, Answer::Garbled(why), line) => {
                Err(format!("its reply to `seq` {seq} is none: {why}: {}", beginning(&line, SHOWN)))
            }
            Heard::Reply(seq, answer, line) => Ok((seq, answer, line)),
            Heard::MalformedReply(why) => Err(why),
            Heard::Silence(time) => {
                let instead = self.bury();
                Err(format!("no reply came in {time:?}{instead}"))
            }
            Heard::End(how) => {
                let instead = self.bury();
                Err(format!("it {how}{instead}"))
            }
        }
    }

    /// The running process, or a fresh one.
    pub(super) fn wire(&mut self) -> Result<&mut Wire, String> {
        if self.wire.is_none() {
            let opened = Wire::open(self.command, self.limits).and_then(Wire::greet);
            let (wire, handshake, _) =
                opened.map_err(|ImplementationError(why)| format!("when it was started again: {why}"))?;
            if handshake != self.handshake {
                self.changed = Some(changes(&self.handshake, &handshake));
            }
            self.wire = Some(wire);
        }
        self.wire.as_mut().ok_or_else(|| "it is not running".to_owned())
    }

    /// Ends the input of the process, and waits for its end.
    pub(super) fn part(&mut self) -> Option<Parting> {
        let parting = self.wire.take()?.part();
        self.strays.clone_from(&parting.strays);
        self.stray_count = parting.stray_count;
        self.stderr.clone_from(&parting.exit.stderr);
        Some(parting)
    }

    /// Gives the process up; what it said instead of an answer.
    fn bury(&mut self) -> String {
        let Some(wire) = self.wire.take() else { return String::new() };
        let stray = wire.strays().last().map(|line| format!("; instead it printed: {line}")).unwrap_or_default();
        let noise = wire.last_words();
        let last: Vec<&str> = noise.lines().rev().take(5).collect();
        let said = if last.is_empty() {
            String::new()
        } else {
            format!("; it said, at the end:\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"))
        };
        format!("{stray}{said}")
    }
}

/// An answer in a word.
pub(super) fn named(answer: &Answer) -> &'static str {
    match answer {
        Answer::Value { .. } => "a value",
        Answer::Bytes(_) => "bytes",
        Answer::Refused(_) => "`refused`",
        Answer::Unsupported(_) => "`unsupported`",
        Answer::Garbled(_)
        | Answer::Crashed(_)
        | Answer::TimedOut(_)
        | Answer::OrderDependent(_)
        | Answer::NotRun(_) => "nothing that the protocol knows",
    }
}
