//! What a command tests: the reference codec, an adapter by name, or any command.

use std::path::Path;

use clap::Args;
use variant_adapter::external::{Command, External, Limits};
use variant_adapter::folder::{self, Adapter};
use variant_corpus::findings::{self, Findings};
use variant_corpus::test::hash;
use variant_report::repeat::quoted;
use variant_specs::{JudgedBy, Specs};
use variant_values::implementation::Implementation;
use variant_values::reference::{NAME as REFERENCE, Reference};

use crate::failure::{Exit, Failure};
use crate::paths::{Paths, adapter_folder};
use crate::terminal;

/// What programs may take.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ProgramLimits {
    /// Multiply every timeout by this
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    timeout: f64,
    /// Maximum resident memory of an adapter, in MiB; only Linux limits it
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

/// One of several implementations that a command is about.
pub(super) struct Side {
    /// Its name in the report.
    pub(super) shown: String,
    pub(super) subject: SubjectArgs,
}

impl Side {
    /// The reference codec, and every adapter in the folder of adapters.
    pub(super) fn all(limits: ProgramLimits, paths: &Paths) -> Result<Vec<Self>, Failure> {
        let mut all = vec![Self::new(REFERENCE, limits)];
        all.extend(folder::subjects(&paths.adapters()?)?.iter().map(|name| Self::new(name, limits)));
        Ok(all)
    }

    /// A side in one word or one pair of quotes: `reference`, an adapter by its name or path, or a command.
    pub(super) fn new(given: &str, limits: ProgramLimits) -> Self {
        let words: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
        let is_command = words.len() > 1 || given.contains('/') && adapter_folder(given).is_none();
        let (name, command) = if is_command { (None, words) } else { (Some(words.concat()), Vec::new()) };
        Self { shown: given.to_owned(), subject: SubjectArgs { name, command, limits } }
    }

    /// Those named, and behind `--` a command.
    pub(super) fn of(named: &[String], command: &[String], limits: ProgramLimits) -> Vec<Self> {
        let mut sides: Vec<Self> = named.iter().map(|given| Self::new(given, limits)).collect();
        if !command.is_empty() {
            let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
            let subject = SubjectArgs { name: None, command: command.to_owned(), limits };
            sides.push(Self { shown: words.join(" "), subject });
        }
        sides
    }

    pub(super) fn is_reference(&self) -> bool {
        self.subject.name.as_deref() == Some(REFERENCE)
    }
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
    /// `None` for a command.
    pub(super) adapter: Option<Adapter>,
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
                folder: adapter.subject(),
                adapter: Some(adapter),
            }));
        }
        if args.command.is_empty() {
            return Ok(None);
        }
        let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
        Ok(Some(Self {
            command: Command::new(&args.command),
            limits: limits.scaled(args.limits.timeout),
            shown: format!("-- {}", words.join(" ")),
            folder: folder_of(&args.command),
            adapter: None,
        }))
    }

    pub(super) fn start(&self, specs: &Specs) -> Result<Box<dyn Implementation + Send>, Failure> {
        match External::start(self.command.clone(), specs, self.limits) {
            Ok(external) => Ok(Box::new(external)),
            Err(_) if self.limits.interrupt.is_set() => Err(Failure(Exit::Incomplete, "interrupted".to_owned())),
            Err(error) => Err(Failure::implementation(format!("{error}{}", self.how_to_build()))),
        }
    }

    /// What to type before the first start, for one that does not start; empty if there is nothing to build.
    pub(super) fn how_to_build(&self) -> String {
        let Some((adapter, install)) = self.adapter.as_ref().and_then(|one| Some((one, one.install.as_ref()?))) else {
            return String::new();
        };
        let folder = quoted(&adapter.folder.display().to_string());
        format!("\nIf it is not built or installed yet: (cd {folder} && {install})")
    }
}

/// Starts this program; without one, the reference codec.
pub(super) fn start(
    program: Option<&Program>,
    specs: &Specs,
    judged_by: JudgedBy,
) -> Result<Box<dyn Implementation + Send>, Failure> {
    match program {
        Some(program) => program.start(specs),
        None => Ok(Box::new(Reference::new(specs, judged_by))),
    }
}

/// The name of the folder of a command's results: the program's name, and a digest of all its words.
fn folder_of(words: &[String]) -> String {
    let program = Path::new(words.first().map_or("", String::as_str)).file_name().unwrap_or_default().to_string_lossy();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    let name: String = program.chars().map(plain).take(40).collect();
    format!("{name}-{:016x}", hash(&words.join("\0")))
}

/// The known findings of an adapter, in its own list or in one that it shares; none if there is no list.
pub(super) fn known_findings(adapter: &Adapter) -> Result<Findings, Failure> {
    let list = adapter.findings().join(findings::FILE);
    let list = if list.exists() { Findings::load(&list)? } else { Findings::default() };
    Ok(held(list, adapter))
}

/// A list as it holds for an adapter.
pub(super) fn held(list: Findings, adapter: &Adapter) -> Findings {
    list.tested_by(adapter.subject(), folder::sharing(&adapter.findings()).len() > 1)
}
