//! A small process between this program and an adapter, so that nothing of the adapter outlives it.
//!
//! The guard is this program itself, started again. It has a session of its own, so an adapter has no terminal to write
//! to. Processes that lose their parent become its children, whatever session they moved to. Once the adapter has ended,
//! or this program (killed, perhaps), the guard kills what is left. It ends as the adapter did.
//!
//! Programs that do not call [`enter`] first, and systems other than Linux, start adapters without a guard, as the
//! leaders of process groups; on Windows, in jobs.
#![allow(clippy::disallowed_methods, reason = "of /proc, where the system writes")]

#[cfg(target_os = "linux")]
pub(crate) use self::linux::guarded;
#[cfg(target_os = "linux")]
pub use self::linux::{FLAG, enter};

/// What the guard says on stderr if the adapter does not start. The reason follows.
pub(crate) const NOT_STARTED: &str = "conform: the adapter did not start: ";
/// What the guard says on stderr about a process that it cannot end.
pub(crate) const LEFT: &str = "conform: cannot be killed, and still runs: ";

/// Without Linux there is no guard.
#[cfg(not(target_os = "linux"))]
pub fn enter() -> Option<std::process::ExitCode> {
    None
}

/// The same command: there is no guard.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn guarded(command: std::process::Command) -> (std::process::Command, bool) {
    (command, false)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{OsStr, OsString};
    use std::fs;
    use std::io::{self, Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, ExitCode};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use rustix::event::PollFlags;
    use rustix::process::{
        Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group,
        set_child_subreaper, setrlimit, setsid, wait,
    };
    use signal_hook::consts::{SIGCHLD, SIGTERM, SIGUSR1};
    use signal_hook::low_level::{emulate_default_handler, pipe};

    use super::{LEFT, NOT_STARTED};
    use crate::external::{children, not_started, ready};

    /// The first argument of a guard.
    pub const FLAG: &str = "--guard-of";
    /// How often the guard checks that this program still runs.
    const PARENT: Duration = Duration::from_millis(250);
    /// How long the guard tries to end what is left.
    const PATIENCE: Duration = Duration::from_secs(2);
    /// The exit status of a guard whose adapter does not start.
    const NO_ADAPTER: u8 = 127;

    /// Whether this program answers to [`FLAG`].
    static CAN_GUARD: AtomicBool = AtomicBool::new(false);

    /// The first call of a program whose adapters shall have guards. If it was started as a guard, it is one until the adapter
    /// has ended, and this is its exit status. Else adapters get guards from now on.
    pub fn enter() -> Option<ExitCode> {
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next().as_deref() != Some(OsStr::new(FLAG)) {
            CAN_GUARD.store(true, Ordering::Relaxed);
            return None;
        }
        let parent = arguments.next()?.to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let program = arguments.next()?;
        Some(guard(parent, &program, arguments).unwrap_or_else(|error| {
            // Nobody is left to tell if this fails.
            let _ = writeln!(io::stderr(), "{NOT_STARTED}its guard failed: {error}");
            ExitCode::from(NO_ADAPTER)
        }))
    }

    /// The same command with a guard, if this program can be one, and whether it is.
    pub(crate) fn guarded(command: Command) -> (Command, bool) {
        if !CAN_GUARD.load(Ordering::Relaxed) {
            return (command, false);
        }
        // This is this program even if its file was replaced meanwhile.
        let mut guard = Command::new("/proc/self/exe");
        guard.arg0("conform").arg(FLAG).arg(std::process::id().to_string());
        guard.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => guard.env(name, value),
                None => guard.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            guard.current_dir(folder);
        }
        (guard, true)
    }

    fn guard(parent: Pid, program: &OsStr, arguments: impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
        setsid()?;
        set_child_subreaper(Some(getpid()))?;
        // Crashes are expected here: none should leave a file behind.
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        let mut children = wakened_by(SIGCHLD)?;
        let mut terminate = wakened_by(SIGTERM)?;
        let mut kill = wakened_by(SIGUSR1)?;
        let adapter = match Command::new(program).args(arguments).process_group(0).spawn() {
            Ok(adapter) => adapter,
            Err(error) => {
                writeln!(io::stderr(), "{NOT_STARTED}{}", not_started(program, None, error))?;
                return Ok(ExitCode::from(NO_ADAPTER));
            }
        };
        // Its pipes are its own: if it closes one, that is to be seen.
        let nowhere = fs::File::options().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&nowhere)?;
        rustix::stdio::dup2_stdout(&nowhere)?;
        let _ = rustix::thread::set_name(c"adapter-guard");
        let id = i32::try_from(adapter.id()).ok().and_then(Pid::from_raw);
        let status = loop {
            let ended = reaped().find(|(ended, _)| Some(*ended) == id);
            if let Some((_, status)) = ended {
                break Some(status);
            }
            let is_orphan = getppid() != Some(parent);
            if is_orphan || is_signalled(&mut kill) {
                break None;
            }
            if let (true, Some(id)) = (is_signalled(&mut terminate), id) {
                // It is not reaped yet, so this is no other group.
                let _ = kill_process_group(id, Signal::TERM);
            }
            let streams = [&children, &terminate, &kill];
            ready(&streams.into_iter().map(|stream| ((), stream.as_fd(), PollFlags::IN)).collect(), PARENT);
            is_signalled(&mut children);
        };
        end_the_rest();
        Ok(end_like(status))
    }

    /// A stream from which a byte can be read after such a signal.
    fn wakened_by(signal: i32) -> io::Result<UnixStream> {
        let (signalled, signal_end) = UnixStream::pair()?;
        signalled.set_nonblocking(true)?;
        pipe::register(signal, signal_end)?;
        Ok(signalled)
    }

    fn is_signalled(stream: &mut UnixStream) -> bool {
        stream.read(&mut [0; 64]).is_ok_and(|count| count > 0)
    }

    /// Children that have ended, one by one.
    fn reaped() -> impl Iterator<Item = (Pid, WaitStatus)> {
        std::iter::from_fn(|| wait(WaitOptions::NOHANG).ok().flatten())
    }

    /// Kills its children until none is left: those of each that ends become its own. None of them is reaped in between, so no
    /// id is another process's.
    fn end_the_rest() {
        let until = Instant::now() + PATIENCE;
        loop {
            reaped().for_each(drop);
            let ids = children(std::process::id()).filter_map(|id| i32::try_from(id).ok());
            let left: Vec<Pid> = ids.filter_map(Pid::from_raw).collect();
            if left.is_empty() {
                return;
            }
            if Instant::now() >= until {
                for pid in left {
                    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
                    let _ = writeln!(io::stderr(), "{LEFT}process {pid} ({:?})", name.trim());
                }
                return;
            }
            for pid in left {
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends with the same exit status or signal.
    fn end_like(status: Option<WaitStatus>) -> ExitCode {
        if let Some(signal) = status.and_then(WaitStatus::terminating_signal) {
            let _ = emulate_default_handler(signal);
        }
        match status.and_then(WaitStatus::exit_status).and_then(|code| u8::try_from(code).ok()) {
            Some(code) => ExitCode::from(code),
            None => {
                let _ = kill_process(getpid(), Signal::KILL);
                ExitCode::FAILURE
            }
        }
    }
}
