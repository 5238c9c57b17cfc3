//! The differential mode: in process, against a program, against a real engine.

use std::hint::black_box;
use std::time::{Duration, Instant};

use variant_specs::{Dialect, Reading, Specs};

use super::clock::AtWork;
use super::figure::{Figure, Unit, micros, number, ratio};
use super::{Bench, BenchError, clock, passes};
use variant_adapter::folder::Adapter;
use variant_diff::{
    BATCH, Campaign, CampaignPlan, CampaignResult, Inputs, NoopObserver, Observer, Participant, SeedCorpus, SizeLimits,
};
use variant_wire::implementation::{Implementation as _, ImplementationError};
use variant_wire::interrupt::Interrupt;
use variant_wire::reference::Reference;

/// How many inputs are sent.
const CASES: usize = 256 * BATCH;
/// How many to an engine, which takes some seconds.
const OF_ENGINE: usize = 64 * BATCH;
/// The target: comparisons a second.
const WANTED: f64 = 150_000.0;
/// How often in process; the fastest counts.
const ROUNDS: usize = 10;
/// How often against a program.
const TIMES: usize = 3;

impl Bench {
    pub(super) fn differential(&self, report: &mut dyn FnMut(Figure)) -> Result<(), BenchError> {
        let dialect = self.dialect()?;
        let reference = Reference::new(&self.specs, Reading::Engine);
        let handshake = reference.handshake();
        let stream = Inputs::new(dialect, &[handshake, handshake], SeedCorpus::default(), SizeLimits::default(), 1);
        // The passes alternate, so that a slow phase of the machine is slow for both.
        let (mut made, mut whole, mut soonest) = (Duration::MAX, Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            made = made.min(clock::fastest(1, || {
                (0..(CASES / BATCH) as u64).for_each(|index| drop(black_box(stream.batch(&stream.seed_of(index)))));
            }));
            let (from, mut compared) = (Instant::now(), Ok(()));
            whole = whole.min(clock::fastest(1, || compared = compare(&self.specs, dialect, CASES)));
            compared?;
            soonest = soonest.min(from.elapsed());
        }
        let each_second = number(CASES) / whole.as_secs_f64();
        let what = "differential in process: comparisons a second and core";
        report(Figure::at_least(what, WANTED, Unit::Count, each_second, ""));
        let what = "differential in process: share of generating the inputs";
        let how = format!("{:.2} µs of {:.2} µs an input", micros(made, CASES), micros(whole, CASES));
        report(Figure::at_most(what, 30.0, Unit::Percent, 100.0 * ratio(made, whole), how));
        self.served(dialect, soonest, report)?;
        self.engines.iter().for_each(|engine| report(self.kept_busy(engine)));
        Ok(())
    }

    /// The same against this program as an adapter, on two cores.
    fn served(
        &self,
        dialect: &Dialect,
        in_process: Duration,
        report: &mut dyn FnMut(Figure),
    ) -> Result<(), BenchError> {
        let mut soonest = Duration::MAX;
        let mut spent = (Duration::ZERO, Duration::ZERO);
        for _ in 0..TIMES {
            let served = passes::start(self.command(&["serve"]), &self.specs)?;
            let id = served.process_id().unwrap_or(0);
            let (from, own, theirs) = (Instant::now(), clock::own(), clock::of_process(id));
            let other = Participant::out_of_process("served", Box::new(served));
            // Its CPU time can only be read while it runs, and the campaign ends it.
            let mut last = Ended { id, theirs };
            campaign(&self.specs, dialect, SeedCorpus::default(), CASES, other, &mut last)?;
            if from.elapsed() < soonest {
                soonest = from.elapsed();
                spent = (clock::own().saturating_sub(own), last.theirs.saturating_sub(theirs));
            }
        }
        let each_second = number(CASES) / soonest.as_secs_f64();
        let how = format!("CPU {:.1?} here and {:.1?} there in {soonest:.1?}", spent.0, spent.1);
        let what = "differential against `conform serve`: comparisons a second";
        report(Figure::at_least(what, WANTED, Unit::Count, each_second, how));
        let what = "differential against `conform serve`: of the rate in process";
        let how = format!(
            "{:.2} µs an input, of which {:.2} µs for codecs and generating, the rest for the pipe",
            micros(soonest, CASES),
            micros(in_process, CASES)
        );
        report(Figure::at_least(what, 100.0, Unit::Percent, 100.0 * ratio(in_process, soonest), how));
        Ok(())
    }

