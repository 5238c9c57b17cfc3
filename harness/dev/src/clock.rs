//! CPU time, as the system tells it.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this process so far.
pub(super) fn own() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// CPU time of this thread so far.
fn thread() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// CPU time of another process so far, in ticks of 10 ms; zero where the system does not tell.
pub(super) fn of_process(id: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Behind its name, which may hold anything, the 12th and 13th field.
    let ticks = stat.rsplit(") ").next().into_iter().flat_map(|rest| rest.split(' ').skip(11).take(2));
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100)
}

/// How long another process was at work so far, or would have been were a core free: of its first thread, which does the
/// work of an adapter. Zero where the system does not tell.
pub(super) fn at_work(id: u32) -> AtWork {
    let told = std::fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
    let mut fields = told.split_whitespace().map(|field| field.parse().map_or(Duration::ZERO, Duration::from_nanos));
    AtWork { running: fields.next().unwrap_or_default(), waiting: fields.next().unwrap_or_default() }
}

/// What a thread did while it had something to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtWork {
    pub(super) running: Duration,
    /// For a core that others had.
    pub(super) waiting: Duration,
}

/// What two passes take at their fastest, made by turns so that both see the same machine.
pub(super) fn duel(times: usize, mut one: impl FnMut(), mut other: impl FnMut()) -> (Duration, Duration) {
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..times {
        best = (best.0.min(timed(&mut one)), best.1.min(timed(&mut other)));
    }
    best
}

/// What a pass takes at its fastest.
pub(super) fn fastest(times: usize, mut pass: impl FnMut()) -> Duration {
    (0..times).map(|_| timed(&mut pass)).min().unwrap_or_default()
}

/// The same by the clock on the wall, to be held against times that were taken so.
pub(super) fn soonest(times: usize, mut pass: impl FnMut()) -> Duration {
    let timed = |_| {
        let from = Instant::now();
        pass();
        from.elapsed()
    };
    (0..times).map(timed).min().unwrap_or_default()
}

fn timed(pass: &mut dyn FnMut()) -> Duration {
    let before = thread();
    pass();
    thread().saturating_sub(before)
}
