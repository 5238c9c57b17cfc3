//! The command line: arguments in, exit status out.

mod bench;
mod bless;
mod certify;
mod changes;
mod coverage;
mod diff;
mod explain;
mod export;
mod gate;
mod identify;
mod lint;
mod list;
mod matrix;
mod merge;
mod new_adapter;
mod output;
mod report;
mod run;
mod selftest;
mod serve;
mod setting;
mod signals;
mod subject;
mod vet;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use variant_codec::Framing;
use variant_conformance::ask::Derivation;
use variant_conformance::skeleton::SKELETONS;
use variant_specs::Reading;

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
    /// Run the corpus on every adapter, and write who does what to reports/matrix.md and reports/matrix.json
    Matrix(MatrixArgs),
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
    /// Run all of it, and write a certificate of what came of it beside the results
    Certify(Box<CertifyArgs>),
    /// Say what of a certificate holds by its results
    Verify(VerifyArgs),
    /// Write the corpus in forms that other programs read
    Export(ExportArgs),
    /// Be an adapter: the reference codec on stdin and stdout
    Serve(ServeArgs),
    /// Measure what a run costs, as ratios on this machine
    Bench(BenchArgs),
}

/// Where things are.
#[derive(Debug, Args)]
struct SettingArgs {
    /// The corpus folder [default: the nearest `corpus`, here or above; else the one that this program carries]
    #[arg(long, global = true, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// The folder of adapters [default: the nearest `adapters`, here or above]
    #[arg(long, global = true, value_name = "DIR")]
    adapters: Option<PathBuf>,
    /// A dialect of your own, in the form of specs/*.yaml; may be given several times
    #[arg(long, global = true, value_name = "FILE")]
    spec: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Only this dialect; may be given several times [default: all that both sides know]
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// Only asks that match, as 'godot-3/vector2/*' or '**:encode'
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// Only the few asks that together notice every mutant of the selftest, in an eye's blink
    #[arg(long, conflicts_with_all = ["only", "derived", "record", "reading"])]
    smoke: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Which derived asks are made
    #[arg(long, value_enum, default_value_t = Derived::All)]
    derived: Derived,
    /// The list of expected failures [default: expected-failures.yaml beside the adapter]
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Make the list of expected failures fit this run: what holds stays, what fails besides is added without a reason
    #[arg(long, conflicts_with_all = ["only", "dialect", "reading", "derived", "resume", "record"])]
    bless: bool,
    /// Amber fails the run too; with --baseline, whatever changed
    #[arg(long)]
    strict: bool,
    /// Write the answers to open and readable cases to corpus/observed/
    #[arg(long, requires = "name", conflicts_with_all = ["only", "reading"])]
    record: bool,
    /// Where results.jsonl goes [default: reports/runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compare with this results.jsonl, as `conform gate` does: only what changed is shown, and counts
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    baseline: Option<PathBuf>,
    /// Cases of the corpus up to this version count, also those that the baseline does not have
    #[arg(long, value_name = "VERSION", requires = "baseline")]
    corpus_version: Option<String>,
    /// Go on with the run in this folder, which was interrupted: what is recorded there is not asked again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "record"])]
    resume: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct MatrixArgs {
    /// Only these, as `conform run` names them; the reference codec is `reference` [default: all under adapters/]
    name: Vec<String>,
    /// Where matrix.md and matrix.json go
    #[arg(long, value_name = "DIR", default_value = "reports")]
    out: PathBuf,
    /// Where the record of each run goes
    #[arg(long, value_name = "DIR", default_value = "reports/runs")]
    runs: PathBuf,
    /// Multiplies every time limit
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    timeout: f64,
}

#[derive(Debug, Args)]
struct DiffArgs {
    /// Two or more: `reference`, folders under adapters/, or commands in quotes ('./new-build --adapter')
    #[arg(required = true, num_args = 2.., value_name = "SIDE")]
    sides: Vec<String>,
    /// Only this dialect; may be given several times [default: all that every side speaks]
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// How many questions are asked, over all shards
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    cases: u64,
    /// From which all questions follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only part K of N: the parts together ask what the whole would
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<(u64, u64)>,
    /// Ends after so many seconds, however much is left
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Each finding becomes a corpus case in this folder, at once
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// A record of it all; shards are joined by `conform merge`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A list of expected findings [default: expected-findings.yaml beside each adapter]
    #[arg(long, value_name = "FILE")]
    expect: Vec<PathBuf>,
    /// Show explained findings in full too
    #[arg(long)]
    explained: bool,
    /// How deep values are nested at most
    #[arg(long, value_name = "N", default_value_t = 5)]
    depth: usize,
    /// How many values stand in one at most, and how many numbers in a packed array
    #[arg(long, value_name = "N", default_value_t = 60)]
    size: usize,
    /// How many seconds each finding is shrunk at most
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    shrink_time: f64,
    /// Multiplies every time limit
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    timeout: f64,
    /// Memory that an adapter may have resident, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    max_memory: u64,
}

#[derive(Debug, Args)]
struct MergeArgs {
    /// The records of all shards, each once, as `conform diff --out` wrote them
    #[arg(required = true, value_name = "FILE")]
    records: Vec<PathBuf>,
    /// Where the joined record goes
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// `K/N`, K from 1 to N.
fn shard(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(shard, of)| Some((shard.parse().ok()?, of.parse().ok()?)));
    parsed.filter(|(shard, of)| (1..=*of).contains(shard)).ok_or_else(|| "K/N, where K goes from 1 to N".to_owned())
}

#[derive(Debug, Args)]
struct NewAdapterArgs {
    /// The language it is written in
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(SKELETONS.map(|skeleton| skeleton.language)))]
    language: String,
    /// A folder that is new or empty; its name is the adapter's
    folder: PathBuf,
}

