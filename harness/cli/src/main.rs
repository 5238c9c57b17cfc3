//! `conform`, the command line: arguments in, exit status out.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod adapter;
mod args;
mod ask;
mod bless;
mod certify;
mod completions;
mod corpus;
mod coverage;
mod decode;
mod demo;
mod diff;
mod document;
mod encode;
mod examples;
mod explain;
mod export;
mod failure;
mod gate;
mod interop;
mod matrix;
mod paths;
mod quoted_line;
mod records;
mod report;
mod run;
mod run_dir;
mod selftest;
mod site;
mod subject;
mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use self::args::{
    AskedJudge, CertifyArgs, CoverageArgs, DecodeArgs, DiffArgs, DocumentArgs, EncodeArgs, ExplainArgs, ExportArgs,
    GateArgs, InteropArgs, ListArgs, MatrixArgs, NewAdapterArgs, ReportArgs, RunArgs, SelftestArgs, SiteArgs,
    VerifyArgs,
};
use self::failure::Failure;
use self::paths::Paths;
use self::subject::SubjectArgs;
use self::terminal::Printing;

/// conform tests whether a library reads and writes Godot's binary Variant format byte for byte.
#[derive(Debug, Parser)]
#[command(name = "conform", version, verbatim_doc_comment, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    printing: Printing,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Test an implementation: the reference codec, an adapter by name, or any command
    Run(Box<RunArgs>),
    /// Test every adapter, and write the results to reports/matrix.md
    Matrix(MatrixArgs),
    /// Compare implementations on generated inputs, and shrink what differs
    Diff(Box<DiffArgs>),
    /// Let implementations read what the others write, and show what arrives
    Interop(InteropArgs),
    /// Check that an adapter speaks the protocol, before you test its codec
    Vet(SubjectArgs),
    /// Show the report of a codec that has three faults, and what to type next
    Demo,
    /// Write a working adapter to start from
    NewAdapter(NewAdapterArgs),
    /// Check the corpus against the documents and the reference codec
    Lint,
    /// Write the page of a dialect, or its decoder for Kaitai Struct or Wireshark
    Document(DocumentArgs),
    /// Write the website: the format, its documentation errors and the results
    Site(SiteArgs),
    /// Test the corpus with faulty codecs, and show which cases detect each fault
    Selftest(SelftestArgs),
    /// Show which rows of the documents are covered, and by which cases
    Coverage(CoverageArgs),
    /// List the tests
    List(ListArgs),
    /// Show what bytes are, field by field
    Explain(ExplainArgs),
    /// Turn packets into JSON, a line for each
    Decode(DecodeArgs),
    /// Turn JSON into packets
    Encode(EncodeArgs),
    /// Show a recorded run, as text or in another format
    Report(ReportArgs),
    /// Compare two recorded runs, and fail if something got worse
    Gate(GateArgs),
    /// Run all tests, and write a certificate of what holds
    Certify(Box<CertifyArgs>),
    /// Check that a certificate matches its results, and that its claims hold
    Verify(VerifyArgs),
    /// Export the corpus for other programs
    Export(ExportArgs),
    /// Serve the reference codec as an adapter on stdin and stdout
    #[command(hide = true)]
    Serve(AskedJudge),
    /// Print completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages
    #[command(hide = true)]
    Man {
        /// The folder for conform.1 and a page for each command
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is one argument too many may be a command, or may name tests.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return error };
    if word.starts_with('-') || error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let usage = error.render().to_string();
    let tip = if usage.contains("COMMAND") && !word.contains(['*', ':']) {
        "a command goes after `--`".into()
    } else if takes_tests(&usage) {
        format!("tests are named with `--only '{}'`", variant_values::sanitize::short(word, 100)).into()
    } else {
        return error;
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}

/// Whether the command of this line of usage has the option `--only`.
fn takes_tests(usage: &str) -> bool {
    let cli = Cli::command();
    let mut commands = cli.get_subcommands();
    let command = commands.find(|command| usage.contains(&format!("conform {} ", command.get_name())));
    command.is_some_and(|command| command.get_arguments().any(|argument| argument.get_long() == Some("only")))
}

fn main() -> ExitCode {
    let matches = examples::with_help(Cli::command()).try_get_matches().unwrap_or_else(|error| with_tip(error).exit());
    let Cli { command, paths, printing } = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    printing.apply();
    std::panic::set_hook(Box::new(|panic| {
        terminal::warn(format!(
            "this is a bug of conform, not of what it tests: {panic}; please report it, with the command"
        ));
    }));
    let result = match &command {
        Command::Run(args) => run::run(args, &paths),
        Command::Matrix(args) => matrix::matrix(args, &paths),
        Command::Diff(args) => diff::diff(args, &paths),
        Command::Interop(args) => interop::interop(args, &paths),
        Command::Vet(args) => adapter::vet(args, &paths),
        Command::NewAdapter(args) => adapter::new_adapter(args, &paths),
        Command::Demo => demo::demo(),
        Command::Lint => corpus::lint(&paths),
        Command::Document(args) => document::document(args, &paths),
        Command::Site(args) => site::site(args, &paths),
        Command::Selftest(args) => selftest::selftest(args, &paths),
        Command::Coverage(args) => coverage::coverage(args, &paths),
        Command::List(args) => corpus::list(args, &paths),
        Command::Explain(args) => explain::explain(args, &paths),
        Command::Decode(args) => decode::decode(args, &paths),
        Command::Encode(args) => encode::encode(args, &paths),
        Command::Report(args) => report::report(args, &paths),
        Command::Gate(args) => gate::gate(args, &paths),
        Command::Certify(args) => certify::certify(args, &paths),
        Command::Verify(args) => certify::verify(args),
        Command::Export(args) => export::export(args, &paths),
        Command::Serve(asked) => adapter::serve(asked.judged_by, &paths),
        Command::Completions { shell } => completions::completions(*shell, Cli::command()),
        Command::Man { folder } => completions::man(folder, examples::with_examples(Cli::command())),
    };
    let exit = result.unwrap_or_else(|Failure(exit, message)| {
        terminal::warn(format!("conform: {message}"));
        exit
    });
    ExitCode::from(exit as u8)
}
