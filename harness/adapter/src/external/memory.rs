//! Resident memory of a process and its descendants, as Linux reports it.
#![allow(clippy::disallowed_methods, reason = "of /proc, where the system writes")]

use std::fs;

/// Generations of descendants that count: a shell, a launcher, an interpreter and its workers.
const GENERATIONS: usize = 5;

/// What is resident of a process and its descendants, if it is more than this: a wrapper script is small, and what it
/// starts is not.
pub(super) fn above(pid: u32, limit: u64) -> Option<u64> {
    Some(resident(pid, GENERATIONS)).filter(|resident| *resident > limit)
}

/// 0 if the system does not report it.
fn resident(pid: u32, generations: usize) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = statm.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    let own = pages.unwrap_or(0) * page_size();
    let Some(generations) = generations.checked_sub(1) else { return own };
    own + children(pid).map(|child| resident(child, generations)).sum::<u64>()
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
        assert!(super::resident(std::process::id(), 0) > 1 << 20);
    }
}
