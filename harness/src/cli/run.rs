//! `conform run`.

use std::fs::File;
use std::io::{BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use variant_conformance::adapter::Adapter;
use variant_conformance::expectations::Expectations;
use variant_conformance::external::{Command, External, Limits, Transport};
use variant_conformance::glob::AskGlob;
use variant_conformance::hello::Hello;
use variant_conformance::implementation::Implementation;
use variant_conformance::observed::Observed;
use variant_conformance::reference::Reference;
use variant_conformance::report::recorded::Recorded;
use variant_conformance::report::summary::Summary;
use variant_conformance::report::text::{Extent, render};
use variant_conformance::run::{Outcomes, Run, RunError};
use variant_specs::Specs;

use super::output::{NewFolder, write_file};
use super::{Exit, Failure, RunArgs, SettingArgs, Via, report, setting};

/// The record of a run, in its folder.
pub(super) const RESULTS: &str = "results.jsonl";
/// The page beside it.
const PAGE: &str = "report.html";

pub(super) fn run(args: &RunArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let wanted = setting::dialects(&args.dialect, &specs, args.reading.get())?;
    let only = args.only.as_deref().map(AskGlob::new).transpose().map_err(Failure::usage)?;
    if !(args.timeout.is_finite() && args.timeout > 0.0) {
        return Err(Failure::usage(format!("--timeout {}: a factor above 0", args.timeout)));
    }
    let mut subject = Subject::new(args, setting_args, &specs)?;
    let hello = subject.implementation.hello().clone();
    refuse_unknown_layouts(&hello, &specs)?;
    let run = Run {
        specs: &specs,
        corpus: &corpus,
        dialects: spoken(&wanted, &hello, !args.dialect.is_empty())?,
        reading: args.reading.get(),
        only,
        derivation: args.derived.get(),
        recording: args.record,
        implementation: subject.shown.clone(),
        options: repeated_options(setting_args, args),
    };
    let expectations = match &subject.expected_failures {
        // They are what engines and libraries do, judged by what interoperates.
        Some(path) if run.reading == variant_specs::Reading::Engine => Expectations::load(path, &hello.version)?,
        Some(_) | None => Expectations::default(),
    };
    let place = args.out.clone().unwrap_or_else(|| {
        // A look at a few cases does not take the place of the whole record.
        let part = if args.only.is_some() { "-only" } else { "" };
        Path::new("reports/runs").join(format!("{}{part}", subject.folder))
    });
    let folder = NewFolder::begin(&place)?;
    let outcomes = record(&run, &mut subject, expectations, &folder.file(RESULTS))?;
    let recorded = report::read(&folder.file(RESULTS))?;
    let summary = Summary::of(&recorded);
    anstream::print!("{}", render(&summary, Extent::default()));
    write_file(&folder.file(PAGE), report::page(&recorded, &summary, true)?.as_bytes())?;
    folder.finish()?;
    anstream::eprintln!("recorded in {}; the page is {}", place.join(RESULTS).display(), place.join(PAGE).display());
    if args.record {
        let observed = observe(&recorded, &hello).write(&setting::corpus_folder(setting_args)?)?;
        anstream::eprintln!("{}", observed.display());
    }
    Ok(status(outcomes, args.strict))
}

/// What is under test, and what belongs to it.
struct Subject {
    implementation: Box<dyn Implementation>,
    /// How the command line names it.
    shown: String,
    /// The folder of its results.
    folder: String,
    expected_failures: Option<PathBuf>,
}

impl Subject {
    fn new(args: &RunArgs, setting_args: &SettingArgs, specs: &Specs) -> Result<Self, Failure> {
        let limits = Limits::default().scaled(args.timeout);
        let start = |command: Command, limits: Limits| -> Result<Box<dyn Implementation>, Failure> {
            let external = External::start(command, Arc::clone(&specs.layouts), limits);
            external
                .map(|external| Box::new(external) as Box<dyn Implementation>)
                .map_err(|error| Failure(Exit::Unusable, error.to_string()))
        };
        if let Some(name) = &args.name {
            let adapter = Adapter::load(&setting::adapters(setting_args)?, name)?;
            let listed = adapter.folder.join("expected-failures.yaml");
            let implementation = start(adapter.command(), adapter.limits(limits))?;
            let expected_failures = args.expect.clone().or_else(|| listed.is_file().then_some(listed));
            return Ok(Self { implementation, shown: name.clone(), folder: name.clone(), expected_failures });
        }
        if args.command.is_empty() {
            let implementation = Box::new(Reference::new(specs, args.reading.get()));
            return Ok(Self {
                implementation,
                shown: String::new(),
                folder: "reference".to_owned(),
                expected_failures: args.expect.clone(),
            });
        }
        let mut command = Command::new(&args.command);
        command.transport = match args.transport {
            Via::Stdio => Transport::Stdio,
            Via::Tcp => Transport::Tcp,
            Via::OneShot => {
                return Err(Failure::usage("--transport one-shot is not there yet; write an adapter that loops"));
            }
        };
        let implementation = start(command, limits)?;
        let shown = format!("-- {}", args.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
        Ok(Self { implementation, shown, folder: "command".to_owned(), expected_failures: args.expect.clone() })
    }
}

/// A layout that hello claims and nobody knows is a slip, and would silently not be asked.
fn refuse_unknown_layouts(hello: &Hello, specs: &Specs) -> Result<(), Failure> {
    let known = |name: &str| specs.dialects.iter().any(|dialect| dialect.layouts.id_of(name).is_some());
    let Some(unknown) = hello.claimed().into_iter().find(|name| !known(name)) else { return Ok(()) };
    let layouts: Vec<&str> = specs.layouts.iter().map(|(_, layout)| layout.name.as_str()).collect();
    Err(Failure(Exit::Unusable, format!("its hello claims {unknown:?} in `types`; layouts are {}", layouts.join(", "))))
}

/// The wanted dialects that the implementation speaks.
fn spoken(wanted: &[String], hello: &Hello, named: bool) -> Result<Vec<String>, Failure> {
    let spoken: Vec<String> = wanted.iter().filter(|name| hello.dialects.contains(name)).cloned().collect();
    let all = spoken.len() == wanted.len();
    if spoken.is_empty() || named && !all {
        return Err(Failure(
            Exit::Unusable,
            format!(
                "it speaks {}, and the run is about {}; name one of its own with --dialect",
                hello.dialects.join(", "),
                wanted.join(", ")
            ),
        ));
    }
    Ok(spoken)
}

fn record(run: &Run<'_>, subject: &mut Subject, expectations: Expectations, path: &Path) -> Result<Outcomes, Failure> {
    let unwritable = |error: std::io::Error| Failure::usage(format!("{}: cannot be written: {error}", path.display()));
    let file = BufWriter::new(File::create(path).map_err(unwritable)?);
    let bar = progress_bar();
    let progress = |done: usize, total: usize| {
        if let (Ok(done), Ok(total)) = (u64::try_from(done), u64::try_from(total)) {
            bar.set_length(total);
            bar.set_position(done);
        }
    };
    let outcomes = run.run(subject.implementation.as_mut(), expectations, file, &progress);
    bar.finish_and_clear();
    outcomes.map_err(|error| match error {
        RunError::Problem(problem) => problem.into(),
        RunError::Unusable(unusable) => Failure(Exit::Unusable, unusable.to_string()),
        RunError::Nothing(sentence) => Failure(Exit::NothingRan, sentence),
        RunError::Record(error) => unwritable(error),
    })
}

fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::no_length();
    match ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} asks, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// What a recorded run observed.
fn observe(recorded: &Recorded, hello: &Hello) -> Observed {
    let mut observed = Observed::of(hello);
    recorded.verdicts.iter().for_each(|verdict| observed.add(verdict));
    observed
}

fn status(outcomes: Outcomes, strict: bool) -> Exit {
    if outcomes.executed == 0 {
        Exit::NothingRan
    } else if outcomes.not_run > 0 {
        Exit::Incomplete
    } else if outcomes.red > 0 || outcomes.stale > 0 || strict && outcomes.amber > 0 {
        Exit::NotAsExpected
    } else {
        Exit::AsExpected
    }
}

/// The options that a command must have to ask the same again.
fn repeated_options(setting: &SettingArgs, args: &RunArgs) -> String {
    let path = |name: &str, path: &PathBuf| format!(" --{name} {}", quoted(&path.display().to_string()));
    let specs = setting.spec.iter().map(|spec| path("spec", spec));
    let corpus = setting.corpus.iter().map(|folder| path("corpus", folder));
    let adapters = setting.adapters.iter().map(|folder| path("adapters", folder));
    let transport = (args.transport == Via::Tcp).then(|| " --transport tcp".to_owned());
    specs.chain(corpus).chain(adapters).chain(transport).collect()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain =
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
