//! `conform run`.

use std::path::{Path, PathBuf};

use variant_adapter::folder::Adapter;
use variant_corpus::Corpus;
use variant_corpus::findings::{self, Findings};
use variant_corpus::observed::Observed;
use variant_corpus::test::case_parts;
use variant_report::repeat::quoted;
use variant_report::text::{Extent, render};
use variant_runner::interop::Exchange;
use variant_runner::record::RunRecord;
use variant_runner::results::FindingRecord;
use variant_runner::run::{Planned, Run, RunError, claims_nothing};
use variant_runner::summary::Summary;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::glob::TestGlob;
use variant_values::handshake::Handshake;
use variant_values::implementation::Implementation;
use variant_values::reference::NAME as REFERENCE;
use variant_values::sanitize::counted;

use crate::args::RunArgs;
use crate::failure::{Exit, Failure};
use crate::gate::Baseline;
use crate::paths::{self, Paths};
use crate::records::{RESULTS, RUNS, explain, other_corpus};
use crate::run_dir::RunDir;
use crate::subject::{Program, held, known_findings, start};
use crate::terminal::{self, note, show, warn};
use crate::{bless, demo, quoted_line};

pub(super) fn run(args: &RunArgs, paths: &Paths) -> Result<Exit, Failure> {
    let exit = shown(args, paths)?;
    let is_whole = args.baseline.is_none() && args.selection.only.is_none() && exit == Exit::AsExpected;
    if is_whole
        && paths.spec.is_empty()
        && !demo::is_meant(args.subject.name.as_deref(), paths)
        && let Some(program) = Program::new(&args.subject, paths)?
    {
        note(format!(
            "next: `conform certify` instead of `conform run` makes a certificate; with `--baseline {}`, a run in CI fails if something gets worse",
            quoted(&place(args, &program.folder).join(RESULTS).display().to_string())
        ));
    }
    Ok(exit)
}

/// Runs the tests, records them, and shows what came of it.
pub(super) fn shown(args: &RunArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let is_demo = demo::is_meant(args.subject.name.as_deref(), paths);
    let program = if is_demo { None } else { Program::new(&args.subject, paths)? };
    if args.record && program.is_none() {
        return Err(Failure::usage("--record is for engines; replies of the reference codec are not evidence"));
    }
    let built_in = if is_demo { demo::NAME } else { REFERENCE };
    let folder = RunDir::new(place(args, program.as_ref().map_or(built_in, |program| &program.folder)))?;
    let Prepared { mut implementation, list, run } = prepare(args, program.as_ref(), paths, &specs, &corpus)?;
    let read = |file| Baseline::of_run(file, &folder.record(), &specs, &corpus);
    let baseline = args.baseline.as_deref().map(read).transpose()?;
    let handshake = implementation.handshake().clone();
    let planned = run.planned(&handshake)?;
    if let Some(baseline) = &baseline {
        baseline.check(&planned.plan)?;
    }
    let recorded = record(&run, planned, implementation.as_mut(), &folder)?;
    let carried = paths.carried(&specs)?;
    if let Some(other) = other_corpus(&recorded, &carried) {
        note(other);
    }
    // A corpus of your own has its own version, and its own cases.
    let is_ours = corpus.version == carried.version;
    let dialects = run.dialects.iter().filter_map(|name| specs.dialect(name)).filter(|_| is_ours);
    let lacks: Vec<String> = dialects.flat_map(|dialect| corpus.lacks(&carried, dialect)).collect();
    if let Some(first) = lacks.first() {
        warn(format!(
            "incomplete: {} here lacks {} that this conform has, such as {first}: bring them back, or build conform again",
            corpus.folder,
            counted(lacks.len(), "case")
        ));
    }
    let exit = if lacks.is_empty() { status(&recorded) } else { Exit::Incomplete };
    let is_shown = !terminal::is_quiet() || exit != Exit::AsExpected;
    let compared = publish(&recorded, &folder, &list, baseline, is_shown)?;
    if args.record {
        write_observed(&recorded, implementation.as_mut(), &run)?;
    }
    if let Some(adapter) = program.as_ref().and_then(|program| program.adapter.as_ref()).filter(|_| args.bless) {
        return bless::bless(&recorded, &list, &adapter.findings().join(findings::FILE));
    }
    if recorded.end.executed > 0 && recorded.decides_nothing() {
        warn("nothing was decided: no source says what is right in these tests");
    }
    if claims_nothing(&recorded) {
        warn("no required test ran: the handshake supports no type that was asked for");
    }
    Ok(match (exit, compared) {
        (Exit::AsExpected | Exit::NotAsExpected, Some((_, gate))) => gate,
        (exit, _) => exit,
    })
}

/// A run before its first request.
pub(super) struct Prepared<'a> {
    pub(super) implementation: Box<dyn Implementation + Send>,
    /// What is known about it.
    pub(super) list: Findings,
    pub(super) run: Run<'a>,
}

