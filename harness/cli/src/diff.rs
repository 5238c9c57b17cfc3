//! `conform diff`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use variant_corpus::Corpus;
use variant_diff::{
    Campaign, CampaignPlan, CampaignResult, Finding, Observer, Oracle, Participant, SeedCorpus, add_to_record,
    begin_record, save,
};
use variant_report::repeat::quoted;
use variant_report::text::{Extent, render};
use variant_runner::record::RunRecord;
use variant_runner::record_writer::lines;
use variant_runner::results::{CampaignSettings, FindingRecord};
use variant_runner::summary::Summary;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::diagnostic::Problem;
use variant_values::disk::PartFile;
use variant_values::reference::{NAME as REFERENCE, Reference};
use variant_values::sanitize::{self, counted};

use crate::args::DiffArgs;
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::records::explain;
use crate::run::spoken;
use crate::run_dir::part_of;
use crate::subject::{Program, Side, known_findings};
use crate::terminal::{bar, interrupt, note, say, show, width, write_file};

pub(super) fn diff(args: &DiffArgs, paths: &Paths) -> Result<Exit, Failure> {
    let from = Instant::now();
    let (specs, corpus) = paths.load()?;
    let sides = sides(args)?;
    let setup = DiffSetup { sides: &sides, args, paths, specs: &specs, corpus: &corpus };
    let plan = plan(args)?;
    let out = args.record.out.as_deref().map(Out::new).transpose()?;
    let mut records: Vec<(usize, RunRecord)> = Vec::new();
    let wanted = paths::dialects(&args.dialects.dialect, &specs, JudgedBy::Engines)?;
    let mut notes = String::new();
    let (mut sent, mut complete) = (0, true);
    let end = plan.time.and_then(|time| from.checked_add(time));
    let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
    let is_over = || left().is_some_and(|left| left.is_zero()) && !interrupt().is_set();
    // One that is starting when the time is over is ended.
    let start = || match setup.participants(end) {
        Err(_) if is_over() => Ok(None),
        started => started.map(Some),
    };
    let mut first = start()?;
    let mut dialects = wanted.clone();
    if let Some(participants) = &first {
        if !args.dialects.dialect.is_empty() {
            for side in participants {
                let named = |Failure(exit, why)| Failure(exit, format!("{}: {why}", side.name));
                spoken(&wanted, side.handshake(), true).map_err(named)?;
            }
        }
        dialects.retain(|of| participants.iter().all(|side| side.handshake().dialects.contains(&of.name)));
        records = setup.records(participants)?;
    }
    for (place, dialect) in dialects.iter().enumerate() {
        let started = if is_over() { None } else { first.take().map_or_else(start, |first| Ok(Some(first)))? };
        let Some(participants) = started else {
            notes.push_str(&format!("{}: not run: out of time\n", dialect.name));
            complete = false;
            continue;
        };
        // Each dialect gets an equal part of the time that is left.
        let part = u32::try_from(dialects.len() - place).unwrap_or(u32::MAX);
        let plan = CampaignPlan { time: left().map(|left| left / part), ..plan.clone() };
        let (result, saved) = setup.campaign(dialect, &plan, participants)?;
        for (place, record) in &mut records {
            add_to_record(record, *place, dialect, &result, &corpus, &specs);
        }
        (sent, complete) = (sent + result.sent, complete && result.complete);
        notes.push_str(&noted(&dialect.name, &result, saved));
        if interrupt().is_set() {
            break;
        }
    }
    if dialects.is_empty() {
        return Err(Failure(Exit::NothingRan, "no dialect is supported by all sides".to_owned()));
    }
    let files = out.map(|out| out.write(&records, &sides)).transpose()?.unwrap_or_default();
    let several = records.len() > 1;
    for (place, (side, record)) in records.iter_mut().enumerate() {
        explain(record, &specs, &corpus)?;
        if several {
            say(format!("\nThe replies of {}:", sanitize::line(&sides[*side].shown)))?;
        }
        let file = files.get(place).map_or("FILE", String::as_str);
        show(&render(&Summary::of(record), Extent { width: width(), record: Some(file), ..Extent::default() }))?;
    }
    show(&sanitize::lines(&notes))?;
    let failures = records.iter().any(|(_, record)| Summary::of(record).failures() > 0);
    if failures && files.is_empty() {
        note("no record was kept; with --out FILE, `conform report FILE` shows it");
    }
    Ok(match (failures, complete, sent) {
        (true, _, _) => Exit::NotAsExpected,
        (false, false, _) => Exit::Incomplete,
        (false, true, 0) => Exit::NothingRan,
        (false, true, _) => Exit::AsExpected,
    })
}

