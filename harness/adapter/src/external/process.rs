//! A child process with all that it started and its stderr, and waiting for whichever file is ready first.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use smallvec::SmallVec;

#[cfg(unix)]
use self::unix::Tree;
#[cfg(unix)]
pub(super) use self::unix::{read, write};
#[cfg(windows)]
use self::windows::Tree;
#[cfg(windows)]
pub(super) use self::windows::{read, write};
use super::tail_buffer::TailBuffer;

/// How much of stderr is kept.
const STDERR: usize = 4 << 10;
/// How long a killed process may take to vanish. After that it is stuck in the kernel, and left to the system.
const VANISH: Duration = Duration::from_secs(1);

/// A running process. Dropping it kills it with all that it started.
#[derive(Debug)]
pub(super) struct Process {
    tree: Tree,
    stderr: Option<OwnedFd>,
    stderr_end: TailBuffer,
    status: Option<ExitStatus>,
}

impl Process {
    /// Starts it.
    pub(super) fn start(command: Command, input: Stdio) -> io::Result<Self> {
        let mut tree = Tree::start(command, |command| {
            command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        })?;
        let stderr = tree.take_stderr().ok().flatten();
        Ok(Self { tree, stderr, stderr_end: TailBuffer::new(STDERR), status: None })
    }

    pub(super) fn take_stdin(&mut self) -> io::Result<Option<OwnedFd>> {
        self.tree.take_stdin()
    }

    pub(super) fn take_stdout(&mut self) -> io::Result<Option<OwnedFd>> {
        self.tree.take_stdout()
    }

    pub(super) fn id(&self) -> u32 {
        self.tree.id()
    }

    /// Whether its exit can be waited for with `ready`.
    pub(super) fn is_watched(&self) -> bool {
        self.tree.exit().is_some()
    }

    /// Adds its exit and its stderr to what is waited for.
    pub(super) fn watch<'a, T>(&'a self, watched: &mut Watched<'a, T>, exit: T, stderr: T) {
        if let (Some(fd), None) = (self.tree.exit(), self.status) {
            watched.push((exit, fd, PollFlags::IN));
        }
        if let Some(file) = &self.stderr {
            watched.push((stderr, file.as_fd(), PollFlags::IN));
        }
    }

    /// Its exit status, if it has exited. What it started is killed with it, so that nothing is left that could hold a pipe.
    pub(super) fn exited(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && self.tree.is_over() {
            self.kill();
        }
        self.status
    }

    /// Reads some of stderr, if there is any.
    pub(super) fn drain_stderr(&mut self) {
        let mut chunk = Vec::with_capacity(16 << 10);
        let Some(stderr) = &self.stderr else { return };
        match read(stderr, spare_capacity(&mut chunk)) {
            Ok(0) => self.stderr = None,
            Ok(_) => self.stderr_end.push(&chunk),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.stderr = None,
        }
    }

    /// Requests it to exit, if the system supports that.
    pub(super) fn terminate(&mut self) {
        self.tree.terminate();
    }

    /// Kills it and all that it started, and waits until it is gone.
    pub(super) fn kill(&mut self) {
        if self.status.is_none() {
            self.status = self.tree.kill();
        }
    }

    /// The end of stderr, of all that has arrived.
    pub(super) fn stderr_end(&mut self) -> String {
        // A pipe holds 64 KiB: this empties it, and no writer can keep us here.
        for _ in 0..16 {
            self.drain_stderr();
        }
        self.stderr_end.take()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The same file, non-blocking.
pub(super) fn nonblocking(file: impl Into<OwnedFd>) -> io::Result<OwnedFd> {
    let file = file.into();
    rustix::io::ioctl_fionbio(&file, true)?;
    Ok(file)
}

/// Files to wait for, each with a name and the events to wait for.
pub(crate) type Watched<'a, T> = SmallVec<[(T, BorrowedFd<'a>, PollFlags); 6]>;

/// Waits until at least one is ready, and returns the names of all that are; none after a timeout.
pub(crate) fn ready<T: Copy>(watched: &Watched<'_, T>, timeout: Duration) -> SmallVec<[T; 6]> {
    let mut fds: SmallVec<[PollFd<'_>; 6]> =
        watched.iter().map(|(_, fd, wanted)| PollFd::from_borrowed_fd(*fd, *wanted)).collect();
    if cfg!(windows) && fds.is_empty() {
        // Windows does not wait for nothing.
        std::thread::sleep(timeout);
        return SmallVec::new();
    }
    let timeout = Timespec::try_from(timeout).unwrap_or_default();
    // An error is an interruption; the caller tries again until its own deadline.
    let any = rustix::event::poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0);
    let ready = fds.iter().zip(watched).filter(|(fd, _)| any && !fd.revents().is_empty());
    ready.map(|(_, (name, ..))| *name).collect()
}
