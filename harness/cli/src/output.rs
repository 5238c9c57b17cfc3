//! Files that a command writes.

use std::path::Path;

use variant_wire::atomic_write;

use super::Failure;

/// Writes a file, whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    atomic_write::write(path, bytes)
        .map_err(|error| Failure::usage(format!("{}: cannot be written: {error}", path.display())))
}
