//! The arguments of each command. An option that several commands have is declared once, in a struct that they share.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};
use variant_adapter::skeleton;
use variant_codec::Framing;
use variant_corpus::test::Variants;
use variant_report::certificate::Profile;
use variant_specs::{Dialect, JudgedBy, Specs};

use crate::failure::Failure;
use crate::paths;
use crate::subject::{ProgramLimits, SubjectArgs};

#[derive(Debug, Clone, Default, Args)]
pub(super) struct Dialects {
    /// Only this dialect, or that of a version, such as 4.6; may be given several times [default: all that fit]
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Vec<String>,
}

impl Dialects {
    /// The only one that is named; `None` if none is.
    pub(super) fn one<'s>(&self, specs: &'s Specs) -> Result<Option<&'s Dialect>, Failure> {
        match self.dialect.as_slice() {
            [] => Ok(None),
            [name] => paths::dialect(name, specs).map(Some),
            [_, second, ..] => {
                Err(Failure::usage(format!("--dialect {second}: this command is about one dialect; name only one")))
            }
        }
    }
}

/// Who is right where documents and engines disagree.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct AskedJudge {
    /// Who is right where documents and engines disagree
    #[arg(long, value_parser = choice([
        (JudgedBy::Engines, JudgedBy::Engines.name(), "What engines do"),
        (JudgedBy::Documents, JudgedBy::Documents.name(), "The tables, read literally"),
    ]), default_value = "engines")]
    pub(super) judged_by: JudgedBy,
}

#[derive(Debug, Default, Args)]
pub(super) struct Selection {
    #[command(flatten)]
    pub(super) dialects: Dialects,
    /// Only tests that match, such as 'godot-3/vector2/*' or '**:encode'
    #[arg(long, value_name = "GLOB")]
    pub(super) only: Option<String>,
    /// Only the cases, without the variants that are made from them
    #[arg(long)]
    pub(super) quick: bool,
    #[command(flatten)]
    pub(super) asked: AskedJudge,
}

impl Selection {
    /// Which tests `--quick` leaves out.
    pub(super) fn variants(&self) -> Variants {
        if self.quick { Variants::None } else { Variants::All }
    }
}

/// Where a command writes: to a file, unless its help says otherwise.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Out {
    /// Where to write it [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

fn folder_of_results(out: Arg) -> Arg {
    out.value_name("DIR").help("Where to write the results [default: reports/runs/NAME]")
}

fn file_of_record(out: Arg) -> Arg {
    out.help("Where to write the record, for `conform report`, `gate` and `site`")
}

#[derive(Debug, Args)]
pub(super) struct Formatted<F: ValueEnum + Send + Sync + 'static> {
    /// The output format [default: the first]
    #[arg(long, value_enum)]
    format: Option<F>,
    #[command(flatten)]
    out: Out,
}

impl<F: ValueEnum + Send + Sync + 'static> Formatted<F> {
    pub(super) fn format(&self) -> F {
        self.format.clone().unwrap_or_else(|| F::value_variants()[0].clone())
    }

    pub(super) fn out(&self) -> Option<&Path> {
        self.out.out.as_deref()
    }
}

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Extent {
    /// Show every problem, each with its rows; of long values the beginning
    #[arg(long)]
    pub(super) full: bool,
}

#[derive(Debug, Default, Args)]
#[command(mut_arg("out", folder_of_results))]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Add the causes of new failures to findings.yaml, for you to explain; then write its page, FINDINGS.md
    #[arg(long, conflicts_with_all = ["only", "quick", "dialect", "judged_by", "record", "baseline"])]
    pub(super) bless: bool,
    /// Write replies to undecided and readable cases, and packets of canonical values, to corpus/observed/
    #[arg(long, requires = "name", conflicts_with_all = ["only", "judged_by"])]
    pub(super) record: bool,
    /// Compare with this results.jsonl or folder, like `conform gate`: show and count only changes
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(super) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(super) place: Out,
}

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Only these, named as in `conform run`; `reference` is the reference codec [default: all in adapters/]
    pub(super) name: Vec<String>,
    /// Where to write matrix.md, and runs/ with the record of each
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub(super) out: PathBuf,
}

