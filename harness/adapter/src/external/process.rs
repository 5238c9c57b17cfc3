//! A program in a group of its own, or in a job on Windows, which is killed whole.

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

#[cfg(windows)]
use process_wrap::std::JobObject;
#[cfg(unix)]
use process_wrap::std::ProcessSession;
use process_wrap::std::{ChildWrapper, CommandWrap};

/// How long a killed process may take to vanish. After that it is stuck in the kernel, and left to the system.
const VANISH: Duration = Duration::from_secs(1);
/// How often it is looked at until then.
const GLANCE: Duration = Duration::from_millis(1);

/// A running program. Dropping it kills its group.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) child: Box<dyn ChildWrapper>,
    status: Option<ExitStatus>,
    /// The whole group has vanished, or was waited for.
    gone: bool,
}

impl Process {
    /// Starts it. On Unix it has a session of its own, and so no terminal that it could write to.
    pub(super) fn start(mut command: Command, input: Stdio) -> io::Result<Self> {
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(ProcessSession);
        #[cfg(windows)]
        command.wrap(JobObject);
        let child = command.spawn()?;
        disable_core_dump(child.id());
        Ok(Self { child, status: None, gone: false })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its exit status, if it has exited. The rest of its group is killed then: it could hold a pipe open.
    pub(super) fn exited(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
            if self.status.is_some() {
                self.kill_group();
            }
        }
        self.status
    }

    /// Asks the group to end, if the system has a way to ask.
    pub(super) fn terminate(&self) {
        #[cfg(unix)]
        let _ = self.child.signal(signal_hook::consts::SIGTERM);
    }

    /// Kills the group, and waits until it is gone.
    pub(super) fn kill(&mut self) {
        if self.status.is_none() {
            self.kill_group();
        }
        let until = Instant::now() + VANISH;
        while !self.gone {
            self.gone = self.exited().is_some() && !group_exists(self.id()) || Instant::now() >= until;
            if !self.gone {
                std::thread::sleep(GLANCE);
            }
        }
    }

    fn kill_group(&mut self) {
        // It fails if no process is left, which is fine.
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether a process is left of the group of this one. A job's processes are ended by Windows before the call returns.
fn group_exists(id: u32) -> bool {
    #[cfg(unix)]
    return i32::try_from(id)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok());
    #[cfg(not(unix))]
    {
        let _ = id;
        false
    }
}

/// Crashes are expected here: none should leave a file behind.
fn disable_core_dump(id: u32) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let process = i32::try_from(id).ok().and_then(Pid::from_raw);
        let _ = prlimit(process, Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = id;
}
