//! Problems of a file as a whole.

use variant_specs::Dialect;
use variant_values::diagnostic::Problem;

/// A problem of the file of a dialect.
pub(super) fn in_dialect(dialect: &Dialect, message: String) -> Problem {
    in_file(dialect.file.clone(), message)
}

/// A problem of a file in `specs/`, by its name without folder and ending.
pub(super) fn in_specs(name: &str, message: String) -> Problem {
    in_file(format!("specs/{name}.yaml"), message)
}

/// A problem of this file.
pub(super) fn in_file(file: String, message: String) -> Problem {
    Problem { file, line: 1, message }
}
