//! Lines that were meant for replies, kept until it is known whether the real reply comes too: an adapter may print what
//! it answers, and answer all the same.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What was said instead of an answer, by the request it was meant for.
#[derive(Debug, Default)]
pub(super) struct MalformedReplies {
    waiting: BTreeMap<u64, String>,
    last: Option<Instant>,
    /// Some were all the answer that came.
    held: bool,
    /// Some were followed by the real reply.
    refuted: bool,
}

impl MalformedReplies {
    /// Notes what was said. Requests that wait for an answer have at most one each, so that there are never many.
    pub(super) fn push(&mut self, seq: u64, why: String) {
        self.waiting.insert(seq, why);
        self.last = Some(Instant::now());
    }

    /// Whether something was said to this request.
    pub(super) fn has(&self, seq: u64) -> bool {
        self.waiting.contains_key(&seq)
    }

    /// The real reply to this request came: what was said before it, which was no more than noise.
    pub(super) fn answered(&mut self, seq: u64) -> Option<String> {
        let noise = self.waiting.remove(&seq)?;
        self.refuted = true;
        Some(noise)
    }

    /// When what was said is taken for all the answer that comes; `None` where nothing was said. An adapter whose slips
    /// were never followed by a reply need not be waited for.
    pub(super) fn until(&self, grace: Duration) -> Option<Instant> {
        let last = self.last.filter(|_| !self.waiting.is_empty())?;
        Some(if self.held && !self.refuted { last } else { last + grace })
    }

    /// All that was said, taken for the answers.
    pub(super) fn hold(&mut self) -> BTreeMap<u64, String> {
        self.held |= !self.waiting.is_empty();
        std::mem::take(&mut self.waiting)
    }

    /// The process is gone.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
    }
}
