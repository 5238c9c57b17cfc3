//! A lock, so that two programs do not write to one place. The system releases it when the program ends, however that
//! happens, so the file of a program that was killed locks nothing.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use variant_wire::disk;

use super::Failure;

/// A place that no other conform writes to while this exists.
pub(super) struct Lock {
    path: PathBuf,
    /// The lock is the file's, and ends with it.
    _file: File,
}

impl Lock {
    /// Locks a place by a file, in which the process id is.
    pub(super) fn take(path: PathBuf, place: &Path) -> Result<Self, Failure> {
        let failed = Failure::cannot_be("locked", place);
        loop {
            disk::count_change().map_err(&failed)?;
            let mut file =
                File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(&failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(&file, place)),
                // Some network file systems have no locks.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            // The program that had it may have removed the file before this one locked it.
            if is_same(&path, &file) {
                let id = std::process::id().to_string();
                let written = disk::count_change().and_then(|()| file.set_len(0));
                written.and_then(|()| file.write_all(id.as_bytes())).map_err(&failed)?;
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays locks nothing.
        drop(disk::remove(&self.path));
    }
}

fn taken(file: &File, place: &Path) -> Failure {
    let mut id = String::new();
    let known = file.take(20).read_to_string(&mut id).is_ok() && !id.is_empty();
    let process = if known { format!(" (process {id})") } else { String::new() };
    let place = place.display();
    Failure::usage(format!("{place}: another conform{process} is writing here; wait for it, or choose another --out"))
}

fn is_same(path: &Path, file: &File) -> bool {
    let here = file.try_clone().and_then(Handle::from_file);
    matches!((Handle::from_path(path), here), (Ok(there), Ok(here)) if there == here)
}
