//! Resident memory of a process and its descendants, as Linux tells it.

use std::fs;

/// Generations of descendants that are looked at: a shell, a launcher, an interpreter and its workers.
const GENERATIONS: usize = 5;

/// Resident bytes, 0 where the system does not tell. A wrapper script is small and what it starts is not,
/// so descendants count; pages that they share count twice.
pub(crate) fn resident(pid: u32) -> u64 {
    of_tree(pid, GENERATIONS)
}

fn of_tree(pid: u32, generations: usize) -> u64 {
    let own = of_process(pid).unwrap_or(0);
    if generations == 0 { own } else { children(pid).map(|child| of_tree(child, generations - 1)).sum::<u64>() + own }
}

fn of_process(pid: u32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    statm.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * page_size())
}

fn children(pid: u32) -> impl Iterator<Item = u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
}

fn page_size() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(4096)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_running_process_has_memory() {
        assert!(super::resident(std::process::id()) > 1 << 20);
    }
}
