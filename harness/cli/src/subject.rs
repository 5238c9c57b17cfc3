//! What a command tests: the reference codec, an adapter by name, or any command.

use std::path::{Path, PathBuf};

use clap::Args;
use variant_adapter::external::{Command, External, Limits};
use variant_corpus::findings;
use variant_corpus::test::hash;
use variant_report::repeat::quoted;
use variant_specs::{JudgedBy, Specs};
use variant_values::implementation::Implementation;
use variant_values::reference::{NAME as REFERENCE, Reference};

use super::paths::Paths;
use super::{Exit, Failure, terminal};

/// What programs may take.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ProgramLimits {
    /// Multiply every timeout by this
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    timeout: f64,
    /// Maximum resident memory of an adapter, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    max_memory: u64,
}

impl Default for ProgramLimits {
    fn default() -> Self {
        Self { timeout: 1.0, max_memory: 512 }
    }
}

impl ProgramLimits {
    /// The limits of a program, before `--timeout` multiplies them.
    fn limits(self) -> Result<Limits, Failure> {
        if !(self.timeout.is_finite() && self.timeout > 0.0) {
            return Err(Failure::usage(format!("--timeout {}: this must be a number above 0", self.timeout)));
        }
        let memory = self.max_memory.saturating_mul(1 << 20);
        Ok(Limits { memory, interrupt: terminal::interrupt(), ..Limits::default() })
    }
}

#[derive(Debug, Clone, Default, Args)]
pub(super) struct SubjectArgs {
    /// An adapter: its name in adapters/, its path, or `reference` for the reference codec
    pub(super) name: Option<String>,
    /// A command that speaks the protocol, such as an adapter that `conform new-adapter` wrote
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "name")]
    pub(super) command: Vec<String>,
    #[command(flatten)]
    pub(super) limits: ProgramLimits,
}

/// A program to test, and what belongs to it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) command: Command,
    pub(super) limits: Limits,
    /// The arguments of `conform run` that name it: `NAME` or `-- COMMAND`.
    pub(super) shown: String,
    /// The name of the folder of its results.
    pub(super) folder: String,
    /// The words of a command; none for an adapter.
    words: Vec<String>,
    /// The adapter's folder; `None` for a command.
    pub(super) home: Option<PathBuf>,
    /// The adapter's list of findings, which need not exist; `None` for a command.
    pub(super) findings: Option<PathBuf>,
    /// The name of the adapter's folder; empty for a command.
    pub(super) adapter: String,
}

impl Program {
    /// The program that the arguments name; `None` if they name the reference codec, or nothing.
    pub(super) fn new(args: &SubjectArgs, paths: &Paths) -> Result<Option<Self>, Failure> {
        let limits = args.limits.limits()?;
        if let Some(name) = args.name.as_ref().filter(|name| *name != REFERENCE) {
            let adapter = paths.adapter(name)?;
            return Ok(Some(Self {
                command: adapter.command(),
                limits: adapter.limits(limits).scaled(args.limits.timeout),
                shown: name.clone(),
                words: Vec::new(),
                folder: adapter.subject(),
                findings: Some(adapter.findings().join(findings::FILE)),
                adapter: adapter.name(),
                home: Some(adapter.folder),
            }));
        }
        if args.command.is_empty() {
            return Ok(None);
        }
        let command = Command::new(&args.command);
        let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
        let shown = format!("-- {}", words.join(" "));
        let limits = limits.scaled(args.limits.timeout);
        let folder = folder(&args.command);
        let words = args.command.clone();
        Ok(Some(Self { command, limits, shown, folder, words, home: None, findings: None, adapter: String::new() }))
    }

    /// The files that may be its source: those in the adapter's folder and in `src/`, or those that the command names.
    pub(super) fn sources(&self) -> Vec<PathBuf> {
        let Some(home) = &self.home else { return self.words.iter().map(PathBuf::from).collect() };
        let folders = [home.clone(), home.join("src")];
        let entries = folders.iter().flat_map(|folder| folder.read_dir().into_iter().flatten().flatten());
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        files.sort();
        files
    }

    /// Starts it.
    pub(super) fn start(&self, specs: &Specs) -> Result<Box<dyn Implementation + Send>, Failure> {
        match External::start(self.command.clone(), specs, self.limits) {
            Ok(external) => Ok(Box::new(external)),
            Err(_) if self.limits.interrupt.is_set() => Err(Failure(Exit::Incomplete, "interrupted".to_owned())),
            Err(error) => Err(Failure::implementation(error)),
        }
    }
}

/// The name of the folder of a command's results: the program's name, and a digest of all its words.
fn folder(words: &[String]) -> String {
    let program = Path::new(words.first().map_or("", String::as_str)).file_name().unwrap_or_default().to_string_lossy();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    let name: String = program.chars().map(plain).take(40).collect();
    format!("{name}-{:016x}", hash(&words.join("\0")))
}

/// What is under test, running.
pub(super) struct Subject {
    pub(super) implementation: Box<dyn Implementation>,
    /// The arguments of `conform run` that name it: `NAME` or `-- COMMAND`.
    pub(super) shown: String,
    /// Where its `findings.yaml` would be; it need not exist.
    pub(super) findings: Option<PathBuf>,
    /// The name of the adapter's folder; empty for what is no adapter.
    pub(super) adapter: String,
}

impl Subject {
    /// Starts what is named; without a name or a command, the reference codec.
    pub(super) fn new(args: &SubjectArgs, paths: &Paths, specs: &Specs, judged_by: JudgedBy) -> Result<Self, Failure> {
        Self::start(Program::new(args, paths)?, specs, judged_by)
    }

    /// Starts this program; without one, the reference codec.
    pub(super) fn start(program: Option<Program>, specs: &Specs, judged_by: JudgedBy) -> Result<Self, Failure> {
        Ok(match program {
            Some(program) => Self {
                implementation: program.start(specs)?,
                shown: program.shown,
                findings: program.findings,
                adapter: program.adapter,
            },
            None => Self {
                implementation: Box::new(Reference::new(specs, judged_by)),
                shown: String::new(),
                findings: None,
                adapter: String::new(),
            },
        })
    }
}
