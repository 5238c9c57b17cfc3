//! A child process with its guard or its process group and its stderr, and waiting for whichever file is ready first.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use smallvec::SmallVec;

use super::tail_buffer::TailBuffer;
use crate::guard::guarded;

/// How much of stderr is kept.
const STDERR: usize = 4 << 10;
/// How long a killed process may take to vanish. After that it is stuck in the kernel, and left to init.
const VANISH: Duration = Duration::from_secs(1);
/// How long a guard may take to end all that it guards.
const GUARD: Duration = Duration::from_secs(10);

/// A running process. Dropping it kills it with all that it started: the guard does that, or else its group is killed.
#[derive(Debug)]
pub(super) struct Process {
    /// The guard, if there is one.
    child: Child,
    group: Option<Pid>,
    guarded: bool,
    exit: ExitWatch,
    stderr: Option<File>,
    stderr_end: TailBuffer,
    status: Option<ExitStatus>,
}

impl Process {
    /// Starts it, with a guard if this program can be one. Without, `command` makes it the leader of a process group.
    pub(super) fn start(command: Command, input: Stdio) -> io::Result<Self> {
        let (mut command, guarded) = guarded(command);
        let mut child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        disable_core_dump(group);
        let stderr = child.stderr.take().and_then(|stderr| nonblocking(stderr.into()).ok());
        let exit = ExitWatch::of(group);
        Ok(Self { child, group, guarded, exit, stderr, stderr_end: TailBuffer::new(STDERR), status: None })
    }

    pub(super) fn take_stdin(&mut self) -> io::Result<Option<File>> {
        self.child.stdin.take().map(|stdin| nonblocking(stdin.into())).transpose()
    }

    pub(super) fn take_stdout(&mut self) -> io::Result<Option<File>> {
        self.child.stdout.take().map(|stdout| nonblocking(stdout.into())).transpose()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether its exit can be waited for with `ready`.
    pub(super) fn is_watched(&self) -> bool {
        self.exit.fd().is_some()
    }

    /// Adds its exit and its stderr to what is waited for.
    pub(super) fn watch<'a, T>(&'a self, watched: &mut Watched<'a, T>, exit: T, stderr: T) {
        if let (Some(fd), None) = (self.exit.fd(), self.status) {
            watched.push((exit, fd, PollFlags::IN));
        }
        if let Some(file) = &self.stderr {
            watched.push((stderr, file.as_fd(), PollFlags::IN));
        }
    }

    /// Its exit status, if it has exited. Its group is killed with it, so that nothing is left that could hold a pipe.
    pub(super) fn exited(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && self.exit.is_over(&mut self.child) {
            self.kill();
        }
        self.status
    }

    /// Reads some of stderr, if there is any.
    pub(super) fn drain_stderr(&mut self) {
        let mut chunk = Vec::with_capacity(16 << 10);
        let Some(stderr) = &self.stderr else { return };
        match rustix::io::read(stderr, spare_capacity(&mut chunk)) {
            Ok(0) => self.stderr = None,
            Ok(_) => self.stderr_end.push(&chunk),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => self.stderr = None,
        }
    }

    /// Sends SIGTERM to the whole group, which a guard does.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills it and all that it started, and waits until it is gone.
    pub(super) fn kill(&mut self) {
        if self.status.is_some() {
            return;
        }
        // The leader is not reaped yet, so its id cannot belong to another process.
        if self.guarded {
            self.signal(Signal::USR1);
            self.wait(GUARD);
        }
        self.signal(Signal::KILL);
        self.wait(VANISH);
        self.status = self.child.try_wait().ok().flatten();
    }

    fn wait(&mut self, patience: Duration) {
        let until = Instant::now() + patience;
        while !self.exit.is_over(&mut self.child) && Instant::now() < until {
            self.exit.wait(Duration::from_millis(50));
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

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.group {
            // It fails if no process is left, which is fine.
            let _ = if self.guarded { kill_process(id, signal) } else { kill_process_group(id, signal) };
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
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

/// The same file, non-blocking.
pub(super) fn nonblocking(fd: OwnedFd) -> io::Result<File> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Ok(File::from(fd))
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

/// Files to wait for, each with a name and the events to wait for.
pub(crate) type Watched<'a, T> = SmallVec<[(T, BorrowedFd<'a>, PollFlags); 6]>;

/// The names of those that are ready, as soon as one is; none if the time ran out.
pub(crate) fn ready<T: Copy>(watched: &Watched<'_, T>, timeout: Duration) -> SmallVec<[T; 6]> {
    let mut fds: SmallVec<[PollFd<'_>; 6]> =
        watched.iter().map(|(_, fd, wanted)| PollFd::from_borrowed_fd(*fd, *wanted)).collect();
    let timeout = Timespec::try_from(timeout).unwrap_or_default();
    // An error is an interruption; the caller tries again until its own deadline.
    let any = rustix::event::poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0);
    let ready = fds.iter().zip(watched).filter(|(fd, _)| any && !fd.revents().is_empty());
    ready.map(|(_, (name, ..))| *name).collect()
}