/// What the records of a campaign in a dialect do not say.
fn noted(dialect: &str, result: &CampaignResult, saved: usize) -> String {
    let mut notes: Vec<String> = result
        .allowed
        .iter()
        .map(|(id, count)| format!("allowed: {id}: {}", counted(usize::try_from(*count).unwrap_or(usize::MAX), "time")))
        .collect();
    if result.beyond > 0 {
        notes.push(format!("{} more wrong replies, beyond the limit of findings", result.beyond));
    }
    if saved > 0 {
        notes.push(format!("{} saved", counted(saved, "case")));
    }
    notes.extend(result.stopped.iter().map(|why| format!("ended early: {why}")));
    notes.into_iter().map(|note| format!("{dialect}: {note}\n")).collect()
}

fn sides(args: &DiffArgs) -> Result<Vec<Side>, Failure> {
    let sides = Side::of(&args.sides, &args.command, args.limits);
    if let [only] = sides.as_slice() {
        let other = if only.is_reference() { "NAME" } else { REFERENCE };
        let why = format!("name two or more sides, such as `conform diff {other} {}`", quoted(&only.shown));
        return Err(Failure::usage(why));
    }
    Ok(sides)
}

/// Where the records go. They are written beside what is there, which stays until the campaign has ended.
struct Out<'a> {
    path: &'a Path,
    part: PartFile,
}

impl<'a> Out<'a> {
    /// If it cannot be written, this fails, and not the end.
    fn new(path: &'a Path) -> Result<Self, Failure> {
        if path.exists() && !path.is_file() {
            return Err(Failure::unwritable(path)("it is no file; --out names one"));
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Failure::unwritable(path))?;
        }
        let part = part_of(path)?;
        part.begin().map_err(Failure::unwritable(path))?;
        Ok(Self { path, part })
    }

    /// Of several records, each is in a file of its own: `campaign-2.jsonl` is that of the second side. Returns the files.
    fn write(&self, records: &[(usize, RunRecord)], sides: &[Side]) -> Result<Vec<String>, Failure> {
        if let [(_, record)] = records {
            let text = lines(record);
            let mut part = &self.part;
            let written = part.begin().and_then(|()| part.write_all(text.as_bytes())).and_then(|()| part.publish());
            written.map_err(Failure::unwritable(self.path))?;
            return Ok(vec![self.path.display().to_string()]);
        }
        let mut files = Vec::new();
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        for (side, record) in records {
            let mut file = self.path.with_file_name(format!("{stem}-{}", side + 1));
            file.set_extension(self.path.extension().unwrap_or_default());
            write_file(&file, lines(record).as_bytes())?;
            note(format!("the record of {} is {}", sides[*side].shown, file.display()));
            files.push(file.display().to_string());
        }
        Ok(files)
    }
}

struct DiffSetup<'a> {
    sides: &'a [Side],
    args: &'a DiffArgs,
    paths: &'a Paths,
    specs: &'a Specs,
    corpus: &'a Corpus,
}

