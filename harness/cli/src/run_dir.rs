//! The folder of a run: its record and its page. They are replaced together, when the new ones are complete, or not at
//! all.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use variant_corpus::findings::Findings;
use variant_report::html;
use variant_runner::record::RunRecord;
use variant_runner::record_writer::finish;
use variant_runner::resume::ResumeState;
use variant_runner::summary::Summary;
use variant_site::findings_page;
use variant_syntax::input;
use variant_wire::diagnostic::Problem;
use variant_wire::disk::{self, PartFile};

use super::lock::Lock;
use super::report::no_page;
use super::terminal::write_file;
use super::{Exit, Failure};

/// The record of a run, in its folder.
pub(super) const RESULTS: &str = "results.jsonl";
/// Where the records of runs are, unless another place is named: a folder each.
pub(super) const RUNS: &str = "reports/runs";
/// The page of the run, in the same folder.
const PAGE: &str = "report.html";
/// The page of known findings, in the same folder.
pub(super) const FINDINGS: &str = "findings.html";
/// The names of a record that is being written. There are two, so that a resumed run does not overwrite the record that
/// it resumes.
const PARTS: [&str; 2] = ["results.jsonl.part", "results.jsonl.part2"];

/// The file of the lock.
const LOCK: &str = ".conform.lock";

/// A run's folder, and the record that is being written there. No other conform writes to it meanwhile.
pub(super) struct RunDir {
    path: PathBuf,
    part: PathBuf,
    /// Whether the folder was not there before.
    made: bool,
    lock: Option<Lock>,
}

impl Drop for RunDir {
    fn drop(&mut self) {
        self.lock = None;
        if self.made {
            // Only an empty folder can be removed: a run that does not begin leaves none.
            disk::remove_empty(&self.path);
        }
    }
}

impl RunDir {
    /// For a new run.
    pub(super) fn new(path: PathBuf) -> Result<Self, Failure> {
        let made = !path.exists();
        std::fs::create_dir_all(&path).map_err(Failure::cannot_be("written", &path))?;
        let lock = Lock::take(path.join(LOCK), &path)?;
        Ok(Self { part: path.join(PARTS[0]), made, lock: Some(lock), path })
    }

    /// For a run that resumes: the folder, and what is to be resumed. If that is complete, only its last steps are left,
    /// and it is the [`Self::part`]. Otherwise it is the longest of the unfinished records.
    pub(super) fn resumed(path: PathBuf) -> Result<(Self, ResumeState), Failure> {
        let lock = match path.is_dir() {
            true => Lock::take(path.join(LOCK), &path)?,
            false => return Err(unreadable(&path, "there is no such folder")),
        };
        let parts = PARTS.into_iter().filter(|part| path.join(part).exists());
        let mut found: Option<(&str, ResumeState)> = None;
        let mut error = None;
        for name in parts.chain([RESULTS]) {
            match (read(&path.join(name)), &found) {
                // A record that is not in its place yet is of a later run than the one that is there.
                (Ok(_), Some((_, most))) if most.is_complete() => {}
                (Ok(resume), _) if resume.is_complete() && (name != RESULTS || error.is_none() && found.is_none()) => {
                    found = Some((name, resume));
                }
                (Ok(resume), None) if !resume.is_complete() => found = Some((name, resume)),
                (Ok(resume), Some((_, most))) if !resume.is_complete() && resume.len() > most.len() => {
                    found = Some((name, resume));
                }
                (Ok(_), _) => {}
                (Err(failure), _) => error = error.or(Some(failure)),
            }
        }
        let nothing = || unreadable(&path, "there is no record to continue");
        let (name, resume) = found.ok_or_else(|| error.unwrap_or_else(nothing))?;
        let other = PARTS.into_iter().find(|part| *part != name).unwrap_or(PARTS[0]);
        let part = path.join(if resume.is_complete() { name } else { other });
        Ok((Self { part, path, made: false, lock: Some(lock) }, resume))
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

    /// Creates the file for the new record.
    pub(super) fn create(&self) -> Result<PartFile, Failure> {
        disk::create(&self.part).map_err(Failure::cannot_be("written", &self.part))
    }

    /// Names its cause in each result of the new record, once its run has ended.
    #[allow(clippy::disallowed_methods, reason = "the record that was just written")]
    pub(super) fn finish(&self) -> Result<(), Failure> {
        let ready = self.path.join("results.jsonl.new");
        let finished = File::open(&self.part).and_then(|part| {
            let mut new = disk::create(&ready)?;
            finish(&mut BufReader::new(part), BufWriter::new(&mut new))?;
            new.sync()?;
            disk::rename(&ready, &self.part)
        });
        finished.map_err(Failure::cannot_be("written", &self.part)).map_err(|failure| self.last_steps(&failure))
    }

    /// Makes the pages of a record: its own, and that of the findings on its list.
    pub(super) fn pages(recorded: &RunRecord, list: &Findings) -> Result<RunPages, Failure> {
        let findings = (!list.findings.is_empty()).then(|| findings_page(list, Some(recorded))).transpose();
        let findings = findings.map_err(no_page)?;
        let link = findings.as_ref().map(|_| FINDINGS);
        Ok(RunPages { report: html::page(recorded, &Summary::of(recorded), true, link).map_err(no_page)?, findings })
    }

    /// Replaces the old record with the new one, and its pages. If the program ends between two steps, [`Self::resumed`]
    /// finds the new record, and this is all that is left to do.
    pub(super) fn replace(&self, pages: &RunPages) -> Result<(), Failure> {
        let ready = self.path.join("report.html.new");
        let steps = || -> Result<(), Failure> {
            write_file(&ready, pages.report.as_bytes())?;
            match &pages.findings {
                Some(findings) => write_file(&self.path.join(FINDINGS), findings.as_bytes())?,
                None => remove(&self.path.join(FINDINGS))?,
            }
            // The old page goes first, so that no page is ever beside the record of another run.
            remove(&self.page())?;
            // An older part goes before the record is in its place: after that, a part is of a later run.
            let others = PARTS.iter().map(|part| self.path.join(part)).filter(|part| *part != self.part);
            others.into_iter().try_for_each(|part| remove(&part))?;
            if self.part != self.record() {
                rename(&self.part, &self.record())?;
            }
            rename(&ready, &self.page())
        };
        steps().map_err(|failure| self.last_steps(&failure))
    }

    /// What to do where only the last steps are left.
    fn last_steps(&self, Failure(_, why): &Failure) -> Failure {
        let folder = self.path.display();
        let advice = "all tests ran: free some space, and finish with the same command and --resume";
        Failure(Exit::Incomplete, format!("{why}; {advice} {folder}"))
    }
}

/// The pages of a record.
#[derive(Debug)]
pub(super) struct RunPages {
    report: String,
    findings: Option<String>,
}

fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    disk::rename(from, to).map_err(Failure::cannot_be("written", to))
}

fn read(record: &Path) -> Result<ResumeState, Failure> {
    let wrong = |problem: Problem| Failure::usage(format!("--resume {problem}"));
    let file = input::reader(record).map_err(|error| wrong(Problem::of_input(record, &error)))?;
    ResumeState::read(file).map_err(|error| wrong(error.in_file(record)))
}

fn remove(file: &Path) -> Result<(), Failure> {
    disk::remove(file).map_err(Failure::cannot_be("replaced", file))
}

fn unreadable(record: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("--resume {}: {why}", record.display()))
}
