//! What a command reads, prints and writes, and the signals that end it.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write as _};
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use clap::{Args, ColorChoice as ColorWhen};
use indicatif::{HumanFloatCount, ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;
use variant_report::text::laid_out;
use variant_values::disk;
use variant_values::interrupt::Interrupt;
use variant_values::sanitize;

use crate::failure::{Exit, Failure};

/// The heading of the options that every command takes.
pub(super) const GLOBAL: &str = "Options of every command";

/// How a command prints.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Printing {
    /// Print nothing if everything is as expected
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto, help_heading = GLOBAL)]
    color: ColorWhen,
}

static QUIET: AtomicBool = AtomicBool::new(false);

impl Printing {
    /// Applies these settings to all further output.
    pub(super) fn apply(self) {
        QUIET.store(self.quiet, Ordering::Relaxed);
        match self.color {
            ColorWhen::Auto => {}
            ColorWhen::Always => ColorChoice::AlwaysAnsi.write_global(),
            ColorWhen::Never => ColorChoice::Never.write_global(),
        }
    }
}

/// Whether to print only what is not as expected.
pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a file, whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    disk::write(path, bytes).map_err(Failure::unwritable(path))
}

/// Prints to stdout. It is no error if the reader goes away: it has seen enough. If the text cannot be printed for
/// another reason, like a full disk, the command is incomplete.
pub(super) fn show(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// How many characters a line of stdout may have: as many as the terminal is wide.
pub(super) fn width() -> usize {
    width_of(&console::Term::stdout())
}

/// A terminal that does not say how wide it is has the usual width.
fn width_of(terminal: &console::Term) -> usize {
    if terminal.is_term() { usize::from(terminal.size().1) } else { usize::MAX }
}

/// [`show`], in lines that a terminal is wide enough for.
pub(super) fn prose(text: &str) -> Result<(), Failure> {
    show(&laid_out(text, width()))
}

/// [`show`], for a line.
pub(super) fn say(line: impl fmt::Display) -> Result<(), Failure> {
    show(&format!("{line}\n"))
}

/// What to do about the end of printing to stdout.
pub(super) fn printed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure(Exit::Incomplete, format!("the output cannot be printed: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A remark on stderr has at most this many letters: it may quote a file or a program.
const REMARK: usize = 8000;

/// Prints a remark on stderr, unless `--quiet` is set.
pub(super) fn note(remark: impl fmt::Display) {
    if !is_quiet() {
        warn(remark);
    }
}

/// Prints on stderr why something is not as expected. Errors are ignored: there is nowhere to report them.
pub(super) fn warn(remark: impl fmt::Display) {
    let mut remark = sanitize::lines(&remark.to_string());
    if let Some((end, _)) = remark.char_indices().nth(REMARK) {
        remark.truncate(end);
        remark.push('…');
    }
    let _ = write!(anstream::stderr(), "{}", laid_out(&remark, width_of(&console::Term::stderr())));
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
    let plain = out.map(|_| anstream::adapter::strip_str(text).to_string());
    put(plain.as_deref().unwrap_or(text), out)
}

/// JSON, with its newline. It may be printed, so nothing in it is obeyed.
pub(super) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| sanitize::json(&text) + "\n").map_err(Failure::usage)
}

/// A progress bar of this form. It is hidden unless stderr is a terminal.
pub(super) fn bar(form: &str) -> ProgressBar {
    if is_quiet() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
    // Decimals of a rate are noise, and at first there is none.
    let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = match state.per_sec() {
            ..1.0 => write!(out, "…/s"),
            rate => write!(out, "{:.0}/s", HumanFloatCount(rate)),
        };
    };
    ProgressBar::no_length().with_style(style.with_key("rate", rate))
}

/// Signals in this time after the first are the same one: GNU `timeout` sends it to the program, then to its group.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

/// The flag that the first Ctrl-C, SIGTERM or SIGHUP sets; one that comes a second later ends the program. Signals are
/// caught from the first call of this function on. One that cannot be caught keeps its default effect.
pub(super) fn interrupt() -> Interrupt {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static CATCHING: Once = Once::new();
    CATCHING.call_once(|| {
        let mut first = None;
        catch(move |status| {
            if first.get_or_insert_with(Instant::now).elapsed() >= SAME_SIGNAL {
                std::process::exit(status);
            }
            FLAG.store(true, Ordering::Relaxed);
        });
    });
    Interrupt::new(&FLAG)
}

/// Calls this for each signal, with the exit status of a program that it ends.
#[cfg(unix)]
fn catch(mut on_signal: impl FnMut(i32) + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
        std::thread::spawn(move || {
            for signal in signals.forever() {
                on_signal(128 + signal);
            }
        });
    }
}

#[cfg(windows)]
fn catch(mut on_signal: impl FnMut(i32) + Send + 'static) {
    let _ = ctrlc::set_handler(move || on_signal(130));
}
