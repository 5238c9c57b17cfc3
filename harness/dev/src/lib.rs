//! What a run costs, as ratios taken in one run on one machine.
//!
//! What runs on one thread is measured by that thread's CPU time and what needs two programs by the clock on the wall,
//! the fastest of several passes each; so other work on the machine can spoil the second kind only.

mod clock;
mod codec;
mod differential;
mod engine;
mod figure;
mod growth;
pub mod instructions;
mod passes;
mod program;
mod runner;
mod sample;
mod scan;
pub mod work;

use std::path::{Path, PathBuf};

use variant_specs::{Dialect, Specs};

use variant_adapter::external::Limits;
use variant_adapter::folder::Adapter;
use variant_corpus::Corpus;
use variant_wire::diagnostic::Problem;
use variant_wire::implementation::ImplementationError;

pub use codec::{Rival, RivalPass};
pub use figure::Figure;
pub use growth::Growth;

/// What to measure with.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The specs.
    pub specs: &'a Specs,
    /// The corpus.
    pub corpus: &'a Corpus,
    /// `conform`, which can be an adapter too.
    pub conform: &'a Path,
    /// The adapter in an interpreted language.
    pub interpreted: Option<&'a Adapter>,
    /// The adapters that can time an engine from inside.
    pub engines: &'a [Adapter],
    /// Other people's codecs, for comparison.
    pub rivals: &'a [Rival],
}

/// Why there are no figures.
#[derive(Debug)]
pub enum BenchError {
    /// A file that a person wrote is wrong.
    Problem(Problem),
    /// An adapter could not be used.
    ImplementationError(ImplementationError),
}

impl From<Problem> for BenchError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<ImplementationError> for BenchError {
    fn from(unusable: ImplementationError) -> Self {
        Self::ImplementationError(unusable)
    }
}

impl Bench<'_> {
    /// Measures everything, telling each figure as it comes.
    ///
    /// # Errors
    /// Where it cannot be measured.
    pub fn run(&self, tell: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        // First, while this process is small: what was freed before could take in what grows.
        self.memory(tell)?;
        self.codec(tell)?;
        self.engines(tell)?;
        self.runner(tell)?;
        self.differential(tell)?;
        self.growth(tell)?;
        self.program(tell)
    }

    /// The dialect that most documents describe.
    fn dialect(&self) -> Result<&Dialect, BenchError> {
        let best = self.specs.dialects.iter().rev().max_by_key(|dialect| dialect.documents.len());
        best.ok_or_else(|| ImplementationError("there is no dialect".to_owned()).into())
    }
}

/// The `conform` beside the running program, as `cargo build --release` leaves it.
///
/// # Errors
/// It is not there.
pub fn conform() -> Result<PathBuf, BenchError> {
    let this = std::env::current_exe().unwrap_or_default();
    // Benches are in a folder of their own, one deeper.
    let found = this.ancestors().skip(1).take(2).map(|folder| folder.join("conform")).find(|path| path.is_file());
    let missing =
        || ImplementationError(format!("no conform beside {}; build it first: cargo build --release", this.display()));
    Ok(found.ok_or_else(missing)?)
}

/// The limits of a measurement: none that it comes near.
fn limits() -> Limits {
    Limits { memory: 4 << 30, restarts: 1000, ..Limits::default() }
}
