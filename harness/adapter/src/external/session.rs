//! One process of an adapter: lines to it, lines from it, and how it ended.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Limits;
use super::exit::{End, is_report};
use super::memory::resident;
use super::output::{TailBuffer, without_folders};
use super::process::Process;
use super::streams::{Line, SHOWN, StreamEvent, WireEvent, read_lines, read_text, write_all};
use variant_values::implementation::Answer;
use variant_values::sanitize::{beginning, time};

/// How often memory, exit and interruptions are looked at while nothing comes.
const GLANCE: Duration = Duration::from_millis(50);
/// The same, once a stream was closed: mostly the process is about to be gone.
const SOON: Duration = Duration::from_millis(1);
/// How many pieces of what came may wait to be looked at. An adapter that prints for ever waits too, then.
const WAITING: usize = 4;
/// How long to read on once a process is gone.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// A running process and its connection. Only [`Session::wait`] and the end block, and they have deadlines.
#[derive(Debug)]
pub(crate) struct Session {
    process: Process,
    input: Option<Sender<Vec<u8>>>,
    events: Receiver<StreamEvent>,
    /// For the output of the protocol, until that is connected.
    sender: Option<SyncSender<StreamEvent>>,
    /// The end of its standard output, if the protocol has its own connection.
    stdout: TailBuffer,
    stderr: TailBuffer,
    /// The line in which a sanitizer said what it found.
    report: Option<String>,
    /// What it printed outside the protocol since the last reply.
    pub(crate) noise: TailBuffer,
    /// The request that it answered last.
    pub(super) last: Option<u64>,
    pub(crate) limits: Limits,
    next_glance: Instant,
    /// The first sign of its end, and how it ends as far as is known.
    ending: Option<(Instant, End)>,
    /// All that it said was read.
    all_read: bool,
}

impl Session {
    pub(super) fn new(mut process: Process, limits: Limits) -> Self {
        let (sender, events) = sync_channel(WAITING);
        if let Some(stderr) = process.child.stderr().take() {
            read_text(stderr, sender.clone(), StreamEvent::Stderr);
        }
        Self {
            process,
            input: None,
            events,
            sender: Some(sender),
            stdout: TailBuffer::default(),
            stderr: TailBuffer::default(),
            report: None,
            noise: TailBuffer::default(),
            last: None,
            limits,
            next_glance: Instant::now(),
            ending: None,
            all_read: false,
        }
    }

    /// Uses its standard input and output.
    pub(super) fn connect_stdio(&mut self) {
        self.input = self.process.child.stdin().take().map(|sink| write_all(sink, |_| ()));
        if let (Some(stdout), Some(sender)) = (self.process.child.stdout().take(), self.sender.take()) {
            read_lines(stdout, sender);
        }
    }

    /// Treats standard output as noise.
    pub(super) fn ignore_stdout(&mut self) {
        if let (Some(stdout), Some(sender)) = (self.process.child.stdout().take(), &self.sender) {
            read_text(stdout, sender.clone(), StreamEvent::Stdout);
        }
    }

