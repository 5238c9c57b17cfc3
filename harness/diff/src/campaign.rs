//! A campaign: many questions, put to all sides, and what came of it.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use variant_specs::{Dialect, Specs};

use super::grow::Extent;
use super::legal::Legal;
use super::locate::{Disagreement, locate, rule_all, rulings};
use super::oracle::{By, Oracle, Ruling};
use super::said::Said;
use super::seeds::Seeds;
use super::shrink::shrink;
use super::sides::{Posted, Side, Sides};
use super::signature::{Kind, Signature};
use super::stream::{BATCH, Stream};
use variant_wire::implementation::{ImplementationError, Request};
use variant_wire::interrupt::{INTERRUPTED, Interrupt};

/// What is asked.
#[derive(Debug, Clone)]
pub struct Plan {
    /// From which all questions follow.
    pub seed: u64,
    /// How many questions, over all shards.
    pub cases: u64,
    /// Which part of them this is, and of how many: from 1.
    pub shard: (u64, u64),
    /// How large values may become.
    pub extent: Extent,
    /// The campaign ends then, however much is left.
    pub time: Option<Duration>,
    /// How long each finding may be shrunk.
    pub shrinking: Duration,
    /// The campaign ends with the first finding that nothing explains.
    pub first: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 1,
            cases: 100_000,
            shard: (1, 1),
            extent: Extent::default(),
            time: None,
            shrinking: Duration::from_secs(3),
            first: false,
        }
    }
}

/// More findings than these are counted, and not told apart.
const MOST_FINDINGS: usize = 2000;
/// Batches that programs have at once: one that is judged, one that is answered, and two that wait, so that there is work
/// while what parted in the first is followed up.
const AHEAD: usize = 4;

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// In numbers.
    pub tally: Tally,
    /// What they part in, in the order in which it was found.
    pub findings: Vec<Finding>,
    /// Whether all that was planned was asked.
    pub complete: bool,
    /// Why not.
    pub stopped: Option<String>,
    /// Each divergence of which something was asked that fits it, and how often it was met.
    pub divergences: Vec<(String, u64)>,
}

/// In numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Questions that all sides were asked.
    pub asked: u64,
    /// Of these, all say the same.
    pub agreed: u64,
    /// Some host language cannot tell what would part them apart.
    pub lossy: u64,
    /// All but one side cannot be asked that.
    pub unsupported: u64,
    /// They part.
    pub parted: u64,
    /// Of these, beyond the findings that are kept.
    pub beyond: u64,
}

/// One way in which sides part.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What it is.
    pub signature: Signature,
    /// How it was told who is odd.
    pub by: By,
    /// The divergence by which it is legal.
    pub legal: Option<String>,
    /// On how many questions.
    pub count: u64,
    /// The number of the batch in which it was seen first.
    pub batch: u64,
    /// The simplest question.
    pub request: Request,
    /// What each side says to it.
    pub said: Vec<Said>,
    /// The place of the first odd one out.
    pub odd: Option<usize>,
}

/// Told of what happens.
pub trait Watch {
    /// So much has been asked.
    fn progress(&mut self, _: &Tally, _: &[Finding]) {}
    /// There is a finding, shrunk already.
    ///
    /// # Errors
    /// Where it could not be kept: the campaign ends.
    fn found(&mut self, _: &Finding) -> Result<(), String> {
        Ok(())
    }
}

/// Nobody watches.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// A campaign in one dialect.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// The specs.
    pub specs: &'a Specs,
    /// The dialect.
    pub dialect: &'a Dialect,
    /// Packets to begin with: those of the corpus.
    pub seeds: Seeds,
    /// What is asked.
    pub plan: Plan,
    /// Ends it early.
    pub interrupt: Interrupt,
}

impl Campaign<'_> {
    /// Puts all questions to all sides.
    ///
    /// # Errors
    /// Where a side could not be used at all.
    pub fn run(&self, sides: Vec<Side>, watch: &mut dyn Watch) -> Result<Outcome, ImplementationError> {
        let hellos: Vec<_> = sides.iter().map(Side::handshake).collect();
        let stream = Stream::new(self.dialect, &hellos, self.seeds.clone(), self.plan.extent, self.plan.seed);
        let oracle = Oracle::new(self.dialect, &sides);
        let legal = Legal::new(self.specs, self.dialect, &hellos);
        let mut course = Course {
            campaign: self,
            oracle,
            legal,
            sides: Sides::new(sides, self.dialect),
            outcome: Outcome::default(),
            places: HashMap::new(),
            watch,
        };
        course.run(&stream)?;
        course.outcome.divergences = course.met();
        Ok(course.outcome)
    }

    /// The batches of this shard: number and how many questions of it count.
    fn batches(&self) -> impl Iterator<Item = (u64, usize)> {
        let batch = BATCH as u64;
        let (shard, shards) = self.plan.shard;
        let cases = self.plan.cases;
        (0..cases.div_ceil(batch))
            .filter(move |index| index % shards == shard - 1)
            .map(move |index| (index, usize::try_from(cases - index * batch).unwrap_or(BATCH).min(BATCH)))
    }
}

struct Course<'a> {
    campaign: &'a Campaign<'a>,
    oracle: Oracle,
    legal: Legal,
    sides: Sides,
    outcome: Outcome,
    /// Where each finding stands.
    places: HashMap<(Signature, Option<String>), usize>,
    watch: &'a mut dyn Watch,
}

