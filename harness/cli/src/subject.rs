//! What a command tests: the reference codec, an adapter by name, or any command.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use variant_adapter::external::{Command, External, Limits, OneShot, Transport};
use variant_corpus::findings;
use variant_corpus::test::hash;
use variant_report::repeat::quoted;
use variant_specs::{Reading, Specs};
use variant_syntax::input;
use variant_wire::claims::Claims;
use variant_wire::diagnostic::Problem;
use variant_wire::implementation::Implementation;
use variant_wire::reference::{NAME as REFERENCE, Reference};

use super::paths::Paths;
use super::{Exit, Failure, terminal};

/// Memory that an adapter may have by default, in MiB.
pub(super) const MAX_MEMORY: u64 = 512;
const MAX_CASE_MEMORY: u64 = 256;
const TIMEOUT_BUDGET: f64 = 60.0;
const MAX_CASE_TIME: f64 = 2.0;

#[derive(Debug, Clone, Args)]
pub(super) struct SubjectArgs {
    /// An adapter: its name in adapters/, its path, or `reference` for the reference codec
    pub(super) name: Option<String>,
    /// A command that speaks the protocol (adapters/README.md)
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "name")]
    pub(super) command: Vec<String>,
    /// How to reach the command
    #[arg(long, value_enum, default_value_t = Via::Stdio, conflicts_with = "name")]
    transport: Via,
    /// Start the command once per request, as `./tool decode DIALECT`
    #[arg(long, conflicts_with_all = ["name", "transport"])]
    one_shot: bool,
    /// What a one-shot tool supports: a handshake as JSON, or a file with one [default: everything]
    #[arg(long, value_name = "JSON|FILE", conflicts_with = "name")]
    claims: Option<String>,
    /// Multiply every timeout by this
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    timeout: f64,
    /// Maximum total time of timeouts, in seconds; after that, similar tests are skipped
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_BUDGET)]
    timeout_budget: f64,
    /// Maximum resident memory of an adapter, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MAX_MEMORY)]
    max_memory: u64,
    /// Maximum memory that a reply may add to an adapter, in MiB; more is `resource`
    #[arg(long, value_name = "MIB", default_value_t = MAX_CASE_MEMORY)]
    max_case_memory: u64,
    /// Maximum processor time of a reply, in seconds; more is `resource`
    #[arg(long, value_name = "SECONDS", default_value_t = MAX_CASE_TIME)]
    max_case_time: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Via {
    /// Lines on stdin and stdout
    Stdio,
    /// A connection to CONFORM_CONNECT
    Tcp,
    /// One process per request
    OneShot,
}

impl SubjectArgs {
    /// The arguments of `conform run` without options.
    pub(super) fn new(name: Option<String>, command: Vec<String>, timeout: f64) -> Self {
        Self {
            name,
            command,
            transport: Via::Stdio,
            one_shot: false,
            claims: None,
            timeout,
            timeout_budget: TIMEOUT_BUDGET,
            max_memory: MAX_MEMORY,
            max_case_memory: MAX_CASE_MEMORY,
            max_case_time: MAX_CASE_TIME,
        }
    }

    /// The arguments of a side of `conform diff`, which does not judge the time and memory of a reply.
    pub(super) fn side(name: Option<String>, command: Vec<String>, timeout: f64, max_memory: u64) -> Self {
        let (max_case_memory, max_case_time) = (u64::MAX, f64::from(u32::MAX));
        Self { max_memory, max_case_memory, max_case_time, ..Self::new(name, command, timeout) }
    }

