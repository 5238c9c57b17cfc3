//! `conform diff`.

mod recorder;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use variant_adapter::folder;
use variant_corpus::Corpus;
use variant_corpus::findings;
use variant_diff::{
    BATCH, Blame, Campaign, CampaignPlan, CampaignRecord, CampaignResult, Disagreement, FindingReport, FoundDifference,
    FoundRecord, KnownFindings, Participant, Regressions, SeedCorpus, Signature, by_cause,
};
use variant_report::repeat::quoted;
use variant_specs::{Dialect, Reading, Specs};
use variant_syntax::input;
use variant_wire::diagnostic::Problem;
use variant_wire::disk::PartFile;
use variant_wire::reference::{NAME as REFERENCE, Reference};
use variant_wire::sanitize;

use self::recorder::{FindingsWriter, SavingObserver, bar};
use super::participant::{ParticipantKind, ParticipantSpec};
use super::paths::{self, Paths};
use super::subject::{MAX_MEMORY, Program};
use super::terminal::{interrupt, show, write_file};
use super::{DiffArgs, Exit, Failure};

pub(super) fn diff(args: &DiffArgs, paths: &Paths) -> Result<Exit, Failure> {
    let from = Instant::now();
    let (specs, corpus) = paths.load()?;
    let sides = sides(args)?;
    let mut setup = DiffSetup { sides: &sides, args, paths, specs: &specs, corpus: &corpus, plan: plan(args)? };
    let out = args.out.as_deref().map(Out::new).transpose()?;
    let wanted = paths::dialects(&args.dialect, &specs, Reading::Engine)?;
    let (mut exit, mut records) = (None, Vec::new());
    // The dialects that all participants speak, once they were started.
    let mut spoken: Option<BTreeSet<String>> = None;
    let end = setup.plan.time.and_then(|time| from.checked_add(time));
    for (place, dialect) in wanted.iter().filter_map(|name| specs.dialect(name)).enumerate() {
        if args.dialect.is_empty() && spoken.as_ref().is_some_and(|spoken| !spoken.contains(&dialect.name)) {
            continue;
        }
        let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
        let is_over = || left().is_some_and(|left| left.is_zero()) && !interrupt().is_set();
        let started = if is_over() { None } else { Some(participants(&setup, dialect, end)) };
        // One that is starting when the time is over is ended.
        let Some(started) = started.filter(|started| started.is_ok() || !is_over()) else {
            show(&format!("{}: not run: out of time\n", dialect.name))?;
            exit = Some(worse(exit, Exit::Incomplete));
            continue;
        };
        let participants = started?;
        spoken.get_or_insert_with(|| {
            let speak = |name: &String| participants.iter().all(|side| side.handshake().dialects.contains(name));
            wanted.iter().filter(|name| speak(name)).cloned().collect()
        });
        if !args.dialect.is_empty() {
            all_spoken(&wanted, &participants)?;
        } else if participants.iter().any(|side| !side.handshake().dialects.contains(&dialect.name)) {
            continue;
        }
        let spoken = |name: &&String| participants.iter().all(|side| side.handshake().dialects.contains(name));
        let dialects = wanted.iter().skip(place).filter(spoken).count().max(1);
        // Each dialect gets an equal part of the time that is left.
        setup.plan.time = left().map(|left| left / u32::try_from(dialects).unwrap_or(u32::MAX));
        let (status, record) = setup.one(dialect, participants)?;
        exit = Some(worse(exit, status));
        records.push(record);
        if let Some(out) = &out {
            out.write(&records)?;
        }
        if interrupt().is_set() {
            break;
        }
    }
    if let Some(out) = out.filter(|_| exit.is_some()) {
        out.replace()?;
    }
    exit.ok_or_else(|| Failure(Exit::NothingRan, "no dialect is supported by all participants".to_owned()))
}

/// The record while it is written: next to the old one, which stays until this one has ended.
struct Out<'a> {
    path: &'a Path,
    /// `None` for a pipe or a device, which is written to directly.
    part: Option<PartFile>,
}