impl DiffSetup<'_> {
    /// A record for each side that is judged: all but the reference codec.
    fn records(&self, participants: &[Participant]) -> Result<Vec<(usize, RunRecord)>, Failure> {
        let mut records = Vec::new();
        for (place, side) in participants.iter().enumerate().filter(|(_, side)| !side.is_reference()) {
            let settings = CampaignSettings {
                seed: self.args.seed,
                cases: self.args.cases,
                sides: self.sides.iter().map(|side| side.shown.clone()).collect(),
            };
            let named = &self.sides[place];
            let known = self.known(named)?;
            let mut record = begin_record(self.corpus, &named.shown, side.handshake(), settings, known);
            record.plan.options = self.paths.options();
            records.push((place, record));
        }
        Ok(records)
    }

    fn known(&self, side: &Side) -> Result<Vec<FindingRecord>, Failure> {
        let Some(name) = side.subject.name.as_ref().filter(|_| !side.is_reference()) else { return Ok(Vec::new()) };
        Ok(FindingRecord::held(&known_findings(&self.paths.adapter(name)?)?))
    }

    /// Runs the campaign in one dialect. Beside its result: how many cases were saved.
    fn campaign(
        &self,
        dialect: &Dialect,
        plan: &CampaignPlan,
        participants: Vec<Participant>,
    ) -> Result<(CampaignResult, usize), Failure> {
        let seeds = SeedCorpus::of(self.corpus, self.specs, dialect)?;
        let bar =
            bar("{bar:30} {human_pos}/{human_len} requests, {rate}, {msg}, {eta} left").with_message("0 findings");
        bar.set_length(plan.cases);
        let mut observer = SavingObserver {
            bar,
            setup: self,
            names: participants.iter().map(|side| side.name.clone()).collect(),
            saved: BTreeSet::new(),
            shrunk: 0,
        };
        let campaign = Campaign { specs: self.specs, dialect, seeds, plan: plan.clone(), interrupt: interrupt() };
        let result = campaign.run(participants, &mut observer);
        observer.bar.finish_and_clear();
        Ok((result.map_err(Failure::implementation)?, observer.saved.len()))
    }

    /// Starts the sides, in the order of the command line. The first that is the reference codec is what others are judged by.
    fn participants(&self, end: Option<Instant>) -> Result<Vec<Participant>, Failure> {
        let mut participants: Vec<Participant> = Vec::new();
        for side in self.sides {
            let name = &side.shown;
            participants.push(match Program::new(&side.subject, self.paths)? {
                None if participants.iter().any(Participant::is_reference) => {
                    Participant::in_process(name, Box::new(Reference::new(self.specs, JudgedBy::Engines)))
                }
                None => Participant::reference(self.specs),
                Some(mut program) => {
                    // It ends with the campaign, whatever it is doing.
                    program.limits.interrupt = program.limits.interrupt.or_at(end);
                    let started = program.start(self.specs);
                    // An interruption is not the program's fault, so its name is left out.
                    let started = started.map_err(|Failure(exit, why)| {
                        Failure(exit, if exit == Exit::Incomplete { why } else { format!("{name}: {why}") })
                    });
                    Participant::out_of_process(name, started?)
                }
            });
        }
        Ok(participants)
    }
}

fn plan(args: &DiffArgs) -> Result<CampaignPlan, Failure> {
    let seconds = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| Failure::usage(format!("--time {seconds:e}: this is not a valid number of seconds")))
    };
    let time = args.time.map(seconds).transpose()?;
    Ok(CampaignPlan { seed: args.seed, cases: args.cases, time, ..CampaignPlan::default() })
}

/// Shows how far a campaign is, and saves what it finds.
struct SavingObserver<'a> {
    bar: ProgressBar,
    setup: &'a DiffSetup<'a>,
    names: Vec<String>,
    /// The files of saved cases.
    saved: BTreeSet<PathBuf>,
    shrunk: usize,
}

impl Observer for SavingObserver<'_> {
    fn progress(&mut self, result: &CampaignResult) {
        self.bar.set_position(result.sent);
        self.bar.set_message(counted(result.findings.len(), "finding"));
    }

    fn found(&mut self, finding: &Finding, oracle: &Oracle<'_>) -> Result<(), Problem> {
        self.shrunk += 1;
        self.bar.set_message(format!("{} shrunk", counted(self.shrunk, "finding")));
        let smallest = &finding.smallest;
        if let Some(folder) = &self.setup.args.save {
            self.saved.insert(save(folder, smallest, &self.names[smallest.side], self.setup.specs, oracle)?);
        }
        Ok(())
    }
}
