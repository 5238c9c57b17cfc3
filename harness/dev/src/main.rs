//! `conform-bench`: what a run costs, as ratios on this machine.
//!
//! It runs the `conform` beside it, so build that first: `cargo build --release`.
#![allow(clippy::print_stdout, reason = "a program that prints")]

use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Parser;
use variant_corpus::Corpus;
use variant_dev::instructions::Instructions;
use variant_dev::work::Work;
use variant_dev::{Bench, BenchError, Figure, failed, project};
use variant_specs::Specs;
use variant_syntax::input;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    /// Only do what is counted, for valgrind, and print how many values each kind of work handled
    #[arg(long, hide = true)]
    work: bool,
}

fn main() -> ExitCode {
    let error = match bench(&Arguments::parse()) {
        Ok(met) => return ExitCode::from(u8::from(!met)),
        Err(error) => error,
    };
    anstream::eprintln!("conform-bench: {error}");
    match error {
        BenchError::Problem(_) => ExitCode::from(2),
        BenchError::Unusable(_) => ExitCode::from(3),
    }
}

/// Whether every figure meets its target.
fn bench(arguments: &Arguments) -> Result<bool, BenchError> {
    let mut met = true;
    let mut report = |figure: Figure| {
        met &= figure.met != Some(false);
        print(&figure);
    };
    if arguments.work {
        let specs = Specs::builtin().map_err(failed)?;
        let corpus = Corpus::carried(&specs)?;
        for work in Work::ALL {
            println!("{} {}", work.name(), work.run(&specs, &corpus)?);
        }
    } else if arguments.instructions {
        let counted = Instructions::count(&std::env::current_exe().map_err(failed)?)?;
        let path = project().join("reports/instructions.txt");
        let problem = |error: &dyn std::fmt::Display| failed(format!("{}: {error}", path.display()));
        if arguments.record {
            std::fs::write(&path, counted.text()).map_err(|error| problem(&error))?;
        } else {
            let recorded = Instructions::parse(&input::text(&path).map_err(|error| problem(&error))?)?;
            counted.compared_with(&recorded).into_iter().for_each(report);
        }
    } else {
        Bench::new(&[])?.run(&mut report)?;
    }
    Ok(met)
}

fn print(figure: &Figure) {
    let style = match figure.met {
        Some(true) => AnsiColor::Green.on_default(),
        Some(false) => AnsiColor::Red.on_default(),
        None => Style::new(),
    };
    anstream::println!("{style}{figure}{style:#}");
}