impl<'a> Out<'a> {
    /// If it cannot be written, this fails, and not the end.
    fn new(path: &'a Path) -> Result<Self, Failure> {
        if path.exists() && !path.is_file() {
            write_file(path, &[])?;
            return Ok(Self { path, part: None });
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Failure::unwritable(path))?;
        }
        let part = PartFile::open(path).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => Failure::at(path)(error),
            _ => Failure::unwritable(path)(error),
        })?;
        part.begin().map_err(Failure::unwritable(path))?;
        Ok(Self { path, part: Some(part) })
    }

    fn write(&self, records: &[CampaignRecord]) -> Result<(), Failure> {
        let text: String = records.iter().map(CampaignRecord::lines).collect();
        let Some(mut part) = self.part.as_ref() else { return write_file(self.path, text.as_bytes()) };
        part.begin().and_then(|()| part.write_all(text.as_bytes())).map_err(Failure::unwritable(self.path))
    }

    fn replace(self) -> Result<(), Failure> {
        self.part.as_ref().map_or(Ok(()), PartFile::publish).map_err(Failure::unwritable(self.path))
    }
}

/// Fails before anything is sent if a participant does not speak one of the named dialects.
fn all_spoken(wanted: &[String], participants: &[Participant]) -> Result<(), Failure> {
    for (name, side) in wanted.iter().flat_map(|name| participants.iter().map(move |side| (name, side))) {
        let spoken = &side.handshake().dialects;
        if !spoken.contains(name) {
            let said = format!("{} does not support {name}, only {}", side.name, spoken.join(", "));
            return Err(Failure::implementation(said));
        }
    }
    Ok(())
}

/// The sides that the arguments name.
fn sides(args: &DiffArgs) -> Result<Vec<ParticipantSpec>, Failure> {
    let mut sides: Vec<ParticipantSpec> = args.sides.iter().map(|given| ParticipantSpec::new(given)).collect();
    if !args.command.is_empty() {
        let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
        sides.push(ParticipantSpec { shown: words.join(" "), kind: ParticipantKind::Command(args.command.clone()) });
    }
    if let [only] = sides.as_slice() {
        let other = if matches!(only.kind, ParticipantKind::Reference) { "NAME" } else { REFERENCE };
        let why = format!("name two or more sides, such as `conform diff {other} {}`", quoted(&only.shown));
        return Err(Failure::usage(why));
    }
    Ok(sides)
}

struct DiffSetup<'a> {
    sides: &'a [ParticipantSpec],
    args: &'a DiffArgs,
    paths: &'a Paths,
    specs: &'a Specs,
    corpus: &'a Corpus,
    plan: CampaignPlan,
}

