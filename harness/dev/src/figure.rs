//! A figure, its target, and whether it meets it.

use std::fmt;
use std::time::Duration;

/// A measured number, with its target.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What was measured, like `the whole default run, HTML included`.
    pub what: String,
    /// The target, like `<= 30 ms`; empty where there is none.
    pub target: String,
    /// The number with its unit, then details in parentheses; or why nothing was measured.
    pub figure: String,
    /// Whether it meets the target; `None` where there is no target, or nothing was measured.
    pub met: Option<bool>,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    Percent,
    Times,
    Micros,
    Millis,
    Seconds,
    Mebibytes,
    Power,
    Count,
}

impl Unit {
    fn show(self, number: f64) -> String {
        match self {
            Self::Percent => format!("{number:.0} %"),
            Self::Times if number < 10.0 => format!("{number:.1} ×"),
            Self::Times => format!("{number:.0} ×"),
            Self::Micros => format!("{number:.2} µs"),
            Self::Millis => format!("{number:.1} ms"),
            Self::Seconds => format!("{number:.2} s"),
            Self::Mebibytes => format!("{number:.1} MiB"),
            Self::Power => format!("{number:.2}"),
            Self::Count => format!("{number:.0}"),
        }
    }

    /// A target, with as many digits as it needs.
    fn target(self, number: f64) -> String {
        let sign = match self {
            Self::Percent => "%",
            Self::Times => "×",
            Self::Micros => "µs",
            Self::Millis => "ms",
            Self::Seconds => "s",
            Self::Mebibytes => "MiB",
            Self::Power | Self::Count => "",
        };
        format!("{number} {sign}").trim_end().to_owned()
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.met {
            Some(true) => "ok",
            Some(false) => "MISSED",
            None => "",
        };
        write!(f, "{word:<7}{:<76}{:>11}  {}", self.what, self.target, self.figure)
    }
}

impl Figure {
    pub(super) fn at_least(what: &str, least: f64, unit: Unit, number: f64, how: impl fmt::Display) -> Self {
        let target = format!(">= {}", unit.target(least));
        Self { target, met: Some(number >= least), ..Self::new(what, unit, number, how) }
    }

    pub(super) fn at_most(what: &str, most: f64, unit: Unit, number: f64, how: impl fmt::Display) -> Self {
        let target = format!("<= {}", unit.target(most));
        Self { target, met: Some(number <= most), ..Self::new(what, unit, number, how) }
    }

    /// A figure without a target.
    pub(super) fn new(what: &str, unit: Unit, number: f64, how: impl fmt::Display) -> Self {
        let how = how.to_string();
        let how = if how.is_empty() { how } else { format!(" ({how})") };
        Self { what: what.to_owned(), target: String::new(), figure: format!("{}{how}", unit.show(number)), met: None }
    }

    /// A figure that could not be measured, and why.
    pub(super) fn missing(what: &str, why: impl fmt::Display) -> Self {
        Self { what: what.to_owned(), target: String::new(), figure: format!("not measured: {why}"), met: None }
    }
}

/// How many times as long the first took.
pub(super) fn ratio(long: Duration, short: Duration) -> f64 {
    long.as_secs_f64() / short.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Microseconds for each of `count`.
pub(super) fn micros(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e6 / number(count)
}

pub(super) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A count as a number to divide by.
pub(super) fn number(count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    let number = count as f64;
    number
}
