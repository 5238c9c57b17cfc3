//! Changes of files that must outlast a kill and a full disk. A file is written completely or not at all, and every
//! change is counted: with the feature `faults`, tests let each of them fail.

#[cfg(feature = "faults")]
pub mod faults;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Without the feature, nothing fails by itself.
#[cfg(not(feature = "faults"))]
mod faults {
    pub(super) fn change(_: bool) -> std::io::Result<()> {
        Ok(())
    }

    pub(super) fn fits(bytes: usize) -> std::io::Result<usize> {
        Ok(bytes)
    }
}

/// Writes a file and creates the folders above it. It is written under another name and then renamed, so nobody reads
/// half of it. A link is followed; a device or a pipe is written to directly.
///
/// # Errors
/// The I/O error, if a folder cannot be created or the file not written. The old file is then unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::write(path, bytes);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = create(&part).and_then(|mut file| {
        // Nobody reads this part, so how much of it is written does not matter.
        faults::change(true)?;
        file.0.write_all(bytes)
    });
    written.and_then(|()| rename(&part, path)).inspect_err(|_| {
        // Half a file is of no use.
        drop(remove(&part));
    })
}

/// A file that is written piece by piece, under a name that says so.
#[derive(Debug)]
pub struct PartFile(fs::File);

/// Creates a file, or empties one.
///
/// # Errors
/// The I/O error.
pub fn create(path: &Path) -> io::Result<PartFile> {
    faults::change(true)?;
    fs::File::create(path).map(PartFile)
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = faults::fits(bytes.len())?;
        self.0.write(&bytes[..fits])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl PartFile {
    /// Waits until what was written would survive a power cut.
    ///
    /// # Errors
    /// The I/O error.
    pub fn sync(&self) -> io::Result<()> {
        faults::change(true)?;
        // Some file systems cannot.
        match self.0.sync_all() {
            Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
                Err(error)
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Renames a file, which replaces the one of that name.
///
/// # Errors
/// The I/O error.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    faults::change(false)?;
    fs::rename(from, to)
}

/// Removes a file, if it is there.
///
/// # Errors
/// The I/O error.
pub fn remove(path: &Path) -> io::Result<()> {
    faults::change(false)?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes a folder, if it is empty.
pub fn remove_empty(folder: &Path) {
    if faults::change(false).is_ok() {
        drop(fs::remove_dir(folder));
    }
}

/// Counts a change that is made elsewhere, before it is made.
///
/// # Errors
/// In tests, the fault that keeps it from being made.
pub fn count_change() -> io::Result<()> {
    faults::change(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_links_and_devices_devices() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        fs::write(&file, "old").unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let null = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        write(&null, b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