    /// The share of the time in which an engine has work.
    fn kept_busy(&self, adapter: &Adapter) -> Figure {
        let name = adapter.folder.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("differential against {name}: share of the time that the engine is at work");
        match self.share_at_work(adapter) {
            Ok((share, how)) => Figure::at_least(&what, 80.0, Unit::Percent, 100.0 * share, how),
            Err(why) => Figure::missing(&what, why),
        }
    }

    fn share_at_work(&self, adapter: &Adapter) -> Result<(f64, String), String> {
        let engine = passes::start(adapter.command(), &self.specs).map_err(|unusable| unusable.to_string())?;
        let spoken = |dialect: &&Dialect| engine.handshake().dialects.contains(&dialect.name);
        let dialect = self.specs.dialects.iter().find(spoken).ok_or("it speaks no known dialect")?;
        let seeds = SeedCorpus::of(&self.corpus, &self.specs, dialect).map_err(|problem| problem.to_string())?;
        let id = engine.process_id().ok_or("it is not running")?;
        let own = clock::at_work(std::process::id());
        let mut clock = Clock { id, before: clock::at_work(id), from: Instant::now(), last: None };
        let other = Participant::out_of_process("engine", Box::new(engine));
        campaign(&self.specs, dialect, seeds, OF_ENGINE, other, &mut clock).map_err(|unusable| unusable.to_string())?;
        let (wall, at_work) = clock.last.ok_or("nothing was sent")?;
        let running = ratio(at_work.running.saturating_sub(clock.before.running), wall);
        let waiting = ratio(at_work.waiting.saturating_sub(clock.before.waiting), wall);
        if running == 0.0 {
            return Err("the system does not report it".to_owned());
        }
        let rate = number(OF_ENGINE) / wall.as_secs_f64();
        // While other programs use the cores, neither side gets work.
        let kept = ratio(clock::at_work(std::process::id()).waiting.saturating_sub(own.waiting), wall);
        let how = format!(
            "{rate:.0} a second; it waited {:.0} % of the time for a core, and this program {:.0} %",
            100.0 * waiting,
            100.0 * kept
        );
        Ok((running + waiting, how))
    }
}

/// Reads the CPU time of a process after each batch.
struct Ended {
    id: u32,
    theirs: Duration,
}

impl Observer for Ended {
    fn progress(&mut self, _: &CampaignResult) {
        self.theirs = clock::of_process(self.id).max(self.theirs);
    }
}

/// Reads how long a process was at work after each batch.
struct Clock {
    id: u32,
    before: AtWork,
    from: Instant,
    last: Option<(Duration, AtWork)>,
}

impl Observer for Clock {
    fn progress(&mut self, _: &CampaignResult) {
        self.last = Some((self.from.elapsed(), clock::at_work(self.id)));
    }
}

/// Compares two reference codecs on `cases` inputs.
pub(super) fn compare(specs: &Specs, dialect: &Dialect, cases: usize) -> Result<(), ImplementationError> {
    let other = Participant::in_process("other", Box::new(Reference::new(specs, Reading::Engine)));
    campaign(specs, dialect, SeedCorpus::default(), cases, other, &mut NoopObserver)
}

/// Compares the reference codec with another side.
fn campaign(
    specs: &Specs,
    dialect: &Dialect,
    seeds: SeedCorpus,
    cases: usize,
    other: Participant,
    watch: &mut dyn Observer,
) -> Result<(), ImplementationError> {
    let reference = Participant::reference(specs);
    // Without shrinking, which would be measured too.
    let plan = CampaignPlan { cases: cases as u64, shrinking: Duration::ZERO, ..CampaignPlan::default() };
    let campaign = Campaign { specs, dialect, seeds, plan, interrupt: Interrupt::default() };
    black_box(campaign.run(vec![reference, other], watch)?);
    Ok(())
}
