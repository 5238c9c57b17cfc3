//! What a command line puts under test: the reference codec, an adapter by name, or any command.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use variant_adapter::external::{Command, External, Limits, OneShot, Transport};
use variant_adapter::folder::Adapter;
use variant_corpus::findings;
use variant_report::repeat::quoted;
use variant_specs::{Reading, Specs};
use variant_wire::claims::Claims;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::Implementation;
use variant_wire::reference::{NAME as REFERENCE, Reference};

use super::{Exit, Failure, SettingArgs, setting, signals};

/// What an adapter may take by default.
pub(super) const MAX_MEMORY: u64 = 512;
const MAX_CASE_MEMORY: u64 = 256;
const MAX_CASE_TIME: f64 = 2.0;

#[derive(Debug, Clone, Args)]
pub(super) struct SubjectArgs {
    /// A folder under adapters/
    pub(super) name: Option<String>,
    /// A command that speaks the protocol (adapters/README.md)
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "name")]
    pub(super) command: Vec<String>,
    /// How the command is reached
    #[arg(long, value_enum, default_value_t = Via::Stdio, conflicts_with = "name")]
    transport: Via,
    /// The command has no loop: it is started for every request, as `./tool decode DIALECT`
    #[arg(long, conflicts_with_all = ["name", "transport"])]
    one_shot: bool,
    /// What a one-shot tool claims: a hello as JSON, or a file with one [default: everything]
    #[arg(long, value_name = "JSON|FILE", conflicts_with = "name")]
    claims: Option<String>,
    /// Multiplies every time limit
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    timeout: f64,
    /// Memory that an adapter may have resident, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MAX_MEMORY)]
    max_memory: u64,
    /// Memory by which an adapter may grow for one answer, in MiB; one that takes more is `resource`
    #[arg(long, value_name = "MIB", default_value_t = MAX_CASE_MEMORY)]
    max_case_memory: u64,
    /// An answer that takes longer, in seconds, is `resource`
    #[arg(long, value_name = "SECONDS", default_value_t = MAX_CASE_TIME)]
    max_case_time: f64,
}

impl SubjectArgs {
    /// What `conform diff` names: a folder under adapters/, or a command that speaks the protocol on its pipes.
    pub(super) fn of(name: Option<String>, command: Vec<String>, timeout: f64, max_memory: u64) -> Self {
        let (transport, one_shot, claims) = (Via::Stdio, false, None);
        // Nothing is said of the cost of an answer here.
        let (max_case_memory, max_case_time) = (u64::MAX, f64::from(u32::MAX));
        Self { name, command, transport, one_shot, claims, timeout, max_memory, max_case_memory, max_case_time }
    }

    /// What `conform run NAME` asks: a folder under adapters/ or the reference codec, within the usual limits.
    pub(super) fn named(name: Option<String>, timeout: f64) -> Self {
        let usual = Self::of(name, Vec::new(), timeout, MAX_MEMORY);
        Self { max_case_memory: MAX_CASE_MEMORY, max_case_time: MAX_CASE_TIME, ..usual }
    }

    /// The options that a command needs to be reached the same way again, each with a space before it.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        let way = match self.transport {
            Via::Tcp => Some(" --transport tcp".to_owned()),
            Via::OneShot => Some(" --one-shot".to_owned()),
            Via::Stdio => self.one_shot.then(|| " --one-shot".to_owned()),
        };
        way.into_iter().chain(self.claims.iter().map(|claims| format!(" --claims {}", quoted(claims))))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Via {
    /// A line on stdin, a line on stdout
    Stdio,
    /// A connection to CONFORM_CONNECT
    Tcp,
    /// One process a request
    OneShot,
}

/// A program to be tested, and what belongs to it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) command: Command,
    pub(super) limits: Limits,
    /// Of a tool that is started for every request.
    pub(super) claims: Option<Claims>,
    /// How the command line names it.
    pub(super) shown: String,
    /// The folder of its results.
    pub(super) folder: String,
    /// The folder of an adapter that was named.
    pub(super) home: Option<PathBuf>,
    /// Its `findings.yaml`, which need not exist.
    listed: Option<PathBuf>,
}

