//! Splits what an adapter writes into lines of bounded length.

use memchr::memchr;

use super::wire_event::{WireEvent, event};

/// A line without its line end, and what it says.
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
    limit: usize,
}

impl LineSplitter {
    pub(super) fn new(limit: usize) -> Self {
        Self { begun: Vec::new(), limit }
    }

    /// Takes bytes, and returns the lines that are complete now, up to one above the limit, and whether there was none.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> (Vec<Line>, bool) {
        let mut lines = Vec::new();
        loop {
            let end = memchr(b'\n', bytes);
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if self.begun.len() + piece.len() > self.limit {
                return (lines, false);
            }
            self.begun.extend_from_slice(piece);
            let Some(end) = end else { return (lines, true) };
            let mut text = std::mem::take(&mut self.begun);
            text.pop_if(|last| *last == b'\r');
            lines.push(Line { says: event(&text), text });
            bytes = &bytes[end + 1..];
        }
    }

    /// What is left when the input ends. It is no line, since nobody knows whether more was to come.
    pub(super) fn rest(self) -> Vec<u8> {
        self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_complete_however_they_arrive() {
        let mut splitter = LineSplitter::new(100);
        let pieces = ["a", "b\r\n", "", "\nc\nd", "e"];
        let lines = pieces.iter().flat_map(|piece| splitter.push(piece.as_bytes()).0);
        let texts: Vec<String> = lines.map(|line| String::from_utf8(line.text).unwrap()).collect();
        assert_eq!(texts, ["ab", "", "c"]);
        assert_eq!(splitter.rest(), b"de");
    }

    #[test]
    fn a_line_beyond_the_limit_ends_it() {
        let mut splitter = LineSplitter::new(1000);
        let (lines, fits) = splitter.push(&[b"short\n".as_slice(), &[b'x'; 1000]].concat());
        assert!(lines.len() == 1 && fits);
        assert!(!splitter.push(b"x\n").1);
    }
}
