//! Files and folders that are replaced whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::Failure;

/// All that conform ever writes into a folder of results. A folder that holds anything else is not replaced.
const OURS: [&str; 11] = [
    "results.jsonl",
    "report.html",
    "report.txt",
    "junit.xml",
    "summary.md",
    "badge.json",
    "ctrf.json",
    "results.tap",
    "results.sarif",
    "annotations.txt",
    "certificate.json",
];

/// Writes a file: under another name first, then renamed, so that nobody ever reads half of it.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(path, &error))?;
    }
    let part = beside(path, "part");
    std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path)).map_err(|error| {
        // What is left of it is of no use to anybody.
        drop(std::fs::remove_file(&part));
        unwritable(path, &error)
    })
}

/// A folder that is being written beside the one whose place it will take.
pub(super) struct NewFolder {
    /// Where it is to be.
    path: PathBuf,
    /// Where it is now.
    part: PathBuf,
    /// What is there stays, though it was not finished.
    kept: bool,
}

impl NewFolder {
    /// Begins a folder. What stands at `path` stays as it is until [`Self::finish`].
    pub(super) fn begin(path: &Path) -> Result<Self, Failure> {
        if path.file_name().is_none() {
            return Err(Failure::usage(format!("{}: name a folder of its own for the results", path.display())));
        }
        let folder = Self { path: path.to_owned(), part: beside(path, "part"), kept: false };
        for place in [&folder.path, &folder.part] {
            only_ours(place)?;
        }
        clear(&folder.part)
            .and_then(|()| std::fs::create_dir_all(&folder.part))
            .map_err(|error| unwritable(path, &error))?;
        Ok(folder)
    }

    /// A file in it, as long as it is being written.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.part.join(name)
    }

    /// Leaves it where it is, unfinished.
    pub(super) fn keep(mut self) {
        self.kept = true;
    }

    /// Puts it in its place; what stood there is gone.
    pub(super) fn finish(self) -> Result<(), Failure> {
        // Between the beginning and now somebody may have put a file there.
        only_ours(&self.path)?;
        let moved = if self.path.exists() {
            // Where folders cannot be exchanged, as under a mount point, files can.
            renameat_with(CWD, &self.part, CWD, &self.path, RenameFlags::EXCHANGE).or_else(|_| self.file_by_file())
        } else {
            std::fs::rename(&self.part, &self.path)
        };
        moved.map_err(|error| unwritable(&self.path, &error))
    }

    fn file_by_file(&self) -> io::Result<()> {
        let names = || OURS.iter().filter(|name| self.part.join(name).exists());
        for name in names() {
            std::fs::copy(self.part.join(name), beside(&self.path.join(name), "part"))?;
        }
        for name in OURS.iter().filter(|name| !self.part.join(name).exists()) {
            remove(&self.path.join(name))?;
        }
        for name in names() {
            std::fs::rename(beside(&self.path.join(name), "part"), self.path.join(name))?;
        }
        Ok(())
    }
}

impl Drop for NewFolder {
    /// What is not in its place by now, or stood there before, is not needed; if it stays, the next run removes it.
    fn drop(&mut self) {
        if !self.kept {
            drop(clear(&self.part));
        }
    }
}

/// Removes a folder of ours, file by file: whatever is not ours keeps it alive.
fn clear(folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for name in OURS {
        remove(&folder.join(name))?;
    }
    std::fs::remove_dir(folder)
}

fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Refuses a place where something stands that conform did not write.
fn only_ours(folder: &Path) -> Result<(), Failure> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unwritable(folder, &error)),
        Ok(entries) => entries,
    };
    for entry in entries {
        let entry = entry.map_err(|error| unwritable(folder, &error))?;
        let file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let name = entry.file_name();
        if !file || !OURS.iter().any(|ours| name == *ours) {
            return Err(Failure::usage(format!(
                "{} holds {}, which is no part of a report, and the folder is replaced as a whole: name another with --out",
                folder.display(),
                name.to_string_lossy()
            )));
        }
    }
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: cannot be written: {error}", path.display()))
}

/// `results` → `results.part`, in the same folder.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}