#[derive(Debug, Args)]
#[command(mut_arg("out", file_of_record))]
pub(super) struct DiffArgs {
    /// Two or more: `reference`, adapters by name or path, or commands in quotes ('./new-build --adapter')
    #[arg(required = true, value_name = "SIDE")]
    pub(super) sides: Vec<String>,
    /// Another side: a command that speaks the protocol
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
    #[command(flatten)]
    pub(super) dialects: Dialects,
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
    #[command(flatten)]
    pub(super) record: Out,
    #[command(flatten)]
    pub(super) limits: ProgramLimits,
}

#[derive(Debug, Args)]
#[command(mut_arg("out", file_of_record))]
pub(super) struct InteropArgs {
    /// `reference`, adapters by name or path, or commands in quotes [default: reference and all in adapters/]
    #[arg(value_name = "SIDE")]
    pub(super) sides: Vec<String>,
    /// One more side: a command that speaks the protocol
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
    #[command(flatten)]
    pub(super) dialects: Dialects,
    #[command(flatten)]
    pub(super) record: Out,
    #[command(flatten)]
    pub(super) limits: ProgramLimits,
}

/// The dialects as the specs have them, which are read only if somebody asks for this help.
fn of_new_adapter(command: Command) -> Command {
    let known = Specs::builtin().map(|specs| specs.dialect_titles()).unwrap_or_default();
    let help = format!(
        "The dialect, or a version of an engine such as 4.6: {known} [default: that of --spec, else the newest Godot; godot-3 for gdscript3]"
    );
    command.mut_arg("dialect", |dialect| dialect.help(help))
}

#[derive(Debug, Args)]
#[command(defer(of_new_adapter))]
pub(super) struct NewAdapterArgs {
    #[arg(value_parser = skeleton::language, help = format!("The language of the adapter: {}", skeleton::names()))]
    pub(super) language: &'static str,
    /// A new or empty folder; its name becomes the adapter's name
    pub(super) folder: PathBuf,
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    #[command(flatten)]
    pub(super) dialects: Dialects,
    #[command(flatten)]
    pub(super) extent: Extent,
}

#[derive(Debug, Args)]
pub(super) struct DocumentArgs {
    /// The dialect
    pub(super) dialect: String,
    #[command(flatten)]
    pub(super) written: Formatted<DocumentFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DocumentFormat {
    /// A page in Markdown
    Markdown,
    /// A page in reStructuredText, with grid tables
    Rst,
    /// A Kaitai Struct definition (.ksy): a decoder in eleven languages
    Kaitai,
    /// A Wireshark dissector, in Lua
    Wireshark,
}

#[derive(Debug, Args)]
pub(super) struct SiteArgs {
    /// The folder to write to; existing files are replaced
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Records of runs (`results.jsonl`), or their folders
    #[arg(long, value_name = "RECORD", num_args = 1..)]
    pub(super) results: Vec<PathBuf>,
    /// The record of an exchange, written by `conform interop --out`
    #[arg(long, value_name = "FILE")]
    pub(super) interop: Option<PathBuf>,
    /// The explorer's program, built by recipes/build-explorer
    #[arg(long, value_name = "FILE.wasm")]
    pub(super) explorer: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Only cases with a value of this type, like `dictionary` or `Dictionary`, without their variants
    #[arg(long, value_name = "TYPE")]
    pub(super) r#type: Option<String>,
    /// Only cases with a header whose flags are this, as in `flags & 12 is 4`: 1, 2, 4…; with --type, a header of that type
    #[arg(long, value_name = "N")]
    pub(super) flag: Option<u32>,
}

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    #[command(flatten)]
    pub(super) dialects: Dialects,
    #[command(flatten)]
    pub(super) written: Formatted<CoverageFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CoverageFormat {
    /// Tables
    Markdown,
    /// Everything, for programs
    Json,
}

#[derive(Debug, Args)]
#[command(mut_arg("dialect", |dialect| dialect.help("The dialect that is meant, or that of a version, such as 4.6: in full, and alone if it reads the bytes")))]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    pub(super) input: BytesArgs,
    #[command(flatten)]
    pub(super) dialects: Dialects,
    /// Skip so many bytes of your own [default: up to 64 are tried if nothing reads]
    #[arg(long, value_name = "BYTES")]
    pub(super) offset: Option<usize>,
    /// Show what this implementation makes of them; may be given several times; `all`: every one that is installed
    #[arg(long, value_name = "NAME")]
    pub(super) ask: Vec<String>,
    #[command(flatten)]
    pub(super) asked: AskedJudge,
}

