//! `conform coverage`.

use std::path::PathBuf;

use variant_corpus::coverage::{measure, render};
use variant_report::coverage::markdown;
use variant_report::text::laid_out;
use variant_runner::record::RunRecord;
use variant_runner::type_score::Scores;
use variant_specs::{Dialect, JudgedBy};

use super::args::CoverageFormat;
use super::paths::{self, Paths};
use super::records::read_record;
use super::terminal::{json, put, width};
use super::{CoverageArgs, Exit, Failure};

pub(super) fn coverage(args: &CoverageArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let names = paths::dialects(&args.dialects.dialect, &specs, JudgedBy::Engines)?;
    let dialects: Vec<&Dialect> = names.iter().filter_map(|name| specs.dialect(name)).collect();
    let records = args.results.results.iter().map(|path| read_record(path)).collect::<Result<Vec<_>, _>>()?;
    let scores = scores(&args.results.results, &records, &corpus.digest)?;
    let coverage = measure(&corpus, &specs, &dialects);
    let text = match args.written.format() {
        CoverageFormat::Text if args.written.out().is_none() => laid_out(&render(&coverage), width()),
        CoverageFormat::Text => render(&coverage),
        CoverageFormat::Json => json(&coverage)?,
        CoverageFormat::Markdown => markdown(&coverage, &scores),
    };
    put(&text, args.written.out())?;
    Ok(if coverage.uncovered().next().is_none() { Exit::AsExpected } else { Exit::NotAsExpected })
}

fn scores<'a>(paths: &[PathBuf], records: &'a [RunRecord], digest: &str) -> Result<Vec<Scores<'a>>, Failure> {
    let score = |(path, recorded): (&PathBuf, &'a RunRecord)| Scores::of(recorded, digest).map_err(Failure::at(path));
    paths.iter().zip(records).map(score).collect()
}
