//! The arguments of each command.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use clap_complete::Shell;
use variant_adapter::skeleton;
use variant_codec::Framing;
use variant_document::PageFormat;
use variant_specs::Reading;

use super::subject::{MAX_MEMORY, SubjectArgs};

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    /// Only this dialect; may be given several times [default: all that the implementation and the corpus support]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Only tests that match, such as 'godot-3/vector2/*' or '**:encode'
    #[arg(long, value_name = "GLOB")]
    pub(super) only: Option<String>,
    /// Only the cases, without the variants that are derived from them
    #[arg(long)]
    pub(super) quick: bool,
    /// Which source wins where document and engine disagree
    #[arg(long, value_parser = reading(), default_value = "engine")]
    pub(super) reading: Reading,
    /// Add the causes of new failures to findings.yaml, for you to explain
    #[arg(long, conflicts_with_all = ["only", "quick", "dialect", "reading", "record", "baseline"])]
    pub(super) bless: bool,
    /// Write replies to open and readable cases, and packets of canonical values, to corpus/observed/
    #[arg(long, requires = "name", conflicts_with_all = ["only", "reading"])]
    pub(super) record: bool,
    /// Where to write results.jsonl [default: reports/runs/NAME]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Compare with this results.jsonl or folder, like `conform gate`: show and count only changes
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(super) baseline: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Only these, named as in `conform run`; `reference` is the reference codec [default: all in adapters/]
    pub(super) name: Vec<String>,
    /// Where to write matrix.md and matrix.html
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub(super) out: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct FindingsArgs {
    /// Adapters, by name or path [default: all with a findings.yaml]
    pub(super) name: Vec<String>,
    /// Write each page to FINDINGS.md next to its list [default: print it]
    #[arg(long)]
    pub(super) write: bool,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Two or more: `reference`, adapters by name or path, or commands in quotes ('./new-build --adapter')
    #[arg(required = true, value_name = "SIDE")]
    pub(super) sides: Vec<String>,
    /// Another side: a command that speaks the protocol
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
    /// Only this dialect; may be given several times [default: all that every side supports]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// The number of inputs to send
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(super) cases: u64,
    /// The seed for all inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Stop after this many seconds, including shrinking, even if inputs are left
    #[arg(long, value_name = "SECONDS")]
    pub(super) time: Option<f64>,
    /// Write each finding to this folder as a corpus case when it is shrunk
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
    /// Where to write the record, which `conform report` and `gate` read; if several sides are judged, one for each
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// A folder of regressions, one proptest file for each dialect: they are sent first, and new findings are added
    #[arg(long, value_name = "DIR")]
    pub(super) regressions: Option<PathBuf>,
    /// A folder of packets, one per file, such as a fuzzer's corpus: sent and mutated like those of the corpus
    #[arg(long, value_name = "DIR")]
    pub(super) packets: Vec<PathBuf>,
    /// Multiply every timeout by this
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(super) timeout: f64,
    /// Maximum resident memory of an adapter, in MiB
    #[arg(long, value_name = "MIB", default_value_t = MAX_MEMORY)]
    pub(super) max_memory: u64,
}

#[derive(Debug, Args)]
pub(super) struct InteropArgs {
    /// `reference`, adapters by name or path, or commands in quotes [default: reference and all in adapters/]
    #[arg(value_name = "SIDE")]
    pub(super) sides: Vec<String>,
    /// Only this dialect; may be given several times [default: all that any side supports]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Where to write the record, for `conform site --interop`
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Multiply every timeout by this
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(super) timeout: f64,
}

#[derive(Debug, Args)]
pub(super) struct NewAdapterArgs {
    /// The language of the adapter
    #[arg(value_parser = PossibleValuesParser::new(skeleton::languages()))]
    pub(super) language: String,
    /// A new or empty folder; its name becomes the adapter's name
    pub(super) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Show every mutant and the first case that detects it
    #[arg(long)]
    pub(super) full: bool,
}

