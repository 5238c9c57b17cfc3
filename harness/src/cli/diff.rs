//! `conform diff`.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use variant_conformance::ask::{Derivation, asks};
use variant_conformance::corpus::Corpus;
use variant_conformance::diff::{Blame, Campaign, Extent, Finding, Outcome, Plan, Report, Side, Tally, Watch};
use variant_conformance::reference::Reference;
use variant_specs::{Dialect, Reading, Specs};

use super::run::show;
use super::subject::{Program, SubjectArgs};
use super::{DiffArgs, Exit, Failure, SettingArgs, setting, signals};

/// The name of the reference codec among the sides.
const REFERENCE: &str = "reference";

pub(super) fn diff(args: &DiffArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let plan = plan(args)?;
    let wanted = setting::dialects(&args.dialect, &specs, Reading::Engine)?;
    let mut exit = None;
    for dialect in wanted.iter().filter_map(|name| specs.dialect(name)) {
        let sides = sides(args, setting_args, &specs, dialect)?;
        let mute = sides.iter().find(|side| !side.hello().dialects.contains(&dialect.name));
        match mute {
            Some(side) if !args.dialect.is_empty() => {
                let said =
                    format!("{} does not speak {}, but {}", side.name, dialect.name, side.hello().dialects.join(", "));
                return Err(Failure(Exit::Unusable, said));
            }
            Some(_) => continue,
            None => {}
        }
        let this = one(&plan, &specs, &corpus, dialect, sides)?;
        exit = Some(worse(exit, this));
        if signals::interrupt().is_set() {
            break;
        }
    }
    exit.ok_or_else(|| Failure(Exit::NothingRan, "there is no dialect that all sides speak".to_owned()))
}

/// A campaign in one dialect, told as it goes.
fn one(plan: &Plan, specs: &Specs, corpus: &Corpus, dialect: &Dialect, sides: Vec<Side>) -> Result<Exit, Failure> {
    let report = Report {
        specs,
        dialect,
        blame: Blame::new(specs, dialect, Some(corpus)),
        names: sides.iter().map(|side| side.name.clone()).collect(),
    };
    let campaign = Campaign {
        specs,
        dialect,
        seeds: packets(corpus, specs, dialect)?,
        plan: plan.clone(),
        interrupt: signals::interrupt(),
    };
    let mut watch = Watcher { bar: bar(plan.cases), report: &report };
    let outcome = campaign.run(sides, &mut watch).map_err(|unusable| Failure(Exit::Unusable, unusable.to_string()))?;
    watch.bar.finish_and_clear();
    let (legal, open): (Vec<&Finding>, Vec<&Finding>) =
        outcome.findings.iter().partition(|finding| finding.legal.is_some());
    for finding in open.iter().chain(&legal) {
        show(&format!("{}\n", report.finding(finding)))?;
    }
    show(&report.summary(&outcome))?;
    Ok(status(&outcome))
}

fn status(outcome: &Outcome) -> Exit {
    if outcome.findings.iter().any(|finding| finding.legal.is_none()) {
        Exit::NotAsExpected
    } else if outcome.tally.asked == 0 {
        Exit::NothingRan
    } else if !outcome.complete {
        Exit::Incomplete
    } else {
        Exit::AsExpected
    }
}

/// What there is to mend comes before what is missing.
fn worse(one: Option<Exit>, other: Exit) -> Exit {
    let order = [Exit::NotAsExpected, Exit::Incomplete, Exit::NothingRan, Exit::AsExpected];
    order.into_iter().find(|exit| one == Some(*exit) || other == *exit).unwrap_or(other)
}

fn plan(args: &DiffArgs) -> Result<Plan, Failure> {
    let seconds = |name: &str, seconds: f64| {
        Duration::try_from_secs_f64(seconds).map_err(|_| Failure::usage(format!("--{name} {seconds}: seconds")))
    };
    Ok(Plan {
        seed: args.seed,
        cases: args.cases,
        shard: args.shard.unwrap_or((1, 1)),
        extent: Extent { depth: args.depth.max(1), size: args.size.max(1) },
        time: args.time.map(|time| seconds("time", time)).transpose()?,
        shrinking: seconds("shrink-time", args.shrink_time)?,
        first: false,
    })
}

/// The sides, started.
fn sides(args: &DiffArgs, setting_args: &SettingArgs, specs: &Specs, dialect: &Dialect) -> Result<Vec<Side>, Failure> {
    let mut sides: Vec<Side> = Vec::new();
    for name in &args.sides {
        // Two builds of one thing are told apart by their place.
        let twins = args.sides.iter().filter(|other| *other == name).count() > 1;
        let shown = if twins { format!("{name}#{}", sides.len() + 1) } else { name.clone() };
        sides.push(side(name, shown, args, setting_args, specs, dialect)?);
    }
    Ok(sides)
}

fn side(
    name: &str,
    shown: String,
    args: &DiffArgs,
    setting_args: &SettingArgs,
    specs: &Specs,
    dialect: &Dialect,
) -> Result<Side, Failure> {
    if name == REFERENCE {
        return Ok(Side::here(shown, Box::new(Reference::new(specs, Reading::Engine))));
    }
    let (program, command) = match name.split_whitespace().collect::<Vec<_>>().as_slice() {
        [plain] if !plain.contains('/') => (Some((*plain).to_owned()), Vec::new()),
        words => (None, words.iter().map(|word| (*word).to_owned()).collect()),
    };
    let subject = SubjectArgs::of(program, command, args.timeout, args.max_memory);
    let program = Program::new(&subject, setting_args)?
        .ok_or_else(|| Failure::usage("a side is `reference`, an adapter's name, or a command in quotes"))?;
    let started = program
        .start(specs, std::slice::from_ref(&dialect.name))
        .map_err(|Failure(exit, why)| Failure(exit, format!("{name}: {why}")))?;
    Ok(Side::apart(shown, started, dialect))
}

/// The packets of the corpus.
fn packets(corpus: &Corpus, specs: &Specs, dialect: &Dialect) -> Result<Vec<Vec<u8>>, Failure> {
    let asks = asks(corpus, specs, dialect, Reading::Engine, Derivation::None)?;
    let mut packets: Vec<Vec<u8>> = asks
        .into_iter()
        .filter(|ask| ask.case.framing.is_none())
        .filter_map(|ask| Some(ask.expected.packet.as_ref()?.bytes.clone()))
        // Long ones would take most of the time, and say little that short ones do not.
        .filter(|packet| packet.len() <= LONGEST_SEED)
        .collect();
    packets.sort();
    packets.dedup();
    Ok(packets)
}

const LONGEST_SEED: usize = 400;

struct Watcher<'a> {
    bar: ProgressBar,
    report: &'a Report<'a>,
}

impl Watch for Watcher<'_> {
    fn progress(&mut self, tally: &Tally, findings: &[Finding]) {
        self.bar.set_position(tally.asked);
        let open = findings.iter().filter(|finding| finding.legal.is_none()).count();
        self.bar.set_message(format!("{open} findings"));
    }

    fn found(&mut self, finding: &Finding) -> Result<(), String> {
        self.bar.suspend(|| {
            if std::io::stderr().is_terminal() && finding.legal.is_none() {
                anstream::eprintln!("found: {}", finding.signature);
            }
        });
        let _ = self.report;
        Ok(())
    }
}

fn bar(cases: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases);
    match ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} questions, {per_sec}, {msg}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
