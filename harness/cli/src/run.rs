//! `conform run`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use variant_corpus::findings::{Findings, Tracker};
use variant_corpus::observed::Observed;
use variant_corpus::test::Derivation;
use variant_corpus::{Corpus, Smoke};
use variant_report::text::{Extent, render};
use variant_runner::record::RunRecord;
use variant_runner::run::{Run, RunError, Totals};
use variant_runner::summary::Summary;
use variant_wire::glob::TestGlob;
use variant_wire::handshake::Handshake;

use variant_specs::{Reading, Specs};

use super::folder::Folder;
use super::gate::Baseline;
use super::subject::Subject;
use super::{Exit, Failure, RunArgs, SettingArgs, bless, progress, report, setting, signals};

pub(super) fn run(args: &RunArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let wanted = setting::dialects(&args.dialect, &specs, args.reading.get())?;
    let only =
        args.only.as_deref().map(TestGlob::new).transpose().map_err(|error| Failure::usage(error.to_string()))?;
    let asked = if args.dialect.is_empty() { &[] } else { wanted.as_slice() };
    let mut subject = Subject::new(&args.subject, setting_args, &specs, args.reading.get(), asked)?;
    let handshake = subject.implementation.handshake().clone();
    refuse_unknown_layouts(&handshake, &specs)?;
    let place = place(args, &subject.folder);
    refuse_two_places(args)?;
    let (folder, resume) = match args.resume {
        Some(_) => Folder::resumed(place.clone()).map(|(folder, resume)| (folder, Some(resume)))?,
        None => (Folder::new(place.clone()), None),
    };
    let run = Run {
        specs: &specs,
        corpus: &corpus,
        dialects: spoken(&wanted, &handshake, !args.dialect.is_empty())?,
        reading: args.reading.get(),
        only,
        smoke: args.smoke.then(|| smoke(&corpus)).transpose()?,
        derivation: if args.smoke { Derivation::None } else { args.derived.get() },
        recording: args.record,
        implementation: subject.shown.clone(),
        options: repeated_options(setting_args, args),
        resume,
        interrupt: signals::interrupt(),
    };
    let list = args.expect.as_ref().or(subject.findings.as_ref()).cloned();
    let mut findings = findings(args, list.as_deref(), &handshake.version)?;
    let read = |file| Baseline::read(file, args.corpus_version.as_ref(), &folder.record());
    let baseline = args.baseline.as_deref().map(read).transpose()?;
    if let Some(baseline) = &baseline {
        baseline.check(&run.planned(&handshake)?)?;
    }
    let totals = record(&run, &mut subject, &mut findings, &folder)?;
    let recorded = report::read(folder.part())?;
    let compared = tell(&recorded, &folder, baseline, args.strict)?;
    if args.record {
        write_observed(&recorded, &handshake, setting_args)?;
    }
    if let Some(list) = list.as_deref().filter(|_| args.bless) {
        return bless::bless(&findings, totals, list);
    }
    if signals::interrupt().is_set() {
        anstream::eprintln!("interrupted; go on with the same command and --resume {}", place.display());
    }
    Ok(match (status(totals, args.strict), compared) {
        (Exit::AsExpected | Exit::NotAsExpected, Some((_, gate))) => gate,
        (exit, _) => exit,
    })
}

/// Puts the record in its place, with its page, and tells what came of it: all of it, or what changed from a baseline;
/// whether anything did, and what that comes to.
fn tell(
    recorded: &RunRecord,
    folder: &Folder,
    baseline: Option<Baseline>,
    strict: bool,
) -> Result<Option<(bool, Exit)>, Failure> {
    let summary = Summary::of(recorded);
    folder.replace(Some(&report::page(recorded, &summary, true)?))?;
    let compared = baseline.map(|baseline| baseline.judge(recorded, strict)).transpose()?;
    if compared.is_none() {
        show(&render(&summary, Extent::default()))?;
    }
    // Where nothing changed there is nothing to say.
    if !matches!(compared, Some((false, Exit::AsExpected))) {
        anstream::eprintln!("recorded in {}; the page is {}", folder.record().display(), folder.page().display());
    }
    Ok(compared)
}

/// The folder of a run's record.
pub(super) fn place(args: &RunArgs, subject: &str) -> PathBuf {
    args.resume.as_ref().or(args.out.as_ref()).cloned().unwrap_or_else(|| {
        // A look at a few cases does not take the place of the whole record.
        let part = if args.only.is_some() || args.smoke { "-only" } else { "" };
        Path::new("reports/runs").join(format!("{subject}{part}"))
    })
}

/// The same command goes on with `--resume` behind it; but a run does not move.
fn refuse_two_places(args: &RunArgs) -> Result<(), Failure> {
    let (Some(out), Some(resume)) = (&args.out, &args.resume) else { return Ok(()) };
    let same = match (out.canonicalize(), resume.canonicalize()) {
        (Ok(out), Ok(resume)) => out == resume,
        (Ok(_) | Err(_), _) => out == resume,
    };
    if same {
        return Ok(());
    }
    let (out, resume) = (out.display(), resume.display());
    Err(Failure::usage(format!(
        "--out {out} and --resume {resume} are two folders, and a run goes on in its own; leave --out away"
    )))
}