impl DiffSetup<'_> {
    /// Runs the campaign in one dialect.
    fn one(&self, dialect: &Dialect, participants: Vec<Participant>) -> Result<(Exit, CampaignRecord), Failure> {
        let recorder = FindingsWriter {
            setup: self,
            expected: self.expected()?,
            versions: participants.iter().map(|side| (side.name.clone(), side.handshake().version.clone())).collect(),
            report: FindingReport {
                specs: self.specs,
                dialect,
                blame: Blame::new(self.specs, dialect, Some(self.corpus)),
                names: participants.iter().map(|side| side.name.clone()).collect(),
                handshakes: participants.iter().map(|side| side.handshake().clone()).collect(),
            },
        };
        let mut regressions = self.regressions(dialect)?;
        let plan = CampaignPlan {
            regressions: regressions.as_ref().map_or_else(Vec::new, |known| known.known().to_vec()),
            ..self.plan.clone()
        };
        let mut seeds = SeedCorpus::of(self.corpus, self.specs, dialect)?;
        for folder in &self.args.packets {
            seeds.add(packets_of(folder)?);
        }
        let bar = bar(self.plan.cases);
        let campaign = Campaign { specs: self.specs, dialect, seeds, plan, interrupt: interrupt() };
        let mut observer = SavingObserver {
            bar,
            setup: self,
            recorder: &recorder,
            saved: Vec::new(),
            regressions: regressions.as_mut(),
        };
        let result = campaign.run(participants, &mut observer);
        observer.bar.finish_and_clear();
        let result = result.map_err(Failure::implementation)?;
        let record = recorder.record(&result, &observer.saved);
        let mut text = by_cause_text(&record) + &record.summary() + &recorder.report.notes(&result);
        // What was not sent could not be met.
        let stale = recorder.expected.stale(&dialect.name).filter(|_| result.complete);
        for stale in stale {
            text.push_str(&format!("listed, but not found: {stale}\n"));
        }
        show(&sanitize::lines(&text))?;
        Ok((status(&result, record.is_open()), record))
    }

    /// The command that shows a finding again: its case where one was saved that can fail, else the batch in which it was seen.
    fn repeat(&self, finding: &FoundDifference, saved: &[(Signature, String)]) -> String {
        let case = saved.iter().find(|(signature, _)| *signature == finding.smallest.signature);
        match (&self.args.save, case) {
            (Some(folder), Some((_, case))) => repeat_case(case, &finding.smallest, folder, self),
            (_, _) => repeat_batch(finding, self.args, self.paths),
        }
    }

    /// The regressions of a dialect.
    fn regressions(&self, dialect: &Dialect) -> Result<Option<Regressions>, Failure> {
        let Some(folder) = &self.args.regressions else { return Ok(None) };
        std::fs::create_dir_all(folder).map_err(Failure::unwritable(folder))?;
        let file = folder.join(format!("{}.txt", dialect.name));
        // proptest opens it itself, whatever it is and however long.
        match input::text(&file) {
            Err(error) if !error.is_missing() => Err(Problem::of_input(&file, &error).into()),
            Ok(_) | Err(_) => Ok(Some(Regressions::new(&file))),
        }
    }

    fn expected(&self) -> Result<KnownFindings, Failure> {
        let (mut lists, mut adapters) = (BTreeSet::new(), BTreeSet::new());
        for side in self.sides {
            let ParticipantKind::Adapter(name) = &side.kind else { continue };
            let adapter = self.paths.adapter(name)?;
            adapters.insert(adapter.name());
            // Both sides may share a list, whatever the paths to it.
            lists.extend(adapter.findings().join(findings::FILE).canonicalize().ok());
        }
        let mut expected = KnownFindings::default();
        for path in lists {
            let users = path.parent().map(folder::sharing).unwrap_or_default();
            expected.add(&path, users.into_iter().filter(|user| adapters.contains(user)).collect())?;
        }
        Ok(expected)
    }
}

/// The findings as text: first the open ones, by cause; then those that are explained, in few lines.
fn by_cause_text(record: &CampaignRecord) -> String {
    let (explained, open): (Vec<_>, Vec<_>) = record.findings.iter().partition(|found| found.is_explained());
    let mut text: String = by_cause(open).iter().map(|cause| cause.shown() + "\n").collect();
    for cause in by_cause(explained) {
        let why = |found: &&FoundRecord| found.shown.last().map_or("", |line| line.trim()).to_owned();
        let whys: BTreeSet<String> = cause.findings.iter().map(why).collect();
        text.push_str(&format!("explained: {}\n  {}\n", cause.headline, cause.extent()));
        whys.iter().for_each(|why| text.push_str(&format!("  {why}\n")));
    }
    text
}

/// The packets in a folder, a file each.
fn packets_of(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(Failure::unreadable(folder))?;
    let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(|path| path.is_file());
    files.map(|path| input::bytes(&path).map_err(Failure::usage)).collect()
}

fn status(result: &CampaignResult, open: bool) -> Exit {
    if open {
        Exit::NotAsExpected
    } else if !result.complete {
        Exit::Incomplete
    } else if result.tally.sent == 0 {
        Exit::NothingRan
    } else {
        Exit::AsExpected
    }
}

/// The exit status of both: results that are not as expected matter more than results that are missing.
fn worse(one: Option<Exit>, other: Exit) -> Exit {
    let order = [Exit::NotAsExpected, Exit::Incomplete, Exit::NothingRan, Exit::AsExpected];
    order.into_iter().find(|exit| one == Some(*exit) || other == *exit).unwrap_or(other)
}

fn plan(args: &DiffArgs) -> Result<CampaignPlan, Failure> {
    let seconds = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| Failure::usage(format!("--time {seconds:e}: this is not a valid number of seconds")))
    };
    Ok(CampaignPlan {
        seed: args.seed,
        cases: args.cases,
        time: args.time.map(seconds).transpose()?,
        ..CampaignPlan::default()
    })
}

