//! A badge, in the form of shields.io's endpoints: what is read, written, exact and safe in a dialect.

use serde_json::{Value, json};

use variant_runner::results::DialectPlan;
use variant_runner::summary::{DialectScore, Summary};
use variant_specs::JudgedBy;
use variant_values::sanitize;

pub fn badge(summary: &Summary<'_>, dialect: &DialectPlan) -> Result<Value, String> {
    let plan = summary.plan;
    if plan.campaign.is_some() {
        return Err("a badge needs a run of every test, and this is a campaign".to_owned());
    }
    if let Some(only) = &plan.selection.only {
        return Err(format!("a badge needs a complete run, but this one only tested {only:?}"));
    }
    let label = match plan.judged_by {
        JudgedBy::Engines => dialect.title(),
        JudgedBy::Documents => format!("{} by the documents", dialect.title()),
    };
    let score = summary.score_of(dialect);
    let (message, colour) = if summary.end.complete {
        (score.sentence(), colour(score, plan.selection.variants))
    } else {
        ("incomplete".to_owned(), "lightgrey")
    };
    Ok(json!({"schemaVersion": 1, "label": sanitize::short(&label, 60), "message": message, "color": colour}))
}

/// The dialects of a record that have these names; without names, all.
pub fn dialects<'a>(summary: &Summary<'a>, names: &[String]) -> Result<Vec<&'a DialectPlan>, String> {
    let tested = &summary.plan.dialects;
    if let Some(missing) = names.iter().find(|name| tested.iter().all(|dialect| dialect.name != **name)) {
        return Err(format!("this run did not test {missing:?}"));
    }
    let chosen: Vec<&DialectPlan> =
        tested.iter().filter(|dialect| names.is_empty() || names.contains(&dialect.name)).collect();
    let plain = |name: &str| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter)) && !name.starts_with('.')
    };
    match chosen.iter().find(|dialect| !plain(&dialect.name)) {
        Some(dialect) => Err(format!("{:?} cannot be a file name", dialect.name)),
        None => Ok(chosen),
    }
}

/// The brightest only if all four hold of every type; else by the share of the supported types that are read and written.
fn colour(score: DialectScore, variants: bool) -> &'static str {
    if score.whole == score.all && score.all > 0 && variants {
        return "brightgreen";
    }
    let least = [score.reads, score.writes].into_iter().flatten().min().unwrap_or(0);
    match (100 * least).checked_div(score.claimed).unwrap_or(0) {
        95..=100 => "green",
        80..95 => "yellowgreen",
        60..80 => "yellow",
        40..60 => "orange",
        _ => "red",
    }
}
