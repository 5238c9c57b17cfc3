//! How one life of an adapter ended, in words.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Signal;

use variant_wire::implementation::Answer;
use variant_wire::interrupt::INTERRUPTED;

/// How a life ended. `Display` gives words that follow its name: `exited with status 3`.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It can say nothing more.
    ClosedOutput,
    /// It took too much.
    Memory { resident: u64, limit: u64 },
    /// It said nothing for so long.
    Silent(Duration),
    /// By us, who were told to end.
    Interrupted,
}

impl End {
    /// The answer of a request that does this alone.
    pub(super) fn answer(self) -> Answer {
        match self {
            Self::Silent(_) => Answer::TimedOut(self.to_string()),
            Self::Memory { resident, limit } => Answer::Crashed(resource(resident, limit)),
            Self::Exited(_) | Self::ClosedOutput => Answer::Crashed(self.to_string()),
            Self::Interrupted => Answer::NotRun(INTERRUPTED.to_owned()),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => f.write_str(&ending(*status)),
            Self::ClosedOutput => f.write_str("closed its output and went on running"),
            Self::Memory { resident, limit } => {
                write!(f, "was ended for its memory ({})", resource(*resident, *limit))
            }
            Self::Silent(time) => write!(f, "gave no answer in {time:?}"),
            Self::Interrupted => f.write_str("was interrupted"),
        }
    }
}

fn resource(resident: u64, limit: u64) -> String {
    format!("resource: {} MiB resident, limit {} MiB", resident >> 20, limit >> 20)
}

/// How a process ended, in words that follow its name.
pub(super) fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was killed by signal {signal}{}", signal_name(signal)),
        (None, Some(0)) => "exited with status 0 before the end of its input".to_owned(),
        (None, Some(code)) => format!("exited with status {code}"),
        (None, None) => "ended".to_owned(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    let named = [
        (Signal::ABORT, " (SIGABRT: it aborted itself)"),
        (Signal::SEGV, " (SIGSEGV: it touched memory that is not its own)"),
        (Signal::BUS, " (SIGBUS)"),
        (Signal::FPE, " (SIGFPE: usually a division by zero)"),
        (Signal::ILL, " (SIGILL: often a trap of the compiler or a panic)"),
        (Signal::TRAP, " (SIGTRAP)"),
        (Signal::KILL, " (SIGKILL: from outside, or for want of memory)"),
        (Signal::TERM, " (SIGTERM)"),
        (Signal::INT, " (SIGINT)"),
        (Signal::HUP, " (SIGHUP)"),
        (Signal::PIPE, " (SIGPIPE)"),
        (Signal::SYS, " (SIGSYS: a system call that is not allowed)"),
        (Signal::XCPU, " (SIGXCPU)"),
    ];
    named.iter().find(|(known, _)| known.as_raw() == signal).map_or("", |(_, name)| name)
}
