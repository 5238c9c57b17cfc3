//! Resident memory of a process and its descendants, as Linux reports it: now, and at its peak. Pages that several of them
//! share count once, in equal shares.

use std::fs;

/// Generations of descendants that count: a shell, a launcher, an interpreter and its workers.
const GENERATIONS: usize = 5;

/// Resident bytes of a process and its descendants, since a wrapper script is small and what it starts is not. 0 if the
/// system does not report it.
pub fn resident(pid: u32) -> u64 {
    sum(pid, &|pid| proportional(pid).or_else(|| resident_of(pid)))
}

/// Whether more than this is resident. The exact number takes longer to find out, and is rarely needed.
pub(super) fn above(pid: u32, limit: u64) -> Option<u64> {
    if sum(pid, &resident_of) <= limit {
        return None;
    }
    Some(resident(pid)).filter(|resident| *resident > limit)
}

/// The most bytes that were resident since the start or [`forget_peak`]. The system tracks it, so nothing is missed.
pub(super) fn peak(pid: u32) -> u64 {
    sum(pid, &|pid| {
        // What is shared now was shared at the peak.
        let shared = resident_of(pid)?.saturating_sub(proportional(pid).unwrap_or(u64::MAX));
        Some(peak_of(pid)?.saturating_sub(shared))
    })
}

/// Resets the peak to what is resident now.
pub(super) fn forget_peak(pid: u32) {
    // If that cannot be written, the peak stays, and a later request seems to take more than it did.
    each(pid, GENERATIONS, &mut |pid| drop(fs::write(format!("/proc/{pid}/clear_refs"), "5")));
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

fn peak_of(pid: u32) -> Option<u64> {
    field(&format!("/proc/{pid}/status"), "VmHWM:")
}

/// Resident bytes, of each page its share.
fn proportional(pid: u32) -> Option<u64> {
    field(&format!("/proc/{pid}/smaps_rollup"), "Pss:")
}

fn field(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

fn resident_of(pid: u32) -> Option<u64> {
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

    #[test]
    fn what_was_freed_is_still_the_peak() {
        let pid = std::process::id();
        super::forget_peak(pid);
        let before = super::peak(pid);
        drop(std::hint::black_box(vec![1_u8; 64 << 20]));
        assert!(super::peak(pid) > before + (48 << 20));
    }
}
