//! `conform-bench`: what a run costs, as ratios on this machine.
//!
//! It runs the `conform` beside it, so build that first: `cargo build --release`.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Parser;
use variant_adapter::folder::{Adapter, names};
use variant_corpus::Corpus;
use variant_dev::instructions::Instructions;
use variant_dev::work::Work;
use variant_dev::{Bench, BenchError, Figure};
use variant_specs::Specs;
use variant_wire::implementation::ImplementationError;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The adapter whose language is interpreted.
const INTERPRETED: &str = "python";

/// Measure what a run costs, as ratios on this machine.
#[derive(Debug, Parser)]
#[command(name = "conform-bench", version, max_term_width = 110)]
struct Arguments {
    /// Only count instructions, with valgrind, and compare with reports/instructions.txt
    #[arg(long)]
    instructions: bool,
    /// Write the counts there
    #[arg(long, requires = "instructions")]
    record: bool,
    /// Only do this work, to count its instructions: print how many values that were
    #[arg(long, hide = true)]
    work: Option<String>,
    /// How often
    #[arg(long, hide = true, default_value_t = 1)]
    times: usize,
}

fn main() -> ExitCode {
    match bench(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(BenchError::Problem(problem)) => failed(2, &problem.to_string()),
        Err(BenchError::ImplementationError(unusable)) => failed(3, &unusable.to_string()),
    }
}

fn failed(status: u8, message: &str) -> ExitCode {
    anstream::eprintln!("conform-bench: {message}");
    ExitCode::from(status)
}

/// Whether every figure meets its target.
fn bench(arguments: &Arguments) -> Result<bool, BenchError> {
    let specs = Specs::builtin().map_err(unusable)?;
    let corpus = Corpus::carried(&specs)?;
    if let Some(name) = &arguments.work {
        let work = Work::ALL.into_iter().find(|work| work.name() == name);
        let work = work.ok_or_else(|| unusable(format!("there is no work {name:?}")))?;
        println!("{}", work.run(&specs, &corpus, arguments.times)?);
        return Ok(true);
    }
    let this = std::env::current_exe().map_err(unusable)?;
    if arguments.instructions {
        return instructions(&this, arguments.record);
    }
    let conform = variant_dev::conform()?;
    let folder = project().join("adapters");
    let adapters: Vec<Adapter> = names(&folder).iter().filter_map(|name| Adapter::load(&folder, name).ok()).collect();
    let (engines, others): (Vec<_>, Vec<_>) = adapters.into_iter().partition(|adapter| adapter.bench().is_some());
    let bench = Bench {
        specs: &specs,
        corpus: &corpus,
        conform: &conform,
        interpreted: others.iter().find(|adapter| adapter.folder.ends_with(INTERPRETED)),
        engines: &engines,
        rivals: &[],
    };
    let mut all = true;
    bench.run(&mut |figure| {
        all &= figure.met != Some(false);
        anstream::println!("{}", styled(&figure));
    })?;
    Ok(all)
}

/// Counts, and compares with what is recorded or records it.
fn instructions(this: &Path, record: bool) -> Result<bool, BenchError> {
    let path = project().join("reports/instructions.txt");
    let problem = |message: String| unusable(format!("{}: {message}", path.display()));
    let counted = Instructions::count(this).map_err(unusable)?;
    if record {
        std::fs::write(&path, counted.text()).map_err(|error| problem(format!("cannot be written: {error}")))?;
        return Ok(true);
    }
    let text = std::fs::read_to_string(&path).map_err(|error| problem(format!("cannot be read: {error}")))?;
    let figures = counted.compared_with(&Instructions::parse(&text).map_err(problem)?);
    figures.iter().for_each(|figure| anstream::println!("{}", styled(figure)));
    Ok(figures.iter().all(|figure| figure.met != Some(false)))
}

fn styled(figure: &Figure) -> String {
    let style = match figure.met {
        Some(true) => AnsiColor::Green.on_default(),
        Some(false) => AnsiColor::Red.on_default(),
        None => Style::new(),
    };
    format!("{style}{figure}{style:#}")
}

/// The top folder of this project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn unusable(message: impl std::fmt::Display) -> BenchError {
    ImplementationError(message.to_string()).into()
}