#[derive(Debug, Args)]
pub(super) struct DocumentArgs {
    /// The dialect
    pub(super) dialect: String,
    /// The format of the page
    #[arg(long, default_value = "markdown", value_parser = choice([
        (PageFormat::Rst, "rst", "reStructuredText with grid tables"),
        (PageFormat::Markdown, "markdown", "Markdown"),
        (PageFormat::Html, "html", "One file that needs no network"),
    ]))]
    pub(super) format: PageFormat,
    /// Where to write it [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct SiteArgs {
    /// The folder to write to; existing files are replaced
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Records of runs (`results.jsonl`); if an implementation has several, the last is shown
    #[arg(long, value_name = "RECORD", num_args = 1..)]
    pub(super) results: Vec<PathBuf>,
    /// A list of implementations that are tested elsewhere, in lines `NAME: https://ADDRESS-OF-ITS-RECORD`
    #[arg(long, value_name = "LIST", requires = "records")]
    pub(super) list: Option<PathBuf>,
    /// With --list: the folder with their records, NAME.jsonl, and the last good ones, NAME.last.jsonl
    #[arg(long, value_name = "DIR", requires = "list")]
    pub(super) records: Option<PathBuf>,
    /// The record of an exchange, written by `conform interop --out`
    #[arg(long, value_name = "FILE")]
    pub(super) interop: Option<PathBuf>,
    /// The explorer's program, built by recipes/build-explorer
    #[arg(long, value_name = "FILE.wasm")]
    pub(super) explorer: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Only tests that match
    #[arg(long, value_name = "GLOB")]
    pub(super) only: Option<String>,
    /// Only cases with a value of this type, like `dictionary` or `Dictionary`
    #[arg(long, value_name = "TYPE")]
    pub(super) r#type: Option<String>,
    /// Only cases with this flag in a header: 1, 2, 4…; with --type, in a header of that type
    #[arg(long, value_name = "FLAG")]
    pub(super) flag: Option<u32>,
    /// Which source wins where document and engine disagree
    #[arg(long, value_parser = reading(), default_value = "engine")]
    pub(super) reading: Reading,
    /// Only the cases, without the variants that are derived from them
    #[arg(long)]
    pub(super) quick: bool,
}

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// Only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = CoverageFormat::Text)]
    pub(super) format: CoverageFormat,
    /// For Markdown and HTML: add the results of this record; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) results: Vec<PathBuf>,
    /// Where to write it [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CoverageFormat {
    /// A table
    Text,
    /// Everything, for programs
    Json,
    /// Tables, with a column for each --results
    Markdown,
    /// One self-contained page
    Html,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    pub(super) input: BytesArgs,
    /// Read it in this dialect, and show that in full; also `godot-4.6` or `4.6` [default: every dialect]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
    /// Skip so many bytes of your own [default: up to 64 are tried if nothing reads]
    #[arg(long, value_name = "BYTES")]
    pub(super) offset: Option<usize>,
    /// Which source wins where document and engine disagree
    #[arg(long, value_parser = reading(), default_value = "engine")]
    pub(super) reading: Reading,
}

/// Bytes that a person has.
#[derive(Debug, Args)]
pub(super) struct BytesArgs {
    /// The bytes: hex, `[5, 0, …]`, `<Buffer 05 00>`, `b'\x05'`, base64, a dump, a file of those or of bytes, or - for stdin
    #[arg(required = true, value_name = "BYTES")]
    pub(super) bytes: Vec<String>,
    /// Whether each packet has its length in front, as written by store_var and put_var [default: what fits]
    #[arg(long, value_parser = choice([
        (Prefix(None), "none", "No length"),
        (Prefix(Some(Framing::U32Le)), Framing::U32Le.name(), "Little-endian, the engine's default"),
        (Prefix(Some(Framing::U32Be)), Framing::U32Be.name(), "Big-endian"),
    ]))]
    pub(super) framing: Option<Prefix>,
}

/// The length in front of each packet, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix(pub(super) Option<Framing>);

