//! Splits what an adapter writes into lines, and frames if it speaks them.

use memchr::memchr;
use rustix::buffer::spare_capacity;
use rustix::fd::AsFd;
use rustix::io::Errno;
use variant_wire::frame::{Head, MARK, REPLY_HEAD};

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
    /// Where the next line or frame ends, if its end has arrived.
    end: Option<LineEnd>,
    /// Everything before this was searched for a line end.
    searched: usize,
    limit: usize,
    /// The current line is too long: the buffer has only its head, and this many bytes were dropped.
    dropping: Option<usize>,
    /// Ignore line ends: everything is one piece.
    whole: bool,
    /// What begins with the mark of a frame is one.
    pub(crate) frames: bool,
    /// A frame above the limit began, and nobody knows where the next one does: all that follows is dropped.
    lost: bool,
}

/// Where a line ends, and where the next one starts, after the line end. A frame has no line end.
#[derive(Debug, Clone, Copy)]
struct LineEnd {
    at: usize,
    next: usize,
}

/// A line without its line end, or a frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    Line(&'a [u8]),
    /// A whole frame.
    Frame(&'a [u8]),
    /// The head of a line or frame that is longer than the limit, and its length.
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
        Self {
            buffer: Vec::new(),
            taken: 0,
            end: None,
            searched: 0,
            limit,
            dropping: None,
            whole: false,
            frames: false,
            lost: false,
        }
    }

    /// A reader that returns the whole input as one line.
    pub(crate) fn whole(limit: usize) -> Self {
        Self { whole: true, ..Self::new(limit) }
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

    /// The input has ended. A whole input is complete now. What is left of a line without its line end is no line, since
    /// nobody knows whether more was to come: it is returned.
    pub(crate) fn finish(&mut self) -> &[u8] {
        if self.end.is_some() {
            return &[];
        }
        if self.whole && (self.taken < self.buffer.len() || self.dropping.is_some()) {
            self.end = Some(LineEnd { at: self.buffer.len(), next: self.buffer.len() + 1 });
            self.buffer.push(b'\n');
            return &[];
        }
        let from = std::mem::replace(&mut self.taken, self.buffer.len());
        (self.searched, self.dropping) = (self.buffer.len(), None);
        &self.buffer[from..]
    }

    /// Takes the next line.
    pub(crate) fn next(&mut self) -> Option<Message<'_>> {
        let LineEnd { at, next } = self.end.take()?;
        let start = std::mem::replace(&mut self.taken, next);
        self.searched = self.taken;
        let is_frame = self.frames && self.buffer[start] == MARK;
        let dropped = self.dropping.take();
        self.lost |= dropped.is_some() && is_frame;
        self.search();
        let line = &self.buffer[start..at];
        Some(match dropped {
            Some(dropped) => Message::TooLong(&line[..HEAD.min(line.len())], dropped + line.len()),
            None if is_frame => Message::Frame(line),
            None if self.whole => Message::Line(line),
            None => Message::Line(line.strip_suffix(b"\r").unwrap_or(line)),
        })
    }

    /// Whether all that follows is dropped.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    /// What has arrived of a frame, and how long it is with its head, if that has arrived.
    pub(crate) fn half_frame(&self) -> Option<(&[u8], Option<usize>)> {
        let arrived = &self.buffer[self.taken..];
        let is_frame = self.frames && self.end.is_none() && arrived.first() == Some(&MARK);
        is_frame.then(|| (arrived, Head::of(arrived).map(|head| REPLY_HEAD + head.length)))
    }

    fn search(&mut self) {
        self.end = None;
        if self.lost {
            (self.taken, self.searched) = (self.buffer.len(), self.buffer.len());
            return;
        }
        if self.half_frame().is_some() {
            return self.search_frame();
        }
        let new = if self.whole { &[] } else { &self.buffer[self.searched..] };
        self.end = memchr(b'\n', new).map(|at| LineEnd { at: self.searched + at, next: self.searched + at + 1 });
        self.searched = self.end.map_or(self.buffer.len(), |end| end.at);
        if self.end.is_none() && self.buffer.len() - self.taken > self.limit {
            self.drop_line();
        }
    }

    /// Of a frame above the limit, which may never end, the head is a piece at once.
    fn search_frame(&mut self) {
        let arrived = &self.buffer[self.taken..];
        let Some(head) = Head::of(arrived).filter(|_| arrived.len() >= REPLY_HEAD) else { return };
        let is_long = head.length > self.limit;
        let length = REPLY_HEAD + if is_long { 0 } else { head.length };
        self.dropping = is_long.then_some(head.length);
        if arrived.len() >= length {
            let next = self.taken + length;
            self.end = Some(LineEnd { at: next, next });
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
        self.end = self.end.map(|LineEnd { at, next }| LineEnd { at: at - self.taken, next: next - self.taken });
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

    fn frame(length: u32, payload: &[u8]) -> Vec<u8> {
        let head: [&[u8]; 4] = [&[MARK, b'u', 0, 0], &length.to_le_bytes(), &7_u64.to_le_bytes(), &[MARK; 8]];
        [&head.concat(), payload].concat()
    }

    /// Lines and frames, as the lengths of what was sent and their texts.
    fn pieces(sent: &[u8], at_once: usize) -> Vec<String> {
        let mut lines = LineReader { frames: true, ..LineReader::new(100) };
        let mut all = Vec::new();
        for some in sent.chunks(at_once) {
            lines.push(some);
            all.extend(taken(&mut lines));
        }
        all
    }

    #[test]
    fn frames_and_lines_are_complete_however_they_arrive() {
        let long = frame(300, &[b'\n'; 300]);
        let line = b"a line\n".to_vec();
        let sent =
            [frame(2, b"\n\xff"), line, frame(0, b""), b"\n".to_vec(), frame(1, b"x"), long, frame(0, b"")].concat();
        for at_once in [1, 7, 50, sent.len()] {
            assert_eq!(
                pieces(&sent, at_once),
                ["frame 26", "a line", "frame 24", "", "frame 25", "24… 324"],
                "{at_once}"
            );
        }
    }

    #[test]
    fn half_a_frame_is_none() {
        let mut lines = LineReader { frames: true, ..LineReader::new(100) };
        lines.push(&frame(5, b"abcd"));
        assert_eq!(lines.half_frame().map(|(arrived, length)| (arrived.len(), length)), Some((28, Some(29))));
        assert_eq!(lines.finish().len(), 28);
        assert_eq!(taken(&mut lines), [""; 0]);
    }

    fn taken(lines: &mut LineReader) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(piece) = lines.next() {
            all.push(match piece {
                Message::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Message::Frame(frame) => format!("frame {}", frame.len()),
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
    fn a_whole_input_stays_one_piece() {
        let mut bytes = LineReader::whole(100);
        bytes.push(b"a\n\r\nb\r");
        assert!(!bytes.has_line());
        bytes.finish();
        assert_eq!(bytes.next(), Some(Message::Line(b"a\n\r\nb\r")));
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
