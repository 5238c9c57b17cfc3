//! One process of an adapter: lines to it, lines from it, and how it ended.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::exit::{End, is_report};
use super::limits::Limits;
use super::memory::resident;
use super::output::{EndsBuffer, without_folders};
use super::process::Process;
use super::streams::{Line, SHOWN, StreamEvent, WireEvent, read_lines, read_text, write_all};
use variant_values::implementation::{Answer, Ending};
use variant_values::sanitize::{beginning, time};

/// How often memory, exit and interruptions are looked at while nothing comes.
const GLANCE: Duration = Duration::from_millis(50);
/// How often an exit is looked for that is expected.
const SOON: Duration = Duration::from_millis(1);
/// How many pieces of what came may wait to be looked at. An adapter that prints for ever waits too, then.
const WAITING: usize = 4;
/// How long to read on once a process is gone.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// A running process and its connection. Whatever blocks has a deadline.
#[derive(Debug)]
pub(crate) struct Session {
    process: Process,
    input: Option<Sender<Vec<u8>>>,
    events: Receiver<StreamEvent>,
    /// For the output of the protocol, until that is connected.
    sender: Option<SyncSender<StreamEvent>>,
    /// The end of its standard output, if the protocol has its own connection.
    stdout: EndsBuffer,
    stderr: EndsBuffer,
    /// The line in which a sanitizer said what it found.
    pub(super) report: Option<String>,
    /// What it printed outside the protocol since the last reply.
    pub(crate) noise: EndsBuffer,
    /// The request that it answered last.
    pub(super) last: Option<u64>,
    /// How many replies came after the end of its input.
    stray: usize,
    pub(crate) limits: Limits,
    next_glance: Instant,
}

impl Session {
    /// A process that was started. With its standard input it speaks the protocol; without, it is yet to connect.
    pub(super) fn new(mut process: Process, limits: Limits) -> Self {
        let (sender, events) = sync_channel(WAITING);
        let child = &mut process.child;
        let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let mut session = Self {
            process,
            input: None,
            events,
            sender: Some(sender.clone()),
            stdout: EndsBuffer::default(),
            stderr: EndsBuffer::default(),
            report: None,
            noise: EndsBuffer::default(),
            last: None,
            stray: 0,
            limits,
            next_glance: Instant::now(),
        };
        match (stdin, stdout) {
            (Some(stdin), Some(stdout)) => session.connect(stdin, stdout, |_| ()),
            (_, Some(stdout)) => read_text(stdout, sender.clone(), StreamEvent::Stdout),
            (_, None) => {}
        }
        if let Some(stderr) = stderr {
            read_text(stderr, sender, StreamEvent::Stderr);
        }
        session
    }

