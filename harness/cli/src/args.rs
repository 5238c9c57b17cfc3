//! What may stand on the command line: one structure a command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use variant_adapter::skeleton;
use variant_codec::Framing;
use variant_corpus::test::Derivation;
use variant_specs::Reading;

use super::subject::{MAX_MEMORY, SubjectArgs};

/// Where things are.
#[derive(Debug, Clone, Args)]
pub(super) struct SettingArgs {
    /// The corpus folder [default: the nearest `corpus`, here or above; else the one that this program carries]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) corpus: Option<PathBuf>,
    /// The folder of adapters [default: the nearest `adapters`, here or above]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) adapters: Option<PathBuf>,
    /// A dialect of your own, in the form of specs/*.yaml; may be given several times
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) spec: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    /// Only this dialect; may be given several times [default: all that both sides know]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Only asks that match, as 'godot-3/vector2/*' or '**:encode'
    #[arg(long, value_name = "GLOB")]
    pub(super) only: Option<String>,
    /// Only the few asks that together notice every mutant of the selftest, in an eye's blink
    #[arg(long, conflicts_with_all = ["only", "derived", "record", "reading"])]
    pub(super) smoke: bool,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Which derived asks are made
    #[arg(long, value_enum, default_value_t = Derived::All)]
    pub(super) derived: Derived,
    /// The list of known findings [default: findings.yaml beside the adapter]
    #[arg(long, value_name = "FILE")]
    pub(super) expect: Option<PathBuf>,
    /// Add what fails and is not known yet to findings.yaml, without a reason; delete rows that no test shows any more
    #[arg(long, conflicts_with_all = ["only", "dialect", "reading", "derived", "resume", "record"])]
    pub(super) bless: bool,
    /// Amber fails the run too; with --baseline, whatever changed
    #[arg(long)]
    pub(super) strict: bool,
    /// Write the answers to open and readable cases to corpus/observed/
    #[arg(long, requires = "name", conflicts_with_all = ["only", "reading"])]
    pub(super) record: bool,
    /// Where results.jsonl goes [default: reports/runs/NAME]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Compare with this results.jsonl, as `conform gate` does: only what changed is shown, and counts
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(super) baseline: Option<PathBuf>,
    /// Cases of the corpus up to this version count, also those that the baseline does not have
    #[arg(long, value_name = "VERSION", requires = "baseline")]
    pub(super) corpus_version: Option<String>,
    /// Go on with the run in this folder, which was interrupted: what is recorded there is not asked again
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    pub(super) resume: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Only these, as `conform run` names them; the reference codec is `reference` [default: all under adapters/]
    pub(super) name: Vec<String>,
    /// Where matrix.md, matrix.html and matrix.json go
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub(super) out: PathBuf,
    /// Where the record of each run goes
    #[arg(long, value_name = "DIR", default_value = "reports/runs")]
    pub(super) runs: PathBuf,
    /// Multiplies every time limit
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(super) timeout: f64,
}

#[derive(Debug, Args)]
pub(super) struct FindingsArgs {
    /// Folders under adapters/ [default: all that have a findings.yaml]
    pub(super) name: Vec<String>,
    /// Write each page to FINDINGS.md beside its list [default: print it]
    #[arg(long)]
    pub(super) write: bool,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Two or more: `reference`, folders under adapters/, or commands in quotes ('./new-build --adapter')
    #[arg(required = true, num_args = 2.., value_name = "SIDE")]
    pub(super) sides: Vec<String>,
    /// Only this dialect; may be given several times [default: all that every side speaks]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// How many questions are asked, over all shards
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(super) cases: u64,
    /// From which all questions follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Only part K of N: the parts together ask what the whole would
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(super) shard: Option<(u64, u64)>,
    /// Ends after so many seconds, however much is left
    #[arg(long, value_name = "SECONDS")]
    pub(super) time: Option<f64>,
    /// Each finding becomes a corpus case in this folder, at once
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
    /// A record of it all; shards are joined by `conform merge`
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// A list of known findings [default: findings.yaml beside each adapter]
    #[arg(long, value_name = "FILE")]
    pub(super) expect: Vec<PathBuf>,
    /// Show explained findings in full too
    #[arg(long)]
    pub(super) explained: bool,
    /// How deep values are nested at most
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(super) depth: usize,
    /// How many values stand in one at most, and how many numbers in a packed array
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(super) size: usize,
    /// How many seconds each finding is shrunk at most
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    pub(super) shrink_time: f64,
    /// Multiplies every time limit
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(super) timeout: f64,
    /// Memory that an adapter may have resident, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MAX_MEMORY)]
    pub(super) max_memory: u64,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The records of all shards, each once, as `conform diff --out` wrote them
    #[arg(required = true, value_name = "FILE")]
    pub(super) records: Vec<PathBuf>,
    /// Where the joined record goes
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

/// `K/N`, K from 1 to N.
pub(super) fn shard(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(shard, of)| Some((shard.parse().ok()?, of.parse().ok()?)));
    parsed.filter(|(shard, of)| (1..=*of).contains(shard)).ok_or_else(|| "K/N, where K goes from 1 to N".to_owned())
}

