//! `conform`: the conformance suite for the Godot-family binary serialization format. Arguments in, exit status out.

mod args;
mod bless;
mod certify;
mod changes;
mod coverage;
mod diff;
mod explain;
mod export;
mod findings;
mod folder;
mod gate;
mod identify;
mod lint;
mod list;
mod matrix;
mod merge;
mod new_adapter;
mod output;
mod progress;
mod repeat;
mod report;
mod run;
mod selftest;
mod serve;
mod setting;
mod signals;
mod subject;
mod vet;

use std::fmt;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use variant_runner::run::RunError;
use variant_wire::diagnostic::Problem;

use self::args::{
    CertifyArgs, ChangesArgs, CoverageArgs, CoverageFormat, Derived, DiffArgs, ExplainArgs, ExportArgs, FindingsArgs,
    Format, GateArgs, GateFormat, IdentifyArgs, ListArgs, MatrixArgs, MergeArgs, NewAdapterArgs, ReadingArg,
    ReadingArgs, ReportArgs, RunArgs, SelftestArgs, ServeArgs, SettingArgs, VerifyArgs,
};
use self::subject::SubjectArgs;

/// Certify encoders and decoders of the Godot-family binary serialization format.
#[derive(Debug, Parser)]
#[command(name = "conform", version, about, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    setting: SettingArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the corpus on an implementation: the reference codec, an adapter by name, or any command
    Run(Box<RunArgs>),
    /// Run the corpus on every adapter, and write who does what to reports/matrix.md, .html and .json
    Matrix(MatrixArgs),
    /// Write the page of what an implementation is known to do wrong, from its findings.yaml
    Findings(FindingsArgs),
    /// Set implementations against each other on generated values and packets, and find the smallest disagreements
    Diff(Box<DiffArgs>),
    /// Join the records of a campaign's shards
    Merge(MergeArgs),
    /// Check whether an adapter speaks the protocol, before its codec is judged
    Vet(SubjectArgs),
    /// Write a working adapter to begin with
    NewAdapter(NewAdapterArgs),
    /// Check the corpus against itself and the documents, without any codec
    Lint,
    /// Prove that the corpus catches faults: faulty codecs, and which cases notice each
    Selftest(SelftestArgs),
    /// Tell which dialect an implementation actually speaks, or the nearest and where it leaves it
    Identify(Box<IdentifyArgs>),
    /// Show which rows of which document are covered, and by what
    Coverage(CoverageArgs),
    /// Print every ask
    List(ListArgs),
    /// Say which cases were added, changed, renamed or removed from one corpus to another
    Changes(ChangesArgs),
    /// Show any packet field by field
    Explain(ExplainArgs),
    /// Show the report of a recorded run
    Report(ReportArgs),
    /// Say what changed from one recorded run to another: red where it got worse, silent where nothing did
    Gate(GateArgs),
    /// Run all of it, and write a certificate of what came of it beside the results; anything red prevents one, expected
    /// failures too
    Certify(Box<CertifyArgs>),
    /// Say whether these are the results that were certified, and what of a certificate holds by them
    Verify(VerifyArgs),
    /// Write the corpus in forms that other programs read
    Export(ExportArgs),
    /// Be an adapter: the reference codec on stdin and stdout
    Serve(ServeArgs),
}

/// How the program ends. 2 is also what clap ends with.
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
pub(crate) struct Failure(Exit, String);

impl Failure {
    fn usage(message: impl fmt::Display) -> Self {
        Self(Exit::Usage, message.to_string())
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
            RunError::ImplementationError(unusable) => Self(Exit::ImplementationError, unusable.to_string()),
            RunError::Nothing(sentence) => Self(Exit::NothingRan, sentence),
            RunError::OtherRun(sentence) => Self::usage(format!("--resume: {sentence}")),
            RunError::Record(error) => Self(
                Exit::Incomplete,
                format!("cannot be written: {error}; the record has no footer: make room, and go on with --resume"),
            ),
        }
    }
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Run(args) => run::run(args, &cli.setting),
        Command::Matrix(args) => matrix::matrix(args, &cli.setting),
        Command::Findings(args) => findings::findings(args, &cli.setting),
        Command::Diff(args) => diff::diff(args, &cli.setting),
        Command::Merge(args) => merge::merge(args),
        Command::Vet(args) => vet::vet(args, &cli.setting),
        Command::NewAdapter(args) => new_adapter::new_adapter(args, &cli.setting),
        Command::Selftest(args) => selftest::selftest(args, &cli.setting),
        Command::Lint => lint::lint(&cli.setting),
        Command::Identify(args) => identify::identify(args, &cli.setting),
        Command::Changes(args) => changes::changes(args, &cli.setting),
        Command::Coverage(args) => coverage::coverage(args, &cli.setting),
        Command::List(args) => list::list(args, &cli.setting),
        Command::Explain(args) => explain::explain(args, &cli.setting),
        Command::Export(args) => export::export(args, &cli.setting),
        Command::Gate(args) => gate::gate(args),
        Command::Certify(args) => certify::certify(args, &cli.setting),
        Command::Verify(args) => certify::verify(args, &cli.setting),
        Command::Report(args) => report::report(args),
        Command::Serve(args) => serve::serve(args, &cli.setting),
    };
    let exit = result.unwrap_or_else(|Failure(exit, message)| {
        // It may have words of a file or a program in it.
        anstream::eprintln!("conform: {}", variant_wire::sanitize::lines(&message));
        exit
    });
    ExitCode::from(exit as u8)
}
