//! Faults of the disk, at a change that a test chooses. They are those of the thread that plans them.

use std::cell::Cell;
use std::io;

/// What happens at the chosen change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFault {
    /// The program is killed: neither this change is made nor any after it. Of a write, half is made.
    Kill,
    /// The disk is full from then on: files can only be renamed and removed.
    Full,
    /// This change alone fails.
    Broken,
}

#[derive(Debug, Clone, Copy)]
struct PlannedFault {
    fault: DiskFault,
    /// How many changes are made before it.
    before: usize,
    /// Whether it has happened.
    happened: bool,
}

thread_local! {
    static PLANNED: Cell<Option<PlannedFault>> = const { Cell::new(None) };
}

/// A write has at most this many bytes while a fault is planned, so that there are many.
const MOST: usize = 256;

/// Plans a fault for the change after so many others.
pub fn plan(fault: DiskFault, before: usize) {
    PLANNED.set(Some(PlannedFault { fault, before, happened: false }));
}

/// Ends the fault. Whether it happened.
pub fn end() -> bool {
    PLANNED.take().is_some_and(|planned| planned.happened)
}

pub(super) fn change(needs_room: bool) -> io::Result<()> {
    let Some(mut planned) = PLANNED.get() else { return Ok(()) };
    let first = planned.before == 0 && !planned.happened;
    let fails = match planned.fault {
        DiskFault::Kill => planned.before == 0,
        DiskFault::Full => planned.before == 0 && needs_room,
        DiskFault::Broken => first,
    };
    planned.happened |= fails;
    planned.before = planned.before.saturating_sub(1);
    PLANNED.set(Some(planned));
    match planned.fault {
        _ if !fails => Ok(()),
        DiskFault::Kill => Err(io::Error::other("killed")),
        DiskFault::Full => Err(io::ErrorKind::StorageFull.into()),
        DiskFault::Broken => Err(io::Error::other("broken")),
    }
}

/// How many of these bytes are written next.
pub(super) fn fits(bytes: usize) -> io::Result<usize> {
    let Some(planned) = PLANNED.get() else { return Ok(bytes) };
    let now = bytes.min(MOST);
    if planned.fault == DiskFault::Kill && planned.before == 0 && !planned.happened && now > 1 {
        PLANNED.set(Some(PlannedFault { happened: true, ..planned }));
        return Ok(now / 2);
    }
    change(true).map(|()| now)
}
