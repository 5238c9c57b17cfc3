//! Resident memory of a process and its descendants, as Linux reports it.
#![allow(clippy::disallowed_methods, reason = "of /proc, where the system writes")]

use std::fs;

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
fn page_size() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(4096)
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
}