    pub(super) fn connect(&mut self, stream: TcpStream) -> io::Result<()> {
        // It stays open in the other direction when writing ends.
        self.input = Some(write_all(stream.try_clone()?, |stream| drop(stream.shutdown(Shutdown::Write))));
        if let Some(sender) = self.sender.take() {
            read_lines(stream, sender);
        }
        Ok(())
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
            let now = Instant::now();
            if now >= self.next_glance {
                self.glance(now)?;
            }
            let pause = until.min(self.next_glance).saturating_duration_since(now);
            match self.events.recv_timeout(pause) {
                Ok(StreamEvent::Lines(lines)) => return Ok(lines),
                Ok(StreamEvent::LongLine) => return Err(End::LongLine),
                Ok(event) => {
                    self.note(event);
                    // Of what it prints for ever, no more is read.
                    if now >= until + GLANCE {
                        return Ok(Vec::new());
                    }
                }
                Err(_) if now >= until => return Ok(Vec::new()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.all_read = true;
                    thread::sleep(pause.min(SOON));
                }
            }
        }
    }

    /// Keeps what came outside the protocol.
    fn note(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Closed(rest) => {
                if !rest.is_empty() {
                    self.noise.push_line(&rest);
                }
                self.ends(End::ClosedOutput);
            }
            StreamEvent::Stdout(text) => self.stdout.push(&text),
            StreamEvent::Stderr(text) => {
                if self.report.is_none() {
                    let said = text.split(|byte| *byte == b'\n').find(|line| is_report(&String::from_utf8_lossy(line)));
                    self.report = said.map(|line| without_folders(&beginning(line.trim_ascii(), SHOWN)));
                }
                self.stderr.push(&text);
            }
            StreamEvent::Lines(_) | StreamEvent::LongLine => {}
        }
    }

    /// Remembers how it ends. The first sign of that counts for the time, the last for the way.
    fn ends(&mut self, end: End) {
        let now = Instant::now();
        self.ending = Some((self.ending.map_or(now, |(since, _)| since), end));
        self.next_glance = now;
    }

    /// Why nothing comes: it may have closed a stream. That of its input shows only as something is written; whatever reads this
    /// line is to be killed.
    pub(super) fn silence(&mut self, patience: Duration) -> End {
        if let Some((_, end)) = self.ending {
            return end;
        }
        self.send(b"\n".to_vec());
        thread::sleep(GLANCE);
        if self.reads() {
            return End::Silent(patience);
        }
        self.process.exited().map_or(End::ClosedInput, End::Exited)
    }

    /// Whether nothing that was sent has failed yet.
    fn reads(&self) -> bool {
        self.input.as_ref().is_none_or(|input| input.send(Vec::new()).is_ok())
    }

    /// What can be seen from outside.
    ///
    /// # Errors
    /// How it ended, if it did.
    fn glance(&mut self, now: Instant) -> Result<(), End> {
        if self.limits.interrupt.is_set() {
            return Err(End::Interrupted);
        }
        if let Some(status) = self.process.exited() {
            self.ends(End::Exited(status));
        } else if self.ending.is_none() && !self.reads() {
            self.ends(End::ClosedInput);
        }
        self.next_glance = now + if self.ending.is_some() { SOON } else { GLANCE };
        let Some((since, end)) = self.ending else {
            let (resident, limit) = (resident(self.process.child.id()), self.limits.memory);
            return if resident > limit { Err(End::Memory { resident, limit }) } else { Ok(()) };
        };
        let has_exited = matches!(end, End::Exited(_));
        // After the end of its input it may close a stream long before it exits.
        let counts = has_exited || self.input.is_some();
        // What left its group may hold its output open for ever; all else is about to be read.
        let is_over = self.all_read && has_exited || now >= since + self.limits.shutdown / 4;
        if counts && is_over { Err(end) } else { Ok(()) }
    }

    /// What a sanitizer reported, unless it has exited by itself: then that is told.
    pub(super) fn unheard_report(&mut self) -> Option<String> {
        let has_exited = matches!(self.ending, Some((_, End::Exited(_))));
        self.report.take().filter(|_| !has_exited)
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
        let mut stray = 0;
        let exited = self.wait_for_exit(patience, &mut stray);
        let obeyed = exited.is_some() || {
            self.process.terminate();
            self.wait_for_exit(patience / 4, &mut stray).is_some()
        };
        self.end();
        let after = "after the last reply, at the end of its input, it";
        let answer = match exited {
            None => {
                let how = if obeyed { "and was terminated" } else { "ignored SIGTERM, and was killed" };
                let patience = time(patience);
                Some(Answer::TimedOut(format!("{after} did not exit within {patience} of the end of its input, {how}")))
            }
            Some(End::Exited(status)) if status.success() => match self.report {
                Some(line) => Some(Answer::Crashed(format!("{after} exited with status 0, but reported: {line}"))),
                None if stray > 0 => Some(Answer::Garbled(format!("{after} sent another reply ({stray} in all)"))),
                None => None,
            },
            Some(end) => Some(Answer::Crashed(format!("{after} {end}"))),
        };
        (answer, self.stderr.take())
    }

    /// Waits for the exit, and counts the replies that come instead.
    fn wait_for_exit(&mut self, patience: Duration, stray: &mut usize) -> Option<End> {
        let until = Instant::now() + patience;
        loop {
            match self.wait(until) {
                Ok(lines) => *stray += lines.iter().filter(|line| matches!(line.says, WireEvent::Reply(..))).count(),
                Err(End::Interrupted) => return None,
                Err(end) => return Some(end),
            }
            if Instant::now() >= until {
                return None;
            }
        }
    }
}
