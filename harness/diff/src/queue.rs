//! What a side is still to be asked: batches in their order, and before them what somebody waits for.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use variant_wire::implementation::Request;

/// Questions under the number by which their answers are asked for.
pub(super) type Job = (u64, Arc<Vec<Request>>);

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
    /// Behind all others, or before those that nobody waits for yet.
    pub(super) fn push(&self, job: Job, urgent: bool) {
        let mut state = self.state();
        let line = if urgent { &mut state.urgent } else { &mut state.usual };
        line.push_back(job);
        self.filled.notify_one();
    }

    /// Nothing more is asked; what waits is not asked either.
    pub(super) fn end(&self) {
        self.state().over = true;
        self.filled.notify_one();
    }

    /// The next, once there is one; `None` where it is over.
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

    /// No panic leaves it half changed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_waits_for_comes_first() {
        let queue = Queue::default();
        let job = |ticket| (ticket, Arc::default());
        queue.push(job(1), false);
        queue.push(job(2), false);
        queue.push(job(3), true);
        queue.push(job(4), true);
        let order: Vec<u64> = (0..4).filter_map(|_| queue.next()).map(|(ticket, _)| ticket).collect();
        assert_eq!(order, [3, 4, 1, 2]);
        queue.end();
        assert!(queue.next().is_none());
    }
}
