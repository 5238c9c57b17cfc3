//! What a run costs, as ratios taken in one run on one machine.

mod clock;
mod passes;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use variant_specs::{Reading, Specs};

use crate::adapter::Adapter;
use crate::ask::{Derivation, asks};
use crate::corpus::Corpus;
use crate::external::{Command, Limits};
use crate::implementation::Unusable;
use crate::problem::Problem;
use crate::reference::Reference;

use self::passes::{Part, Pass};

/// How often the shorter passes are made; the best counts.
const TIMES: usize = 5;
/// How many processes are started one by one.
const SPAWNED: usize = 300;
/// Between how many requests memory is compared.
const FEW: usize = 5_000;
const MANY: usize = 500_000;
/// How much more memory the many may take than the few: what an allocator does not give back.
const SLACK: u64 = 4 << 20;

/// One figure and whether it is good enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What was measured.
    pub what: &'static str,
    /// What it should be.
    pub target: &'static str,
    /// What it is.
    pub figure: String,
    /// Whether that is good enough; `None` where there is no target.
    pub met: Option<bool>,
}

/// What to measure with.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The specs.
    pub specs: &'a Specs,
    /// The corpus.
    pub corpus: &'a Corpus,
    /// This program itself, which can be an adapter.
    pub conform: &'a Path,
    /// The adapter in an interpreted language.
    pub interpreted: Option<&'a Adapter>,
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
        let parts = self.parts()?;
        let count: usize = parts.iter().map(|part| part.asks.len()).sum();
        let in_process = self.in_process(&parts)?;
        tell(Figure {
            what: "the corpus in process: ask and judge",
            target: "",
            figure: format!("{count} asks, {:.2} µs each", micros(in_process.wall, count)),
            met: None,
        });
        let piped = self.piped(&parts)?;
        let ratio = in_process.wall.as_secs_f64() / piped.wall.as_secs_f64();
        tell(Figure {
            what: "the corpus through a pipe, of the rate in process",
            target: ">= 60 %",
            figure: format!("{:.0} % ({:.2} µs each)", 100.0 * ratio, micros(piped.wall, count)),
            met: Some(ratio >= 0.6),
        });
        let each = micros(piped.cpu, count);
        tell(Figure {
            what: "of that, CPU of this process: ask, read and judge",
            target: "",
            figure: format!("{each:.2} µs each"),
            met: None,
        });
        let echoed = passes::echo(&self.command(&["serve", "--echo"]), self.specs, MANY)?;
        let each = micros(echoed.cpu, MANY);
        tell(Figure {
            what: "CPU of the runner alone, on an adapter that only echoes",
            target: "<= 1 µs",
            figure: format!("{each:.2} µs each"),
            met: Some(each <= 1.0),
        });
        let spawned = passes::spawned(self.specs, SPAWNED)?;
        let faster = micros(spawned, SPAWNED) / micros(echoed.wall, MANY);
        tell(Figure {
            what: "times the rate of one process a case (`true`)",
            target: ">= 500",
            figure: format!("{faster:.0} ({:.0} µs for a process)", micros(spawned, SPAWNED)),
            met: Some(faster >= 500.0),
        });
        self.interpreted(&parts, tell)?;
        self.memory(tell)
    }

    fn parts(&self) -> Result<Vec<Part<'_>>, BenchError> {
        let part = |dialect| -> Result<Part<'_>, BenchError> {
            let asks = asks(self.corpus, self.specs, dialect, Reading::Engine, Derivation::All)?;
            Ok(Part { dialect, asks })
        };
        self.specs.dialects.iter().map(part).collect()
    }

    fn in_process(&self, parts: &[Part<'_>]) -> Result<Pass, BenchError> {
        let mut reference = Reference::new(self.specs, Reading::Engine);
        Ok(passes::best(TIMES, || passes::corpus(&mut reference, parts))?)
    }

    fn piped(&self, parts: &[Part<'_>]) -> Result<Pass, BenchError> {
        let mut served = passes::start(self.command(&["serve"]), self.specs)?;
        Ok(passes::best(TIMES, || passes::corpus(&mut served, parts))?)
    }

    /// How much of all CPU time an interpreted adapter takes itself.
    fn interpreted(&self, parts: &[Part<'_>], tell: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let Some(adapter) = self.interpreted else { return Ok(()) };
        let mut external = passes::start(adapter.command(), self.specs)?;
        let before = external.process_id().map_or(Duration::ZERO, clock::of_process);
        let pass = passes::corpus(&mut external, parts)?;
        let own = external.process_id().map_or(Duration::ZERO, clock::of_process).saturating_sub(before);
        let share = own.as_secs_f64() / (own + pass.cpu).as_secs_f64();
        tell(Figure {
            what: "share of the CPU that the Python adapter takes itself",
            target: ">= 85 %",
            figure: format!("{:.0} % ({own:.1?} of {:.1?})", 100.0 * share, own + pass.cpu),
            met: Some(share >= 0.85),
        });
        Ok(())
    }

    fn memory(&self, tell: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let command = self.command(&["serve", "--echo"]);
        let few = passes::echo(&command, self.specs, FEW)?.memory;
        let many = passes::echo(&command, self.specs, MANY)?.memory;
        tell(Figure {
            what: "memory of this process more for 500,000 cases than for 5,000",
            target: "<= 4 MiB",
            figure: format!("{:.1} MiB", mebibytes(many.saturating_sub(few))),
            met: Some(many.saturating_sub(few) <= SLACK),
        });
        Ok(())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let program = [self.conform.as_os_str().to_owned()];
        Command::new(program.into_iter().chain(arguments.iter().map(OsString::from)))
    }
}

fn micros(time: Duration, count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    let count = count as f64;
    time.as_secs_f64() * 1e6 / count
}

fn mebibytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    let bytes = bytes as f64;
    bytes / f64::from(1 << 20)
}

/// The limits of a measurement: none that it comes near.
fn limits() -> Limits {
    Limits { memory: 4 << 30, ..Limits::default() }
}
