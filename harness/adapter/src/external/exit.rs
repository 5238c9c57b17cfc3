//! How a process ended.

use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use super::places::without_folders;
use variant_values::implementation::{Answer, Outcome};
use variant_values::interrupt::INTERRUPTED;
use variant_values::sanitize::time;

/// What a request did that got no reply in time.
pub(super) const HUNG: &str = "hung";

/// How a process ended. `Display` follows a subject: `exited with status 3`.
#[derive(Debug, Clone, Copy, Error)]
pub(crate) enum End {
    /// It exited by itself, or a signal killed it.
    #[error("{}", described(*.0))]
    Exited(ExitStatus),
    /// It cannot reply any more.
    #[error("closed its output but kept running")]
    ClosedOutput,
    /// It reads no requests any more.
    #[error("closed its input but kept running")]
    ClosedInput,
    /// It exceeded the memory limit; both in bytes.
    #[error("was killed for using too much memory ({})", resource(*.resident, *.limit))]
    Memory { resident: u64, limit: u64 },
    /// It sent a line above the limit, in bytes.
    #[error("sent a line of more than {} MiB, which is above the limit", .0 >> 20)]
    LongLine(usize),
    /// No reply in this time.
    #[error("did not reply in {}", time(*.0))]
    Silent(Duration),
    /// The run was interrupted.
    #[error("was interrupted")]
    Interrupted,
}

impl End {
    /// What a request did that ends the process like this.
    pub(super) fn past(self) -> &'static str {
        match self {
            Self::Silent(_) => HUNG,
            Self::LongLine(_) => "got a reply that was too long",
            _ => "crashed",
        }
    }

    /// The answer to a request that makes the process end like this when sent alone.
    pub(super) fn answer(self) -> Answer {
        match self {
            Self::Silent(_) => Answer::TimedOut(self.to_string()),
            Self::LongLine(_) => Answer::Garbled(self.to_string()),
            Self::Memory { resident, limit } => Answer::Crashed(resource(resident, limit)),
            Self::Exited(_) | Self::ClosedOutput | Self::ClosedInput => Answer::Crashed(self.to_string()),
            Self::Interrupted => Answer::NotRun(INTERRUPTED.to_owned()),
        }
    }
}

fn resource(resident: u64, limit: u64) -> String {
    format!("resource: {} MiB resident, limit {} MiB", resident >> 20, limit >> 20)
}

pub(super) fn described(status: ExitStatus) -> String {
    match (signalled(status), status.code()) {
        (Some(signalled), _) => signalled,
        (None, Some(0)) => "exited with status 0 before the end of its input".to_owned(),
        (None, Some(code)) => format!("exited with status {code}"),
        (None, None) => "ended".to_owned(),
    }
}

/// The signal that ended it.
#[cfg(unix)]
fn signalled(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    status.signal().map(|signal| format!("was killed by signal {signal}{}", signal_name(signal)))
}

#[cfg(unix)]
fn signal_name(signal: i32) -> String {
    use signal_hook::consts::{SIGABRT, SIGFPE, SIGILL, SIGKILL, SIGSEGV, SIGSYS};
    let Some(name) = signal_hook::low_level::signal_name(signal) else { return String::new() };
    let hint = match signal {
        SIGABRT => ": it aborted itself",
        SIGSEGV => ": it accessed invalid memory",
        SIGFPE => ": usually a division by zero",
        SIGILL => ": often a compiler trap or a panic",
        SIGKILL => ": from outside, or because memory ran out",
        SIGSYS => ": a forbidden system call",
        _ => "",
    };
    format!(" ({name}{hint})")
}

/// The exception that ended it: the system makes it the exit code.
#[cfg(windows)]
fn signalled(status: ExitStatus) -> Option<String> {
    let code = status.code()?.cast_unsigned();
    let hint = match code {
        0xc000_0005 => ": it accessed invalid memory",
        0xc000_0094 => ": a division by zero",
        0xc000_00fd => ": a stack overflow",
        0xc000_0409 => ": it aborted itself",
        0xc000_0000.. => "",
        _ => return None,
    };
    Some(format!("ended with exception {code:#x}{hint}"))
}

/// How an adapter exited after the end of its input.
#[derive(Debug)]
pub(crate) struct ExitReport {
    /// What went wrong; `None` if it exited by itself with status 0, as it should.
    pub(crate) problem: Option<String>,
    /// It did not exit by itself.
    pub(super) stayed: bool,
    /// How many replies came after the last request was answered.
    pub(super) stray: usize,
    /// The line in which a sanitizer said what it found.
    pub(super) report: Option<String>,
    /// The end of its stderr.
    pub(crate) stderr: String,
}

impl ExitReport {
    /// What went wrong, as the answer to the end of input: a crash, a process that lives on, the words of a sanitizer, or
    /// a reply that nobody waits for.
    pub(super) fn outcome(self) -> Option<Outcome> {
        let after = "after the last reply, at the end of its input, it";
        let answer = match (self.problem, self.report) {
            (Some(problem), _) if self.stayed => Answer::TimedOut(format!("{after} {problem}")),
            (Some(problem), _) => Answer::Crashed(format!("{after} {problem}")),
            (None, Some(line)) => Answer::Crashed(format!("{after} exited with status 0, but reported: {line}")),
            (None, None) if self.stray > 0 => {
                Answer::Garbled(format!("{after} sent another reply ({} in all)", self.stray))
            }
            (None, None) => return None,
        };
        Some(Outcome { answer, noise: without_folders(&self.stderr) })
    }
}

/// Whether a sanitizer says in this line what it found.
pub(super) fn is_report(line: &str) -> bool {
    line.contains("Sanitizer") && ["ERROR:", "WARNING:", "SUMMARY:"].iter().any(|word| line.contains(word))
        || line.contains(": runtime error: ")
        || line.contains("WARNING: DATA RACE")
        || line.contains("ERROR SUMMARY: ") && !line.contains("ERROR SUMMARY: 0 ")
}
