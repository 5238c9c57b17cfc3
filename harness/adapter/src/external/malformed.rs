//! Malformed lines that were meant as replies. They are kept until it is clear whether the real reply follows: some
//! adapters print a reply before they send it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// After a malformed reply, the real one has the timeout divided by this number to arrive.
const GRACE: u32 = 20;

/// Malformed replies, by the request that they were meant for.
#[derive(Debug, Default)]
pub(crate) struct MalformedReplies {
    waiting: BTreeMap<u64, String>,
    last: Option<Instant>,
    /// Some were the only reply that came.
    counted: bool,
    /// Some were followed by the real reply.
    refuted: bool,
}

impl MalformedReplies {
    /// Adds one. There is at most one for each open request.
    pub(crate) fn push(&mut self, seq: u64, why: String) {
        self.waiting.insert(seq, why);
        self.last = Some(Instant::now());
    }

    pub(super) fn has(&self, seq: u64) -> bool {
        self.waiting.contains_key(&seq)
    }

    /// The real reply came: returns the malformed one before it, which is mere noise.
    pub(super) fn refute(&mut self, seq: u64) -> Option<String> {
        let noise = self.waiting.remove(&seq)?;
        self.refuted = true;
        Some(noise)
    }

    /// When to stop waiting for a real reply; `until` if no malformed one is waiting. There is no wait for an adapter
    /// that has sent malformed replies before, and never a real one after them.
    pub(crate) fn deadline(&self, until: Instant, timeout: Duration) -> Instant {
        let grace = if self.counted && !self.refuted { Duration::ZERO } else { timeout / GRACE };
        self.last.filter(|_| !self.waiting.is_empty()).map_or(until, |last| until.min(last + grace))
    }

    /// Takes all of them: they count as the replies.
    pub(crate) fn take(&mut self) -> BTreeMap<u64, String> {
        self.counted |= !self.waiting.is_empty();
        std::mem::take(&mut self.waiting)
    }

    /// Forgets them: the process is gone.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }
}
