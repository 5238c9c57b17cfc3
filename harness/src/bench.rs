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

use std::path::Path;

use variant_specs::{Dialect, Specs};

use crate::adapter::Adapter;
use crate::corpus::Corpus;
use crate::external::Limits;
use crate::implementation::Unusable;
use crate::problem::Problem;

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
    Unusable(Unusable),
}

impl From<Problem> for BenchError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Unusable> for BenchError {
    fn from(unusable: Unusable) -> Self {
        Self::Unusable(unusable)
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
        best.ok_or_else(|| Unusable("there is no dialect".to_owned()).into())
    }
}

/// The limits of a measurement: none that it comes near.
fn limits() -> Limits {
    Limits { memory: 4 << 30, restarts: 1000, ..Limits::default() }
}
