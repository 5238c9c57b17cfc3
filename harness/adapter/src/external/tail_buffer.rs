//! The end of a stream that is not part of the protocol.

use std::collections::VecDeque;

use variant_values::sanitize::bytes;

/// Keeps the last bytes, however many arrive.
#[derive(Debug)]
pub(crate) struct TailBuffer {
    bytes: VecDeque<u8>,
    limit: usize,
    dropped: u64,
}

impl TailBuffer {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, dropped: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let room = self.limit - kept.len();
        let excess = self.bytes.len().saturating_sub(room);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
        self.dropped += (excess + bytes.len() - kept.len()) as u64;
    }

    pub(super) fn push_line(&mut self, line: &[u8]) {
        self.push(line);
        self.push(b"\n");
    }

    /// Takes what was kept, sanitized.
    pub(crate) fn take(&mut self) -> String {
        let text = bytes(self.bytes.make_contiguous()).trim_end().to_owned();
        let dropped = std::mem::take(&mut self.dropped);
        self.bytes.clear();
        if dropped > 0 { format!("[{dropped} bytes before]…{text}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = TailBuffer::new(4);
        tail.push(b"ab");
        tail.push(b"cdef");
        tail.push(b"g");
        assert_eq!(tail.take(), "[3 bytes before]…defg");
        assert_eq!(tail.take(), "");
    }
}
