//! Waiting for whichever file is ready first.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use smallvec::SmallVec;

/// Files to wait for, each with a name and what is wanted of it.
pub(super) type Watched<'a, T> = SmallVec<[(T, BorrowedFd<'a>, PollFlags); 6]>;

/// The names of those that are ready, as soon as one is; none where the time ran out.
pub(super) fn ready<T: Copy>(watched: &Watched<'_, T>, timeout: Duration) -> SmallVec<[T; 6]> {
    let mut fds: SmallVec<[PollFd<'_>; 6]> =
        watched.iter().map(|(_, fd, wanted)| PollFd::from_borrowed_fd(*fd, *wanted)).collect();
    let timeout = Timespec::try_from(timeout).unwrap_or_default();
    // An error is an interruption, and the caller asks again until its own deadline.
    let any = rustix::event::poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0);
    let ready = fds.iter().zip(watched).filter(|(fd, _)| any && !fd.revents().is_empty());
    ready.map(|(_, (name, ..))| *name).collect()
}
