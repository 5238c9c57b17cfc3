//! How a process ended.

use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use super::streams::LINE;
use variant_values::implementation::{Answer, Ending};
use variant_values::interrupt::INTERRUPTED;
use variant_values::sanitize::time;

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
    #[error("was killed for using too much memory ({} MiB resident, limit {} MiB; --max-memory allows more)", resident >> 20, limit >> 20)]
    Memory { resident: u64, limit: u64 },
    /// It sent a line above the limit.
    #[error("sent a line of more than {} MiB, which is above the limit", LINE >> 20)]
    LongLine,
    /// It sent a reply to another request than those that wait for one.
    #[error("sent a reply to request {0}, which was never sent or has its reply already")]
    Stray(u64),
    /// No reply in this time.
    #[error("{NO_REPLY} in {}", time(*.0))]
    Silent(Duration),
    /// The run was interrupted.
    #[error("was interrupted")]
    Interrupted,
}

/// What a process does that hangs.
pub(super) const NO_REPLY: &str = "did not reply";

impl End {
    pub(super) fn is_hang(self) -> bool {
        matches!(self, Self::Silent(_))
    }

    pub(super) fn closed_a_stream(self) -> bool {
        matches!(self, Self::ClosedInput | Self::ClosedOutput)
    }

    /// What a request did that ends the process like this.
    pub(super) fn past(self) -> &'static str {
        match self {
            Self::Silent(_) => "hung",
            Self::LongLine => "got a reply that was too long",
            Self::Stray(_) => "got a reply to another request",
            _ => "crashed",
        }
    }

    /// The answer to a request that makes the process end like this when sent alone.
    pub(super) fn answer(self) -> Answer {
        match self {
            Self::Silent(after) => Answer::TimedOut(Ending::new(NO_REPLY).and(&format!(" in {}", time(after)))),
            Self::LongLine | Self::Stray(_) => Answer::Garbled(self.to_string()),
            Self::Exited(_) | Self::ClosedOutput | Self::ClosedInput | Self::Memory { .. } => {
                Answer::Crashed(Ending::new(self.to_string()))
            }
            Self::Interrupted => Answer::NotRun(INTERRUPTED.to_owned()),
        }
    }
}

fn described(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
        return format!("was killed by signal {signal} ({name}{})", hint(signal));
    }
    match status.code() {
        Some(0) => "exited with status 0 before the end of its input".to_owned(),
        // The system makes an exception the exit code.
        Some(code @ ..0) => format!("ended with exception {code:#x}{}", hint(code)),
        Some(code) => format!("exited with status {code}"),
        None => "ended".to_owned(),
    }
}

/// What a signal usually means, or an exception of Windows.
fn hint(number: i32) -> &'static str {
    match number.cast_unsigned() {
        4 => ": often a compiler trap or a panic",
        6 | 0xc000_0409 => ": it aborted itself",
        8 | 0xc000_0094 => ": usually a division by zero",
        9 => ": from outside, or because memory ran out",
        11 | 0xc000_0005 => ": it accessed invalid memory",
        0xc000_00fd => ": a stack overflow",
        _ => "",
    }
}

/// Whether a sanitizer says in this line what it found.
pub(super) fn is_report(line: &str) -> bool {
    line.contains("Sanitizer") && ["ERROR:", "WARNING:", "SUMMARY:"].iter().any(|word| line.contains(word))
        || line.contains(": runtime error: ")
        || line.contains("WARNING: DATA RACE")
        || line.contains("ERROR SUMMARY: ") && !line.contains("ERROR SUMMARY: 0 ")
}
