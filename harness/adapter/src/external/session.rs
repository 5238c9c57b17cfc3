//! One process of an adapter: lines to it, lines from it, and how it ended.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::exit::{End, ExitReport, described};
use super::process::Process;
use super::streams::{SideOutput, StreamEvent, read_lines, write_all};
use super::tail_buffer::TailBuffer;
use super::wire_event::{Line, WireEvent};
use super::{Limits, memory};
use variant_values::implementation::Request;
use variant_values::sanitize::time;

/// How much stdout outside the protocol is kept, in bytes.
const NOISE: usize = 2 << 10;
/// How often memory, exit and interruptions are looked at while nothing comes.
const GLANCE: Duration = Duration::from_millis(50);
/// How many pieces of what came may wait to be looked at. An adapter that prints for ever waits too, then.
const WAITING: usize = 4;
/// How long to wait for the end of stderr once a process is gone.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A running process and its connection. Only [`Session::wait`] and the end block, and they have deadlines.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) process: Process,
    input: Option<Sender<Vec<u8>>>,
    events: Receiver<StreamEvent>,
    sender: SyncSender<StreamEvent>,
    stderr: Option<SideOutput>,
    /// Its standard output, if the protocol has its own connection.
    stdout: Option<SideOutput>,
    /// What it printed outside the protocol since the last reply.
    pub(crate) noise: TailBuffer,
    pub(super) last: Option<SentRequest>,
    pub(crate) limits: Limits,
    next_glance: Instant,
    closed: bool,
    exited_since: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct SentRequest {
    pub(super) seq: u64,
    /// Its place among the requests, from 0.
    pub(super) place: usize,
    pub(super) request: Request,
    pub(super) bytes: usize,
}

#[derive(Debug)]
pub(crate) enum IoEvent {
    Lines(Vec<Line>),
    /// The deadline passed, and no line came.
    Quiet,
    /// Nothing more will come.
    Ended(End),
}

impl Session {
    pub(super) fn new(mut process: Process, limits: Limits) -> Self {
        let (sender, events) = sync_channel(WAITING);
        let stderr = process.child.stderr().take().map(SideOutput::read);
        Self {
            process,
            input: None,
            events,
            sender,
            stderr,
            stdout: None,
            noise: TailBuffer::new(NOISE),
            last: None,
            limits,
            next_glance: Instant::now(),
            closed: false,
            exited_since: None,
        }
    }

    /// Uses its standard input and output.
    pub(super) fn connect_stdio(&mut self) {
        self.input = self.process.child.stdin().take().map(|sink| write_all(sink, |_| ()));
        if let Some(stdout) = self.process.child.stdout().take() {
            read_lines(stdout, self.limits.line, self.sender.clone());
        }
    }

    /// Treats standard output as noise.
    pub(super) fn ignore_stdout(&mut self) {
        self.stdout = self.process.child.stdout().take().map(SideOutput::read);
    }

    pub(super) fn connect(&mut self, stream: TcpStream) -> io::Result<()> {
        // It stays open in the other direction when writing ends.
        self.input = Some(write_all(stream.try_clone()?, |stream| drop(stream.shutdown(Shutdown::Write))));
        read_lines(stream, self.limits.line, self.sender.clone());
        Ok(())
    }

