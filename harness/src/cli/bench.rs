//! `conform bench`.

use anstyle::{AnsiColor, Style};
use variant_conformance::adapter::Adapter;
use variant_conformance::bench::{Bench, BenchError, Figure};

use super::{Exit, Failure, SettingArgs, setting};

/// The adapter whose language is interpreted.
const INTERPRETED: &str = "python";

pub(super) fn bench(setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let conform = std::env::current_exe()
        .map_err(|error| Failure::usage(format!("this program does not find itself: {error}")))?;
    let interpreted = setting::adapters(setting_args).ok().and_then(|folder| Adapter::load(&folder, INTERPRETED).ok());
    let bench = Bench { specs: &specs, corpus: &corpus, conform: &conform, interpreted: interpreted.as_ref() };
    let mut all = true;
    anstream::println!("{:<64}{:>10}  figure", "", "target");
    let result = bench.run(&mut |figure| {
        all &= figure.met != Some(false);
        anstream::println!("{}", line(&figure));
    });
    match result {
        Ok(()) if all => Ok(Exit::AsExpected),
        Ok(()) => Ok(Exit::NotAsExpected),
        Err(BenchError::Problem(problem)) => Err(problem.into()),
        Err(BenchError::Unusable(unusable)) => Err(Failure(Exit::Unusable, unusable.to_string())),
    }
}

fn line(figure: &Figure) -> String {
    let (word, style) = match figure.met {
        Some(true) => ("  ok", AnsiColor::Green.on_default()),
        Some(false) => ("  MISSED", AnsiColor::Red.on_default()),
        None => ("", Style::new()),
    };
    format!("{:<64}{:>10}  {}{style}{word}{style:#}", figure.what, figure.target, figure.figure)
}
