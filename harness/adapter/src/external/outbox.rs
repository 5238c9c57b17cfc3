//! What is on its way to an adapter.

use std::fs::File;

use rustix::io::Errno;
use rustix::net::Shutdown;

/// Lines to be written, as fast as the adapter reads. Nothing waits here.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    sink: Option<File>,
    bytes: Vec<u8>,
    written: usize,
    /// The input ends as soon as all is written.
    closes: bool,
}

impl Outbox {
    /// Writes to this file from now on, which never blocks.
    pub(super) fn connect(&mut self, sink: Option<File>) {
        self.sink = sink;
    }

    /// Where to add what is to be written. What was there may have gone already, so only its end may be changed.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Writes this, and ends the input behind it.
    pub(super) fn send_all(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
        self.closes = true;
        self.flush();
    }

    /// Writes as much as goes at once.
    pub(super) fn flush(&mut self) {
        while let (Some(sink), true) = (&self.sink, self.written < self.bytes.len()) {
            match rustix::io::write(sink, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.bytes.drain(..std::mem::take(&mut self.written));
                    return;
                }
                // It no longer reads. Whether it still answers is for the deadline to tell.
                Err(_) => self.sink = None,
            }
        }
        self.bytes.clear();
        self.written = 0;
        if self.closes {
            self.close();
        }
    }

    /// The file to wait for, where something is left to be written.
    pub(super) fn blocked(&self) -> Option<&File> {
        self.sink.as_ref().filter(|_| self.written < self.bytes.len())
    }

    /// Ends the adapter's input, which asks it to exit.
    pub(super) fn close(&mut self) {
        if let Some(sink) = self.sink.take() {
            // A connection stays open the other way; a pipe is no socket, and just closes.
            let _ = rustix::net::shutdown(&sink, Shutdown::Write);
        }
    }
}
