//! The threads of an adapter's streams: one sends what it is given, one splits what comes into lines and reads them, one reads
//! what it says about itself. Texts are bounded and escaped as soon as they are read.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::thread;

use variant_values::malformed_reply::{MalformedReply, malformed_reply};
use variant_values::protocol::{Reply, read_line};
use variant_values::sanitize::{beginning, is_unfit};

use super::output::KEPT;

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;
/// The longest line that is read, in bytes.
pub(super) const LINE: usize = 8 << 20;
/// How many bytes of a line a message shows.
pub(crate) const SHOWN: usize = 200;
/// The longest sentence that is kept from a reply.
const SENTENCE: usize = 1000;
/// The longest name that is kept from a reply.
pub(super) const NAME: usize = 100;

/// What came from an adapter.
#[derive(Debug)]
pub(super) enum StreamEvent {
    Lines(Vec<Line>),
    /// Its output has ended, and this is what came of a line without an end.
    Closed(Vec<u8>),
    /// A line above the limit: nothing more is read.
    LongLine,
    /// What it printed on standard output, if the protocol has its own connection.
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

/// A line without its line end, and what it says.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) says: WireEvent,
    pub(crate) text: Vec<u8>,
}

#[derive(Debug)]
pub(crate) enum WireEvent {
    /// A reply to the request with this `seq`; `Garbled` if it cannot be used.
    Reply(u64, Reply),
    /// A line that was meant as a reply, but is malformed.
    Malformed(MalformedReply),
    /// Anything else: a banner, a log line.
    Noise,
}

fn event(line: &[u8]) -> WireEvent {
    let Some((seq, mut reply)) = read_line(line) else {
        return malformed_reply(line).map_or(WireEvent::Noise, WireEvent::Malformed);
    };
    clean_reply(&mut reply, line);
    WireEvent::Reply(seq, reply)
}

/// Bounds and escapes the sentences of a reply, and shows the line of one that is garbled. Values and bytes are left to
/// the judge.
fn clean_reply(reply: &mut Reply, line: &[u8]) {
    match reply {
        Reply::Refused(reason) => {
            clean(&mut reason.text, SENTENCE);
            reason.kind.iter_mut().for_each(|kind| clean(kind, NAME));
        }
        Reply::Unsupported(text) => clean(text, SENTENCE),
        Reply::Garbled(text) => {
            text.push_str(&format!(": {}", beginning(line, SHOWN)));
            clean(text, SENTENCE);
        }
        Reply::Value { .. } | Reply::Bytes(_) => {}
    }
}

/// Bounds and escapes a text.
pub(super) fn clean(text: &mut String, limit: usize) {
    if text.len() > limit || is_unfit(text) {
        *text = beginning(text.as_bytes(), limit);
    }
}

/// Reads lines until the end.
pub(super) fn read_lines(source: impl Read + Send + 'static, events: SyncSender<StreamEvent>) {
    thread::spawn(move || {
        let mut source = BufReader::with_capacity(CHUNK, source);
        let mut lines = Vec::new();
        loop {
            let mut text = Vec::new();
            // An error is the end too.
            let _ = source.by_ref().take(LINE as u64 + 1).read_until(b'\n', &mut text);
            if text.pop_if(|last| *last == b'\n').is_none() {
                let end = if text.len() > LINE { StreamEvent::LongLine } else { StreamEvent::Closed(text) };
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

/// Writes what comes through the channel that is returned. Its other end is gone once writing fails, since nothing is read
/// any more. Dropping it closes the input of the adapter.
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

/// Reads an output outside the protocol: what came together is one event, in whole lines. A long line comes in pieces.
pub(super) fn read_text(
    source: impl Read + Send + 'static,
    events: SyncSender<StreamEvent>,
    as_event: fn(Vec<u8>) -> StreamEvent,
) {
    thread::spawn(move || {
        let mut source = BufReader::with_capacity(CHUNK, source);
        let mut text = Vec::new();
        while source.by_ref().take(KEPT as u64).read_until(b'\n', &mut text).is_ok_and(|count| count > 0) {
            let more = source.buffer().contains(&b'\n');
            if !more && events.send(as_event(std::mem::take(&mut text))).is_err() {
                return;
            }
        }
    });
}