#[derive(Debug, Args)]
pub(super) struct NewAdapterArgs {
    /// The language it is written in
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(skeleton::languages()))]
    pub(super) language: String,
    /// A folder that is new or empty; its name is the adapter's
    pub(super) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Show every mutant, and the first case that notices it
    #[arg(long)]
    pub(super) full: bool,
    /// Write the asks that `run --smoke` makes to corpus/smoke.txt
    #[arg(long, conflicts_with = "dialect")]
    pub(super) write_smoke: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Only asks that match
    #[arg(long, value_name = "GLOB")]
    pub(super) only: Option<String>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Which derived asks are listed
    #[arg(long, value_enum, default_value_t = Derived::None)]
    pub(super) derived: Derived,
}

#[derive(Debug, Args)]
pub(super) struct IdentifyArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    /// Ask under this name; may be given several times [default: each that it claims]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// In which form
    #[arg(long, value_enum, default_value_t = CoverageFormat::Text)]
    pub(super) format: CoverageFormat,
    /// As Markdown or HTML: how this recorded run does there; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) results: Vec<PathBuf>,
    /// Where it goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CoverageFormat {
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
pub(super) struct ChangesArgs {
    /// A corpus folder, or its released.txt
    pub(super) old: PathBuf,
    /// Another
    pub(super) new: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The packet: hex, a file, or - for stdin
    pub(super) packet: String,
    /// In this dialect [default: every dialect that can read it]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
    /// The packet has its length in front, as store_var and put_var write it
    #[arg(long, value_enum)]
    pub(super) framing: Option<FramingArg>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) form: ExportForm,
    /// As JSON: only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// As JSON: which derived cases are written
    #[arg(long, value_enum, default_value_t = Derived::None)]
    pub(super) derived: Derived,
    /// As JSON, schema or ids: where it goes [default: stdout]
    #[arg(long, value_name = "FILE", conflicts_with = "fuzz")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct ExportForm {
    /// As seeds for a fuzzer: a file a packet into this folder, and a dictionary beside it
    #[arg(long, value_name = "DIR")]
    pub(super) fuzz: Option<PathBuf>,
    /// As one JSON file, for a test runner of your own
    #[arg(long)]
    pub(super) json: bool,
    /// The JSON Schema of that file
    #[arg(long)]
    pub(super) schema: bool,
    /// Every case and a digest of what it asks, as corpus/released.txt has them
    #[arg(long)]
    pub(super) ids: bool,
}

#[derive(Debug, Args)]
pub(super) struct CertifyArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    /// Only this dialect; may be given several times [default: all that both sides know]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Where results.jsonl and certificate.json go [default: reports/runs/NAME]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// A certificate.json
    pub(super) certificate: PathBuf,
    /// Its results.jsonl [default: beside it]
    pub(super) results: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct GateArgs {
    /// The results.jsonl of before
    pub(super) base: PathBuf,
    /// The results.jsonl of now
    pub(super) head: PathBuf,
    /// Cases of the corpus up to this version count, also those that the baseline does not have
    #[arg(long, value_name = "VERSION")]
    pub(super) corpus_version: Option<String>,
    /// Whatever changed fails, so that the baseline is kept up to date
    #[arg(long)]
    pub(super) strict: bool,
    /// In which form
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    pub(super) format: GateFormat,
    /// Where it goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GateFormat {
    /// For a terminal
    Text,
    /// For a step's summary or a comment
    Markdown,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// A results.jsonl
    pub(super) results: PathBuf,
    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Where it goes [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// As text: show every finding in full
    #[arg(long)]
    pub(super) full: bool,
    /// As badge: of this dialect
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
}

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
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
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Answer each request with the bytes that came with it: what is left is what the runner costs
    #[arg(long, hide = true)]
    pub(super) echo: bool,
}

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ReadingArgs {
    /// Whose word counts where document and engine part
    #[arg(long, value_enum, default_value_t = ReadingArg::Engine)]
    pub(super) reading: ReadingArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReadingArg {
    /// What interoperates
    Engine,
    /// The tables, read literally
    Document,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Derived {
    /// None
    None,
    /// One in eight
    Some,
    /// All
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FramingArg {
    /// Little-endian, as long as nobody asks for another order
    U32le,
    /// Big-endian
    U32be,
}

impl Derived {
    pub(super) fn get(self) -> Derivation {
        match self {
            Self::None => Derivation::None,
            Self::Some => Derivation::Some,
            Self::All => Derivation::All,
        }
    }
}

impl FramingArg {
    pub(super) fn get(self) -> Framing {
        match self {
            Self::U32le => Framing::U32Le,
            Self::U32be => Framing::U32Be,
        }
    }
}

impl ReadingArgs {
    pub(super) fn get(self) -> Reading {
        match self.reading {
            ReadingArg::Engine => Reading::Engine,
            ReadingArg::Document => Reading::Document,
        }
    }
}
