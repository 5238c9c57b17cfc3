//! A campaign: many requests, sent to all participants, and the findings among the responses.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use variant_specs::{Dialect, Specs};

use super::divergences::AllowedDivergences;
use super::inputs::{BATCH, Inputs};
use super::locate::{locate, rule_all, verdicts};
use super::oracle::{Arbiter, Disagreement, Oracle, OracleVerdict};
use super::participants::{Participant, Participants, Submission, TIME_IS_OVER, Time};
use super::regressions::BatchSeed;
use super::relay::relay;
use super::save::SaveError;
use super::seed_corpus::SeedCorpus;
use super::shrink::shrink;
use super::signature::{DisagreementKind, Signature};
use variant_strategies::SizeLimits;
use variant_wire::implementation::ImplementationError;
use variant_wire::interrupt::{INTERRUPTED, Interrupt};

/// What a campaign sends, and when it stops.
#[derive(Debug, Clone)]
pub struct CampaignPlan {
    /// The same number gives the same requests.
    pub seed: u64,
    /// How many requests.
    pub cases: u64,
    /// Batches that showed something before. They are sent first, beside the cases.
    pub regressions: Vec<BatchSeed>,
    /// How large values may become.
    pub limits: SizeLimits,
    /// The campaign ends after this time, shrinking included, even if requests are left; `None`: no limit.
    pub time: Option<Duration>,
    /// How long each finding may be shrunk; zero: not at all.
    pub shrinking: Duration,
    /// The campaign ends with the first finding that no divergence allows.
    pub first: bool,
}

impl Default for CampaignPlan {
    fn default() -> Self {
        Self {
            seed: 1,
            cases: 100_000,
            regressions: Vec::new(),
            limits: SizeLimits::default(),
            time: None,
            shrinking: Duration::from_secs(3),
            first: false,
        }
    }
}

/// The most findings that are kept. Disagreements beyond them are only counted.
const MOST_FINDINGS: usize = 2000;
/// How many batches programs have at once: one is judged, one is answered, and two wait, so that programs have work
/// while disagreements of the first are located.
const AHEAD: usize = 4;

/// The most of its time that a campaign keeps for shrinking: one part in this many.
const SHRINKING_PART: u32 = 3;

/// The least of its time that a campaign keeps for locating what the last requests show: one part in this many.
const LOCATING_PART: u32 = 8;

/// What a campaign is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It sends requests, and judges the responses.
    Sending,
    /// It makes a finding smaller.
    Shrinking {
        /// Which one this is, from 1.
        number: usize,
        /// How many wait, this one included.
        of: usize,
    },
}

/// What a campaign found.
#[derive(Debug, Clone, Default)]
pub struct CampaignResult {
    /// How many requests, by verdict.
    pub tally: CampaignTally,
    /// The findings, in the order in which they were seen.
    pub findings: Vec<FoundDifference>,
    /// Whether all planned requests were sent.
    pub complete: bool,
    /// Why the campaign ended early, like `the time is over`; `None` if it did not.
    pub stopped: Option<String>,
    /// Each divergence that some request could show, and how often it was seen.
    pub divergences: Vec<(String, u64)>,
}

/// How many requests, by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignTally {
    /// Requests that all participants got.
    pub sent: u64,
    /// Requests to which all responses are the same.
    pub agreed: u64,
    /// Requests whose responses differ only in what some host language cannot tell apart.
    pub lossy: u64,
    /// Requests that at most one participant supports.
    pub unsupported: u64,
    /// Requests on which participants disagree, whether a divergence allows it or not.
    pub disagreed: u64,
    /// Disagreements beyond the findings that are kept.
    pub beyond: u64,
}

/// All disagreements with the same signature.
#[derive(Debug, Clone)]
pub struct FoundDifference {
    /// The simplest request that shows it.
    pub smallest: Disagreement,
    /// The id of the divergence that allows it; `None` if none does.
    pub legal: Option<String>,
    /// How many requests show it.
    pub count: u64,
    /// The number of the batch in which it was seen first; `None` for one of the regressions.
    pub batch: Option<u64>,
    /// The seed of that batch.
    pub seed: BatchSeed,
}

