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
}

impl Process {
    /// Starts it. On Unix it has a session of its own, and so no terminal that it could write to.
    pub(super) fn start(mut command: Command, input: Stdio) -> io::Result<Self> {
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        disable_core_dumps();
        #[cfg(unix)]
        command.wrap(ProcessSession);
        #[cfg(windows)]
        command.wrap(JobObject);
        Ok(Self { child: command.spawn()?, status: None })
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
        while (self.exited().is_none() || group_exists(self.child.id())) && Instant::now() < until {
            std::thread::sleep(GLANCE);
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

/// Whether a process is left of the group of this one.
#[cfg(unix)]
fn group_exists(id: u32) -> bool {
    use rustix::process::{Pid, test_kill_process_group};
    let group = i32::try_from(id).ok().and_then(Pid::from_raw);
    group.is_some_and(|group| test_kill_process_group(group).is_ok())
}

/// A job's processes are ended by Windows before the call returns.
#[cfg(not(unix))]
fn group_exists(_: u32) -> bool {
    false
}

/// Crashes are expected here: none should leave a file behind. What is started inherits this.
#[cfg(unix)]
fn disable_core_dumps() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
}
