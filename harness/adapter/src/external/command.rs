//! How an adapter is started.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;

use serde::Deserialize;
use thiserror::Error;

use variant_values::implementation::ImplementationError;
use variant_values::sanitize::beginning;

/// What the system says of a file that is no program: ENOEXEC, or ERROR_BAD_EXE_FORMAT.
const NOT_A_PROGRAM: i32 = if cfg!(windows) { 193 } else { 8 };

/// A program and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked up in `PATH`, one with a slash
    /// is relative to `cwd`.
    pub argv: Vec<OsString>,
    /// The folder to run in; by default the current one.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment.
    pub env: Vec<(OsString, OsString)>,
    /// Whether lines travel over standard input and output, or over TCP.
    pub transport: Transport,
}

/// How requests and replies travel between conform and an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Its standard input and output.
    #[default]
    Stdio,
    /// A connection that it opens to the address in `CONFORM_CONNECT`.
    Tcp,
}

#[derive(Debug, Error)]
enum SpawnError {
    #[error("no program was named; put a command after `--`")]
    NoProgram,
    #[error("the folder {0} does not exist, so {1} cannot run there")]
    NoFolder(String, String),
    #[error(
        "{0} exists, but the interpreter in its first line (`#!…`) does not; install it, or put an interpreter before \
         the file"
    )]
    NoInterpreter(String),
    #[error("{0} does not exist; build it, or fix the path")]
    NoFile(String),
    #[error("{0} was not found in PATH; install it, or write ./{0} for a file in this folder")]
    NotInPath(String),
    #[error("{0} is not executable; run `chmod +x` on it, or put its interpreter before it (python3 {0})")]
    NotExecutable(String),
    #[error("{0} is not a program for this machine; a script needs `#!` and its interpreter as its first line")]
    NotAProgram(String),
    #[error("{0} could not be started: {1}")]
    Other(String, io::Error),
}

impl From<SpawnError> for ImplementationError {
    fn from(error: SpawnError) -> Self {
        Self(error.to_string())
    }
}

impl Command {
    /// A program on standard input and output, in the current folder.
    pub fn new(argv: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The standard library's command for it.
    pub(super) fn to_std(&self) -> Result<process::Command, ImplementationError> {
        let Some((program, arguments)) = self.argv.split_first() else { return Err(SpawnError::NoProgram.into()) };
        let mut command = process::Command::new(program);
        command.args(arguments).envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        Ok(command)
    }

    /// Why it did not start, and what to do.
    pub(super) fn not_started(&self, error: io::Error) -> ImplementationError {
        not_started(self.argv.first().map(OsString::as_os_str).unwrap_or_default(), self.cwd.as_deref(), error)
    }
}

/// Why a program did not start in a folder, and what to do.
pub(crate) fn not_started(program: &OsStr, cwd: Option<&Path>, error: io::Error) -> ImplementationError {
    let program = Path::new(program);
    let name = path(program);
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_dir()) {
        return SpawnError::NoFolder(path(cwd), name).into();
    }
    let is_path = program.components().nth(1).is_some();
    let exists = is_path && cwd.unwrap_or(Path::new("")).join(program).exists();
    let missing = error.kind() == ErrorKind::NotFound;
    let error = if missing && exists {
        SpawnError::NoInterpreter(name)
    } else if missing && is_path {
        SpawnError::NoFile(name)
    } else if missing {
        SpawnError::NotInPath(name)
    } else if error.kind() == ErrorKind::PermissionDenied {
        SpawnError::NotExecutable(name)
    } else if error.raw_os_error() == Some(NOT_A_PROGRAM) {
        SpawnError::NotAProgram(name)
    } else {
        SpawnError::Other(name, error)
    };
    error.into()
}

fn path(path: &Path) -> String {
    beginning(path.as_os_str().as_encoded_bytes(), 200)
}
