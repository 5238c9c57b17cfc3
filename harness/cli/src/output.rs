//! Files that a command writes.

use std::path::Path;

use variant_wire::whole;

use super::Failure;

/// Writes a file, whole or not at all.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    whole::write(path, bytes).map_err(|error| Failure::usage(format!("{}: cannot be written: {error}", path.display())))
}
