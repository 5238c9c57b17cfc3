//! One process of an adapter: bytes to it, lines from it, and how it ended.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;

use super::exit::End;
use super::line_reader::{LineReader, ReadStatus};
use super::process::{Process, Watched, read, ready};
use super::tail_buffer::TailBuffer;
use super::window::RecentRequests;
use super::write_buffer::WriteBuffer;
use super::{Limits, memory};

/// How much stdout outside the protocol is kept, in bytes.
const NOISE: usize = 2 << 10;
/// How often memory is checked.
const SAMPLE: Duration = Duration::from_millis(50);

/// A running process and its connection. Only [`Session::pump`] blocks, and it has a deadline: one thread moves bytes
/// both ways, so neither a full stdin nor a full stdout can cause a deadlock.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) process: Process,
    source: Option<OwnedFd>,
    pub(crate) writer: WriteBuffer,
    pub(crate) lines: LineReader,
    /// Its standard output, if the protocol has its own connection.
    stray: Option<OwnedFd>,
    /// What it printed outside the protocol since the last reply.
    pub(super) noise: TailBuffer,
    /// The requests that it answered last.
    pub(super) recent: RecentRequests,
    pub(crate) limits: Limits,
    next_sample: Instant,
    /// Its processor time when it was last sampled first after a request or a reply.
    worked: Option<Duration>,
    /// Its processor time when it was last sampled.
    sampled: Option<Duration>,
    closed_since: Option<Instant>,
    /// Its exit was detected, or must be checked each time.
    exiting: bool,
}

/// What happened while waiting.
#[derive(Debug)]
pub(crate) enum IoEvent {
    /// At least one complete line is waiting.
    Lines,
    /// The deadline passed, and no line came.
    Quiet,
    /// Nothing more will come.
    Ended(End),
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Exit,
    Stderr,
    Stray,
    Source,
    Sink,
}

impl Session {
    /// A process without a connection yet.
    pub(super) fn new(process: Process, limits: Limits) -> Self {
        Self {
            exiting: !process.is_watched(),
            process,
            source: None,
            writer: WriteBuffer::default(),
            lines: LineReader::new(limits.line),
            stray: None,
            noise: TailBuffer::new(NOISE),
            recent: RecentRequests::default(),
            limits,
            next_sample: Instant::now() + SAMPLE,
            worked: None,
            sampled: None,
            closed_since: None,
        }
    }

    /// Uses its standard input and output.
    pub(crate) fn connect_stdio(&mut self) -> io::Result<()> {
        self.writer.connect(self.process.take_stdin()?);
        self.source = self.process.take_stdout()?;
        Ok(())
    }

    /// Treats standard output as noise.
    pub(crate) fn ignore_stdout(&mut self) -> io::Result<()> {
        self.stray = self.process.take_stdout()?;
        Ok(())
    }

    /// Uses this connection, from which these bytes were read already.
    pub(crate) fn connect(&mut self, stream: OwnedFd, received: &[u8]) -> io::Result<()> {
        self.writer.connect(Some(stream.try_clone()?));
        self.source = Some(stream);
        self.lines.push(received);
        Ok(())
    }

    /// What it printed outside the protocol since the last reply.
    pub(crate) fn take_noise(&mut self) -> String {
        self.noise.take()
    }

    /// Moves bytes both ways until there is a line, the process ended, or `until` has passed and nothing was waiting.
    pub(crate) fn pump(&mut self, until: Instant) -> IoEvent {
        loop {
            if self.limits.interrupt.is_set() {
                return IoEvent::Ended(End::Interrupted);
            }
            if self.lines.has_line() {
                return IoEvent::Lines;
            }
            let now = Instant::now();
            if let Some(end) = self.end(now) {
                return if self.lines.has_line() { IoEvent::Lines } else { IoEvent::Ended(end) };
            }
            self.wait(until.saturating_duration_since(now).min(SAMPLE));
            if now >= until && !self.lines.has_line() {
                return IoEvent::Quiet;
            }
        }
    }

