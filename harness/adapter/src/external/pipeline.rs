//! Requests on their way through an adapter: a window of them in flight, pulled one by one.

use std::collections::{BTreeMap, VecDeque};
use std::iter::Enumerate;
use std::time::Instant;

use super::exit::End;
use super::streams::Line;
use super::supervisor::{External, IN_FLIGHT};
use super::tally::{Place, places};
use variant_values::implementation::{Answer, ImplementationError, Outcome, Request, Requests};
use variant_values::interrupt::INTERRUPTED;
use variant_values::protocol::{set_seq, write_request};

/// The longest line for an adapter that does not name its limit, in bytes.
const MAX_LINE: usize = 4 << 20;
/// The numbers of requests grow by this: a reply to a number between them, as of an adapter that counts by itself or adds one, is
/// none to another request.
const STEP: u64 = 7;
/// Bytes of requests in flight above which no more are sent, and of replies above which no more are kept back.
pub(super) const BYTES: usize = 1 << 20;

/// A request, from when it is taken to when its outcome is passed on.
#[derive(Debug)]
pub(super) struct Job {
    /// The number under which it was last sent; 0 if it was not.
    pub(super) seq: u64,
    /// Its place among the requests, from 0.
    pub(super) place: usize,
    pub(super) request: Request,
    /// Its line with the number 0, until that is sent.
    pub(super) line: Vec<u8>,
    /// Where it belongs in the tally.
    pub(super) places: Vec<Place>,
    /// The length of its line, then that of the reply.
    pub(super) bytes: usize,
    /// Whether it was unanswered when a process ended or hung, and nobody was blamed for that yet.
    pub(super) is_suspect: bool,
}

/// A process that ended or hung.
pub(super) struct Death {
    pub(super) end: End,
    /// The end of what it printed outside the protocol.
    pub(super) noise: String,
    /// The request that it answered last, until that is acquitted.
    pub(super) last: Option<u64>,
    /// The first request that it left unanswered and that got its reply from another process.
    pub(super) first: Option<u64>,
}

/// One call of `External::send`: the outcomes as they come.
pub(super) struct Pipeline<'a> {
    pub(super) external: &'a mut External,
    requests: Enumerate<Requests<'a>>,
    /// Requests to send again.
    pub(super) retries: VecDeque<Job>,
    /// Requests in flight by their `seq`, the oldest first.
    pub(super) window: BTreeMap<u64, Job>,
    /// Outcomes that are kept back.
    pub(super) held: VecDeque<(Job, Outcome)>,
    /// Deaths that the suspects may have caused.
    pub(super) unsolved: Vec<Death>,
    pub(super) error: Option<ImplementationError>,
    pub(super) over: bool,
    /// When something was last sent to an idle adapter, or answered.
    pub(super) progress: Instant,
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(external: &'a mut External, requests: Requests<'a>) -> Self {
        Self {
            external,
            requests: requests.enumerate(),
            retries: VecDeque::new(),
            window: BTreeMap::new(),
            held: VecDeque::new(),
            unsolved: Vec::new(),
            error: None,
            over: false,
            progress: Instant::now(),
        }
    }

    /// Waits for the next lines, or how it ended. An interruption is an error, so that no request is blamed for it.
    pub(super) fn wait(&mut self, until: Instant) -> Result<Result<Vec<Line>, End>, ImplementationError> {
        let waited = self.external.session()?.wait(until);
        // An adapter that was interrupted together with us is not to blame either.
        if waited.is_err() && self.external.limits.interrupt.is_set() {
            return Err(ImplementationError(INTERRUPTED.to_owned()));
        }
        Ok(waited)
    }

    /// Fills the window once it is half empty: half a window is a batch, and the other half keeps the adapter busy.
    pub(super) fn fill(&mut self) -> Result<(), ImplementationError> {
        if self.window.len() > self.external.in_flight / 2 {
            return Ok(());
        }
        let is_idle = self.window.is_empty();
        let mut lines = Vec::new();
        while self.window.len() < self.external.in_flight
            && let Some(mut job) = self.pull()
        {
            if !self.fits(&job) {
                self.retries.push_front(job);
                break;
            }
            let line = match std::mem::take(&mut job.line) {
                sent if sent.is_empty() => self.unnumbered(&job.request),
                line => line,
            };
            let (seq, line) = self.number(line)?;
            (job.seq, job.bytes) = (seq, line.len());
            let limit = self.external.handshake.max_line.unwrap_or(MAX_LINE);
            if line.len() > limit {
                let why =
                    format!("its line has {} bytes, but the adapter reads at most {limit} (`max_line`)", line.len());
                self.held.push_back((job, Answer::NotRun(why).into()));
            } else {
                lines.extend_from_slice(&line);
                self.window.insert(seq, job);
            }
        }
        if !lines.is_empty() {
            self.external.session()?.send(lines);
            if is_idle {
                self.progress = Instant::now();
            }
        }
        Ok(())
    }

    /// The line of a request, with the number 0.
    pub(super) fn unnumbered(&self, request: &Request) -> Vec<u8> {
        let External { specs, handshake, .. } = &*self.external;
        let mut line = Vec::new();
        write_request(&mut line, 0, request, &specs.layouts, handshake);
        line
    }

    /// Gives a line a number. Returns both.
    pub(super) fn number(&mut self, mut line: Vec<u8>) -> Result<(u64, Vec<u8>), ImplementationError> {
        // It is started before a number is given, since it may have to be told another one.
        self.external.session()?;
        let External { seq, in_flight, .. } = &mut *self.external;
        *seq += STEP;
        if *in_flight == 1 {
            // A step of up to 511 more, so that an adapter that is out of step does not hit the number by chance.
            *seq += seq.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55;
        }
        set_seq(&mut line, *seq);
        Ok((*seq, line))
    }

    /// Whether it can be sent in addition to the requests in flight. The first is sent alone, and so is what may end the process.
    /// None is overtaken by more than are in flight: it may never get a reply.
    fn fits(&self, job: &Job) -> bool {
        let Some((seq, oldest)) = self.window.first_key_value() else { return true };
        let bytes: usize = self.window.values().map(|sent| sent.bytes).sum();
        let is_alone = |job: &Job| job.is_suspect || self.external.tally.is_risky(&job.places);
        let overtaken = (self.external.seq - seq) / STEP;
        let is_room = bytes < BYTES && overtaken < IN_FLIGHT as u64;
        is_room && self.external.good.is_some() && !is_alone(oldest) && !is_alone(job)
    }

    /// The next request that is sent: none, once it was given up.
    fn pull(&mut self) -> Option<Job> {
        loop {
            let job = self.retries.pop_front().or_else(|| self.take())?;
            let given_up = self.external.given_up.clone().map(Answer::NotRun);
            match given_up.or_else(|| self.external.tally.skips(&job.request, &job.places).map(Answer::Skipped)) {
                None => return Some(job),
                Some(answer) => self.held.push_back((Job { line: Vec::new(), ..job }, answer.into())),
            }
        }
    }

    fn take(&mut self) -> Option<Job> {
        let (place, request) = self.requests.next()?;
        let line = self.unnumbered(&request);
        let places = places(&request, line.len(), &self.external.specs);
        Some(Job { seq: 0, place, request, line, places, bytes: 0, is_suspect: false })
    }
}
