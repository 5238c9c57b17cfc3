//! How an adapter is started.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::{io, process};

use rustix::io::Errno;

use variant_wire::implementation::ImplementationError;
use variant_wire::sanitize::beginning;

/// A program and how to speak with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked up in `PATH`, one with a slash
    /// is relative to `cwd`.
    pub argv: Vec<OsString>,
    /// The folder to run in; the harness's own where absent.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where its lines travel.
    pub transport: Transport,
}

/// Where an adapter's lines travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

    /// As the standard library starts it: the leader of a process group of its own.
    pub(super) fn to_std(&self) -> Result<process::Command, ImplementationError> {
        let Some((program, arguments)) = self.argv.split_first() else {
            return Err(ImplementationError("no program was named; write it behind `--`".to_owned()));
        };
        let mut command = process::Command::new(program);
        command.args(arguments).envs(self.env.iter().map(|(name, value)| (name, value))).process_group(0);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        Ok(command)
    }

    /// Why it did not start, and what to do.
    pub(super) fn not_started(&self, error: &io::Error) -> ImplementationError {
        if let Some(cwd) = self.cwd.as_deref().filter(|cwd| !cwd.is_dir()) {
            return ImplementationError(format!(
                "the folder {} does not exist, so {} could not run there",
                path(cwd),
                self.name()
            ));
        }
        let name = self.name();
        let (kind, file) = (error.kind(), self.file());
        ImplementationError(if kind == ErrorKind::NotFound && file.as_ref().is_some_and(|file| file.exists()) {
            format!(
                "{name} is there, but the program that its first line names (`#!…`) is not; install that, or name an \
                 interpreter before the file"
            )
        } else if kind == ErrorKind::NotFound && file.is_some() {
            format!("{name} does not exist; build it, or mend the path")
        } else if kind == ErrorKind::NotFound {
            format!("{name} was not found in PATH; install it, or write ./{name} for a file in this folder")
        } else if kind == ErrorKind::PermissionDenied {
            format!("{name} may not be run; `chmod +x` it, or name its interpreter before it (python3 {name})")
        } else if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) {
            format!("{name} is no program for this machine; a script needs `#!` and its interpreter as first line")
        } else {
            format!("{name} could not be started: {error}")
        })
    }

    fn name(&self) -> String {
        beginning(self.argv.first().map(|program| program.as_encoded_bytes()).unwrap_or_default(), 200)
    }

    /// The program's file, where a path was given.
    fn file(&self) -> Option<PathBuf> {
        let program = Path::new(self.argv.first()?);
        let given = program.as_os_str().as_encoded_bytes().contains(&b'/');
        given.then(|| self.cwd.as_deref().unwrap_or(Path::new("")).join(program))
    }
}

fn path(path: &Path) -> String {
    beginning(path.as_os_str().as_encoded_bytes(), 200)
}