    /// How it ended, once it has and all its output has been read.
    fn end(&mut self, now: Instant) -> Option<End> {
        let closed_long = self.closed_since.is_some_and(|since| now >= since + self.limits.shutdown / 4);
        // Once `ClosedOutput` is returned, nothing waits for files any more: the exit has to be checked for here.
        if let Some(status) = (self.exiting || closed_long).then(|| self.process.exited()).flatten() {
            while self.source.is_some() && !self.lines.has_line() {
                if self.read() == ReadStatus::NothingYet {
                    self.close_source(now);
                }
            }
            return Some(End::Exited(status));
        }
        if closed_long {
            return Some(End::ClosedOutput);
        }
        if now < self.next_sample {
            return None;
        }
        self.next_sample = now + SAMPLE;
        self.sampled = memory::processor_time(self.process.id()).or(self.sampled);
        self.worked = self.worked.or(self.sampled);
        let limit = self.limits.memory;
        memory::above(self.process.id(), limit).map(|resident| End::Memory { resident, limit })
    }

    /// Begins to measure its work.
    pub(super) fn begin_work(&mut self) {
        self.worked = None;
    }

    /// Its processor time since [`Session::begin_work`], but for the first moment, and the last if it has ended; `None` if the
    /// system does not report it.
    pub(super) fn work(&self) -> Option<Duration> {
        let now = memory::processor_time(self.process.id()).or(self.sampled);
        Some(now?.saturating_sub(self.worked?))
    }

    /// Its processor time since its start; `None` if the system does not report it.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        memory::processor_time(self.process.id())
    }

    fn wait(&mut self, timeout: Duration) {
        let ready = ready(&self.watched(), timeout);
        for stream in ready {
            match stream {
                Stream::Exit => self.exiting = true,
                Stream::Stderr => self.process.drain_stderr(),
                Stream::Stray => self.read_stray(),
                Stream::Source => {
                    self.read();
                }
                Stream::Sink => self.writer.flush(),
            }
        }
    }

    fn watched(&self) -> Watched<'_, Stream> {
        let mut watched = Watched::new();
        self.process.watch(&mut watched, Stream::Exit, Stream::Stderr);
        if let Some(source) = &self.source {
            watched.push((Stream::Source, source.as_fd(), PollFlags::IN));
        }
        if let Some(stray) = &self.stray {
            watched.push((Stream::Stray, stray.as_fd(), PollFlags::IN));
        }
        if let Some(sink) = self.writer.blocked() {
            watched.push((Stream::Sink, sink.as_fd(), PollFlags::OUT));
        }
        watched
    }

    fn read(&mut self) -> ReadStatus {
        let Some(source) = &self.source else { return ReadStatus::Closed };
        let filled = self.lines.read(source);
        if filled == ReadStatus::Closed {
            self.close_source(Instant::now());
        }
        filled
    }

    fn close_source(&mut self, now: Instant) {
        self.source = None;
        self.closed_since = Some(now);
        // Complete lines before it are still to be read, and then it is of no use.
        let rest = self.lines.finish();
        if !rest.is_empty() {
            self.noise.push_line(rest);
        }
    }

    /// How the process ended, if it did before it connected.
    pub(crate) fn ended_early(&mut self) -> Option<End> {
        self.read_stray();
        self.process.drain_stderr();
        self.process.exited().map(End::Exited)
    }

    fn read_stray(&mut self) {
        let mut chunk = [0; 4 << 10];
        let Some(stray) = &self.stray else { return };
        match read(stray, &mut chunk) {
            Ok(count) if count > 0 => self.noise.push(&chunk[..count]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => self.stray = None,
        }
    }

    /// Kills the process. Returns the end of what it printed outside the protocol.
    pub(crate) fn kill(&mut self) -> String {
        self.process.kill();
        match self.final_output() {
            (stdout, stderr) if stdout.is_empty() => stderr,
            (stdout, stderr) if stderr.is_empty() => format!("on stdout:\n{stdout}"),
            (stdout, stderr) => format!("on stdout:\n{stdout}\non stderr:\n{stderr}"),
        }
    }

    /// The end of what it printed outside the protocol: stdout and stderr.
    pub(super) fn final_output(&mut self) -> (String, String) {
        // As with stderr, enough to empty a pipe.
        for _ in 0..16 {
            self.read_stray();
        }
        (self.noise.take(), self.process.stderr_end())
    }
}
