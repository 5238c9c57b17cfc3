//! Requests in flight, and the requests that were answered last.

use std::collections::VecDeque;

use variant_wire::implementation::Request;

/// How many answered requests are remembered, to report what led to a crash.
const REMEMBERED: usize = 8;

/// A request that was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) seq: u64,
    /// Its place among the requests, from 0.
    pub(super) place: usize,
    pub(super) request: Request,
    /// The length of its line, in bytes.
    pub(super) bytes: usize,
}

/// Requests in flight, oldest first. `seq` rises from each to the next, mostly by one.
#[derive(Debug, Default)]
pub(super) struct Window {
    slots: VecDeque<(u64, Option<Sent>)>,
    count: usize,
    bytes: usize,
    /// A reply came before that to an older request.
    overtaken: bool,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The bytes of all lines in flight.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many there are from the oldest unanswered to the newest, including the answered between them.
    pub(super) fn span(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn push(&mut self, sent: Sent) {
        self.count += 1;
        self.bytes += sent.bytes;
        self.slots.push_back((sent.seq, Some(sent)));
    }

    /// The oldest unanswered request.
    pub(super) fn oldest(&self) -> Option<&Sent> {
        self.slots.front().and_then(|(_, sent)| sent.as_ref())
    }

    /// Whether a reply ever came before that to an older request.
    pub(super) fn is_overtaken(&self) -> bool {
        self.overtaken
    }

    /// The `seq` of each unanswered request, oldest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().filter_map(|(seq, sent)| sent.as_ref().map(|_| *seq))
    }

    /// Removes the request with this `seq`.
    pub(super) fn take(&mut self, seq: u64) -> Option<Sent> {
        let first = self.slots.front()?.0;
        let guess = usize::try_from(seq.checked_sub(first)?).ok()?;
        let at = match self.slots.get(guess) {
            Some((found, _)) if *found == seq => guess,
            _ => self.slots.binary_search_by_key(&seq, |(seq, _)| *seq).ok()?,
        };
        let sent = self.slots[at].1.take()?;
        self.overtaken |= at > 0;
        self.count -= 1;
        self.bytes -= sent.bytes;
        while self.slots.front().is_some_and(|(_, slot)| slot.is_none()) {
            self.slots.pop_front();
        }
        Some(sent)
    }

    pub(super) fn take_oldest(&mut self) -> Option<Sent> {
        let oldest = self.slots.front()?.0;
        self.take(oldest)
    }

    /// Removes all, oldest first.
    pub(super) fn drain(&mut self) -> VecDeque<Sent> {
        (self.count, self.bytes) = (0, 0);
        self.slots.drain(..).filter_map(|(_, slot)| slot).collect()
    }
}

/// The requests that were answered last.
#[derive(Debug, Default)]
pub(super) struct RecentRequests(VecDeque<Sent>);

impl RecentRequests {
    pub(super) fn push(&mut self, sent: Sent) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(sent);
    }

    pub(super) fn take_last(&mut self) -> Option<Sent> {
        self.0.pop_back()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Sent> {
        self.0.iter()
    }
}
