//! Adapters by name: `adapters/NAME/adapter.yaml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

use serde::Deserialize;

use crate::external::{Command, Limits, Transport};
use variant_values::diagnostic::{Problem, parse_yaml};
use variant_values::input;

/// The content of an `adapter.yaml`, and where it is.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Adapter {
    /// The folder that has its `adapter.yaml`.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The one of `variants` that is meant.
    #[serde(skip)]
    variant: Option<String>,
    /// The program and its arguments, started in the folder.
    command: Vec<String>,
    /// The command that installs what it needs.
    pub install: Option<String>,
    /// `stdio`, or `tcp` for a host that cannot read its standard input.
    #[serde(default)]
    transport: Transport,
    /// A command that times the implementation from inside.
    bench: Option<Vec<String>>,
    /// Seconds until the handshake reply.
    start_timeout: Option<f64>,
    /// Seconds without any reply while requests are open.
    answer_timeout: Option<f64>,
    /// What it is, in a sentence.
    #[serde(default)]
    pub about: String,
    /// Where its source is.
    #[serde(default)]
    pub home: String,
    /// The adapter beside it whose list of findings it shares.
    findings: Option<String>,
    /// Several implementations behind one adapter, each with its environment variables: `NAME@VARIANT`.
    #[serde(default)]
    variants: BTreeMap<String, BTreeMap<String, String>>,
}

/// The JSON Schema of `adapter.yaml`.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Adapter)
}

impl Adapter {
    /// Checks what is in the file. An error has the key that it is about, and a message.
    fn check(&self) -> Result<(), (&'static str, String)> {
        if self.command.is_empty() {
            return Err(("command", "`command:` is empty; write the program and its arguments there".to_owned()));
        }
        if let Some(unknown) = self.variant.as_ref().filter(|variant| !self.variants.contains_key(*variant)) {
            let known: Vec<&str> = self.variants.keys().map(String::as_str).collect();
            return Err(("variants", format!("there is no variant {unknown:?}; there are: {}", known.join(", "))));
        }
        if let Some(name) = &self.findings {
            if !is_plain(name) {
                let message = format!("`findings:` is the name of an adapter beside this one, not {name:?}");
                return Err(("findings", message));
            }
            if let Some(why) = self.why_no_list() {
                return Err(("findings", format!("`findings: {name}`: {why}")));
            }
        }
        let wrong = |seconds: Option<f64>| seconds.is_some_and(|seconds| Duration::try_from_secs_f64(seconds).is_err());
        for (name, seconds) in [("start-timeout", self.start_timeout), ("answer-timeout", self.answer_timeout)] {
            if wrong(seconds) {
                return Err((name, format!("`{name}:` must be a number of seconds, 0 or more")));
            }
        }
        Ok(())
    }

    /// Reads `adapters/NAME/adapter.yaml`, for `NAME` or `NAME@VARIANT`.
    pub fn load(adapters: &Path, name: &str) -> Result<Self, Problem> {
        let (name, variant) = name.split_once('@').map_or((name, None), |(name, variant)| (name, Some(variant)));
        let folder = adapters.join(name);
        let file = folder.join("adapter.yaml");
        let problem = |line: usize, message: String| Problem { file: file.display().to_string(), line, message };
        // The name comes from a command line, and must not lead out of the folder.
        if !is_plain(name) || !file.exists() {
            let known = names(adapters).join(", ");
            let message = format!("there is no adapter {name:?} (there are {known}); a command goes after `--`");
            return Err(problem(0, message));
        }
        let text = input::yaml(&file)?;
        let read: Self = parse_yaml(&file.display().to_string(), &text)?;
        let adapter = Self { folder, variant: variant.map(str::to_owned), ..read };
        let line_of = |key: &str| text.lines().position(|line| line.starts_with(key)).map_or(1, |before| before + 1);
        adapter.check().map_err(|(key, message)| problem(line_of(key), message))?;
        Ok(adapter)
    }

    /// Why the adapter whose list it shares has none to share; `None` if it may have one.
    fn why_no_list(&self) -> Option<String> {
        let folder = self.findings();
        if !folder.is_dir() {
            return Some(format!("there is no folder {}", folder.display()));
        }
        // What is wrong with the other file is said when that adapter is started.
        let other: Self = serde_yaml::from_str(&input::yaml(&folder.join("adapter.yaml")).ok()?).ok()?;
        other.findings.map(|name| format!("that adapter shares the list of {name}; name {name}"))
    }

    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Its name with its variant, as `conform run` takes it: `godot3@3.6`.
    pub fn subject(&self) -> String {
        self.variant.as_ref().map_or_else(|| self.name(), |variant| format!("{}@{variant}", self.name()))
    }

    /// The folder of its list of findings: its own, or that of the adapter whose list it shares.
    pub fn findings(&self) -> PathBuf {
        self.findings.as_ref().map_or_else(|| self.folder.clone(), |name| self.folder.with_file_name(name))
    }

    /// The command that starts it, with its folder, transport and environment variables.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.command);
        command.cwd = Some(self.folder.clone());
        command.transport = self.transport;
        let variables = self.variant.iter().flat_map(|variant| self.variants.get(variant)).flatten();
        command.env = variables.map(|(name, value)| (name.into(), value.into())).collect();
        command
    }

    /// The command that times the implementation from inside, if there is one.
    pub fn bench(&self) -> Option<process::Command> {
        let (program, arguments) = self.bench.as_ref()?.split_first()?;
        // Its folder becomes the working folder, where a path relative to ours would lead elsewhere.
        let here = self.folder.join(program).canonicalize().ok().filter(|path| path.is_file());
        let mut command = process::Command::new(here.unwrap_or_else(|| PathBuf::from(program)));
        command.args(arguments).current_dir(&self.folder);
        Some(command)
    }

    /// These limits, with its own timeouts where they are longer.
    pub fn limits(&self, limits: Limits) -> Limits {
        let longer = |own: Option<f64>, usual: Duration| {
            own.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map_or(usual, |own| own.max(usual))
        };
        Limits {
            start_up: longer(self.start_timeout, limits.start_up),
            reply_timeout: longer(self.answer_timeout, limits.reply_timeout),
            ..limits
        }
    }
}

/// Whether it is the name of a folder, and cannot lead elsewhere.
fn is_plain(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

/// The names for `conform run` of all adapters in a folder, one for each variant.
pub fn subjects(adapters: &Path) -> Result<Vec<String>, Problem> {
    let mut subjects = Vec::new();
    for name in names(adapters) {
        let adapter = Adapter::load(adapters, &name)?;
        if adapter.variants.is_empty() {
            subjects.push(name);
        } else {
            subjects.extend(adapter.variants.keys().map(|variant| format!("{name}@{variant}")));
        }
    }
    Ok(subjects)
}

/// The names of the adapters whose list of findings is in this folder, sorted. Those that cannot be read are left out.
pub fn sharing(list: &Path) -> Vec<String> {
    let Ok(list) = (if list.as_os_str().is_empty() { Path::new(".") } else { list }).canonicalize() else {
        return Vec::new();
    };
    let Some(adapters) = list.parent() else { return Vec::new() };
    let shares = |name: &String| Adapter::load(adapters, name).is_ok_and(|adapter| adapter.findings() == list);
    names(adapters).into_iter().filter(shares).collect()
}

/// The names of the subfolders with an adapter, sorted.
pub fn names(adapters: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(adapters).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("adapter.yaml").exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
