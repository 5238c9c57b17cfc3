//! The runner: the corpus in process and through a pipe, memory, crashes.

use std::ffi::OsString;
use std::time::Duration;

use variant_specs::Reading;

use super::figure::{Figure, Unit, micros, ratio};
use super::passes::{self, DialectCorpus, Pass};
use super::{Bench, BenchError, clock};
use variant_adapter::external::Command;
use variant_corpus::test::{Derivation, tests};
use variant_wire::reference::Reference;

/// How often the shorter passes are made; the best counts.
const TIMES: usize = 5;
/// The target for small tests: tests a second.
const PIPED: f64 = 80_000.0;
/// The longest packet of a small test. What is longer costs its bytes: 3 % of all tests, four fifths of the time of a pass.
const SMALL: usize = 1 << 10;
/// The numbers of requests after which memory is compared.
const FEW: usize = 5_000;
const MANY: usize = 500_000;
/// Requests, and how many of them end the adapter.
const DISTURBED: usize = 200_000;
const CRASHES: usize = 100;

impl Bench {
    pub(super) fn runner(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let parts = self.parts()?;
        let count: usize = parts.iter().map(|part| part.tests.len()).sum();
        let in_process = self.in_process(&parts)?;
        let what = "the corpus in process: run and judge, each test";
        report(Figure::new(what, Unit::Micros, micros(in_process.wall, count), format!("{count} tests")));
        let lines = self.piped(&["serve"], &parts)?;
        let small: Vec<DialectCorpus<'_>> = parts.iter().map(|part| part.up_to(SMALL)).collect();
        let of_small: usize = small.iter().map(|part| part.tests.len()).sum();
        let each = |piped: Pass, count| {
            let (wall, cpu) = (micros(piped.wall, count), micros(piped.cpu, count));
            (1e6 / wall, format!("{wall:.2} µs each of {count}, of which this process {cpu:.2}"))
        };
        let (rate, how) = each(self.piped(&["serve"], &small)?, of_small);
        let what = "its tests of packets up to 1 KiB through a pipe to the same codec: a second";
        report(Figure::at_least(what, PIPED, Unit::Count, rate, how));
        let (rate, how) = each(lines, count);
        let what = "the corpus through a pipe to the same codec: tests a second";
        report(Figure::new(what, Unit::Count, rate, how));
        let what = "the same, of the rate in process";
        report(Figure::new(what, Unit::Percent, 100.0 * ratio(in_process.wall, lines.wall), ""));
        let echoed = passes::echo(&self.command(&["serve", "--echo"]), &self.specs, MANY)?;
        let each = format!("{:.2} µs each", micros(echoed.wall, MANY));
        let what = "an adapter that only echoes, of the rate of the corpus in process";
        let rate = 100.0 * micros(in_process.wall, count) / micros(echoed.wall, MANY);
        report(Figure::at_least(what, 60.0, Unit::Percent, rate, each));
        let what = "CPU of the runner for each case, on that adapter";
        report(Figure::at_most(what, 1.0, Unit::Micros, micros(echoed.cpu, MANY), ""));
        self.interpreted(&parts, report)?;
        self.crashes(report)
    }

    /// Memory for few and for many tests, measured first.
    pub(super) fn memory(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let command = self.command(&["serve", "--echo"]);
        let few = passes::echo(&command, &self.specs, FEW)?.memory;
        let many = passes::echo(&command, &self.specs, MANY)?.memory;
        let what = "memory more for 500,000 cases than for 5,000, adapter included";
        let how = format!("{:.1} MiB in all", mebibytes(many));
        report(Figure::at_most(what, 4.0, Unit::Mebibytes, mebibytes(many.saturating_sub(few)), how));
        Ok(())
    }

    fn parts(&self) -> Result<Vec<DialectCorpus<'_>>, BenchError> {
        let part = |dialect| -> Result<DialectCorpus<'_>, BenchError> {
            let tests = tests(&self.corpus, &self.specs, dialect, Reading::Engine, Derivation::All)?;
            Ok(DialectCorpus { dialect, tests })
        };
        self.specs.dialects.iter().map(part).collect()
    }

    fn in_process(&self, parts: &[DialectCorpus<'_>]) -> Result<Pass, BenchError> {
        let mut reference = Reference::new(&self.specs, Reading::Engine);
        Ok(passes::best(TIMES, || passes::corpus(&mut reference, parts))?)
    }

    fn piped(&self, arguments: &[&str], parts: &[DialectCorpus<'_>]) -> Result<Pass, BenchError> {
        let mut served = passes::start(self.command(arguments), &self.specs)?;
        Ok(passes::best(TIMES, || passes::corpus(&mut served, parts))?)
    }

    /// The share of all CPU time that an interpreted adapter takes itself.
    fn interpreted(&self, parts: &[DialectCorpus<'_>], report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let what = "share of all CPU time that the Python adapter takes itself";
        let Some(adapter) = &self.interpreted else {
            report(Figure::missing(what, "there is no such adapter in adapters/"));
            return Ok(());
        };
        let mut external = passes::start(adapter.command(), &self.specs)?;
        let before = external.process_id().map_or(Duration::ZERO, clock::of_process);
        let pass = passes::corpus(&mut external, parts)?;
        let own = external.process_id().map_or(Duration::ZERO, clock::of_process).saturating_sub(before);
        let all = own + pass.cpu;
        report(Figure::at_least(what, 85.0, Unit::Percent, 100.0 * ratio(own, all), format!("{own:.1?} of {all:.1?}")));
        Ok(())
    }

    /// What crashes cost, and whether each is assigned to the request that caused it.
    fn crashes(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let command = self.command(&["serve", "--echo"]);
        let undisturbed = passes::echo(&command, &self.specs, DISTURBED)?;
        let (disturbed, wrong) = passes::crashing(&command, &self.specs, DISTURBED, CRASHES)?;
        let more = disturbed.wall.saturating_sub(undisturbed.wall);
        let what = "100 crashes in 200,000 requests, each assigned exactly: what they cost";
        let how = format!("{wrong} assigned wrongly");
        let figure = Figure::at_most(what, 2.0, Unit::Seconds, more.as_secs_f64(), how);
        let met = figure.met.map(|met| met && wrong == 0);
        report(Figure { met, ..figure });
        Ok(())
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let program = [self.conform.as_os_str().to_owned()];
        Command::new(program.into_iter().chain(arguments.iter().map(OsString::from)))
    }
}

fn mebibytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    let bytes = bytes as f64;
    bytes / f64::from(1 << 20)
}
