//! What a command reads, prints and writes, and the signals that end it.

use std::fs::File;
use std::io::{BufReader, ErrorKind, IsTerminal, Write as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use indicatif::{HumanFloatCount, ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use variant_runner::record::RunRecord;
use variant_wire::atomic_write;
use variant_wire::interrupt::Interrupt;

use super::{Exit, Failure};

/// Reads a recorded run.
pub(super) fn read_record(path: &Path) -> Result<RunRecord, Failure> {
    let file = File::open(path).map_err(Failure::cannot_be("read", path))?;
    RunRecord::read(BufReader::new(file)).map_err(Failure::at(path))
}

/// Writes a file, whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    atomic_write::write(path, bytes).map_err(Failure::cannot_be("written", path))
}

/// Prints a report. It is no error if the reader goes away.
pub(super) fn show(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure(Exit::Incomplete, format!("the report cannot be printed: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a text to a file or to stdout.
pub(super) fn put(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    match out {
        Some(path) => write_file(path, text.as_bytes()),
        None => show(text),
    }
}

/// [`put`], for a text with colours: a file has none.
pub(super) fn put_coloured(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    match out {
        Some(path) => write_file(path, anstream::adapter::strip_str(text).to_string().as_bytes()),
        None => show(text),
    }
}

/// JSON for a file, with its newline.
pub(super) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(Failure::usage)
}

/// A progress bar of this form, in which `rate` is the number per second. It is hidden unless stderr is a terminal.
pub(super) fn bar(form: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let rate = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
        // A bar that cannot be drawn is no error.
        let _ = write!(to, "{:.0}/s", HumanFloatCount(state.per_sec()));
    };
    let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::no_length().with_style(style.with_key("rate", rate))
}

/// The flag that the first Ctrl-C, SIGTERM or SIGHUP sets; the second ends the program. Signals are caught from the
/// first call of this function on.
pub(super) fn interrupt() -> Interrupt {
    static FLAG: LazyLock<&'static AtomicBool> = LazyLock::new(|| {
        let flag: &'static Arc<AtomicBool> = Box::leak(Box::default());
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order, so that only a second signal finds the flag set. A signal that cannot be caught keeps its
            // default effect.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(flag));
            let _ = flag::register(signal, Arc::clone(flag));
        }
        flag.as_ref()
    });
    Interrupt::new(&FLAG)
}
