//! A campaign: many requests, sent to all sides, and the findings among the replies.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use variant_specs::{Dialect, JudgedBy, Specs};

use super::divergences::AllowedDivergences;
use super::failed::Failed;
use super::inputs::{BATCH, Inputs};
use super::locate::{locate, rule_all, rulings, wrong};
use super::oracle::{Oracle, Ruling, declared};
use super::seed_corpus::SeedCorpus;
use super::shrink::shrink;
use super::sides::{Participant, Replies, Sides, Time, is_over};
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::Verdict;
use variant_runner::judge::Judge;
use variant_values::diagnostic::Problem;
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{ImplementationError, Input, Request};
use variant_values::interrupt::{INTERRUPTED, Interrupt};
use variant_values::sanitize::counted;

/// What a campaign sends, and when it stops.
#[derive(Debug, Clone)]
pub struct CampaignPlan {
    /// The same number gives the same requests.
    pub seed: u64,
    pub cases: u64,
    /// The campaign ends after this time, shrinking included, even if requests are left; `None`: no limit.
    pub time: Option<Duration>,
    /// How long each finding may be shrunk; zero: not at all.
    pub shrinking: Duration,
    /// The campaign ends with the first finding.
    pub first: bool,
}

impl Default for CampaignPlan {
    fn default() -> Self {
        Self { seed: 1, cases: 100_000, time: None, shrinking: Duration::from_secs(3), first: false }
    }
}

/// The most findings that are kept. What is wrong beyond them is only counted.
const MOST_FINDINGS: usize = 2000;

/// The most of its time that a campaign keeps for shrinking: one part in this many.
const SHRINKING_PART: u32 = 3;

/// The least of its time that a campaign keeps for locating what the last requests show: one part in this many.
const LOCATING_PART: u32 = 8;

#[derive(Debug, Clone, Default)]
pub struct CampaignResult {
    pub sent: u64,
    /// Requests to which all replies are the same, by their operation.
    pub same: BTreeMap<Op, u64>,
    pub findings: Vec<Finding>,
    /// Wrong replies beyond the findings that are kept.
    pub beyond: u64,
    /// Whether all planned requests were sent.
    pub complete: bool,
    /// Why the campaign ended early, like `out of time`; `None` if it did not.
    pub stopped: Option<String>,
    /// How many replies each divergence allows.
    pub allowed: BTreeMap<String, u64>,
}

/// All wrong replies of a side that are wrong alike.
#[derive(Debug, Clone)]
pub struct Finding {
    pub smallest: Failed,
    pub count: u64,
    /// Requests like it that were answered right.
    pub near: Vec<Request>,
}

/// Follows a campaign while it runs.
pub trait Observer {
    fn progress(&mut self, _: &CampaignResult) {}
    /// Called for each finding, once it is shrunk.
    ///
    /// # Errors
    /// The finding could not be kept. The campaign then ends.
    fn found(&mut self, _: &Finding, _: &Oracle<'_>) -> Result<(), Problem> {
        Ok(())
    }
}

/// Nobody follows it.
impl Observer for () {}

#[derive(Debug)]
pub struct Campaign<'a> {
    /// The specs, which list the allowed divergences.
    pub specs: &'a Specs,
    pub dialect: &'a Dialect,
    /// Packets of the corpus, used beside generated ones.
    pub seeds: SeedCorpus,
    /// What is sent, and when the campaign stops.
    pub plan: CampaignPlan,
    /// Ends the campaign early, once it is set.
    pub interrupt: Interrupt,
}

impl Campaign<'_> {
    /// Sends all requests to all sides.
    ///
    /// # Errors
    /// A side cannot be used, before any request was judged. After that, it only ends the campaign early.
    pub fn run(
        &self,
        participants: Vec<Participant>,
        observer: &mut dyn Observer,
    ) -> Result<CampaignResult, ImplementationError> {
        let handshakes: Vec<&Handshake> = participants.iter().map(Participant::handshake).collect();
        let inputs = Inputs::new(self.dialect, &handshakes, self.seeds.clone(), self.plan.seed);
        let allowed = AllowedDivergences::new(self.specs, self.dialect, &handshakes);
        let judged = declared(&participants, self.dialect);
        let reference = participants.iter().position(Participant::is_reference);
        let mut state = CampaignState {
            campaign: self,
            oracle: Oracle::new(self.dialect, &judged, reference, &self.seeds.open),
            allowed,
            sides: Sides::new(participants, self.dialect),
            result: CampaignResult::default(),
            places: HashMap::new(),
            waiting: Vec::new(),
            skipped: None,
            from: Instant::now(),
            observer,
        };
        state.run(&inputs)?;
        state.shrink_waiting();
        Ok(state.result)
    }

    fn batches<'a>(&'a self, inputs: &'a Inputs) -> impl Iterator<Item = Vec<Request>> + 'a {
        let (batch, cases) = (BATCH as u64, self.plan.cases);
        (0..cases.div_ceil(batch)).map(move |number| {
            let mut requests = inputs.batch(number);
            requests.truncate(usize::try_from(cases - number * batch).unwrap_or(BATCH));
            requests
        })
    }
}