/// Follows a campaign while it runs.
pub trait Observer {
    /// Called after each batch, with what was found so far.
    fn progress(&mut self, _: &CampaignResult) {}
    /// Called when another phase begins.
    fn phase(&mut self, _: Phase) {}
    /// Called for each finding, once it is shrunk.
    ///
    /// # Errors
    /// The finding could not be kept. The campaign then ends.
    fn found(&mut self, _: &FoundDifference, _: &Oracle) -> Result<(), SaveError> {
        Ok(())
    }
}

/// An [`Observer`] that does nothing.
#[derive(Debug)]
pub struct NoopObserver;

impl Observer for NoopObserver {}

/// A campaign in one dialect.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// The specs, which list the allowed divergences.
    pub specs: &'a Specs,
    /// The dialect of all requests.
    pub dialect: &'a Dialect,
    /// Packets of the corpus, used beside generated ones.
    pub seeds: SeedCorpus,
    /// What is sent, and when the campaign stops.
    pub plan: CampaignPlan,
    /// Ends the campaign early, once it is set.
    pub interrupt: Interrupt,
}

impl Campaign<'_> {
    /// Sends all requests to all participants.
    ///
    /// # Errors
    /// A participant cannot be used, before any request was judged. After that, it only ends the campaign early.
    pub fn run(
        &self,
        participants: Vec<Participant>,
        observer: &mut dyn Observer,
    ) -> Result<CampaignResult, ImplementationError> {
        let handshakes: Vec<_> = participants.iter().map(Participant::handshake).collect();
        let plan = &self.plan;
        let inputs = Inputs::new(self.dialect, &handshakes, self.seeds.clone(), plan.limits, plan.seed);
        let mut state = CampaignState {
            campaign: self,
            oracle: Oracle::new(self.dialect, &participants),
            allowed: AllowedDivergences::new(self.specs, self.dialect, &handshakes),
            participants: Participants::new(participants, self.dialect),
            result: CampaignResult::default(),
            places: HashMap::new(),
            waiting: Vec::new(),
            from: Instant::now(),
            observer,
        };
        state.run(&inputs)?;
        state.shrink_waiting();
        state.result.divergences = state.allowed.counted(&state.result.findings);
        Ok(state.result)
    }

    /// The batches of the cases, after those of regressions.
    fn batches<'a>(&'a self, inputs: &'a Inputs) -> impl Iterator<Item = BatchPlan> + 'a {
        let batch = BATCH as u64;
        let CampaignPlan { cases, ref regressions, .. } = self.plan;
        let known = regressions.iter().map(|seed| BatchPlan { number: None, seed: seed.clone(), most: BATCH });
        known.chain((0..cases.div_ceil(batch)).map(move |number| BatchPlan {
            number: Some(number),
            seed: inputs.seed_of(number),
            most: usize::try_from(cases - number * batch).unwrap_or(BATCH).min(BATCH),
        }))
    }
}

/// A batch of a campaign.
struct BatchPlan {
    /// `None` for one of the regressions.
    number: Option<u64>,
    seed: BatchSeed,
    /// How many of its requests count.
    most: usize,
}

struct CampaignState<'a> {
    campaign: &'a Campaign<'a>,
    oracle: Oracle,
    allowed: AllowedDivergences,
    participants: Participants,
    result: CampaignResult,
    /// The index of each finding, by its signature and the divergence that allows it.
    places: HashMap<(Signature, Option<String>), usize>,
    /// The indices of findings that are not shrunk yet. Only a campaign with a limited time lets them wait.
    waiting: Vec<usize>,
    from: Instant,
    observer: &'a mut dyn Observer,
}

