//! Files that are written completely or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Seek as _, Write};
use std::path::{Path, PathBuf};

/// Writes a file and creates the folders above it. It is written under another name and then renamed, so nobody reads
/// half of it, and the old file is unchanged if it fails. A link is followed; a device or a pipe is written to directly.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::write(path, bytes);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let part = part_of(path);
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, path)).inspect_err(|_| {
        // Half a file is of no use.
        drop(fs::remove_file(&part));
    })
}

/// The name of a file while it is written: `results.jsonl.part`.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// A file that is written piece by piece beside its place, and locked, so that two programs do not write to one place. The
/// system ends the lock with the program, however that ends.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    part: PathBuf,
    place: PathBuf,
}

impl PartFile {
    /// Opens the part of a file and locks it. What is in it stays until something is written.
    ///
    /// # Errors
    /// The I/O error; [`io::ErrorKind::ResourceBusy`] if another program writes it.
    pub fn open(place: &Path) -> io::Result<Self> {
        let part = part_of(place);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&part)?;
        match file.try_lock() {
            Ok(()) if part.exists() => {}
            // Without a part, the program that had it put it in its place before this one locked it.
            Ok(()) | Err(TryLockError::WouldBlock) => {
                let why = "another conform is writing here; wait for it";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
            }
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Self { file, part, place: place.to_owned() })
    }

    /// Its path while it is written.
    pub fn path(&self) -> &Path {
        &self.part
    }

    /// Empties it, to begin.
    pub fn begin(&self) -> io::Result<()> {
        (&self.file).rewind()?;
        // A device has no length.
        if self.file.metadata()?.is_file() { self.file.set_len(0) } else { Ok(()) }
    }

    /// What was written, from its beginning. Where a lock keeps others from reading, this is the one way to read it.
    pub fn written(&self) -> io::Result<impl io::BufRead> {
        (&self.file).rewind()?;
        Ok(BufReader::new(&self.file))
    }

    /// Puts it in its place. If that fails, the old file is unchanged, and the part is there.
    pub fn publish(&self) -> io::Result<()> {
        match self.file.sync_all() {
            // Some file systems cannot.
            Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
                return Err(error);
            }
            Ok(()) | Err(_) => {}
        }
        // A link stays a link.
        fs::rename(&self.part, fs::canonicalize(&self.place).unwrap_or_else(|_| self.place.clone()))
    }
}

impl Write for &PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.file).flush()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // One that nobody wrote to is no part of anything.
        if self.file.metadata().is_ok_and(|file| file.is_file() && file.len() == 0) {
            drop(fs::remove_file(&self.part));
        }
    }
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

    #[test]
    fn a_part_is_locked_and_takes_its_place_when_it_is_published() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("record");
        fs::write(&place, "old").unwrap();
        let first = PartFile::open(&place).unwrap();
        assert_eq!(PartFile::open(&place).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        first.begin().unwrap();
        (&first).write_all(b"new").unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"old");
        first.publish().unwrap();
        drop(first);
        assert_eq!(fs::read(&place).unwrap(), b"new");
        drop(PartFile::open(&place).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "an empty part is left");
    }
}