    /// Sends bytes, as fast as it reads them.
    pub(crate) fn send(&mut self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            // One that does not read any more gives no reply.
            let _ = input.send(bytes);
        }
    }

    /// Whether it has closed its input. Only writing shows that: the thread that writes has ended then.
    pub(super) fn is_deaf(&self) -> bool {
        self.input.as_ref().is_some_and(|input| {
            let _ = input.send(b" ".to_vec());
            thread::sleep(GLANCE);
            input.send(Vec::new()).is_err()
        })
    }

    /// Closes its input, which tells it to exit.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for lines, for the end of the process, or until `until` has passed and nothing was waiting.
    pub(crate) fn wait(&mut self, until: Instant) -> IoEvent {
        loop {
            let now = Instant::now();
            if now >= self.next_glance {
                self.next_glance = now + GLANCE;
                if let Some(end) = self.glance(now) {
                    return IoEvent::Ended(end);
                }
            }
            match self.events.recv_timeout(until.saturating_duration_since(now).min(GLANCE)) {
                Ok(StreamEvent::Lines(lines)) => return IoEvent::Lines(lines),
                Ok(StreamEvent::LongLine) => return IoEvent::Ended(End::LongLine(self.limits.line)),
                Ok(StreamEvent::Closed(rest)) => {
                    if !rest.is_empty() {
                        self.noise.push_line(&rest);
                    }
                    self.closed = true;
                    return IoEvent::Ended(self.how_it_closed());
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) if now >= until => {
                    return IoEvent::Quiet;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// What can be seen from outside.
    fn glance(&mut self, now: Instant) -> Option<End> {
        if self.limits.interrupt.is_set() {
            return Some(End::Interrupted);
        }
        if let Some(status) = self.process.exited() {
            // What left its group may hold its output open for ever; all else is about to be read.
            let since = *self.exited_since.get_or_insert(now);
            return (self.closed || now >= since + self.patience()).then_some(End::Exited(status));
        }
        let limit = self.limits.memory;
        memory::above(self.process.id(), limit).map(|resident| End::Memory { resident, limit })
    }

    /// How long the one end of a process may come after the other.
    fn patience(&self) -> Duration {
        self.limits.shutdown / 4
    }

    fn how_it_closed(&mut self) -> End {
        match self.process.wait(self.patience()) {
            _ if self.limits.interrupt.is_set() => End::Interrupted,
            Some(status) => End::Exited(status),
            None => End::ClosedOutput,
        }
    }

    /// Kills the process. Returns the end of what it printed outside the protocol.
    pub(crate) fn kill(&mut self) -> String {
        self.process.kill();
        while let Ok(event) = self.events.recv_timeout(if self.closed { Duration::ZERO } else { LAST_WORDS }) {
            if let StreamEvent::Closed(rest) = event {
                self.closed = true;
                if !rest.is_empty() {
                    self.noise.push_line(&rest);
                }
            }
        }
        let (stdout, stderr) = self.last_words();
        format!("{stdout}\n{stderr}").trim().to_owned()
    }

    /// The line in which a sanitizer said what it found.
    pub(super) fn report(&self) -> Option<String> {
        self.stderr.as_ref().and_then(SideOutput::report)
    }

    /// The end of stdout outside the protocol, and of stderr.
    fn last_words(&mut self) -> (String, String) {
        let of =
            |output: &Option<SideOutput>| output.as_ref().map(|output| output.take(LAST_WORDS)).unwrap_or_default();
        let stdout = self.noise.take() + &of(&self.stdout);
        (stdout, of(&self.stderr))
    }

    /// Closes the input and waits; then asks the whole group to end and waits a little; then kills it.
    pub(crate) fn shutdown(mut self) -> ExitReport {
        self.close_input();
        let patience = self.limits.shutdown;
        let mut stray = 0;
        let exited = self.wait_for_exit(patience, &mut stray);
        let problem = match exited {
            Some(End::Exited(status)) => (!status.success()).then(|| described(status)),
            Some(end) => Some(end.to_string()),
            None => {
                self.process.terminate();
                let obeyed = self.wait_for_exit(patience / 4, &mut stray).is_some();
                let how = if obeyed { "and was terminated" } else { "ignored SIGTERM, and was killed" };
                Some(format!("did not exit within {} of the end of its input, {how}", time(patience)))
            }
        };
        self.process.kill();
        let (_, stderr) = self.last_words();
        ExitReport { problem, stayed: exited.is_none(), stray, report: self.report(), stderr }
    }

    /// Waits for the exit, and counts the replies that come instead.
    fn wait_for_exit(&mut self, patience: Duration, stray: &mut usize) -> Option<End> {
        let until = Instant::now() + patience;
        loop {
            match self.wait(until) {
                IoEvent::Lines(lines) => {
                    *stray += lines.iter().filter(|line| matches!(line.says, WireEvent::Reply(..))).count();
                }
                IoEvent::Ended(End::ClosedOutput) => {
                    return self.process.wait(until.saturating_duration_since(Instant::now())).map(End::Exited);
                }
                IoEvent::Ended(end @ (End::Exited(_) | End::Memory { .. } | End::LongLine(_))) => return Some(end),
                IoEvent::Quiet | IoEvent::Ended(End::Silent(_) | End::ClosedInput | End::Interrupted) => return None,
            }
            if Instant::now() >= until {
                return None;
            }
        }
    }
}