/// Starts what the arguments name, and finds out what of what is asked it speaks.
pub(super) fn prepare<'a>(
    args: &RunArgs,
    program: Option<&Program>,
    paths: &Paths,
    specs: &'a Specs,
    corpus: &'a Corpus,
) -> Result<Prepared<'a>, Failure> {
    let selection = &args.selection;
    let wanted = paths::dialects(&selection.dialects.dialect, specs, selection.asked.judged_by)?;
    let only = selection.only.as_deref().map(TestGlob::new).transpose().map_err(Failure::usage)?;
    // What is wrong with the list is said before an engine is started.
    let adapter = program.and_then(|program| program.adapter.as_ref());
    let list = findings(args, adapter)?;
    let is_demo = demo::is_meant(args.subject.name.as_deref(), paths);
    let implementation = match program {
        None if is_demo => Box::new(demo::codec(specs)?),
        program => start(program, specs, selection.asked.judged_by)?,
    };
    let shown = match program {
        Some(program) => &program.shown,
        None if is_demo => demo::NAME,
        None => "",
    };
    let handshake = implementation.handshake();
    refuse_unknown(handshake, specs)?;
    name_unknown_dialects(handshake, specs);
    // What it speaks is tested, even if that is double precision alone.
    let wanted = match selection.dialects.dialect.as_slice() {
        [] if !wanted.iter().any(|dialect| handshake.dialects.contains(&dialect.name)) => specs.all().collect(),
        _ => wanted,
    };
    let is_named = !selection.dialects.dialect.is_empty();
    let said = |failure| said_where(failure, handshake, program);
    let spoken = spoken(&wanted, handshake, is_named).map_err(said)?;
    let run = Run {
        judged_by: selection.asked.judged_by,
        only,
        variants: selection.variants(),
        recording: args.record,
        implementation: shown.to_owned(),
        options: paths.options(),
        known: FindingRecord::held(&list),
        interrupt: terminal::interrupt(),
        ..Run::new(specs, corpus, spoken)
    };
    Ok(Prepared { implementation, list, run })
}

/// Puts the record in its place, with its page. Without a baseline, prints all results, unless it is quiet. With one, prints what changed,
/// and returns whether anything did and the exit status.
fn publish(
    recorded: &RunRecord,
    folder: &RunDir,
    list: &Findings,
    baseline: Option<Baseline>,
    is_shown: bool,
) -> Result<Option<(bool, Exit)>, Failure> {
    let summary = Summary::of(recorded);
    let place = folder.publish(recorded, list)?;
    let compared = baseline.map(|baseline| baseline.judge(recorded)).transpose()?;
    if compared.is_none() && is_shown {
        let record = place.display().to_string();
        show(&render(&summary, Extent { width: terminal::width(), record: Some(&record), ..Extent::default() }))?;
    }
    if place != folder.record() {
        let (old, place) = (folder.record(), place.display());
        warn(format!("{}: is the last complete run; this incomplete one is recorded in {place}", old.display()));
    } else if !matches!(compared, Some((false, Exit::AsExpected))) {
        // Where nothing changed there is nothing to show.
        note(format!("recorded in {}; the page is {}", place.display(), folder.page().display()));
    }
    Ok(compared)
}

/// The folder of a new run's record.
pub(super) fn place(args: &RunArgs, subject: &str) -> PathBuf {
    args.place.out.clone().unwrap_or_else(|| {
        // A run of a few cases does not replace the record of all.
        let part = if args.selection.only.is_some() { "-only" } else { "" };
        Path::new(RUNS).join(format!("{subject}{part}"))
    })
}

fn findings(args: &RunArgs, adapter: Option<&Adapter>) -> Result<Findings, Failure> {
    // Lists of known findings hold by the judgement of engines only.
    let Some(adapter) = adapter.filter(|_| args.selection.asked.judged_by == JudgedBy::Engines) else {
        let why = "--bless: the reference codec has no list, and neither has a command: only adapters have one";
        return if args.bless { Err(Failure::usage(why)) } else { Ok(Findings::default()) };
    };
    if args.bless {
        Ok(held(Findings::draft(&adapter.findings().join(findings::FILE))?, adapter))
    } else {
        known_findings(adapter)
    }
}

/// Fails if the handshake claims an unknown layout, or no dialect that is known.
fn refuse_unknown(handshake: &Handshake, specs: &Specs) -> Result<(), Failure> {
    let unknown = handshake.unknown_dialects(specs).or_else(|| handshake.unknown_layout(specs));
    unknown.map_or(Ok(()), |unknown| Err(Failure::implementation(unknown)))
}

/// Names the dialects of the handshake that nobody knows: they are not tested.
fn name_unknown_dialects(handshake: &Handshake, specs: &Specs) {
    for unknown in handshake.dialects.iter().filter_map(|name| specs.find(name).err()) {
        note(format!("not tested: its handshake names a dialect that is not known: {unknown}"));
    }
}