#[derive(Debug, Args)]
struct SelftestArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// Show every mutant, and the first case that notices it
    #[arg(long)]
    full: bool,
    /// Write the asks that `run --smoke` makes to corpus/smoke.txt
    #[arg(long, conflicts_with = "dialect")]
    write_smoke: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// Only asks that match
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Which derived asks are listed
    #[arg(long, value_enum, default_value_t = Derived::None)]
    derived: Derived,
}

#[derive(Debug, Args)]
struct IdentifyArgs {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Ask under this name; may be given several times [default: each that it claims]
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
}

#[derive(Debug, Args)]
struct CoverageArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// In which form
    #[arg(long, value_enum, default_value_t = CoverageFormat::Text)]
    format: CoverageFormat,
    /// As Markdown or HTML: how this recorded run does there; may be given several times
    #[arg(long, value_name = "FILE")]
    results: Vec<PathBuf>,
    /// Where it goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CoverageFormat {
    /// A table
    Text,
    /// Everything
    Json,
    /// Tables, with a column for each of --results
    Markdown,
    /// One self-contained page
    Html,
}

#[derive(Debug, Args)]
struct ChangesArgs {
    /// A corpus folder, or its released.txt
    old: PathBuf,
    /// Another
    new: PathBuf,
}

#[derive(Debug, Args)]
struct ExplainArgs {
    /// The packet: hex, a file, or - for stdin
    packet: String,
    /// In this dialect [default: every dialect that can read it]
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    /// The packet has its length in front, as store_var and put_var write it
    #[arg(long, value_enum)]
    framing: Option<FramingArg>,
    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    form: ExportForm,
    /// As JSON: only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// As JSON: which derived cases are written
    #[arg(long, value_enum, default_value_t = Derived::None)]
    derived: Derived,
    /// As JSON, schema or ids: where it goes [default: stdout]
    #[arg(long, value_name = "FILE", conflicts_with = "fuzz")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct ExportForm {
    /// As seeds for a fuzzer: a file a packet into this folder, and a dictionary beside it
    #[arg(long, value_name = "DIR")]
    fuzz: Option<PathBuf>,
    /// As one JSON file, for a test runner of your own
    #[arg(long)]
    json: bool,
    /// The JSON Schema of that file
    #[arg(long)]
    schema: bool,
    /// Every case and a digest of what it asks, as corpus/released.txt has them
    #[arg(long)]
    ids: bool,
}

