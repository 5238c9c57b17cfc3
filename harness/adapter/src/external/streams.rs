//! The threads of an adapter's streams: one sends what it is given, one splits what comes into lines, one reads what it
//! says about itself.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::exit::is_report;
use super::lines::{Line, LineSplitter};
use super::tail_buffer::TailBuffer;
use variant_values::sanitize::beginning;

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;
/// How much of an output outside the protocol is kept, in bytes.
const TAIL: usize = 4 << 10;
/// How much of a line is looked at for the report of a sanitizer, and shown of it.
const REPORT: usize = 200;

/// What happened on the streams of the protocol.
#[derive(Debug)]
pub(super) enum StreamEvent {
    Lines(Vec<Line>),
    /// Its output has ended, and this is what came of a line without an end.
    Closed(Vec<u8>),
    /// A line above the limit: nothing more is read.
    LongLine,
    /// It does not read any more.
    Deaf,
}

/// Reads lines until the end.
pub(super) fn read_lines(mut source: impl Read + Send + 'static, limit: usize, events: SyncSender<StreamEvent>) {
    thread::spawn(move || {
        let mut splitter = LineSplitter::new(limit);
        let mut chunk = vec![0; CHUNK];
        while let Some(count) = read(&mut source, &mut chunk) {
            let (lines, fits) = splitter.push(&chunk[..count]);
            if !lines.is_empty() && events.send(StreamEvent::Lines(lines)).is_err() {
                return;
            }
            if !fits {
                let _ = events.send(StreamEvent::LongLine);
                return;
            }
        }
        // If nobody waits for it, the adapter was given up.
        let _ = events.send(StreamEvent::Closed(splitter.rest()));
    });
}

/// The number of bytes read; `None` at the end.
fn read(source: &mut impl Read, chunk: &mut [u8]) -> Option<usize> {
    loop {
        match source.read(chunk) {
            Ok(0) => return None,
            Ok(count) => return Some(count),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Writes what comes through the channel that is returned. Dropping that closes the input of the adapter.
pub(super) fn write_all(mut sink: impl Write + Send + 'static, events: SyncSender<StreamEvent>) -> Sender<Vec<u8>> {
    let (sender, bytes) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in bytes {
            if sink.write_all(&bytes).is_err() {
                let _ = events.send(StreamEvent::Deaf);
                return;
            }
        }
    });
    sender
}

/// A connection to write to. It stays open in the other direction when writing ends.
pub(super) struct TcpSink(pub(super) TcpStream);

impl Write for TcpSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for TcpSink {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

/// An output outside the protocol: its end, and the report of a sanitizer, wherever it stands.
#[derive(Debug)]
pub(super) struct SideOutput {
    kept: Arc<Mutex<Kept>>,
    ended: Receiver<()>,
}

#[derive(Debug)]
struct Kept {
    tail: TailBuffer,
    report: Option<String>,
}

impl SideOutput {
    pub(super) fn read(mut source: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Kept { tail: TailBuffer::new(TAIL), report: None }));
        let (ends, ended) = channel();
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            let mut chunk = vec![0; CHUNK];
            let mut line = Vec::new();
            while let Some(count) = read(&mut source, &mut chunk) {
                let mut kept = locked(&shared);
                kept.tail.push(&chunk[..count]);
                if kept.report.is_none() {
                    kept.report = report_in(&chunk[..count], &mut line);
                }
            }
            let _: Result<(), _> = ends.send(());
        });
        Self { kept, ended }
    }

    /// The end of what came, once no more comes, but at most after this time.
    pub(super) fn take(&self, patience: Duration) -> String {
        let _: Result<(), RecvTimeoutError> = self.ended.recv_timeout(patience);
        locked(&self.kept).tail.take()
    }

    /// The line in which a sanitizer said what it found.
    pub(super) fn report(&self) -> Option<String> {
        locked(&self.kept).report.clone()
    }
}

/// Looks for a report, line by line; `line` is the beginning of one that has not ended.
fn report_in(bytes: &[u8], line: &mut Vec<u8>) -> Option<String> {
    let mut found = None;
    for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
        let room = REPORT.saturating_sub(line.len()).min(piece.len());
        line.extend_from_slice(&piece[..room]);
        if is_report(&String::from_utf8_lossy(line)) {
            found = found.or_else(|| Some(beginning(line.trim_ascii(), REPORT)));
        }
        if piece.ends_with(b"\n") {
            line.clear();
        }
    }
    found
}

fn locked(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
