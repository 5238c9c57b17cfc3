//! `conform coverage`.

use std::path::PathBuf;

use variant_corpus::CorpusId;
use variant_corpus::coverage::{measure, render};
use variant_report::coverage::markdown;
use variant_report::html::coverage_page;
use variant_runner::record::RunRecord;
use variant_runner::type_score::Scores;
use variant_specs::Dialect;

use super::report::{put, read};
use super::{CoverageArgs, CoverageFormat, Exit, Failure, SettingArgs, setting};

pub(super) fn coverage(args: &CoverageArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let names = setting::dialects(&args.dialect, &specs, variant_specs::Reading::Engine)?;
    let dialects: Vec<&Dialect> = names.iter().filter_map(|name| specs.dialect(name)).collect();
    let coverage = measure(&corpus, &specs, &dialects);
    let records = args.results.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let scores = scores(&args.results, &records, &corpus.digest)?;
    let text = match args.format {
        CoverageFormat::Text => render(&coverage),
        CoverageFormat::Json => {
            let mut json = serde_json::to_string_pretty(&coverage).map_err(Failure::usage)?;
            json.push('\n');
            json
        }
        CoverageFormat::Markdown => markdown(&coverage, &scores),
        CoverageFormat::Html => {
            let id = CorpusId { version: corpus.version.clone(), digest: corpus.digest.clone() };
            coverage_page(&coverage, &id, &scores)
                .map_err(|error| Failure::usage(format!("the page cannot be made: {error}")))?
        }
    };
    put(&text, args.out.as_deref())?;
    let whole = coverage.documents.iter().all(|document| document.uncovered.is_empty());
    Ok(if whole { Exit::AsExpected } else { Exit::NotAsExpected })
}

fn scores<'a>(paths: &[PathBuf], records: &'a [RunRecord], digest: &str) -> Result<Vec<Scores<'a>>, Failure> {
    let scores = |(path, recorded): (&PathBuf, &'a RunRecord)| {
        Scores::of(recorded, digest).map_err(|why| Failure::usage(format!("{}: {why}", path.display())))
    };
    paths.iter().zip(records).map(scores).collect()
}
