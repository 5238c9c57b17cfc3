//! Splits what an adapter writes into lines of bounded length.

use memchr::memchr;

use super::wire_event::{WireEvent, event, too_long};

/// How much of a line above the limit is kept, to see which request it answers.
const HEAD: usize = 128;

/// A line without its line end, and what it says. Of a line above the limit there is only the head.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) says: WireEvent,
    pub(crate) text: Vec<u8>,
}

/// Bytes as they arrive.
#[derive(Debug)]
pub(super) struct LineSplitter {
    /// The beginning of a line whose end has not arrived.
    begun: Vec<u8>,
    /// How long that line is so far; more than is kept of it if it is above the limit.
    length: usize,
    limit: usize,
}

impl LineSplitter {
    pub(super) fn new(limit: usize) -> Self {
        Self { begun: Vec::new(), length: 0, limit }
    }

    /// Takes bytes, and returns the lines that are complete now.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(end) = memchr(b'\n', bytes) {
            self.extend(&bytes[..end]);
            lines.push(self.line());
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
        lines
    }

    /// What is left when the input ends. It is no line, since nobody knows whether more was to come.
    pub(super) fn rest(self) -> Vec<u8> {
        self.begun
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.length <= self.limit {
            return self.begun.extend_from_slice(bytes);
        }
        let room = HEAD.saturating_sub(self.begun.len()).min(bytes.len());
        self.begun.extend_from_slice(&bytes[..room]);
        self.begun.truncate(HEAD);
        self.begun.shrink_to_fit();
    }

    fn line(&mut self) -> Line {
        let mut text = std::mem::take(&mut self.begun);
        let length = std::mem::take(&mut self.length);
        if length > self.limit {
            return Line { says: too_long(&text, length), text };
        }
        if text.last() == Some(&b'\r') {
            text.pop();
        }
        Line { says: event(&text), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: Vec<Line>) -> Vec<String> {
        lines.into_iter().map(|line| String::from_utf8(line.text).unwrap()).collect()
    }

    #[test]
    fn lines_are_complete_however_they_arrive() {
        let mut splitter = LineSplitter::new(100);
        let pieces = ["a", "b\r\n", "", "\nc\nd", "e"];
        let lines: Vec<Line> = pieces.iter().flat_map(|piece| splitter.push(piece.as_bytes())).collect();
        assert_eq!(texts(lines), ["ab", "", "c"]);
        assert_eq!(splitter.rest(), b"de");
    }

    #[test]
    fn a_line_beyond_the_limit_is_counted_and_not_kept() {
        let mut splitter = LineSplitter::new(1000);
        for _ in 0..500 {
            splitter.push(&[b'x'; 1000]);
        }
        assert!(splitter.begun.capacity() <= 1000);
        let lines = splitter.push(b"x\nshort\n");
        assert!(matches!(&lines[0].says, WireEvent::TooLong(None, why) if why.starts_with("a line of 500001 bytes")));
        assert_eq!(texts(lines)[1], "short");
    }
}