/// The list of known findings.
fn findings(args: &RunArgs, list: Option<&Path>, version: &str) -> Result<Tracker, Failure> {
    // They are what engines and libraries do, judged by what interoperates.
    match list.filter(|_| args.reading.get() == Reading::Engine) {
        None if args.bless => Err(Failure::usage(
            "--bless: the reference codec has no list, and a command has one only with --expect FILE",
        )),
        Some(path) if args.bless => Ok(Tracker::new(Findings::draft(path)?, version).remembering()),
        Some(path) if args.expect.is_some() || path.is_file() => Ok(Tracker::new(Findings::load(path)?, version)),
        Some(_) | None => Ok(Tracker::default()),
    }
}

/// The asks of `smoke.txt`.
fn smoke(corpus: &Corpus) -> Result<Smoke, Failure> {
    let smoke = Smoke::parse(&corpus.smoke);
    let missing = || Failure::usage("this corpus has no smoke.txt; `conform selftest --write-smoke` writes it");
    Some(smoke).filter(|smoke| !smoke.is_empty()).ok_or_else(missing)
}

/// A layout that hello claims and nobody knows is a slip, and would silently not be asked.
pub(super) fn refuse_unknown_layouts(handshake: &Handshake, specs: &Specs) -> Result<(), Failure> {
    let known = |name: &str| specs.dialects.iter().any(|dialect| dialect.layouts.id_of(name).is_some());
    let Some(unknown) = handshake.claimed().into_iter().find(|name| !known(name)) else { return Ok(()) };
    let layouts: Vec<&str> = specs.layouts.iter().map(|(_, layout)| layout.name.as_str()).collect();
    Err(Failure(
        Exit::ImplementationError,
        format!("its hello claims {unknown:?} in `types`; layouts are {}", layouts.join(", ")),
    ))
}

/// The wanted dialects that the implementation speaks.
pub(super) fn spoken(wanted: &[String], handshake: &Handshake, named: bool) -> Result<Vec<String>, Failure> {
    let spoken: Vec<String> = wanted.iter().filter(|name| handshake.dialects.contains(name)).cloned().collect();
    let all = spoken.len() == wanted.len();
    if spoken.is_empty() || named && !all {
        return Err(Failure(
            Exit::ImplementationError,
            format!(
                "it speaks {}, and the run is about {}; name one of its own with --dialect",
                handshake.dialects.join(", "),
                wanted.join(", ")
            ),
        ));
    }
    Ok(spoken)
}

/// Runs, and records in a folder; what stood there before stays until it is replaced.
pub(super) fn record(
    run: &Run<'_>,
    subject: &mut Subject,
    findings: &mut Tracker,
    folder: &Folder,
) -> Result<Totals, Failure> {
    let file = BufWriter::new(folder.create()?);
    let bar = progress::bar("{bar:40} {human_pos}/{human_len} asks, {eta} left");
    let progress = |done: usize, total: usize| {
        if let (Ok(done), Ok(total)) = (u64::try_from(done), u64::try_from(total)) {
            bar.set_length(total);
            bar.set_position(done);
        }
    };
    let totals = run.run(subject.implementation.as_mut(), findings, file, &progress);
    bar.finish_and_clear();
    totals.map_err(|error| {
        let file = matches!(error, RunError::Record(_)).then(|| format!("{}: ", folder.part().display()));
        let Failure(exit, why) = error.into();
        Failure(exit, file.unwrap_or_default() + &why)
    })
}

/// Prints a report. A reader that goes away has seen enough.
pub(super) fn show(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure(Exit::Incomplete, format!("the report cannot be printed: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes what a recorded run observed beside the cases.
fn write_observed(recorded: &RunRecord, handshake: &Handshake, setting_args: &SettingArgs) -> Result<(), Failure> {
    let folder = setting::corpus_folder(setting_args)
        .ok_or_else(|| Failure::usage("there is no corpus folder here or above to record in; name it with --corpus"))?;
    let mut observed = Observed::of(handshake);
    for verdict in &recorded.verdicts {
        if let Some(answer) = &verdict.answer {
            observed.add(&verdict.test, answer);
        }
    }
    anstream::eprintln!("{}", observed.write(&folder)?.display());
    Ok(())
}

fn status(totals: Totals, strict: bool) -> Exit {
    if totals.executed == 0 && !signals::interrupt().is_set() {
        Exit::NothingRan
    } else if !totals.complete {
        Exit::Incomplete
    } else if totals.red > 0 || totals.stale > 0 || strict && totals.amber > 0 {
        Exit::NotAsExpected
    } else {
        Exit::AsExpected
    }
}

/// The options that a command must have to ask the same again.
fn repeated_options(setting: &SettingArgs, args: &RunArgs) -> String {
    setting::repeated(setting) + &args.subject.options().collect::<String>()
}
