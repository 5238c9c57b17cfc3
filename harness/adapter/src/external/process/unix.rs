//! Processes of Unix: pipes that do not block, and a process group that takes all that a process started with it.

use std::io;
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::process::{Pid, Signal, kill_process_group};

pub(in crate::external) use rustix::io::{read, write};

use super::{VANISH, Watched, nonblocking, ready};

/// A process and all that it started.
#[derive(Debug)]
pub(super) struct Tree {
    child: Child,
    group: Option<Pid>,
    exit: ExitWatch,
}

impl Tree {
    /// Starts it. `command` makes it the leader of a process group.
    pub(super) fn start(mut command: Command, pipes: impl FnOnce(&mut Command)) -> io::Result<Self> {
        pipes(&mut command);
        let child = command.spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        disable_core_dump(group);
        Ok(Self { child, group, exit: ExitWatch::of(group) })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn take_stdin(&mut self) -> io::Result<Option<OwnedFd>> {
        self.child.stdin.take().map(nonblocking).transpose()
    }

    pub(super) fn take_stdout(&mut self) -> io::Result<Option<OwnedFd>> {
        self.child.stdout.take().map(nonblocking).transpose()
    }

    pub(super) fn take_stderr(&mut self) -> io::Result<Option<OwnedFd>> {
        self.child.stderr.take().map(nonblocking).transpose()
    }

    /// Ready once the process has ended, if the system has such a thing.
    pub(super) fn exit(&self) -> Option<BorrowedFd<'_>> {
        self.exit.fd()
    }

    /// Whether the process has ended.
    pub(super) fn is_over(&mut self) -> bool {
        self.exit.is_over(&mut self.child)
    }

    /// Sends SIGTERM to the whole group.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills all of it, and waits until it is gone.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        // The leader is not reaped yet, so its id cannot belong to another process.
        self.signal(Signal::KILL);
        self.wait(VANISH);
        self.child.try_wait().ok().flatten()
    }

    fn wait(&mut self, patience: Duration) {
        let until = Instant::now() + patience;
        while !self.exit.is_over(&mut self.child) && Instant::now() < until {
            self.exit.wait(Duration::from_millis(50));
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.group {
            // It fails if no process is left, which is fine.
            let _ = kill_process_group(id, signal);
        }
    }
}

/// Crashes are expected here: none should leave a file behind.
fn disable_core_dump(process: Option<Pid>) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        let _ = prlimit(process, Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}

/// Notices that a process has ended without reaping it, so that its group can still be signalled.
#[derive(Debug)]
struct ExitWatch {
    pidfd: Option<OwnedFd>,
}

impl ExitWatch {
    #[cfg(target_os = "linux")]
    fn of(process: Option<Pid>) -> Self {
        use rustix::process::{PidfdFlags, pidfd_open};
        Self { pidfd: process.and_then(|process| pidfd_open(process, PidfdFlags::empty()).ok()) }
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_: Option<Pid>) -> Self {
        Self { pidfd: None }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pidfd.as_ref().map(AsFd::as_fd)
    }

    fn wait(&self, timeout: Duration) -> bool {
        match self.fd() {
            Some(fd) => !ready(&Watched::from_iter([((), fd, PollFlags::IN)]), timeout).is_empty(),
            None => {
                std::thread::sleep(timeout.min(Duration::from_millis(1)));
                false
            }
        }
    }

    fn is_over(&self, child: &mut Child) -> bool {
        match self.pidfd {
            Some(_) => self.wait(Duration::ZERO),
            // Elsewhere only reaping it shows that it ended; the rest of its group is signalled right after.
            None => child.try_wait().is_ok_and(|status| status.is_some()),
        }
    }
}