/// The wanted dialects that the implementation speaks.
pub(super) fn spoken(wanted: &[&Dialect], handshake: &Handshake, named: bool) -> Result<Vec<String>, Failure> {
    let names = wanted.iter().map(|dialect| dialect.name.clone());
    let (spoken, missing): (Vec<_>, Vec<_>) = names.partition(|name| handshake.dialects.contains(name));
    let its = handshake.dialects.join(", ");
    if named && !missing.is_empty() {
        return Err(Failure::implementation(format!(
            "you asked for {}, but its handshake says that it speaks {its}; run it without --dialect, or make another adapter",
            missing.join(", ")
        )));
    }
    if spoken.is_empty() {
        let (name, asked) =
            (&handshake.name, "which is not asked for; choose one with --dialect, or describe it with --spec");
        return Err(Failure::implementation(format!("{name} supports {its}, {asked}")));
    }
    Ok(spoken)
}

/// The failure of an adapter that speaks another dialect, with the line of its files that says so.
fn said_where(Failure(exit, why): Failure, handshake: &Handshake, program: Option<&Program>) -> Failure {
    let names: Vec<&str> = handshake.dialects.iter().map(|name| handshake.own_name(name)).collect();
    match program.and_then(|program| quoted_line::of(&program.command, &names)) {
        Some(line) => Failure(exit, format!("{why}, or change this one in {line}")),
        None => Failure(exit, why),
    }
}

/// Runs the tests, and writes the record to a folder. The old record there stays until it is replaced. The new one comes back
/// with the causes of its failures.
pub(super) fn record(
    run: &Run<'_>,
    planned: Planned<'_>,
    implementation: &mut dyn Implementation,
    folder: &RunDir,
) -> Result<RunRecord, Failure> {
    let file = folder.begin()?;
    let bar = terminal::bar("{bar:40} {human_pos}/{human_len} tests, {rate}, {eta} left");
    let progress = |done: usize, total: usize| {
        if let (Ok(done), Ok(total)) = (u64::try_from(done), u64::try_from(total)) {
            bar.set_length(total);
            bar.set_position(done);
        }
    };
    let ran = run.run_planned(planned, implementation, file, &progress);
    bar.finish_and_clear();
    ran.map_err(|error| match error {
        RunError::Record(error) => Failure::unwritable(folder.part())(error),
        error => error.into(),
    })?;
    let mut recorded = folder.read()?;
    explain(&mut recorded, run.specs, run.corpus)?;
    Ok(recorded)
}

/// Longer packets than this are not kept: what an engine writes does not depend on how much there is of it.
const KEPT: usize = 4096;

/// Writes the replies to undecided and readable cases to `corpus/observed/`, and what it writes for canonical values. What is
/// recorded of this version stays, because the bytes that it leaves unset are others each time; so do its replies in other dialects.
fn write_observed(recorded: &RunRecord, implementation: &mut dyn Implementation, run: &Run<'_>) -> Result<(), Failure> {
    let mut observed = Observed::of(implementation.handshake());
    let answers = recorded.verdicts.iter().map(|result| Some((result.test.to_string(), result.answer.clone()?)));
    observed.answers.extend(answers.flatten());
    let dialects: Vec<&Dialect> = run.dialects.iter().filter_map(|name| run.specs.dialect(name)).collect();
    let mut exchange = Exchange::new(run.specs, run.corpus, &dialects)?;
    exchange.write(&observed.engine, implementation)?;
    let kept = exchange.written().filter(|(_, hex)| hex.len() <= 2 * KEPT);
    observed.wrote = kept.map(|(case, hex)| (case.to_owned(), hex.to_owned())).collect();
    if let Some(known) = run.corpus.observed.iter().find(|known| known.is_of(implementation.handshake())) {
        observed.wrote.extend(known.wrote.clone());
        let other = |test: &str| !run.dialects.iter().any(|dialect| dialect == case_parts(test).0);
        observed.answers.extend(known.answers.clone().into_iter().filter(|(test, _)| other(test)));
    }
    let corpus = paths::corpus_folder();
    let corpus = corpus.ok_or_else(|| Failure::usage("there is no folder `corpus` to write to, here or above"))?;
    let written = observed.write(&corpus);
    note(written.map_err(|problem| Failure(Exit::Incomplete, problem.to_string()))?.display());
    Ok(())
}

fn status(recorded: &RunRecord) -> Exit {
    if (recorded.decides_nothing() || claims_nothing(recorded)) && !terminal::interrupt().is_set() {
        Exit::NothingRan
    } else if !recorded.end.complete {
        Exit::Incomplete
    } else if Summary::of(recorded).failures() > 0 || !recorded.end.stale.is_empty() {
        Exit::NotAsExpected
    } else {
        Exit::AsExpected
    }
}
