//! Splits what an adapter writes into lines.

use memchr::memchr;
use rustix::buffer::spare_capacity;
use rustix::fd::AsFd;
use rustix::io::Errno;

use super::process::read;

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;
/// How much of a dropped line is kept, to see which request it answers.
const HEAD: usize = 128;

/// Bytes as they arrive, taken out line by line.
#[derive(Debug)]
pub(crate) struct LineReader {
    buffer: Vec<u8>,
    /// Bytes at the front that were taken out already.
    taken: usize,
    /// Where the next line ends, if its end has arrived.
    end: Option<usize>,
    /// Everything before this was searched for a line end.
    searched: usize,
    limit: usize,
    /// The current line is too long: the buffer has only its head, and this many bytes were dropped.
    dropping: Option<usize>,
}

/// A line without its line end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    Line(&'a [u8]),
    /// The head of a line that is longer than the limit, and its length.
    TooLong(&'a [u8], usize),
}

/// Result of one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadStatus {
    Data,
    NothingYet,
    Closed,
}

impl LineReader {
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), taken: 0, end: None, searched: 0, limit, dropping: None }
    }

    /// Whether a complete line is waiting.
    pub(crate) fn has_line(&self) -> bool {
        self.end.is_some()
    }

    /// Reads once, without blocking.
    pub(crate) fn read(&mut self, source: impl AsFd) -> ReadStatus {
        self.make_room();
        match read(source, spare_capacity(&mut self.buffer)) {
            Ok(0) => ReadStatus::Closed,
            Ok(_) => {
                self.search();
                ReadStatus::Data
            }
            Err(Errno::AGAIN | Errno::INTR) => ReadStatus::NothingYet,
            Err(_) => ReadStatus::Closed,
        }
    }

    /// Adds bytes that were read elsewhere: what followed the token on a connection.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.make_room();
        self.buffer.extend_from_slice(bytes);
        self.search();
    }

    /// The input has ended. What is left of a line without its line end is no line, since
    /// nobody knows whether more was to come: it is returned.
    pub(crate) fn finish(&mut self) -> &[u8] {
        if self.end.is_some() {
            return &[];
        }
        let from = std::mem::replace(&mut self.taken, self.buffer.len());
        (self.searched, self.dropping) = (self.buffer.len(), None);
        &self.buffer[from..]
    }

    /// Takes the next line.
    pub(crate) fn next(&mut self) -> Option<Message<'_>> {
        let at = self.end.take()?;
        let start = std::mem::replace(&mut self.taken, at + 1);
        self.searched = self.taken;
        let dropped = self.dropping.take();
        self.search();
        let line = &self.buffer[start..at];
        Some(match dropped {
            Some(dropped) => Message::TooLong(&line[..HEAD.min(line.len())], dropped + line.len()),
            None => Message::Line(line.strip_suffix(b"\r").unwrap_or(line)),
        })
    }

    fn search(&mut self) {
        self.end = memchr(b'\n', &self.buffer[self.searched..]).map(|at| self.searched + at);
        self.searched = self.end.unwrap_or(self.buffer.len());
        if self.end.is_none() && self.buffer.len() - self.taken > self.limit {
            self.drop_line();
        }
    }

    /// Keeps the head of the line and drops the rest of what has arrived.
    fn drop_line(&mut self) {
        let length = self.buffer.len() - self.taken;
        self.buffer.drain(..self.taken);
        self.buffer.truncate(HEAD);
        (self.taken, self.searched) = (0, self.buffer.len());
        self.dropping = Some(self.dropping.unwrap_or(0) + length - self.buffer.len());
    }

    fn make_room(&mut self) {
        if self.dropping.is_some() && self.end.is_none() {
            self.drop_line();
        }
        self.buffer.drain(..self.taken);
        self.searched -= self.taken;
        self.end = self.end.map(|at| at - self.taken);
        self.taken = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > 4 * CHUNK {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(CHUNK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(lines: &mut LineReader) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(piece) = lines.next() {
            all.push(match piece {
                Message::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Message::TooLong(head, length) => format!("{}… {length}", head.len()),
            });
        }
        all
    }

    #[test]
    fn lines_are_complete_however_they_arrive() {
        let mut lines = LineReader::new(100);
        for piece in ["a", "b\r\n", "", "\nc\nd", "e"] {
            lines.push(piece.as_bytes());
        }
        assert_eq!(taken(&mut lines), ["ab", "", "c"]);
        assert_eq!(lines.finish(), b"de");
        assert_eq!(taken(&mut lines), [""; 0]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_counted_and_not_kept() {
        let mut lines = LineReader::new(1000);
        for _ in 0..500 {
            lines.push(&[b'x'; 1000]);
        }
        assert!(lines.buffer.capacity() < 200_000);
        lines.push(b"x\nshort\n");
        assert_eq!(taken(&mut lines), ["128… 500001", "short"]);
    }
}
