//! How a command ends: its exit status, and why it ended early.

use std::fmt;
use std::path::Path;

use variant_runner::run::RunError;
use variant_values::diagnostic::Problem;
use variant_values::suggest::with_known;

/// The exit status. 2 is also clap's, for wrong arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    AsExpected = 0,
    NotAsExpected = 1,
    Usage = 2,
    ImplementationError = 3,
    NothingRan = 4,
    Incomplete = 5,
}

/// Why a command ended early: the status, and one or two lines for a person.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Exit, pub(crate) String);

impl Failure {
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self(Exit::Usage, with_known(message.to_string()))
    }

    pub(crate) fn implementation(message: impl fmt::Display) -> Self {
        Self(Exit::ImplementationError, message.to_string())
    }

    /// An error about a file: its name, then what is wrong.
    pub(crate) fn at<E: fmt::Display>(file: &Path) -> impl Fn(E) -> Self {
        move |why| Self::usage(format!("{}: {why}", file.display()))
    }

    /// A page that cannot be made.
    pub(crate) fn page(error: impl fmt::Display) -> Self {
        Self::usage(format!("the page cannot be created: {error}"))
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable<E: fmt::Display>(file: &Path) -> impl Fn(E) -> Self {
        move |why| Self::usage(format!("{}: cannot be read: {why}", file.display()))
    }

    /// A file that cannot be written: what was asked for is not there.
    pub(crate) fn unwritable<E: fmt::Display>(file: &Path) -> impl Fn(E) -> Self {
        move |why| Self(Exit::Incomplete, format!("{}: cannot be written: {why}", file.display()))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::usage(problem)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Problem(problem) => problem.into(),
            RunError::ImplementationError(error) => Self::implementation(error),
            RunError::Nothing(sentence) => Self(Exit::NothingRan, sentence),
            RunError::Record(error) => Self(Exit::Incomplete, format!("the record cannot be written: {error}")),
        }
    }
}
