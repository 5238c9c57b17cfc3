//! A badge, in the form of shields.io's endpoints: how much of what a dialect requires was passed.

use serde_json::{Value, json};

use variant_corpus::Level;
use variant_corpus::verdict::{Severity, Verdict};
use variant_runner::record::RunRecord;
use variant_runner::results::{DialectPlan, TestResult};
use variant_runner::status::severity;
use variant_runner::summary::Summary;
use variant_values::sanitize;

/// Why there is no badge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadgeError {
    /// Only the tests of this glob ran.
    #[error("a badge needs a complete run, but this one only tested {0:?}")]
    Selection(String),
    /// The run did not test this dialect.
    #[error("this run did not test {0:?}")]
    NoDialect(String),
    /// The dialect's name cannot be the name of a file.
    #[error("{0:?} cannot be a file name")]
    FileName(String),
}

/// The badge of one dialect.
///
/// # Errors
/// If only some tests were selected ([`BadgeError::Selection`]): the badge would say more than was tested.
pub fn badge(recorded: &RunRecord, summary: &Summary<'_>, dialect: &DialectPlan) -> Result<Value, BadgeError> {
    if let Some(only) = &recorded.plan.selection.only {
        return Err(BadgeError::Selection(only.clone()));
    }
    let required = Required::of(recorded, &dialect.name);
    let label = match recorded.plan.reading.name() {
        "engine" => dialect.name.clone(),
        reading => format!("{} by the {reading}", dialect.name),
    };
    let (message, severity) = if recorded.end.complete {
        let ids = summary.ids_of(dialect);
        (format!("{} %, {}/{} types", required.percent(), ids.both, ids.all), required.severity())
    } else {
        ("incomplete".to_owned(), "lightgrey")
    };
    Ok(json!({"schemaVersion": 1, "label": sanitize::short(&label, 60), "message": message, "color": severity}))
}

/// The dialects of a record that have these names; without names, all.
///
/// # Errors
/// If the record has no such dialect, or if the dialect's name cannot be the name of a file.
pub fn dialects<'a>(recorded: &'a RunRecord, names: &[String]) -> Result<Vec<&'a DialectPlan>, BadgeError> {
    let tested = &recorded.plan.dialects;
    if let Some(missing) = names.iter().find(|name| tested.iter().all(|dialect| dialect.name != **name)) {
        return Err(BadgeError::NoDialect(missing.clone()));
    }
    let chosen: Vec<&DialectPlan> =
        tested.iter().filter(|dialect| names.is_empty() || names.contains(&dialect.name)).collect();
    let plain = |name: &str| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter)) && !name.starts_with('.')
    };
    match chosen.iter().find(|dialect| !plain(&dialect.name)) {
        Some(dialect) => Err(BadgeError::FileName(dialect.name.clone())),
        None => Ok(chosen),
    }
}

/// What must pass: authored tests at level `must` that are not open, claimed or not.
struct Required {
    passed: usize,
    all: usize,
    /// Whether nothing else is wrong either: no test is red, did not run, or needed what the implementation declares, and
    /// no claim is stale; and derived tests ran too.
    clean: bool,
}

impl Required {
    fn of(recorded: &RunRecord, dialect: &str) -> Self {
        let mut required =
            Self { passed: 0, all: 0, clean: recorded.end.stale.is_empty() && recorded.plan.selection.derived };
        for record in recorded.verdicts.iter().filter(|record| record.id().dialect == dialect) {
            required.clean &= severity(record) != Severity::Red
                && !matches!(record.verdict, Verdict::NotRun | Verdict::Skipped | Verdict::Relaxed);
            if is_required(record) {
                required.all += 1;
                required.passed += usize::from(record.verdict == Verdict::Pass);
            }
        }
        required
    }

    /// The percentage that passed, rounded down; 100 only if nothing else is wrong.
    fn percent(&self) -> usize {
        let percent = (100 * self.passed).checked_div(self.all).unwrap_or(0);
        if self.clean { percent } else { percent.min(99) }
    }

    fn severity(&self) -> &'static str {
        match self.percent() {
            100 => "brightgreen",
            95..100 => "green",
            80..95 => "yellowgreen",
            60..80 => "yellow",
            40..60 => "orange",
            _ => "red",
        }
    }
}

fn is_required(record: &TestResult) -> bool {
    !record.is_derived() && record.level == Level::Must && record.verdict != Verdict::Open
}
