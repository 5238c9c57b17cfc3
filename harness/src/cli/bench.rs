//! `conform bench`.

use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use variant_conformance::adapter::{Adapter, names};
use variant_conformance::bench::instructions::Instructions;
use variant_conformance::bench::work::Work;
use variant_conformance::bench::{Bench, BenchError, Figure};

use super::{BenchArgs, Exit, Failure, SettingArgs, setting};

/// The adapter whose language is interpreted.
const INTERPRETED: &str = "python";
/// Where instructions are recorded, under reports/.
const RECORDED: &str = "instructions.txt";

pub(super) fn bench(args: &BenchArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    if let Some(name) = &args.work {
        let work = Work::ALL.into_iter().find(|work| work.name() == name);
        let work = work.ok_or_else(|| Failure::usage(format!("there is no work {name:?}")))?;
        anstream::println!("{}", work.run(&specs, &corpus, args.times)?);
        return Ok(Exit::AsExpected);
    }
    let conform = std::env::current_exe()
        .map_err(|error| Failure::usage(format!("this program does not find itself: {error}")))?;
    if args.instructions {
        return instructions(&conform, args.record);
    }
    let folder = setting::adapters(setting_args).ok();
    let adapter = |name: &str| folder.as_ref().and_then(|folder| Adapter::load(folder, name).ok());
    let interpreted = adapter(INTERPRETED);
    let names = folder.as_ref().map(|folder| names(folder)).unwrap_or_default();
    let adapters = names.iter().filter_map(|name| adapter(name));
    let engines: Vec<Adapter> = adapters.filter(|adapter| adapter.bench().is_some()).collect();
    let bench = Bench {
        specs: &specs,
        corpus: &corpus,
        conform: &conform,
        interpreted: interpreted.as_ref(),
        engines: &engines,
        rivals: &[],
    };
    let mut all = true;
    let result = bench.run(&mut |figure| {
        all &= figure.met != Some(false);
        anstream::println!("{}", styled(&figure));
    });
    match result {
        Ok(()) if all => Ok(Exit::AsExpected),
        Ok(()) => Ok(Exit::NotAsExpected),
        Err(BenchError::Problem(problem)) => Err(problem.into()),
        Err(BenchError::Unusable(unusable)) => Err(Failure(Exit::Unusable, unusable.to_string())),
    }
}

/// Counts, and compares with what is recorded or records it.
fn instructions(conform: &Path, record: bool) -> Result<Exit, Failure> {
    let path = setting::nearest("reports", RECORDED).unwrap_or_else(|| PathBuf::from("reports")).join(RECORDED);
    let problem = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let counted = Instructions::count(conform).map_err(|why| Failure(Exit::Unusable, why))?;
    if record {
        std::fs::write(&path, counted.text()).map_err(|error| problem(format!("cannot be written: {error}")))?;
        return Ok(Exit::AsExpected);
    }
    let text = std::fs::read_to_string(&path).map_err(|error| problem(format!("cannot be read: {error}")))?;
    let figures = counted.compared_with(&Instructions::parse(&text).map_err(problem)?);
    figures.iter().for_each(|figure| anstream::println!("{}", styled(figure)));
    let all = figures.iter().all(|figure| figure.met != Some(false));
    Ok(if all { Exit::AsExpected } else { Exit::NotAsExpected })
}

fn styled(figure: &Figure) -> String {
    let style = match figure.met {
        Some(true) => AnsiColor::Green.on_default(),
        Some(false) => AnsiColor::Red.on_default(),
        None => Style::new(),
    };
    format!("{style}{figure}{style:#}")
}
