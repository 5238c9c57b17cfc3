//! How an adapter is started.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;

use serde::Deserialize;

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

impl Command {
    /// A program on standard input and output, in the current folder.
    pub fn new(argv: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The standard library's command for it.
    pub(super) fn to_std(&self) -> Result<process::Command, ImplementationError> {
        let Some((program, arguments)) = self.argv.split_first() else {
            return Err(ImplementationError("no program was named; put a command after `--`".to_owned()));
        };
        let mut command = process::Command::new(program);
        command.args(arguments).envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        Ok(command)
    }

    /// Why it did not start, and what to do.
    pub(super) fn not_started(&self, error: &io::Error) -> ImplementationError {
        let program = Path::new(self.argv.first().map(OsString::as_os_str).unwrap_or_default());
        let name = path(program);
        let cwd = self.cwd.as_deref().unwrap_or(Path::new("."));
        let is_path = program.components().nth(1).is_some();
        ImplementationError(match error.kind() {
            _ if !cwd.is_dir() => format!("the folder {} does not exist, so {name} cannot run there", path(cwd)),
            ErrorKind::NotFound if is_path && cwd.join(program).exists() => format!(
                "{name} exists, but the interpreter in its first line (`#!…`) does not; install it, or put an interpreter \
                 before the file"
            ),
            ErrorKind::NotFound if is_path => format!("{name} does not exist; build it, or fix the path"),
            ErrorKind::NotFound => {
                format!("{name} was not found in PATH; install it, or write ./{name} for a file in this folder")
            }
            ErrorKind::PermissionDenied => format!(
                "{name} is not executable; run `chmod +x` on it, or put its interpreter before it, such as python3 or node"
            ),
            _ if error.raw_os_error() == Some(NOT_A_PROGRAM) => format!(
                "{name} is not a program for this machine; a script needs `#!` and its interpreter as its first line"
            ),
            _ => format!("{name} could not be started: {error}"),
        })
    }
}

fn path(path: &Path) -> String {
    beginning(path.as_os_str().as_encoded_bytes(), 200)
}
