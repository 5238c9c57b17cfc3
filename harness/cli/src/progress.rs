//! How far a command has come, on a terminal.

use std::fmt::Write;
use std::io::IsTerminal;

use indicatif::{HumanFloatCount, ProgressBar, ProgressState, ProgressStyle};

/// A bar of this form, in which `rate` is how many there are a second; hidden where nobody looks.
pub(super) fn bar(form: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::no_length();
    match ProgressStyle::with_template(form) {
        Ok(style) => bar.with_style(style.with_key("rate", rate)),
        Err(_) => bar,
    }
}

fn rate(state: &ProgressState, to: &mut dyn Write) {
    // A bar that cannot be drawn is no error.
    let _ = write!(to, "{:.0}/s", HumanFloatCount(state.per_sec()));
}
