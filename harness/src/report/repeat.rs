//! The command that asks one thing again.

use crate::results::Plan;

/// The command line, as a shell reads it, that asks just this ask again.
pub fn repeat(plan: &Plan, ask: &str) -> String {
    let [before, after] = around(plan);
    format!("{before}{}{after}", quoted(ask))
}

/// What stands before and behind the quoted ask.
pub fn around(plan: &Plan) -> [String; 2] {
    let reading = if plan.reading == "engine" { String::new() } else { format!(" --reading {}", plan.reading) };
    // Options stand before a command.
    let (name, command) = match plan.implementation.strip_prefix("-- ") {
        Some(command) => (String::new(), format!(" -- {command}")),
        None if plan.implementation.is_empty() => (String::new(), String::new()),
        None => (format!(" {}", plan.implementation), String::new()),
    };
    [format!("conform run{name} --only "), format!("{reading}{}{command}", plan.options)]
}

/// A word as a shell reads it, in quotes even where it needs none.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
