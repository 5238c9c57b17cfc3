//! The threads of an adapter's streams: one sends what it is given, one splits what comes into lines, one reads what it
//! says about itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::exit::is_report;
use super::places::without_folders;
use super::tail_buffer::TailBuffer;
use super::wire_event::{Line, event};
use variant_values::sanitize::beginning;

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;
/// How much of an output outside the protocol is kept, in bytes.
const TAIL: usize = 4 << 10;
/// How much of the report of a sanitizer is shown.
const REPORT: usize = 200;

/// What happened on the streams of the protocol.
#[derive(Debug)]
pub(super) enum StreamEvent {
    Lines(Vec<Line>),
    /// Its output has ended, and this is what came of a line without an end.
    Closed(Vec<u8>),
    /// A line above the limit: nothing more is read.
    LongLine,
}

/// Reads lines until the end.
pub(super) fn read_lines(source: impl Read + Send + 'static, limit: usize, events: SyncSender<StreamEvent>) {
    thread::spawn(move || {
        let mut source = BufReader::with_capacity(CHUNK, source);
        let mut lines = Vec::new();
        loop {
            let mut text = Vec::new();
            // An error is the end too.
            let _ = source.by_ref().take(limit as u64 + 1).read_until(b'\n', &mut text);
            if text.pop_if(|last| *last == b'\n').is_none() {
                let end = if text.len() > limit { StreamEvent::LongLine } else { StreamEvent::Closed(text) };
                // If nobody waits for it, the adapter was given up.
                let _ = events.send(end);
                return;
            }
            text.pop_if(|last| *last == b'\r');
            lines.push(Line { says: event(&text), text });
            // What has come is sent on together, before the next line is waited for.
            let more = source.buffer().contains(&b'\n');
            if !more && events.send(StreamEvent::Lines(std::mem::take(&mut lines))).is_err() {
                return;
            }
        }
    });
}

/// Writes what comes through the channel that is returned. Dropping that closes the input of the adapter.
pub(super) fn write_all<W: Write + Send + 'static>(mut sink: W, close: fn(&W)) -> Sender<Vec<u8>> {
    let (sender, bytes) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in bytes {
            if sink.write_all(&bytes).is_err() {
                break;
            }
        }
        close(&sink);
    });
    sender
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
    pub(super) fn read(source: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Kept { tail: TailBuffer::new(TAIL), report: None }));
        let (ends, ended) = channel();
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            // Dropped when this thread ends.
            let _ends = ends;
            let mut source = BufReader::with_capacity(CHUNK, source);
            let mut line = Vec::new();
            // A long line comes in pieces.
            while source.by_ref().take(TAIL as u64).read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                let mut kept = locked(&shared);
                kept.tail.push(&line);
                if kept.report.is_none() && is_report(&String::from_utf8_lossy(&line)) {
                    kept.report = Some(without_folders(&beginning(line.trim_ascii(), REPORT)));
                }
                line.clear();
            }
        });
        Self { kept, ended }
    }

    /// The end of what came, once no more comes, but at most after this time.
    pub(super) fn take(&self, patience: Duration) -> String {
        let _ = self.ended.recv_timeout(patience);
        locked(&self.kept).tail.take()
    }

    /// The line in which a sanitizer said what it found.
    pub(super) fn report(&self) -> Option<String> {
        locked(&self.kept).report.clone()
    }
}

fn locked(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
