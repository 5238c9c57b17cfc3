//! Files that are replaced whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use super::Failure;

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