#[derive(Debug, Args)]
pub(super) struct DecodeArgs {
    #[command(flatten)]
    pub(super) input: BytesArgs,
    /// The dialect that wrote them; also `godot-4.6` or `4.6` [default: the one that fits best]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct EncodeArgs {
    /// Values as JSON, one a line, as `conform decode` writes them; a file of those; or stdin
    #[arg(value_name = "JSON", default_value = "-")]
    pub(super) values: String,
    /// The dialect to write; also `godot-4.6` or `4.6`
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: String,
    /// Put the length of each packet in front, as store_var and put_var do
    #[arg(long, value_parser = choice([
        (Framing::U32Le, Framing::U32Le.name(), "Little-endian, the engine's default"),
        (Framing::U32Be, Framing::U32Be.name(), "Big-endian"),
    ]))]
    pub(super) framing: Option<Framing>,
    /// Write the bytes to this file [default: hex on stdout, a line for each packet]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) form: ExportForm,
    /// For a fuzzer: add the packets of this file of regressions from proptest or `conform diff`
    #[arg(long, value_name = "FILE", requires = "fuzz")]
    pub(super) regressions: Vec<PathBuf>,
    /// For JSON: only this dialect; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Except for a fuzzer: where to write it [default: stdout]
    #[arg(long, value_name = "FILE", conflicts_with = "fuzz")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct ExportForm {
    /// A seed corpus for a fuzzer: one file per packet in this folder, and a dictionary next to it
    #[arg(long, value_name = "DIR")]
    pub(super) fuzz: Option<PathBuf>,
    /// One JSON file, for your own test runner
    #[arg(long)]
    pub(super) json: bool,
    /// The JSON Schema of that file
    #[arg(long)]
    pub(super) schema: bool,
    /// A Kaitai Struct definition (.ksy) of a dialect: a decoder in eleven languages
    #[arg(long, value_name = "DIALECT")]
    pub(super) kaitai: Option<String>,
    /// A Wireshark dissector for a dialect, in Lua
    #[arg(long, value_name = "DIALECT")]
    pub(super) wireshark: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct CertifyArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    /// Only this dialect; may be given several times [default: all that the implementation and the corpus support]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
    /// Where to write results.jsonl and certificate.json [default: reports/runs/NAME]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// A certificate.json, or its folder
    pub(super) certificate: PathBuf,
    /// Its results.jsonl, or the folder [default: next to the certificate]
    pub(super) results: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct GateArgs {
    /// The older results.jsonl, or its folder
    pub(super) base: PathBuf,
    /// The newer results.jsonl, or its folder
    pub(super) head: PathBuf,
    /// The output format
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    pub(super) format: GateFormat,
    /// Where to write it [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GateFormat {
    /// For a terminal
    Text,
    /// For a step summary or a comment
    Markdown,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// A results.jsonl, or its folder; records of `conform diff` are joined if there are several
    #[arg(required = true, value_name = "RESULTS")]
    pub(super) results: Vec<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(super) format: ReportFormat,
    /// Where to write it [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// For text: show every failure in full
    #[arg(long)]
    pub(super) full: bool,
    /// For text: show this cause, with all of its tests in full
    #[arg(long, value_name = "ID", conflicts_with = "full")]
    pub(super) cause: Option<String>,
    /// For a badge: the dialect
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For a terminal
    Text,
    /// One self-contained page
    Html,
    /// JUnit XML, for GitLab, Jenkins and others
    Junit,
    /// At most 1 MiB, for a step summary or a comment
    Markdown,
    /// A badge for shields.io; --out is a folder if there are several dialects, and may be one otherwise
    Badge,
    /// Workflow commands for GitHub, at most ten
    Annotations,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Which source wins where document and engine disagree
    #[arg(long, value_parser = reading(), default_value = "engine")]
    pub(super) reading: Reading,
    /// Reply to each request with its own bytes, to measure the cost of the runner
    #[arg(long, hide = true)]
    pub(super) echo: bool,
}

fn reading() -> impl TypedValueParser<Value = Reading> {
    let word = |reading: Reading, help| (reading, reading.name(), help);
    choice([word(Reading::Engine, "What engines do"), word(Reading::Document, "The tables, read literally")])
}

/// A parser of a fixed set of words: the value, its word, and its line of help.
fn choice<T: Copy + Send + Sync + 'static, const N: usize>(
    words: [(T, &'static str, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let possible = words.map(|(_, word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(possible).try_map(move |given| {
        words.iter().find(|(_, word, _)| *word == given).map(|(value, ..)| *value).ok_or("not one of the words")
    })
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    pub(super) shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder for conform.1 and a page for each command
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
}
