//! `conform coverage`.

use variant_conformance::coverage::{measure, render};
use variant_specs::Dialect;

use super::{CoverageArgs, CoverageFormat, Exit, Failure, SettingArgs, setting};

pub(super) fn coverage(args: &CoverageArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let names = setting::dialects(&args.dialect, &specs, variant_specs::Reading::Engine)?;
    let dialects: Vec<&Dialect> = names.iter().filter_map(|name| specs.dialect(name)).collect();
    let coverage = measure(&corpus, &specs, &dialects);
    match args.format {
        CoverageFormat::Text => anstream::print!("{}", render(&coverage)),
        CoverageFormat::Json => {
            let json = serde_json::to_string_pretty(&coverage).map_err(Failure::usage)?;
            anstream::println!("{json}");
        }
    }
    let whole = coverage.documents.iter().all(|document| document.uncovered.is_empty());
    Ok(if whole { Exit::AsExpected } else { Exit::NotAsExpected })
}
