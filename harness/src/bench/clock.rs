//! CPU time and memory, as the system tells them.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this process so far.
pub(super) fn own() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// CPU time of another process so far, in ticks of 10 ms; zero where the system does not tell.
pub(super) fn of_process(id: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Behind its name, which may hold anything, the 12th and 13th field.
    let ticks = stat.rsplit(") ").next().into_iter().flat_map(|rest| rest.split(' ').skip(11).take(2));
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100)
}
