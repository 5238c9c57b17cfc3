//! What a process and its descendants take, as Linux reports it: processor time, and resident memory.
#![allow(clippy::disallowed_methods, reason = "of /proc, where the system writes")]

use std::fs;
use std::time::Duration;

/// Generations of descendants that count: a shell, a launcher, an interpreter and its workers.
const GENERATIONS: usize = 5;

/// Resident bytes of a process and its descendants, since a wrapper script is small and what it starts is not. 0 if the
/// system does not report it.
pub(super) fn resident(pid: u32) -> u64 {
    sum(pid, &resident_of)
}

/// What is resident, if it is more than this.
pub(super) fn above(pid: u32, limit: u64) -> Option<u64> {
    Some(resident(pid)).filter(|resident| *resident > limit)
}

/// The processor time of a process and its descendants, those that ended included; `None` if the system does not
/// report it.
pub(super) fn processor_time(pid: u32) -> Option<Duration> {
    let ticks = ticks_of(pid)?;
    let mut of_children = 0;
    children(pid).for_each(|child| each(child, GENERATIONS - 1, &mut |pid| of_children += ticks_of(pid).unwrap_or(0)));
    Some(Duration::from_millis((ticks + of_children) * 1000 / ticks_per_second().max(1)))
}

/// In `stat`, user, system, and both of the children that were waited for follow the state, which follows the name.
fn ticks_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().skip(11).take(4).map(|field| field.parse::<u64>().ok()).sum()
}

fn sum(pid: u32, of: &dyn Fn(u32) -> Option<u64>) -> u64 {
    let mut bytes = 0;
    each(pid, GENERATIONS, &mut |pid| bytes += of(pid).unwrap_or(0));
    bytes
}

fn each(pid: u32, generations: usize, visit: &mut dyn FnMut(u32)) {
    visit(pid);
    if generations > 0 {
        children(pid).for_each(|child| each(child, generations - 1, visit));
    }
}

fn resident_of(pid: u32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    statm.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * page_size())
}

/// The processes that a process started and that still run.
fn children(pid: u32) -> impl Iterator<Item = u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
}

#[cfg(unix)]
fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

#[cfg(unix)]
fn page_size() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(4096)
}

/// Nothing is reported there.
#[cfg(windows)]
fn ticks_per_second() -> u64 {
    1
}

/// Nothing is reported there.
#[cfg(windows)]
fn page_size() -> u64 {
    1
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_running_process_has_memory() {
        assert!(super::resident(std::process::id()) > 1 << 20);
    }

    #[test]
    fn work_takes_processor_time_and_waiting_does_not() {
        let time = || super::processor_time(std::process::id()).unwrap_or_default();
        let before = time();
        while time() < before + std::time::Duration::from_millis(200) {
            std::hint::black_box((0..1_000_000_u64).sum::<u64>());
        }
        assert!(super::ticks_of(std::process::id()).is_some_and(|ticks| ticks > 0));
    }
}
