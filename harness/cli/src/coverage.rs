//! `conform coverage`.

use variant_corpus::coverage::measure;
use variant_report::coverage::markdown;
use variant_specs::JudgedBy;

use crate::args::{CoverageArgs, CoverageFormat};
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::terminal::{json, put};

pub(super) fn coverage(args: &CoverageArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialects = paths::dialects(&args.dialects.dialect, &specs, JudgedBy::Engines)?;
    let coverage = measure(&corpus, &specs, &dialects);
    let text = match args.written.format() {
        CoverageFormat::Markdown => markdown(&coverage),
        CoverageFormat::Json => json(&coverage)?,
    };
    put(&text, args.written.out())?;
    Ok(if coverage.uncovered().next().is_none() { Exit::AsExpected } else { Exit::NotAsExpected })
}
