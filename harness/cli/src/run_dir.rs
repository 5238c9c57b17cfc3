//! The folder of a run: its record and its page.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use variant_corpus::findings::Findings;
use variant_report::html;
use variant_report::site::findings_page;
use variant_runner::record::{RunRecord, end_of};
use variant_values::disk::PartFile;

use crate::failure::Failure;
use crate::records::RESULTS;
use crate::terminal::write_file;

/// The page of the run, in the same folder.
const PAGE: &str = "report.html";
/// The page of known findings, in the same folder.
pub(super) const FINDINGS: &str = "findings.html";

/// A run's folder, and the record that is being written there. No other conform writes to it meanwhile.
pub(super) struct RunDir {
    path: PathBuf,
    part: PartFile,
    _made: Option<MadeFolder>,
}

/// A folder that was not there before. Fields are dropped in order: the part goes first.
struct MadeFolder(PathBuf);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // Only an empty folder can be removed: a run that does not begin leaves none.
        drop(fs::remove_dir(&self.0));
    }
}

impl RunDir {
    pub(super) fn new(path: PathBuf) -> Result<Self, Failure> {
        let made = (!path.exists()).then(|| MadeFolder(path.clone()));
        let elsewhere = |Failure(exit, why)| Failure(exit, format!("{why}; --out names another folder"));
        fs::create_dir_all(&path).map_err(Failure::unwritable(&path)).map_err(elsewhere)?;
        let part = part_of(&path.join(RESULTS)).map_err(elsewhere)?;
        Ok(Self { path, part, _made: made })
    }

    /// The record, once it is complete.
    pub(super) fn record(&self) -> PathBuf {
        self.path.join(RESULTS)
    }

    pub(super) fn page(&self) -> PathBuf {
        self.path.join(PAGE)
    }

    /// The record that is being written.
    pub(super) fn part(&self) -> &Path {
        self.part.path()
    }

    /// Begins the new record.
    pub(super) fn begin(&self) -> Result<impl Write + '_, Failure> {
        self.part.begin().map_err(Failure::unwritable(self.part.path()))?;
        Ok(BufWriter::new(&self.part))
    }

    pub(super) fn read(&self) -> Result<RunRecord, Failure> {
        let path = self.part.path();
        let written = self.part.written().map_err(Failure::unreadable(path))?;
        Ok(RunRecord::read(written).map_err(|error| error.in_file(path))?)
    }

    /// Replaces the old record and its pages with the new ones, unless the old one is complete and the new one is not.
    /// Returns where the new one is.
    pub(super) fn publish(&self, recorded: &RunRecord, list: &Findings) -> Result<PathBuf, Failure> {
        if !recorded.end.complete && self.has_complete_record() {
            return Ok(self.part().to_owned());
        }
        let findings = (!list.findings.is_empty()).then(|| findings_page(list, recorded)).transpose();
        let findings = findings.map_err(Failure::page)?;
        let link = findings.as_ref().map(|_| FINDINGS);
        let page = html::page(recorded, true, link).map_err(Failure::page)?;
        // The old pages go first, so that no page is ever beside the record of another run.
        for old in [self.page(), self.path.join(FINDINGS)] {
            match fs::remove_file(&old) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::unwritable(&old)(error)),
                Ok(()) | Err(_) => {}
            }
        }
        let record = self.record();
        self.part.publish().map_err(Failure::unwritable(&record))?;
        if let Some(findings) = findings {
            write_file(&self.path.join(FINDINGS), findings.as_bytes())?;
        }
        write_file(&self.page(), page.as_bytes())?;
        Ok(record)
    }

    #[allow(clippy::disallowed_methods, reason = "a record of this program, of which the last line is read")]
    fn has_complete_record(&self) -> bool {
        File::open(self.record()).ok().and_then(|old| end_of(BufReader::new(old))).is_some_and(|end| end.complete)
    }
}

/// A record that is written beside the old one. No other conform writes to it meanwhile.
pub(super) fn part_of(record: &Path) -> Result<PartFile, Failure> {
    PartFile::open(record).map_err(|error| match error.kind() {
        ErrorKind::ResourceBusy => Failure::at(record)(error),
        _ => Failure::unwritable(record)(error),
    })
}
