//! One life of an adapter: bytes to it, lines from it, and how it ended.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::io::Errno;

use super::end::End;
use super::lines::{Filled, Lines};
use super::outbox::Outbox;
use super::poll::{Watched, ready};
use super::process::Process;
use super::tail::Tail;
use super::window::Trail;
use super::{Limits, memory};

/// How much of what stands beside the protocol on stdout is kept.
const NOISE: usize = 2 << 10;
/// How often memory is looked at.
const SAMPLE: Duration = Duration::from_millis(50);

/// A running adapter that can be spoken with. Nothing here ever blocks but [`Session::pump`], which has a deadline:
/// one thread moves bytes both ways, so neither a full stdin nor a full stdout can lock anybody up.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) process: Process,
    source: Option<File>,
    /// What is on its way to it.
    pub(super) outbox: Outbox,
    /// What it said.
    pub(super) lines: Lines,
    /// Its standard output, where the protocol has a connection of its own.
    stray: Option<File>,
    /// What it said beside the protocol since the last answer.
    pub(super) noise: Tail,
    /// What it answered last.
    pub(super) trail: Trail,
    pub(super) limits: Limits,
    next_sample: Instant,
    /// What was resident when its growth was last looked at.
    weight: u64,
    closed_since: Option<Instant>,
    /// Its exit was seen, or has to be looked for each time.
    exiting: bool,
}

/// What there is to do.
#[derive(Debug)]
pub(super) enum Pumped {
    /// There are lines.
    Lines,
    /// Time ran out.
    Quiet,
    /// It will say nothing more.
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
    /// A process that has no way to speak yet.
    pub(super) fn new(process: Process, limits: Limits) -> Self {
        Self {
            exiting: !process.is_watched(),
            process,
            source: None,
            outbox: Outbox::default(),
            lines: Lines::new(limits.line),
            stray: None,
            noise: Tail::new(NOISE),
            trail: Trail::default(),
            limits,
            next_sample: Instant::now() + SAMPLE,
            weight: 0,
            closed_since: None,
        }
    }

    /// Speaks through its standard input and output.
    pub(super) fn connect_stdio(&mut self) -> io::Result<()> {
        self.outbox.connect(self.process.take_stdin()?);
        self.source = self.process.take_stdout()?;
        Ok(())
    }

    /// Takes standard output for noise.
    pub(super) fn disregard_stdout(&mut self) -> io::Result<()> {
        self.stray = self.process.take_stdout()?;
        Ok(())
    }

    /// Speaks through a connection, on which these bytes came already.
    pub(super) fn connect(&mut self, stream: File, came: &[u8]) -> io::Result<()> {
        self.outbox.connect(Some(stream.try_clone()?));
        self.source = Some(stream);
        self.lines.push(came);
        Ok(())
    }

    /// Sends this and ends the input behind it, and takes all that comes as one piece.
    pub(super) fn exchange(&mut self, input: Vec<u8>) {
        self.lines = Lines::whole(self.limits.line);
        self.outbox.send_all(input);
    }

    /// Moves bytes both ways until there is a line, it ended, or `until` has passed and nothing was waiting.
    pub(super) fn pump(&mut self, until: Instant) -> Pumped {
        loop {
            if self.limits.interrupt.is_set() {
                return Pumped::Ended(End::Interrupted);
            }
            if self.lines.any() {
                return Pumped::Lines;
            }
            let now = Instant::now();
            if let Some(end) = self.end(now) {
                return if self.lines.any() { Pumped::Lines } else { Pumped::Ended(end) };
            }
            self.attend(until.saturating_duration_since(now).min(SAMPLE));
            if now >= until && !self.lines.any() {
                return Pumped::Quiet;
            }
        }
    }

    /// How it ended, where it has, and all that it said has been read.
    fn end(&mut self, now: Instant) -> Option<End> {
        let closed_long = self.closed_since.is_some_and(|since| now >= since + self.limits.shutdown / 4);
        // Once that is told, nobody waits for files any more: the exit has to be looked for here.
        if let Some(status) = (self.exiting || closed_long).then(|| self.process.exited()).flatten() {
            while self.source.is_some() && !self.lines.any() {
                if self.read() == Filled::NothingYet {
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
        let (resident, limit) = (memory::resident(self.process.id()), self.limits.memory);
        (resident > limit).then_some(End::Memory { resident, limit })
    }

    /// Bytes by which its peak stood above what was resident when this was last asked.
    pub(super) fn growth(&mut self) -> u64 {
        let pid = self.process.id();
        let growth = memory::peak(pid).saturating_sub(self.weight);
        memory::forget_peak(pid);
        self.weight = memory::resident(pid);
        growth
    }

    fn attend(&mut self, timeout: Duration) {
        let ready = ready(&self.watched(), timeout);
        for stream in ready {
            match stream {
                Stream::Exit => self.exiting = true,
                Stream::Stderr => self.process.drain_stderr(),
                Stream::Stray => self.read_stray(),
                Stream::Source => {
                    self.read();
                }
                Stream::Sink => self.outbox.flush(),
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
        if let Some(sink) = self.outbox.blocked() {
            watched.push((Stream::Sink, sink.as_fd(), PollFlags::OUT));
        }
        watched
    }

    fn read(&mut self) -> Filled {
        let Some(source) = &self.source else { return Filled::Closed };
        let filled = self.lines.fill(source);
        if filled == Filled::Closed {
            self.close_source(Instant::now());
        }
        filled
    }

    fn close_source(&mut self, now: Instant) {
        self.source = None;
        self.closed_since = Some(now);
        self.lines.finish();
    }

    /// How the process ended, where it did before there was any connection to it.
    pub(super) fn ended_early(&mut self) -> Option<End> {
        self.read_stray();
        self.process.drain_stderr();
        self.process.exited().map(End::Exited)
    }

    fn read_stray(&mut self) {
        let mut chunk = [0; 4 << 10];
        let Some(stray) = &self.stray else { return };
        match rustix::io::read(stray, &mut chunk) {
            Ok(count) if count > 0 => self.noise.push(&chunk[..count]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => self.stray = None,
        }
    }

    /// What it said beside the protocol, on both streams. The process is to be killed before, so that all is said.
    pub(super) fn last_words(&mut self) -> String {
        let (stdout, stderr) = self.last_streams();
        Self::both(&stdout, &stderr)
    }

    /// The same, each stream for itself.
    pub(super) fn last_streams(&mut self) -> (String, String) {
        // As with stderr, enough to empty a pipe.
        for _ in 0..16 {
            self.read_stray();
        }
        (self.noise.take(), self.process.last_words())
    }

    /// Both streams in one text.
    pub(super) fn both(stdout: &str, stderr: &str) -> String {
        match (stdout.is_empty(), stderr.is_empty()) {
            (true, _) => stderr.to_owned(),
            (false, true) => format!("on stdout:\n{stdout}"),
            (false, false) => format!("on stdout:\n{stdout}\non stderr:\n{stderr}"),
        }
    }
}