#[derive(Debug, Args)]
struct CertifyArgs {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Only this dialect; may be given several times [default: all that both sides know]
    #[arg(long, value_name = "NAME")]
    dialect: Vec<String>,
    /// Where results.jsonl and certificate.json go [default: reports/runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct VerifyArgs {
    /// A certificate.json
    certificate: PathBuf,
    /// Its results.jsonl [default: beside it]
    results: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct GateArgs {
    /// The results.jsonl of before
    base: PathBuf,
    /// The results.jsonl of now
    head: PathBuf,
    /// Cases of the corpus up to this version count, also those that the baseline does not have
    #[arg(long, value_name = "VERSION")]
    corpus_version: Option<String>,
    /// Whatever changed fails, so that the baseline is kept up to date
    #[arg(long)]
    strict: bool,
    /// In which form
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    format: GateFormat,
    /// Where it goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// For a terminal
    Text,
    /// For a step's summary or a comment
    Markdown,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// A results.jsonl
    results: PathBuf,
    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Where it goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// As text: show every finding in full
    #[arg(long)]
    full: bool,
    /// As badge: of this dialect
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
}

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// One self-contained page
    Html,
    /// JUnit XML, for GitLab, Jenkins and others
    Junit,
    /// A summary of at most 1 MiB, for a step's summary or a comment
    Markdown,
    /// A badge for shields.io; of several dialects, --out is a folder
    Badge,
    /// CTRF JSON
    Ctrf,
    /// TAP 14
    Tap,
    /// SARIF 2.1.0
    Sarif,
    /// Workflow commands of GitHub, at most ten
    Annotations,
}

#[derive(Debug, Args)]
struct ServeArgs {
    #[command(flatten)]
    reading: ReadingArgs,
    /// Answer each request with the bytes that came with it: what is left is what the runner costs
    #[arg(long, hide = true)]
    echo: bool,
}

#[derive(Debug, Args)]
struct BenchArgs {
    /// Only count instructions, with valgrind, and compare with reports/instructions.txt
    #[arg(long)]
    instructions: bool,
    /// Write the counts there
    #[arg(long, requires = "instructions")]
    record: bool,
    /// Only do this work, to count its instructions: print how many values that were
    #[arg(long, hide = true)]
    work: Option<String>,
    /// How often
    #[arg(long, hide = true, default_value_t = 1)]
    times: usize,
}

#[derive(Debug, Clone, Copy, Args)]
struct ReadingArgs {
    /// Whose word counts where document and engine part
    #[arg(long, value_enum, default_value_t = ReadingArg::Engine)]
    reading: ReadingArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReadingArg {
    /// What interoperates
    Engine,
    /// The tables, read literally
    Document,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Derived {
    /// None
    None,
    /// One in eight
    Some,
    /// All
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FramingArg {
    /// Little-endian, as long as nobody asks for another order
    U32le,
    /// Big-endian
    U32be,
}

impl Derived {
    fn get(self) -> Derivation {
        match self {
            Self::None => Derivation::None,
            Self::Some => Derivation::Some,
            Self::All => Derivation::All,
        }
    }
}

impl FramingArg {
    fn get(self) -> Framing {
        match self {
            Self::U32le => Framing::U32Le,
            Self::U32be => Framing::U32Be,
        }
    }
}

impl ReadingArgs {
    fn get(self) -> Reading {
        match self.reading {
            ReadingArg::Engine => Reading::Engine,
            ReadingArg::Document => Reading::Document,
        }
    }
}

/// How the program ends. 2 is also what clap ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    AsExpected = 0,
    NotAsExpected = 1,
    Usage = 2,
    Unusable = 3,
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

impl From<crate::cli::setting::Problem> for Failure {
    fn from(problem: crate::cli::setting::Problem) -> Self {
        Self::usage(problem)
    }
}

/// Parses the command line and obeys it.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Run(args) => run::run(args, &cli.setting),
        Command::Matrix(args) => matrix::matrix(args, &cli.setting),
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
        Command::Bench(args) => bench::bench(args, &cli.setting),
    };
    let exit = result.unwrap_or_else(|Failure(exit, message)| {
        anstream::eprintln!("conform: {message}");
        exit
    });
    ExitCode::from(exit as u8)
}