/// Starts the participants, in the order of the command line.
fn participants(setup: &DiffSetup<'_>, dialect: &Dialect, end: Option<Instant>) -> Result<Vec<Participant>, Failure> {
    let mut participants: Vec<Participant> = Vec::new();
    for side in setup.sides {
        let name = &side.shown;
        // If a side is given twice, its place distinguishes the two: `NAME#2`.
        let twins = setup.sides.iter().filter(|other| other.shown == *name).count() > 1;
        let shown = if twins { format!("{name}#{}", participants.len() + 1) } else { name.clone() };
        participants.push(match program(side, setup, end)? {
            None => Participant::in_process(shown, Box::new(Reference::new(setup.specs, Reading::Engine))),
            Some(program) => {
                let started = program.start(setup.specs);
                // An interruption is not the program's fault, so its name is left out.
                let started = started.map_err(|Failure(exit, why)| {
                    Failure(exit, if exit == Exit::Incomplete { why } else { format!("{name}: {why}") })
                });
                Participant::out_of_process(shown, started?, dialect)
            }
        });
    }
    Ok(participants)
}

/// The program of a side, which ends with the campaign whatever it is doing; `None` for the reference codec.
fn program(side: &ParticipantSpec, setup: &DiffSetup<'_>, end: Option<Instant>) -> Result<Option<Program>, Failure> {
    let mut program = side.program(setup.args.timeout, setup.args.max_memory, setup.paths)?;
    if let Some(program) = &mut program {
        program.limits.interrupt = program.limits.interrupt.or_at(end);
    }
    Ok(program)
}

/// The command for a saved finding: runs its case on the first implementation that is odd.
fn repeat_case(case: &str, found: &Disagreement, folder: &Path, setup: &DiffSetup<'_>) -> String {
    let side = found.signature.odd.first().map_or("", String::as_str);
    // The place in `NAME#2` is left out: it is no part of a name that can be run.
    let side = side.split('#').next().unwrap_or(side);
    let folder = quoted(&folder.display().to_string());
    let paths = Paths { corpus: None, ..setup.paths.clone() }.options();
    let what = format!("--corpus {folder} --only '{case}*'{paths}");
    match setup.sides.iter().find(|known| known.shown == side).map(|known| &known.kind) {
        Some(ParticipantKind::Command(_)) => format!("conform run {what} -- {side}"),
        Some(ParticipantKind::Adapter(_)) => format!("conform run {side} {what}"),
        Some(ParticipantKind::Reference) | None => format!("conform run {what}"),
    }
}

/// The command for any other finding: runs the batches up to the one in which it was seen first; for a regression, the
/// regressions alone.
fn repeat_batch(finding: &FoundDifference, args: &DiffArgs, paths: &Paths) -> String {
    let sides: Vec<String> = args.sides.iter().map(|side| quoted(side)).collect();
    let part = match (finding.batch, &args.regressions) {
        (None, Some(folder)) => format!("--cases 0 --regressions {}", quoted(&folder.display().to_string())),
        (batch, _) => {
            let cases = args.cases.min((batch.unwrap_or(0) + 1).saturating_mul(BATCH as u64));
            format!("--seed {} --cases {cases}", args.seed)
        }
    };
    let dialect = &finding.smallest.signature.dialect;
    let mut command = format!("conform diff {} --dialect {dialect} {part}", sides.join(" "));
    for folder in &args.packets {
        command.push_str(&format!(" --packets {}", quoted(&folder.display().to_string())));
    }
    let mut unusual = |name: &str, number: String, is_usual: bool| {
        if !is_usual {
            command.push_str(&format!(" --{name} {number}"));
        }
    };
    unusual("timeout", args.timeout.to_string(), args.timeout.to_bits() == 1f64.to_bits());
    unusual("max-memory", args.max_memory.to_string(), args.max_memory == MAX_MEMORY);
    let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
    let last = if words.is_empty() { String::new() } else { format!(" -- {}", words.join(" ")) };
    command + &paths.options() + &last
}
