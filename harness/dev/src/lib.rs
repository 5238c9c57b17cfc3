//! What a run costs, as ratios taken in one run on one machine.
//!
//! Work on one thread is measured in CPU time, work that takes two programs in elapsed time, the fastest of several
//! passes each. So other work on the machine can spoil the second kind only. Passes that are compared alternate, which
//! no benchmark library does.

mod clock;
mod codec;
mod differential;
mod engine;
mod figure;
mod growth;
pub mod instructions;
mod passes;
mod program;
pub mod readers;
mod runner;
mod sample;
mod scan;
pub mod work;

use std::path::{Path, PathBuf};

use thiserror::Error;
use variant_specs::{Dialect, Specs};

use variant_adapter::external::Limits;
use variant_adapter::folder::{Adapter, names};
use variant_corpus::Corpus;
use variant_wire::diagnostic::Problem;
use variant_wire::implementation::ImplementationError;

pub use codec::{Rival, RivalPass};
pub use figure::Figure;
pub use growth::Growth;

/// The adapter whose language is interpreted.
const INTERPRETED: &str = "python";

/// What is measured: this project's programs and data, and other codecs.
#[derive(Debug)]
pub struct Bench {
    /// The specs with the dialects to measure in.
    pub specs: Specs,
    /// The corpus that the program carries.
    pub corpus: Corpus,
    /// The program `conform`, which can be an adapter too.
    pub conform: PathBuf,
    /// The adapter in an interpreted language.
    pub interpreted: Option<Adapter>,
    /// The adapters that can time an engine from inside.
    pub engines: Vec<Adapter>,
    /// Other codecs, for comparison.
    pub rivals: &'static [Rival],
}

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A file that a person wrote is wrong.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// An adapter or a tool cannot be used.
    #[error(transparent)]
    Unusable(#[from] ImplementationError),
}

/// An error that says what cannot be used, and why.
pub fn failed(message: impl std::fmt::Display) -> BenchError {
    ImplementationError(message.to_string()).into()
}

impl Bench {
    /// The built-in specs, the carried corpus, the `conform` beside the running program, and this project's adapters.
    ///
    /// # Errors
    /// The specs or the corpus cannot be read, or there is no `conform` beside the running program.
    pub fn new(rivals: &'static [Rival]) -> Result<Self, BenchError> {
        let specs = Specs::builtin().map_err(failed)?;
        let corpus = Corpus::carried(&specs)?;
        let folder = project().join("adapters");
        let adapters = names(&folder).into_iter().filter_map(|name| Adapter::load(&folder, &name).ok());
        let (engines, others): (Vec<_>, Vec<_>) = adapters.partition(|adapter| adapter.bench().is_some());
        let interpreted = others.into_iter().find(|adapter| adapter.folder.ends_with(INTERPRETED));
        Ok(Self { specs, corpus, conform: conform()?, interpreted, engines, rivals })
    }

    /// Measures everything, and reports each figure as it comes.
    ///
    /// # Errors
    /// A case does not belong in its dialect, or an adapter or the program cannot be used.
    pub fn run(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        // First, while this process is small: memory that was freed before would hide growth.
        self.memory(report)?;
        self.codec(report)?;
        self.engines(report)?;
        self.runner(report)?;
        self.differential(report)?;
        self.growth(report)?;
        self.program(report)
    }

    /// The dialect that most documents describe.
    fn dialect(&self) -> Result<&Dialect, BenchError> {
        let best = self.specs.dialects.iter().rev().max_by_key(|dialect| dialect.documents.len());
        best.ok_or_else(|| failed("there is no dialect"))
    }
}

/// The `conform` beside the running program, as `cargo build --release` leaves it.
fn conform() -> Result<PathBuf, BenchError> {
    let this = std::env::current_exe().unwrap_or_default();
    // Benches are in a folder of their own, one deeper.
    let found = this.ancestors().skip(1).take(2).map(|folder| folder.join("conform")).find(|path| path.is_file());
    found.ok_or_else(|| failed(format!("no conform beside {}; run `cargo build --release` first", this.display())))
}

/// The top folder of this project.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Limits that no measurement comes near.
fn limits() -> Limits {
    Limits { memory: 4 << 30, ..Limits::default() }
}
