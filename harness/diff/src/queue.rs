//! The requests that wait for a participant: batches in their order, and before them what the caller waits for.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use variant_wire::implementation::Request;

/// Requests for a participant.
#[derive(Debug)]
pub(super) struct Job {
    /// By which their responses are collected.
    pub(super) ticket: u64,
    pub(super) requests: Arc<Vec<Request>>,
    /// Set when no more of them are to be sent.
    pub(super) cut: Arc<AtomicBool>,
}

/// Filled by one thread, emptied by another.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    urgent: VecDeque<Job>,
    usual: VecDeque<Job>,
    over: bool,
}

impl Queue {
    /// Adds a job: an urgent one comes before all that are not.
    pub(super) fn push(&self, job: Job, urgent: bool) {
        let mut state = self.state();
        let line = if urgent { &mut state.urgent } else { &mut state.usual };
        line.push_back(job);
        self.filled.notify_one();
    }

    /// Ends the queue: waiting jobs are dropped.
    pub(super) fn end(&self) {
        self.state().over = true;
        self.filled.notify_one();
    }

    /// Waits for the next job; `None` once the queue has ended.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.over {
                return None;
            }
            if let Some(job) = state.urgent.pop_front().or_else(|| state.usual.pop_front()) {
                return Some(job);
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The state. A lock that a panic poisoned is used all the same: no panic leaves the state half changed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urgent_jobs_come_first() {
        let queue = Queue::default();
        let job = |ticket| Job { ticket, requests: Arc::default(), cut: Arc::default() };
        queue.push(job(1), false);
        queue.push(job(2), false);
        queue.push(job(3), true);
        queue.push(job(4), true);
        let order: Vec<u64> = (0..4).filter_map(|_| queue.next()).map(|job| job.ticket).collect();
        assert_eq!(order, [3, 4, 1, 2]);
        queue.end();
        assert!(queue.next().is_none());
    }
}