impl Course<'_> {
    fn run(&mut self, stream: &Stream) -> Result<(), ImplementationError> {
        let until = self.campaign.plan.time.map(|time| Instant::now() + time);
        let ahead = if self.sides.are_here() { 1 } else { AHEAD };
        let mut posted: VecDeque<(u64, Posted)> = VecDeque::new();
        let mut batches = self.campaign.batches();
        let mut over = false;
        loop {
            while !over && posted.len() < ahead {
                let late = until.is_some_and(|until| Instant::now() >= until);
                let Some((index, most)) = batches.next().filter(|_| !late) else {
                    over = true;
                    if late {
                        self.stop("the time was over");
                    }
                    break;
                };
                let mut inputs = stream.batch(index);
                inputs.truncate(most);
                posted.push_back((index, self.sides.post(inputs)));
            }
            let Some((index, batch)) = posted.pop_front() else { break };
            let judged = self.judge(index, &batch);
            if self.campaign.interrupt.is_set() {
                // A side that was left without an answer by that is not to blame for it.
                self.stop(INTERRUPTED);
            }
            if let Err(unusable) = judged {
                // What was found so far is worth more than the reason why there is no more.
                if self.outcome.tally.asked == 0 && self.outcome.stopped.is_none() {
                    return Err(unusable);
                }
                self.stop(&unusable.to_string());
                return Ok(());
            }
            self.watch.progress(&self.outcome.tally, &self.outcome.findings);
            if self.outcome.stopped.is_some() && !over {
                return Ok(());
            }
        }
        self.outcome.complete = self.outcome.stopped.is_none();
        Ok(())
    }

    /// How often each divergence was met that could be.
    fn met(&self) -> Vec<(String, u64)> {
        let of = |(id, asked): (&str, bool)| {
            let found = self.outcome.findings.iter().filter(|finding| finding.legal.as_deref() == Some(id));
            let count = found.map(|finding| finding.count).sum();
            (asked || count > 0).then(|| (id.to_owned(), count))
        };
        self.legal.asked().filter_map(of).collect()
    }

    fn stop(&mut self, why: &str) {
        if self.outcome.stopped.is_none() {
            self.outcome.stopped = Some(why.to_owned());
        }
    }

    /// A batch counts as a whole: one that cannot be followed to its end leaves no trace.
    fn judge(&mut self, index: u64, batch: &Posted) -> Result<(), ImplementationError> {
        let said = self.sides.collect(batch)?;
        let rulings = rule_all(&self.oracle, &batch.requests, &said);
        drop(said);
        let mut tally = self.outcome.tally;
        let mut parted = Vec::new();
        for (place, ruling) in rulings.into_iter().enumerate() {
            match ruling {
                Ruling::Agree => tally.agreed += 1,
                Ruling::Undecidable => tally.lossy += 1,
                Ruling::Parted(parting) => {
                    match parting.signature.kind == Kind::Unsupported {
                        true => tally.unsupported += 1,
                        false => tally.parted += 1,
                    }
                    parted.push(Disagreement { request: batch.requests[place].clone(), parting: *parting });
                }
                Ruling::NotRun(why) => {
                    self.stop(&why);
                    continue;
                }
            }
            self.legal.note(&batch.requests[place], &self.oracle);
            tally.asked += 1;
        }
        let located = locate(&mut self.sides, &self.oracle, parted)?;
        self.outcome.tally = tally;
        located.iter().for_each(|found| self.count(index, found));
        Ok(())
    }

    fn count(&mut self, batch: u64, found: &Disagreement) {
        let legal = self.legal.of(found, &self.oracle);
        let mut key = (found.parting.signature.clone(), legal);
        if let Some(place) = self.places.get(&key) {
            self.outcome.findings[*place].count += 1;
            return;
        }
        if self.outcome.findings.len() >= MOST_FINDINGS {
            self.outcome.tally.beyond += 1;
            return;
        }
        let (oracle, legal) = (&self.oracle, &self.legal);
        let mut found = found.clone();
        let mut within = self.campaign.plan.shrinking;
        if key.1.is_none() && !lasts(&mut self.sides, oracle, &found) {
            found.parting.signature.kind = Kind::DependsOnOrder;
            key = (found.parting.signature.clone(), None);
            within = Duration::ZERO;
            if let Some(place) = self.places.get(&key) {
                self.outcome.findings[*place].count += 1;
                return;
            }
        }
        let smallest = shrink(&mut self.sides, oracle, &found, within, &|next| legal.of(next, oracle) == key.1);
        let finding = Finding {
            signature: smallest.parting.signature,
            by: smallest.parting.by,
            odd: smallest.parting.odd.first().copied(),
            legal: key.1.clone(),
            count: 1,
            batch,
            request: smallest.request,
            said: smallest.parting.said,
        };
        if let Err(why) = self.watch.found(&finding) {
            self.stop(&why);
        }
        if self.campaign.plan.first && finding.legal.is_none() {
            self.stop("there is a finding");
        }
        self.places.insert(key, self.outcome.findings.len());
        self.outcome.findings.push(finding);
    }
}

/// Whether sides part again where the question is asked alone. Of what failed that is known already.
fn lasts(sides: &mut Sides, oracle: &Oracle, found: &Disagreement) -> bool {
    let parts_again = |_| {
        let ruled = rulings(sides, oracle, vec![found.request.clone()]);
        ruled.map_or(true, |ruled| matches!(ruled.as_slice(), [Ruling::Parted(_)]))
    };
    found.parting.by == By::Failure || (0..2).all(parts_again)
}
