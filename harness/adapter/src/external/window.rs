//! Requests in flight, and the requests that were answered last.

use std::collections::{BTreeMap, VecDeque};

use variant_wire::implementation::Request;

/// How many answered requests are remembered, to report what led to a crash.
const REMEMBERED: usize = 8;

/// A request that was sent.
#[derive(Debug)]
pub(super) struct SentRequest {
    pub(super) seq: u64,
    /// Its place among the requests, from 0.
    pub(super) place: usize,
    pub(super) request: Request,
    /// The length of its line, in bytes.
    pub(super) bytes: usize,
}

/// Requests in flight, by their `seq`: the oldest first.
#[derive(Debug, Default)]
pub(super) struct Window {
    waiting: BTreeMap<u64, SentRequest>,
    /// The `seq` of the newest that was sent.
    newest: u64,
    bytes: usize,
    /// A reply came before that to an older request.
    overtaken: bool,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The bytes of all lines in flight.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many there are from the oldest unanswered to the newest, including the answered between them.
    pub(super) fn span(&self) -> u64 {
        self.waiting().next().map_or(0, |oldest| self.newest - oldest + 1)
    }

    pub(super) fn push(&mut self, sent: SentRequest) {
        self.newest = sent.seq;
        self.bytes += sent.bytes;
        self.waiting.insert(sent.seq, sent);
    }

    /// The oldest unanswered request.
    pub(super) fn oldest(&self) -> Option<&SentRequest> {
        self.waiting.values().next()
    }

    /// Whether a reply ever came before that to an older request.
    pub(super) fn is_overtaken(&self) -> bool {
        self.overtaken
    }

    /// The `seq` of each unanswered request, oldest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u64> {
        self.waiting.keys().copied()
    }

    /// Removes the request with this `seq`.
    pub(super) fn take(&mut self, seq: u64) -> Option<SentRequest> {
        let sent = self.waiting.remove(&seq)?;
        self.overtaken |= self.waiting.keys().next().is_some_and(|oldest| *oldest < seq);
        self.bytes -= sent.bytes;
        Some(sent)
    }

    pub(super) fn take_oldest(&mut self) -> Option<SentRequest> {
        let oldest = self.waiting().next()?;
        self.take(oldest)
    }

    /// Removes all, oldest first.
    pub(super) fn drain(&mut self) -> VecDeque<SentRequest> {
        self.bytes = 0;
        std::mem::take(&mut self.waiting).into_values().collect()
    }
}

/// The requests that were answered last.
#[derive(Debug, Default)]
pub(super) struct RecentRequests(VecDeque<SentRequest>);

impl RecentRequests {
    pub(super) fn push(&mut self, sent: SentRequest) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(sent);
    }

    pub(super) fn take_last(&mut self) -> Option<SentRequest> {
        self.0.pop_back()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SentRequest> {
        self.0.iter()
    }
}
