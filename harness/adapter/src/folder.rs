//! Adapters by name: `adapters/NAME/adapter.yaml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

use serde::Deserialize;

use crate::external::{Command, Limits, Transport};
use variant_wire::claims::Claims;
use variant_wire::diagnostic::Problem;

/// An adapter's folder and what its `adapter.yaml` says.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The folder.
    pub folder: PathBuf,
    /// Which of its variants.
    variant: Option<String>,
    written: Written,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    command: Vec<String>,
    install: Option<String>,
    #[serde(default)]
    transport: Via,
    /// What a one-shot tool cannot say of itself.
    claims: Option<Claims>,
    /// A command that times the implementation from inside: `conform bench` explains it.
    bench: Option<Vec<String>>,
    /// Seconds.
    start_timeout: Option<f64>,
    /// Seconds without any answer while something is asked.
    answer_timeout: Option<f64>,
    #[serde(default)]
    about: String,
    #[serde(default)]
    home: String,
    /// Several implementations behind one adapter, told apart by variables of the environment: `NAME@VARIANT`.
    #[serde(default)]
    variants: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Via {
    #[default]
    Stdio,
    Tcp,
    OneShot,
}

impl Adapter {
    /// Reads `adapters/NAME/adapter.yaml`, for `NAME` or `NAME@VARIANT`.
    ///
    /// # Errors
    /// What is wrong, where, and what to do.
    pub fn load(adapters: &Path, name: &str) -> Result<Self, Problem> {
        let (name, variant) = name.split_once('@').map_or((name, None), |(name, variant)| (name, Some(variant)));
        let folder = adapters.join(name);
        let file = folder.join("adapter.yaml");
        let problem = |line: usize, message: String| Problem { file: file.display().to_string(), line, message };
        // The name comes from a command line; it is no way out of the folder.
        let plain = !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
            && !name.starts_with('.');
        if !plain || !file.is_file() {
            return Err(problem(
                0,
                format!(
                    "there is no adapter {name:?}; there are {}; a command stands behind `--`",
                    names(adapters).join(", ")
                ),
            ));
        }
        let text = std::fs::read_to_string(&file).map_err(|error| problem(0, format!("cannot be read: {error}")))?;
        let written: Written =
            serde_yaml::from_str(&text).map_err(|error| Problem::of_yaml(&file.display().to_string(), &error))?;
        if written.command.is_empty() {
            return Err(problem(1, "`command:` is empty; the program and its arguments belong there".to_owned()));
        }
        let says_itself = matches!(written.transport, Via::Stdio | Via::Tcp);
        if says_itself && written.claims.is_some() {
            let message =
                "`claims:` is for `transport: one-shot`; an adapter that loops says in its hello what it claims";
            return Err(problem(1, message.to_owned()));
        }
        if let Some(unknown) = variant.filter(|variant| !written.variants.contains_key(*variant)) {
            let known: Vec<&str> = written.variants.keys().map(String::as_str).collect();
            return Err(problem(0, format!("there is no variant {unknown:?}; there are: {}", known.join(", "))));
        }
        for (name, seconds) in [("start-timeout", written.start_timeout), ("answer-timeout", written.answer_timeout)] {
            if seconds.is_some_and(|seconds| Duration::try_from_secs_f64(seconds).is_err()) {
                return Err(problem(0, format!("`{name}:` is a number of seconds, 0 or more")));
            }
        }
        Ok(Self { folder, variant: variant.map(str::to_owned), written })
    }

    /// What it is, in a line.
    pub fn about(&self) -> &str {
        &self.written.about
    }

    /// Where what it drives comes from.
    pub fn home(&self) -> &str {
        &self.written.home
    }

    /// How it is started.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.written.command);
        command.cwd = Some(self.folder.clone());
        command.transport = match self.written.transport {
            Via::Stdio | Via::OneShot => Transport::Stdio,
            Via::Tcp => Transport::Tcp,
        };
        let variables = self.variant.iter().flat_map(|variant| self.written.variants.get(variant)).flatten();
        command.env = variables.map(|(name, value)| (name.into(), value.into())).collect();
        command
    }

    /// What it claims, where it is a tool that is started for every request.
    pub fn one_shot(&self) -> Option<Claims> {
        match self.written.transport {
            Via::OneShot => Some(self.written.claims.clone().unwrap_or_default()),
            Via::Stdio | Via::Tcp => None,
        }
    }

    /// The command that times the implementation from inside, where there is one.
    pub fn bench(&self) -> Option<process::Command> {
        let (program, arguments) = self.written.bench.as_ref()?.split_first()?;
        // Its folder becomes the working folder, and a path that begins here would lead elsewhere from there.
        let here = self.folder.join(program).canonicalize().ok().filter(|path| path.is_file());
        let mut command = process::Command::new(here.unwrap_or_else(|| PathBuf::from(program)));
        command.args(arguments).current_dir(&self.folder);
        Some(command)
    }

    /// The command that installs it, where it needs one.
    pub fn install(&self) -> Option<&str> {
        self.written.install.as_deref()
    }

    /// Its own time limits where it has some.
    pub fn limits(&self, limits: Limits) -> Limits {
        let longer = |own: Option<f64>, usual: Duration| {
            own.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map_or(usual, |own| own.max(usual))
        };
        Limits {
            start_up: longer(self.written.start_timeout, limits.start_up),
            reply_timeout: longer(self.written.answer_timeout, limits.reply_timeout),
            ..limits
        }
    }
}

/// The adapters under `adapters` as `conform run` names them, one for each variant.
///
/// # Errors
/// An `adapter.yaml` that cannot be read.
pub fn subjects(adapters: &Path) -> Result<Vec<String>, Problem> {
    let mut subjects = Vec::new();
    for name in names(adapters) {
        let adapter = Adapter::load(adapters, &name)?;
        if adapter.written.variants.is_empty() {
            subjects.push(name);
        } else {
            subjects.extend(adapter.written.variants.keys().map(|variant| format!("{name}@{variant}")));
        }
    }
    Ok(subjects)
}

/// The folders under `adapters` that hold an adapter.
pub fn names(adapters: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(adapters).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("adapter.yaml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
