//! What is still to be written to an adapter.

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::Shutdown;

use super::process::write;

/// Lines to write, as fast as the adapter reads. Nothing here blocks.
#[derive(Debug, Default)]
pub(crate) struct WriteBuffer {
    sink: Option<OwnedFd>,
    bytes: Vec<u8>,
    written: usize,
}

impl WriteBuffer {
    /// Writes to this non-blocking file from now on.
    pub(super) fn connect(&mut self, sink: Option<OwnedFd>) {
        self.sink = sink;
    }

    /// The bytes to write. Only append: the start may already be written.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Writes as much as possible without blocking.
    pub(crate) fn flush(&mut self) {
        while let (Some(sink), true) = (&self.sink, self.written < self.bytes.len()) {
            match write(sink, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.bytes.drain(..std::mem::take(&mut self.written));
                    return;
                }
                // It no longer reads. It may still reply; the timeout decides.
                Err(_) => self.sink = None,
            }
        }
        self.bytes.clear();
        self.written = 0;
    }

    /// The file to wait for, if something is left to write.
    pub(super) fn blocked(&self) -> Option<&OwnedFd> {
        self.sink.as_ref().filter(|_| self.written < self.bytes.len())
    }

    /// Closes the adapter's input, which tells it to exit.
    pub(crate) fn close(&mut self) {
        if let Some(sink) = self.sink.take() {
            // A socket stays open in the other direction; a pipe just closes.
            let _ = rustix::net::shutdown(&sink, Shutdown::Write);
        }
    }
}
