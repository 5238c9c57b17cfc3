//! The program as a whole: start-up, and a default run.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::figure::{Figure, Unit, millis};
use super::{Bench, BenchError};
use variant_wire::implementation::ImplementationError;

/// How often a program is started; the fastest counts.
const TIMES: usize = 10;

impl Bench {
    pub(super) fn program(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        // Outside any corpus folder, so that the program uses the corpus that it carries.
        let folder = std::env::temp_dir().join(format!("conform-bench-{}", std::process::id()));
        let unusable = |error: std::io::Error| ImplementationError(format!("{}: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(unusable)?;
        let figures = self.programs(&folder).map_err(unusable);
        std::fs::remove_dir_all(&folder).map_err(unusable)?;
        figures?.into_iter().for_each(report);
        Ok(())
    }

    fn programs(&self, folder: &Path) -> std::io::Result<Vec<Figure>> {
        let first = self.corpus.files.first().map_or("", |file| file.layout.as_str());
        let start = self.fastest(folder, &["run", "--quick", "--only", &format!("*/{first}/*:*")])?;
        let whole = self.fastest(folder, &["run"])?;
        Ok(vec![
            Figure::at_most("a run of one type, corpus loaded: start to end", 30.0, Unit::Millis, millis(start), ""),
            Figure::at_most("the whole default run, HTML included", 1.0, Unit::Seconds, whole.as_secs_f64(), ""),
        ])
    }

    fn fastest(&self, folder: &Path, arguments: &[&str]) -> std::io::Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..TIMES {
            let mut command = Command::new(&self.conform);
            command
                .args(arguments)
                .current_dir(folder)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let from = Instant::now();
            command.status()?;
            best = best.min(from.elapsed());
        }
        Ok(best)
    }
}