impl CampaignState<'_> {
    /// When the campaign ends.
    fn end(&self) -> Option<Instant> {
        self.campaign.plan.time.and_then(|time| self.from.checked_add(time))
    }

    /// Until when requests are sent: some time is left for locating what the last of them show, and for shrinking what waits.
    fn time(&self) -> Time {
        let plan = &self.campaign.plan;
        let waiting = u32::try_from(self.waiting.len()).unwrap_or(u32::MAX);
        let kept = |time: Duration| {
            (time / SHRINKING_PART).min(plan.shrinking.saturating_mul(waiting)).max(time / LOCATING_PART)
        };
        let end = self.end();
        Time { sending: end.zip(plan.time).map(|(end, time)| end - kept(time)), end }
    }

    fn run(&mut self, inputs: &Inputs) -> Result<(), ImplementationError> {
        self.observer.phase(Phase::Sending);
        let ahead = if self.participants.all_in_process() { 1 } else { AHEAD };
        let mut submitted: VecDeque<(BatchPlan, Submission)> = VecDeque::new();
        let mut batches = self.campaign.batches(inputs).peekable();
        loop {
            let time = self.time();
            let until = time.sending;
            self.participants.keep_to(time);
            let late = until.is_some_and(|until| Instant::now() >= until);
            if late && (!submitted.is_empty() || batches.peek().is_some()) {
                self.stop(TIME_IS_OVER);
                return Ok(());
            }
            while submitted.len() < ahead {
                let Some(part) = batches.next() else { break };
                let mut requests = inputs.batch(&part.seed);
                requests.truncate(part.most);
                submitted.push_back((part, self.participants.submit(requests)));
            }
            let Some((part, batch)) = submitted.pop_front() else { break };
            let judged = self.judge(inputs, &part, &batch);
            if let Err(ImplementationError(why)) = &judged
                && (until.is_some_and(|until| Instant::now() >= until)
                    // A program that was told to end, and not by a signal, has no time left either.
                    || why.ends_with(INTERRUPTED) && !self.campaign.interrupt.is_set())
            {
                self.stop(TIME_IS_OVER);
            }
            if self.campaign.interrupt.is_set() {
                // A participant without a response is not to blame for the interruption.
                self.stop(INTERRUPTED);
            }
            if let Err(error) = judged {
                // After the first batch, what was found so far is kept.
                if self.result.tally.sent == 0 && self.result.stopped.is_none() {
                    return Err(error);
                }
                self.stop(&error.to_string());
            }
            if self.result.stopped.is_some() {
                return Ok(());
            }
            self.observer.progress(&self.result);
        }
        self.result.complete = self.result.stopped.is_none();
        Ok(())
    }

    /// Ends the campaign early. Only the first reason is kept.
    fn stop(&mut self, why: &str) {
        self.result.stopped.get_or_insert_with(|| why.to_owned());
    }

    /// Of a batch that the time cuts short, what was answered counts.
    fn judge(&mut self, inputs: &Inputs, part: &BatchPlan, batch: &Submission) -> Result<(), ImplementationError> {
        let responses = self.participants.collect(batch)?;
        let verdicts = rule_all(&self.oracle, &batch.requests, &responses);
        let cut = verdicts.iter().any(|verdict| matches!(verdict, OracleVerdict::NotRun(_)));
        let relayed = match cut {
            true => Vec::new(),
            false => relay(&mut self.participants, &self.oracle, inputs, &batch.requests, &responses)?,
        };
        drop(responses);
        let mut tally = self.result.tally;
        let mut disagreements = Vec::new();
        for (request, verdict) in batch.requests.iter().zip(verdicts) {
            match verdict {
                OracleVerdict::Agree => tally.agreed += 1,
                OracleVerdict::Undecidable => tally.lossy += 1,
                OracleVerdict::Disagree(disagreement) => {
                    match disagreement.signature.kind == DisagreementKind::Unsupported {
                        true => tally.unsupported += 1,
                        false => tally.disagreed += 1,
                    }
                    disagreements.push(*disagreement);
                }
                OracleVerdict::NotRun(why) => {
                    self.stop(&why);
                    continue;
                }
            }
            self.allowed.note(request, &self.oracle);
            tally.sent += 1;
        }
        // They are no requests of the campaign, and are not counted with them.
        disagreements.extend(relayed);
        let located = locate(&mut self.participants, &self.oracle, &mut disagreements);
        self.result.tally = tally;
        disagreements.into_iter().for_each(|found| self.count(part, found));
        located
    }

    fn count(&mut self, part: &BatchPlan, mut found: Disagreement) {
        let legal = self.allowed.id_of(&found, &self.oracle);
        if self.is_known(&found, &legal) {
            return;
        }
        if self.result.findings.len() >= MOST_FINDINGS {
            self.result.tally.beyond += 1;
            return;
        }
        if legal.is_none() && !lasts(&mut self.participants, &self.oracle, &found) {
            found.signature.kind = DisagreementKind::DependsOnOrder;
            if self.is_known(&found, &None) {
                return;
            }
        }
        let index = self.result.findings.len();
        self.places.insert((found.signature.clone(), legal.clone()), index);
        let (batch, seed) = (part.number, part.seed.clone());
        self.result.findings.push(FoundDifference { smallest: found, legal, count: 1, batch, seed });
        if self.campaign.plan.time.is_some() {
            return self.waiting.push(index);
        }
        self.observer.phase(Phase::Shrinking { number: 1, of: 1 });
        self.shrink(index, self.campaign.plan.shrinking);
        self.observer.phase(Phase::Sending);
    }

    /// Shrinks what waits, what no divergence allows first, each in an equal part of the time that is left.
    fn shrink_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|index| self.result.findings.get(*index).is_some_and(|finding| finding.legal.is_some()));
        let (end, of) = (self.end(), waiting.len());
        self.participants.keep_to(Time { sending: end, end });
        for (place, index) in waiting.into_iter().enumerate() {
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            let share = left / u32::try_from(of - place).unwrap_or(u32::MAX);
            self.observer.phase(Phase::Shrinking { number: place + 1, of });
            self.shrink(index, self.campaign.plan.shrinking.min(share));
        }
    }

    /// Makes a finding smaller, and reports it.
    fn shrink(&mut self, index: usize, within: Duration) {
        let Some(finding) = self.result.findings.get(index).cloned() else { return };
        let FoundDifference { smallest, legal, .. } = finding;
        // One that depends on the order would not show alone.
        let depends = smallest.signature.kind == DisagreementKind::DependsOnOrder;
        let within = if depends || self.campaign.interrupt.is_set() { Duration::ZERO } else { within };
        let same = |next: &Disagreement| self.allowed.id_of(next, &self.oracle) == legal;
        let smallest = shrink(&mut self.participants, &self.oracle, smallest, within, &same);
        let Some(finding) = self.result.findings.get_mut(index) else { return };
        finding.smallest = smallest;
        let kept = self.observer.found(finding, &self.oracle);
        let is_open = finding.legal.is_none();
        if let Err(error) = kept {
            self.stop(&error.to_string());
        }
        if self.campaign.plan.first && is_open {
            self.stop("there is a finding");
        }
    }

    /// Counts a disagreement if it is a finding already, and returns whether it is.
    fn is_known(&mut self, found: &Disagreement, legal: &Option<String>) -> bool {
        let index = self.places.get(&(found.signature.clone(), legal.clone()));
        let finding = index.and_then(|index| self.result.findings.get_mut(*index));
        finding.map(|finding| finding.count += 1).is_some()
    }
}

/// Whether participants disagree again when the request is sent alone, both times that it is. A failure is not sent
/// again: one that does not last is reported as `OrderDependent`.
fn lasts(participants: &mut Participants, oracle: &Oracle, found: &Disagreement) -> bool {
    let again = |_| {
        let verdicts = verdicts(participants, oracle, vec![found.request.clone()]);
        verdicts.map_or(true, |verdicts| {
            !matches!(verdicts.as_slice(), [OracleVerdict::Agree | OracleVerdict::Undecidable])
        })
    };
    found.arbiter == Arbiter::Failure || (0..2).all(again)
}