struct CampaignState<'a> {
    campaign: &'a Campaign<'a>,
    oracle: Oracle<'a>,
    allowed: AllowedDivergences,
    sides: Sides<'a>,
    result: CampaignResult,
    /// The index of each finding, by the side and the id of the test.
    places: HashMap<(usize, String), usize>,
    /// The indices of findings that are not shrunk yet. Only a campaign with a limited time lets them wait.
    waiting: Vec<usize>,
    /// How many requests some side did not get because others like them cost too much, and why not.
    skipped: Option<(usize, String)>,
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
        let shrinking = plan.shrinking.saturating_mul(u32::try_from(self.waiting.len()).unwrap_or(u32::MAX));
        let kept = |time: Duration| (time / SHRINKING_PART).min(shrinking).max(time / LOCATING_PART);
        let end = self.end();
        Time { sending: end.zip(plan.time).map(|(end, time)| end - kept(time)), end }
    }

    fn run(&mut self, inputs: &Inputs) -> Result<(), ImplementationError> {
        let campaign = self.campaign;
        let mut batches = campaign.batches(inputs);
        let mut next = batches.next();
        while let Some(requests) = next.take() {
            self.sides.time = self.time();
            if self.sides.time.sending.is_some_and(|until| Instant::now() >= until) {
                self.stop(&self.sides.time_is_over());
                return Ok(());
            }
            let (replies, following) = self.sides.ask_while(&requests, || batches.next());
            next = following;
            self.sides.time.sending = self.end();
            let judged = self.judge(&requests, replies);
            if campaign.interrupt.is_set() {
                // A side without a reply is not to blame for the interruption.
                self.stop(INTERRUPTED);
            } else if let Err(error) = &judged
                && is_over(self.sides.time, Some(error))
            {
                self.stop(&self.sides.time_is_over());
            }
            if let Err(error) = judged {
                // After the first batch, what was found so far is kept.
                if self.result.sent == 0 && self.result.stopped.is_none() {
                    return Err(error);
                }
                self.stop(&error.to_string());
            }
            if self.result.stopped.is_some() {
                return Ok(());
            }
            self.observer.progress(&self.result);
        }
        self.result.complete = true;
        self.finish();
        if let Some((count, why)) = self.skipped.take() {
            self.stop(&format!("{}: {why}", counted(count, "request")));
        }
        Ok(())
    }

    /// Ends the sides. What goes wrong then is a finding, with a test that is about no type.
    fn finish(&mut self) {
        let (dialect, open) = (self.campaign.dialect, HashSet::new());
        let (name, input) = (dialect.name.as_str().into(), Input::Decode(Vec::new()));
        let request = Request { dialect: name, input, objects: false, framing: None, kind: None };
        for (side, handshake, outcome) in self.sides.finish() {
            if self.campaign.interrupt.is_set() || is_over(self.sides.time, None) {
                return self.stop("the sides were ended");
            }
            let own = Oracle::new(dialect, &[], None, &open).own_test(&request);
            let test = Test { id: own.id.by(Rule::Exit), rule: Some(Rule::Exit), ..own };
            let judgement = Judge::for_claims(dialect, JudgedBy::Engines, &handshake).judge(&test, &outcome);
            let smallest = Failed { request: request.clone(), side, test, judgement, outcome, undecided: false };
            self.result.findings.push(Finding { smallest, count: 1, near: Vec::new() });
        }
    }

    /// Ends the campaign early. Only the first reason is kept.
    fn stop(&mut self, why: &str) {
        self.result.complete = false;
        self.result.stopped.get_or_insert_with(|| why.to_owned());
    }

    /// Of a batch that the time cuts short, what was answered counts.
    fn judge(&mut self, requests: &[Request], replies: Replies) -> Result<(), ImplementationError> {
        let replies = replies?;
        let rulings = rule_all(&self.oracle, requests, &replies);
        let cut =
            rulings.iter().find_map(|ruling| if let Ruling::NotRun(why) = ruling { Some(why.clone()) } else { None });
        drop(replies);
        for (request, ruling) in requests.iter().zip(&rulings) {
            match ruling {
                Ruling::Same => *self.result.same.entry(request.op()).or_default() += 1,
                Ruling::Right | Ruling::Undecided | Ruling::Wrong(_) => {}
                Ruling::NotRun(_) => continue,
                Ruling::Skipped(why) => {
                    self.skipped = Some((self.skipped.take().map_or(1, |(count, _)| count + 1), why.clone()));
                    continue;
                }
            }
            self.result.sent += 1;
        }
        if let Some(why) = cut {
            let is_over = is_over(self.sides.time, None);
            self.stop(&if is_over { self.sides.time_is_over() } else { why });
        }
        let mut failed = wrong(rulings);
        let located = locate(&mut self.sides, &self.oracle, &mut failed);
        failed.into_iter().for_each(|failed| self.count(failed));
        located
    }

    fn count(&mut self, mut failed: Failed) {
        if let Some(id) = self.allowed.id_of(&failed, &self.oracle) {
            *self.result.allowed.entry(id.to_owned()).or_default() += 1;
            return;
        }
        if self.is_known(&failed) {
            return;
        }
        if self.result.findings.len() >= MOST_FINDINGS {
            self.result.beyond += 1;
            return;
        }
        if !lasts(&mut self.sides, &self.oracle, &failed) {
            failed = failed.depending_on_order();
            if self.is_known(&failed) {
                return;
            }
        }
        let index = self.result.findings.len();
        self.places.insert(failed.key(), index);
        self.result.findings.push(Finding { smallest: failed, count: 1, near: Vec::new() });
        if self.campaign.plan.time.is_some() {
            return self.waiting.push(index);
        }
        self.shrink(index, self.campaign.plan.shrinking);
    }

    /// Shrinks what waits, each in an equal part of the time that is left.
    fn shrink_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let (end, of) = (self.end(), waiting.len());
        self.sides.time = Time { sending: end, end };
        for (place, index) in waiting.into_iter().enumerate() {
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            let share = left / u32::try_from(of - place).unwrap_or(u32::MAX);
            self.shrink(index, self.campaign.plan.shrinking.min(share));
        }
    }

    /// Makes a finding smaller, and reports it.
    fn shrink(&mut self, index: usize, within: Duration) {
        let Some(finding) = self.result.findings.get(index).cloned() else { return };
        // One that depends on the order would not show alone.
        let depends = finding.smallest.judgement.verdict == Verdict::OrderDependent;
        let within = if depends || self.campaign.interrupt.is_set() { Duration::ZERO } else { within };
        let same = |next: &Failed| self.allowed.id_of(next, &self.oracle).is_none();
        let (smallest, near) = shrink(&mut self.sides, &self.oracle, finding.smallest, within, &same);
        let Some(finding) = self.result.findings.get_mut(index) else { return };
        (finding.smallest, finding.near) = (smallest, near);
        if let Err(error) = self.observer.found(finding, &self.oracle) {
            self.stop(&error.to_string());
        }
        if self.campaign.plan.first {
            self.stop("there is a finding");
        }
    }

    /// Counts a wrong reply if it is a finding already, and returns whether it is.
    fn is_known(&mut self, failed: &Failed) -> bool {
        let index = self.places.get(&failed.key());
        let finding = index.and_then(|index| self.result.findings.get_mut(*index));
        finding.map(|finding| finding.count += 1).is_some()
    }
}

/// Whether the reply is wrong again when the request is sent alone, both times that it is. One that is missing is not asked
/// for again: if that does not last, it is `OrderDependent` already.
fn lasts(sides: &mut Sides<'_>, oracle: &Oracle<'_>, failed: &Failed) -> bool {
    use Verdict::{Crashed, Garbled, OrderDependent, TimedOut};
    let again = |_| {
        let rulings = rulings(sides, oracle, std::slice::from_ref(&failed.request)).unwrap_or_default();
        !matches!(rulings.as_slice(), [Ruling::Same | Ruling::Right | Ruling::Undecided])
    };
    matches!(failed.judgement.verdict, Crashed | Garbled | OrderDependent | TimedOut) || (0..2).all(again)
}
