//! Resident memory of a process and its descendants, as Linux reports it.
#![allow(clippy::disallowed_methods, reason = "of /proc, where the system writes")]

use std::fs;

/// Generations of descendants that count: a shell, a launcher, an interpreter and its workers.
const GENERATIONS: usize = 5;

/// What is resident of a process and its descendants, in bytes: a wrapper script is small, and what it starts is not. 0 if the
/// system does not report it.
pub(super) fn resident(pid: u32) -> u64 {
    of_generations(pid, GENERATIONS) << 10
}

/// The same, in KiB.
fn of_generations(pid: u32, generations: usize) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let own = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim_end_matches("kB").trim().parse().ok());
    let Some(generations) = generations.checked_sub(1) else { return own.unwrap_or(0) };
    own.unwrap_or(0) + children(pid).map(|child| of_generations(child, generations)).sum::<u64>()
}

/// The processes that a process started and that still run.
fn children(pid: u32) -> impl Iterator<Item = u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_running_process_has_memory() {
        assert!(super::resident(std::process::id()) > 1 << 20);
    }
}
