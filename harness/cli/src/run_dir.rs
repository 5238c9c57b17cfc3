//! The folder of a run: its record and its page. They are replaced together, when the new ones are complete, or not at
//! all.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};

use variant_runner::results::finish;
use variant_runner::resume::ResumeState;
use variant_syntax::input;

use super::Failure;
use super::terminal::write_file;

/// The record of a run, in its folder.
pub(super) const RESULTS: &str = "results.jsonl";
/// The page beside it.
const PAGE: &str = "report.html";
/// The names of a record that is being written. There are two, so that a resumed run does not overwrite the record that
/// it resumes.
const PARTS: [&str; 2] = ["results.jsonl.part", "results.jsonl.part2"];

/// A run's folder, and the record that is being written there.
pub(super) struct RunDir {
    path: PathBuf,
    part: PathBuf,
}

impl RunDir {
    /// For a new run.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { part: path.join(PARTS[0]), path }
    }

    /// For a run that resumes: the folder, and the longest of its unfinished records.
    pub(super) fn resumed(path: PathBuf) -> Result<(Self, ResumeState), Failure> {
        let mut unfinished = None::<(&str, ResumeState)>;
        let names = || [RESULTS].into_iter().chain(PARTS);
        for name in names().filter(|name| *name == RESULTS || path.join(name).is_file()) {
            match (read(&path.join(name)), unfinished.as_ref()) {
                (Ok(resume), None) if !resume.is_complete() => unfinished = Some((name, resume)),
                (Ok(resume), Some((_, most))) if resume.len() > most.len() => unfinished = Some((name, resume)),
                // A folder may have only an unfinished record.
                (Err(failure), _) if name == RESULTS && !PARTS.iter().any(|part| path.join(part).is_file()) => {
                    return Err(failure);
                }
                (Ok(_) | Err(_), _) => {}
            }
        }
        let Some((name, resume)) = unfinished else {
            let results = path.join(RESULTS);
            return Err(unreadable(&results, "that run is complete; `conform report` shows it"));
        };
        let part = PARTS.into_iter().find(|part| *part != name).unwrap_or(PARTS[0]);
        Ok((Self { part: path.join(part), path }, resume))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The record, once the run has ended.
    pub(super) fn record(&self) -> PathBuf {
        self.path.join(RESULTS)
    }

    pub(super) fn page(&self) -> PathBuf {
        self.path.join(PAGE)
    }

    /// The record that is being written.
    pub(super) fn part(&self) -> &Path {
        &self.part
    }

    /// Creates the folder, and in it the file of the record that is to be written.
    pub(super) fn create(&self) -> Result<File, Failure> {
        let created = std::fs::create_dir_all(&self.path).and_then(|()| File::create(&self.part));
        created.map_err(Failure::cannot_be("written", &self.part))
    }

    /// Names its cause in each result of the new record, once its run has ended.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        let ready = self.path.join("results.jsonl.new");
        let finished = File::open(&self.part).and_then(|part| {
            finish(&mut BufReader::new(part), BufWriter::new(File::create(&ready)?))?;
            std::fs::rename(&ready, &self.part)
        });
        finished.map_err(Failure::cannot_be("written", &self.part))
    }

    /// Replaces the old record with the new one, and its page, where it has one.
    pub(super) fn replace(&self, page: Option<&str>) -> Result<(), Failure> {
        let rename = |from: &Path, to: &Path| std::fs::rename(from, to).map_err(Failure::cannot_be("written", to));
        let ready = self.path.join("report.html.new");
        if let Some(page) = page {
            write_file(&ready, page.as_bytes())?;
        }
        // The old page goes first, so that no page is ever beside the record of another run.
        remove(&self.page())?;
        rename(&self.part, &self.record())?;
        if page.is_some() {
            rename(&ready, &self.page())?;
        }
        PARTS.iter().try_for_each(|part| remove(&self.path.join(part)))
    }
}

fn read(record: &Path) -> Result<ResumeState, Failure> {
    let file = input::reader(record).map_err(|error| unreadable(record, error))?;
    ResumeState::read(file).map_err(|error| unreadable(record, error))
}

fn remove(file: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::cannot_be("replaced", file)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn unreadable(record: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("--resume {}: {why}", record.display()))
}