/// Bytes that a person has.
#[derive(Debug, Args)]
pub(super) struct BytesArgs {
    /// The bytes: hex, `[5, 0, …]`, `<Buffer 05 00>`, `b'\x05'`, base64, a dump, a file of those or of bytes, or - for stdin
    #[arg(default_value = "-", value_name = "BYTES")]
    pub(super) bytes: Vec<String>,
    #[command(flatten)]
    pub(super) prefix: PrefixArg,
}

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct PrefixArg {
    /// The length in front of each packet, which store_var and put_var write [default: what fits, or to write: none]
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
    #[command(flatten)]
    pub(super) dialects: Dialects,
}

#[derive(Debug, Args)]
pub(super) struct EncodeArgs {
    /// Values as JSON, one a line, as `conform decode` writes them; a file of those; or stdin
    #[arg(value_name = "JSON", default_value = "-")]
    pub(super) values: String,
    #[command(flatten)]
    pub(super) dialects: Dialects,
    #[command(flatten)]
    pub(super) prefix: PrefixArg,
    #[command(flatten)]
    pub(super) out: Out,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub(super) dialects: Dialects,
    #[command(flatten)]
    pub(super) written: Formatted<ExportFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// One JSON file, for your own test runner
    Json,
    /// The JSON Schema of that file
    Schema,
    /// A seed corpus for a fuzzer: one file per packet in the folder --out, and a dictionary next to it
    Seeds,
}

#[derive(Debug, Args)]
#[command(mut_arg("out", folder_of_results))]
pub(super) struct CertifyArgs {
    #[command(flatten)]
    pub(super) subject: SubjectArgs,
    /// What the implementation is used for
    #[arg(long, value_parser = choice(Profile::ALL.map(|profile| (profile, profile.name(), profile.means()))), default_value = "engine")]
    pub(super) profile: Profile,
    #[command(flatten)]
    pub(super) dialects: Dialects,
    #[command(flatten)]
    pub(super) place: Out,
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
    #[command(flatten)]
    pub(super) written: Formatted<GateFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GateFormat {
    /// For a terminal
    Text,
    /// For a step summary or a comment
    Markdown,
}

#[derive(Debug, Args)]
#[command(mut_arg("dialect", |dialect| dialect.help("For a badge: only this dialect, or that of a version, such as 4.6; may be given several times")))]
pub(super) struct ReportArgs {
    /// A results.jsonl, or its folder; records of `conform diff` are joined if there are several
    #[arg(required = true, value_name = "RECORD")]
    pub(super) results: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) written: Formatted<ReportFormat>,
    #[command(flatten)]
    pub(super) extent: Extent,
    /// For text: show this cause, with all of its tests in full
    #[arg(long, value_name = "ID", conflicts_with = "full")]
    pub(super) cause: Option<String>,
    #[command(flatten)]
    pub(super) dialects: Dialects,
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
    /// The numbers, as lines name=value, for the outputs of a workflow's step
    Outputs,
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
