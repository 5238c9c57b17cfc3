//! CPU time, from the system.

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

/// CPU time of another process so far, in ticks of 10 ms; zero where the system does not report it.
pub(super) fn of_process(id: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Behind its name, which may hold anything, the 12th and 13th field.
    let ticks = stat.rsplit(") ").next().into_iter().flat_map(|rest| rest.split(' ').skip(11).take(2));
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100)
}

/// Resident bytes of this process; zero where the system does not report it.
pub(super) fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * u64::try_from(rustix::param::page_size()).unwrap_or(4096)
}

/// How long the first thread of another process was running or waiting for a core; in an adapter, that thread does the
/// work. Zero where the system does not report it.
pub(super) fn at_work(id: u32) -> AtWork {
    let stat = std::fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
    let mut fields = stat.split_whitespace().map(|field| field.parse().map_or(Duration::ZERO, Duration::from_nanos));
    AtWork { running: fields.next().unwrap_or_default(), waiting: fields.next().unwrap_or_default() }
}

/// How long a thread had work.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtWork {
    pub(super) running: Duration,
    /// Time that it waited for a core.
    pub(super) waiting: Duration,
}

/// The fastest times of two passes, which alternate so that both see the same machine.
pub(super) fn duel(times: usize, mut one: impl FnMut(), mut other: impl FnMut()) -> (Duration, Duration) {
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..times {
        best = (best.0.min(timed(&mut one)), best.1.min(timed(&mut other)));
    }
    best
}

/// The CPU time of the fastest pass.
pub(super) fn fastest(times: usize, mut pass: impl FnMut()) -> Duration {
    (0..times).map(|_| timed(&mut pass)).min().unwrap_or_default()
}

/// The elapsed time of the fastest pass.
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
