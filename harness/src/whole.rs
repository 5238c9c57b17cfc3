//! Files that are written whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

/// Writes a file, and the folders above it: under another name first, then renamed, so that nobody ever reads half of it.
///
/// # Errors
/// Where it cannot be written; what was there before is there still.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, path)).inspect_err(|_| {
        // What is left of it is of no use to anybody.
        drop(fs::remove_file(&part));
    })
}