impl Program {
    /// The program that is named; `None` where none is.
    pub(super) fn new(args: &SubjectArgs, setting_args: &SettingArgs) -> Result<Option<Self>, Failure> {
        let limits = limits(args)?;
        if let Some(name) = &args.name {
            let adapter = Adapter::load(&setting::adapters(setting_args)?, name)?;
            let listed = Some(adapter.folder.join(findings::FILE));
            return Ok(Some(Self {
                command: adapter.command(),
                limits: adapter.limits(limits),
                claims: adapter.one_shot(),
                shown: name.clone(),
                folder: name.clone(),
                home: Some(adapter.folder),
                listed,
            }));
        }
        if args.command.is_empty() {
            return Ok(None);
        }
        let mut command = Command::new(&args.command);
        command.transport = if args.transport == Via::Tcp { Transport::Tcp } else { Transport::Stdio };
        Ok(Some(Self {
            command,
            limits,
            claims: claims(args)?,
            shown: shown(args),
            folder: "command".to_owned(),
            home: None,
            listed: None,
        }))
    }

    /// Starts it; a one-shot tool is not started yet, and speaks what is `asked` for unless it claims otherwise.
    pub(super) fn start(&self, specs: &Specs, asked: &[String]) -> Result<Box<dyn Implementation + Send>, Failure> {
        let (command, layouts) = (self.command.clone(), Arc::clone(&specs.layouts));
        match &self.claims {
            Some(claims) => {
                let handshake = self.handshake(claims, asked)?;
                Ok(Box::new(OneShot::new(command, handshake, layouts, self.limits)))
            }
            None => match External::start(command, layouts, self.limits) {
                Ok(external) => Ok(Box::new(external)),
                Err(_) if self.limits.interrupt.is_set() => Err(Failure(Exit::Incomplete, "interrupted".to_owned())),
                Err(unusable) => Err(Failure(Exit::ImplementationError, unusable.to_string())),
            },
        }
    }

    fn handshake(&self, claims: &Claims, asked: &[String]) -> Result<Handshake, Failure> {
        let program = self.command.argv.first().map(PathBuf::from).unwrap_or_default();
        let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        claims.handshake(&name, asked).map_err(|error| Failure::usage(error.to_string()))
    }
}

/// What is under test, running.
pub(super) struct Subject {
    pub(super) implementation: Box<dyn Implementation>,
    /// How the command line names it.
    pub(super) shown: String,
    /// The folder of its results.
    pub(super) folder: String,
    /// Where its `findings.yaml` is, if it has one.
    pub(super) findings: Option<PathBuf>,
}

impl Subject {
    /// Starts what is named; without a name or a command, the reference codec.
    pub(super) fn new(
        args: &SubjectArgs,
        setting_args: &SettingArgs,
        specs: &Specs,
        reading: Reading,
        asked: &[String],
    ) -> Result<Self, Failure> {
        match Program::new(args, setting_args)? {
            Some(program) => Ok(Self {
                implementation: program.start(specs, asked)?,
                shown: program.shown,
                folder: program.folder,
                findings: program.listed,
            }),
            None => Ok(Self {
                implementation: Box::new(Reference::new(specs, reading)),
                shown: String::new(),
                folder: REFERENCE.to_owned(),
                findings: None,
            }),
        }
    }
}

fn limits(args: &SubjectArgs) -> Result<Limits, Failure> {
    if !(args.timeout.is_finite() && args.timeout > 0.0) {
        return Err(Failure::usage(format!("--timeout {}: a factor above 0", args.timeout)));
    }
    let slow_after = Duration::try_from_secs_f64(args.max_case_time)
        .map_err(|_| Failure::usage(format!("--max-case-time {}: seconds", args.max_case_time)))?;
    let mebibytes = |count: u64| count.saturating_mul(1 << 20);
    let (memory, memory_per_request) = (mebibytes(args.max_memory), mebibytes(args.max_case_memory));
    Ok(Limits {
        memory,
        memory_per_request,
        interrupt: signals::interrupt(),
        slow_after,
        ..Limits::default().scaled(args.timeout)
    })
}

/// The claims of a one-shot command.
fn claims(args: &SubjectArgs) -> Result<Option<Claims>, Failure> {
    let one_shot = args.one_shot || args.transport == Via::OneShot;
    match &args.claims {
        None => Ok(one_shot.then(Claims::default)),
        Some(_) if !one_shot => {
            Err(Failure::usage("--claims is for --one-shot; an adapter that loops says in its hello what it claims"))
        }
        Some(given) => {
            let json = if given.trim_start().starts_with('{') {
                given.clone()
            } else {
                std::fs::read_to_string(given)
                    .map_err(|error| Failure::usage(format!("--claims {given}: cannot be read: {error}")))?
            };
            Claims::parse(&json).map(Some).map_err(|error| Failure::usage(format!("--claims: {error}")))
        }
    }
}

/// The command as the command line has it.
fn shown(args: &SubjectArgs) -> String {
    let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
    format!("-- {}", words.join(" "))
}