    /// The options that reach the command the same way, each with a space before it.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        let way = match self.transport {
            Via::Tcp => Some(" --transport tcp".to_owned()),
            Via::Stdio | Via::OneShot => self.is_one_shot().then(|| " --one-shot".to_owned()),
        };
        way.into_iter().chain(self.claims.iter().map(|claims| format!(" --claims {}", quoted(claims))))
    }

    fn is_one_shot(&self) -> bool {
        self.one_shot || self.transport == Via::OneShot
    }

    /// The limits that the options set, before `--timeout` multiplies them.
    fn limits(&self) -> Result<Limits, Failure> {
        if !(self.timeout.is_finite() && self.timeout > 0.0) {
            return Err(Failure::usage(format!("--timeout {}: this must be a number above 0", self.timeout)));
        }
        let seconds = |option: &str, given: f64| {
            Duration::try_from_secs_f64(given)
                .map_err(|_| Failure::usage(format!("{option} {given}: this is not a valid number of seconds")))
        };
        let slow_after = seconds("--max-case-time", self.max_case_time)?;
        let timeout_budget = seconds("--timeout-budget", self.timeout_budget)?;
        let mebibytes = |count: u64| count.saturating_mul(1 << 20);
        Ok(Limits {
            memory: mebibytes(self.max_memory),
            memory_per_request: mebibytes(self.max_case_memory),
            interrupt: terminal::interrupt(),
            slow_after,
            timeout_budget,
            ..Limits::default()
        })
    }

    /// The claims of a one-shot command.
    fn one_shot_claims(&self) -> Result<Option<Claims>, Failure> {
        let Some(given) = &self.claims else { return Ok(self.is_one_shot().then(Claims::default)) };
        if !self.is_one_shot() {
            let why = "--claims is for --one-shot; other adapters list their claims in the handshake";
            return Err(Failure::usage(why));
        }
        let wrong = |problem: Problem| Failure::usage(format!("--claims: {problem}"));
        if given.trim_start().starts_with('{') {
            return Claims::parse(given).map(Some).map_err(|error| Failure::usage(format!("--claims: {error}")));
        }
        let json = input::text(given.as_ref()).map_err(|error| wrong(Problem::of_input(given.as_ref(), &error)))?;
        Claims::parse(&json).map(Some).map_err(|error| wrong(Problem::of_json(given, &error)))
    }
}

/// A program to test, and what belongs to it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) command: Command,
    pub(super) limits: Limits,
    /// The claims of a one-shot tool; `None` for any other program.
    pub(super) claims: Option<Claims>,
    /// The arguments of `conform run` that name it: `NAME` or `-- COMMAND`.
    pub(super) shown: String,
    /// The name of the folder of its results.
    pub(super) folder: String,
    /// The adapter's folder; `None` for a command.
    pub(super) home: Option<PathBuf>,
    /// The adapter's list of findings, which need not exist; `None` for a command.
    findings: Option<PathBuf>,
    /// The name of the adapter's folder; empty for a command.
    adapter: String,
}

impl Program {
    /// The program that the arguments name; `None` if they name the reference codec, or nothing.
    pub(super) fn new(args: &SubjectArgs, paths: &Paths) -> Result<Option<Self>, Failure> {
        let limits = args.limits()?;
        if let Some(name) = args.name.as_ref().filter(|name| *name != REFERENCE) {
            let adapter = paths.adapter(name)?;
            return Ok(Some(Self {
                command: adapter.command(),
                limits: adapter.limits(limits).scaled(args.timeout),
                claims: adapter.one_shot(),
                shown: name.clone(),
                folder: adapter.subject(),
                findings: Some(adapter.findings().join(findings::FILE)),
                adapter: adapter.name(),
                home: Some(adapter.folder),
            }));
        }
        if args.command.is_empty() {
            return Ok(None);
        }
        let mut command = Command::new(&args.command);
        command.transport = if args.transport == Via::Tcp { Transport::Tcp } else { Transport::Stdio };
        let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
        let shown = format!("-- {}", words.join(" "));
        let claims = args.one_shot_claims()?;
        let limits = limits.scaled(args.timeout);
        let folder = folder(&args.command);
        Ok(Some(Self { command, limits, claims, shown, folder, home: None, findings: None, adapter: String::new() }))
    }

    /// Starts it. A one-shot tool starts with each request; unless it claims dialects, it speaks those in `selected`.
    pub(super) fn start(&self, specs: &Specs, selected: &[String]) -> Result<Box<dyn Implementation + Send>, Failure> {
        let (command, layouts) = (self.command.clone(), Arc::clone(&specs.layouts));
        if let Some(claims) = &self.claims {
            let program = self.command.argv.first().map(PathBuf::from).unwrap_or_default();
            let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let handshake = claims.handshake(&name, selected).map_err(Failure::usage)?;
            return Ok(Box::new(OneShot::new(command, handshake, layouts, self.limits)));
        }
        match External::start(command, layouts, self.limits) {
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
    pub(super) fn new(
        args: &SubjectArgs,
        paths: &Paths,
        specs: &Specs,
        reading: Reading,
        selected: &[String],
    ) -> Result<Self, Failure> {
        Self::start(Program::new(args, paths)?, specs, reading, selected)
    }

    /// Starts this program; without one, the reference codec.
    pub(super) fn start(
        program: Option<Program>,
        specs: &Specs,
        reading: Reading,
        selected: &[String],
    ) -> Result<Self, Failure> {
        Ok(match program {
            Some(program) => Self {
                implementation: program.start(specs, selected)?,
                shown: program.shown,
                findings: program.findings,
                adapter: program.adapter,
            },
            None => Self {
                implementation: Box::new(Reference::new(specs, reading)),
                shown: String::new(),
                findings: None,
                adapter: String::new(),
            },
        })
    }
}