    /// Speaks the protocol through these. `close` is what ends the input besides dropping it.
    pub(super) fn connect<W: Write + Send + 'static>(
        &mut self,
        sink: W,
        source: impl Read + Send + 'static,
        close: fn(&W),
    ) {
        self.input = Some(write_all(sink, close));
        if let Some(sender) = self.sender.take() {
            read_lines(source, sender);
        }
    }

    /// Sends bytes, as fast as it reads them.
    pub(crate) fn send(&mut self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            // One that does not read any more gives no reply.
            let _ = input.send(bytes);
        }
    }

    /// Closes its input, which tells it to exit.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for lines, for the end of the process, or until `until` has passed and no line was waiting.
    ///
    /// # Errors
    /// How it ended: nothing more will come.
    pub(crate) fn wait(&mut self, until: Instant) -> Result<Vec<Line>, End> {
        loop {
            self.glance()?;
            let now = Instant::now();
            match self.events.recv_timeout(until.min(self.next_glance).saturating_duration_since(now)) {
                Ok(StreamEvent::Lines(lines)) => return Ok(lines),
                Ok(StreamEvent::LongLine) => return Err(End::LongLine),
                Ok(StreamEvent::Closed(rest)) => {
                    self.noise.push(&rest);
                    return Err(self.exit_by(now + self.limits.shutdown / 4).unwrap_or(End::ClosedOutput));
                }
                Ok(event) => self.note(event),
                Err(_) if now >= until => return Ok(Vec::new()),
                Err(RecvTimeoutError::Disconnected) => thread::sleep(SOON),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Of what it prints for ever, no more is read.
            if now >= until + GLANCE {
                return Ok(Vec::new());
            }
        }
    }

    /// Waits for its exit, whatever it says meanwhile. Returns how it ended, if it did.
    pub(super) fn exit_by(&mut self, until: Instant) -> Option<End> {
        loop {
            if let Some(status) = self.process.exited() {
                return Some(End::Exited(status));
            }
            if let Err(end) = self.glance() {
                return Some(end);
            }
            if Instant::now() >= until {
                return None;
            }
            match self.events.recv_timeout(SOON) {
                Ok(event) => self.note(event),
                Err(RecvTimeoutError::Disconnected) => thread::sleep(SOON),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Keeps what came outside the protocol, or too late.
    fn note(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Closed(rest) => self.noise.push(&rest),
            StreamEvent::Stdout(text) => self.stdout.push(&text),
            StreamEvent::Stderr(text) => {
                if self.report.is_none() {
                    let said = text.split(|byte| *byte == b'\n').find(|line| is_report(&String::from_utf8_lossy(line)));
                    self.report = said.map(|line| without_folders(&beginning(line.trim_ascii(), SHOWN)));
                }
                self.stderr.push(&text);
            }
            StreamEvent::Lines(lines) => {
                self.stray += lines.iter().filter(|line| matches!(line.says, WireEvent::Reply(..))).count();
            }
            StreamEvent::LongLine => {}
        }
    }

    /// Why nothing comes. That it closed its input shows only as something is written; what is silent is killed anyway.
    pub(super) fn silence(&mut self, patience: Duration) -> End {
        if let Some(status) = self.process.exited() {
            return End::Exited(status);
        }
        self.send(b"\n".to_vec());
        thread::sleep(GLANCE);
        let is_read = self.input.as_ref().is_none_or(|input| input.send(Vec::new()).is_ok());
        if is_read { End::Silent(patience) } else { End::ClosedInput }
    }

    /// Looks from time to time at what can be seen from outside. The group of one that exited is killed, so that its output ends.
    ///
    /// # Errors
    /// Why it is to end.
    fn glance(&mut self) -> Result<(), End> {
        if Instant::now() < self.next_glance {
            return Ok(());
        }
        self.next_glance = Instant::now() + GLANCE;
        if self.limits.interrupt.is_set() {
            return Err(End::Interrupted);
        }
        let (resident, limit) = (resident(self.process.child.id()), self.limits.memory);
        if self.process.exited().is_none() && resident > limit {
            return Err(End::Memory { resident, limit });
        }
        Ok(())
    }

    /// Kills the process. Returns the end of what it printed outside the protocol.
    pub(crate) fn kill(&mut self) -> String {
        self.end();
        let (noise, stdout, stderr) = (self.noise.take(), self.stdout.take(), self.stderr.take());
        format!("{noise}{stdout}\n{stderr}").trim().to_owned()
    }

    /// Kills the process, and reads what it had said. What left its group may go on for ever.
    fn end(&mut self) {
        self.process.kill();
        self.sender = None;
        let until = Instant::now() + LAST_WORDS;
        while let Ok(event) = self.events.recv_timeout(until.saturating_duration_since(Instant::now()))
            && Instant::now() < until
        {
            self.note(event);
        }
    }

    /// Closes the input and waits; then asks the whole group to end and waits a little; then kills it. Returns what went wrong,
    /// as the answer to the end of its input, and the end of its stderr.
    pub(crate) fn shutdown(mut self) -> (Option<Answer>, String) {
        self.close_input();
        let patience = self.limits.shutdown;
        let exited = self.exit_by(Instant::now() + patience).filter(|end| !matches!(end, End::Interrupted));
        let obeyed = exited.is_some() || {
            self.process.terminate();
            self.exit_by(Instant::now() + patience / 4).is_some()
        };
        self.end();
        let after = "after its last reply, it";
        let answer = match exited {
            None => {
                let how = if obeyed { "and was terminated" } else { "ignored SIGTERM, and was killed" };
                let patience = time(patience);
                let when = format!(" within {patience} of the end of its input, {how}");
                Some(Answer::TimedOut(Ending::new(format!("{after} did not exit")).and(&when)))
            }
            Some(End::Exited(status)) if status.success() => match self.report {
                Some(line) => {
                    let said = format!(", but reported: {line}");
                    Some(Answer::Crashed(Ending::new(format!("{after} exited with status 0")).and(&said)))
                }
                None if self.stray > 0 => {
                    Some(Answer::Garbled(format!("{after} sent another reply ({} in all)", self.stray)))
                }
                None => None,
            },
            Some(end) => {
                let said = self.report.map(|line| format!(", and reported: {line}")).unwrap_or_default();
                Some(Answer::Crashed(Ending::new(format!("{after} {end}")).and(&said)))
            }
        };
        (answer, self.stderr.take())
    }
}
