//! Requests on their way through an adapter: a window of them in flight, pulled one by one. Outcomes are kept back for a while,
//! because a second reply to the same request makes the first garbled.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::exit::End;
use super::session::{IoEvent, Session};
use super::tally::{Place, places};
use super::{External, IN_FLIGHT};
use variant_values::implementation::{Answer, ImplementationError, Outcome, Request, Requests};
use variant_values::interrupt::INTERRUPTED;
use variant_values::protocol::write_request;

/// The longest line for an adapter that does not name its limit, in bytes.
const MAX_LINE: usize = 4 << 20;
/// Requests in flight are so many that the replies to all of them take at most this part of the timeout.
const SHARE: u32 = 4;

/// Bytes of requests in flight above which no more are sent, and of replies above which no more are kept back.
const BYTES: usize = 1 << 20;

/// A request, from when it is taken to when its outcome is passed on.
#[derive(Debug)]
pub(super) struct Job {
    /// The number under which it was last sent; 0 if it was not.
    pub(super) seq: u64,
    /// Its place among the requests, from 0.
    pub(super) place: usize,
    pub(super) request: Request,
    /// Where it belongs in the tally.
    pub(super) places: Vec<Place>,
    /// The length of its line, then that of the reply.
    pub(super) bytes: usize,
}

/// One call of `External::send`: the outcomes as they come.
pub(super) struct Pipeline<'a> {
    pub(super) external: &'a mut External,
    requests: Requests<'a>,
    /// How many were taken from `requests`.
    pulled: usize,
    /// Requests to send again.
    pub(super) retries: VecDeque<Job>,
    /// Requests in flight by their `seq`, the oldest first.
    pub(super) window: BTreeMap<u64, Job>,
    /// The request that the running process answered last.
    pub(super) last: Option<u64>,
    /// How many may be in flight now. It begins with one, and grows as replies come in time.
    width: usize,
    /// Outcomes that are kept back.
    pub(super) held: VecDeque<(Job, Outcome)>,
    error: Option<ImplementationError>,
    over: bool,
    /// When something was last sent to an idle adapter, or answered.
    pub(super) progress: Instant,
}

impl Iterator for Pipeline<'_> {
    type Item = Result<(usize, Outcome), ImplementationError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bytes = || self.held.iter().map(|(job, _)| job.bytes).sum::<usize>();
            if (self.over || self.held.len() > IN_FLIGHT || bytes() > BYTES)
                && let Some((job, outcome)) = self.held.pop_front()
            {
                return Some(Ok((job.place, outcome)));
            }
            if self.over {
                return self.error.take().map(Err);
            }
            match self.step() {
                Ok(goes_on) => self.over = !goes_on,
                Err(error) => {
                    self.external.given_up = Some(error.0.clone());
                    self.external.session = None;
                    self.error = Some(error);
                    self.over = true;
                }
            }
        }
    }
}

impl Drop for Pipeline<'_> {
    /// Replies that nobody waits for any more must not be taken for others.
    fn drop(&mut self) {
        if !self.window.is_empty() {
            self.external.session = None;
        }
    }
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(external: &'a mut External, requests: Requests<'a>) -> Self {
        Self {
            external,
            requests,
            pulled: 0,
            retries: VecDeque::new(),
            window: BTreeMap::new(),
            last: None,
            width: 1,
            held: VecDeque::new(),
            error: None,
            over: false,
            progress: Instant::now(),
        }
    }

    /// Sends what may be sent, and reads what has come. Returns whether anything is left to do.
    fn step(&mut self) -> Result<bool, ImplementationError> {
        self.fill()?;
        if self.window.is_empty() {
            return Ok(false);
        }
        if let Some(end) = self.listen(self.external.tally.patience())? {
            self.blame(end)?;
        }
        Ok(true)
    }

    /// Waits for lines and reads them. Returns how the process ended, or that nothing was answered for so long.
    pub(super) fn listen(&mut self, patience: Duration) -> Result<Option<End>, ImplementationError> {
        let (until, open) = (self.progress + patience, self.window.len());
        match self.wait(until)? {
            IoEvent::Lines(lines) => lines.into_iter().for_each(|line| self.read(line)),
            IoEvent::Quiet => {}
            IoEvent::Ended(end) => return Ok(Some(end)),
        }
        if self.window.len() < open {
            self.adjust(open - self.window.len());
            self.progress = Instant::now();
            return Ok(None);
        }
        Ok((Instant::now() >= until).then_some(End::Silent(patience)))
    }

    /// Waits for the next event. An interruption is an error, so that no request is blamed for it.
    pub(super) fn wait(&mut self, until: Instant) -> Result<IoEvent, ImplementationError> {
        match self.external.session()?.wait(until) {
            // An adapter that was interrupted together with us is not to blame either.
            IoEvent::Ended(_) if self.external.limits.interrupt.is_set() => {
                Err(ImplementationError(INTERRUPTED.to_owned()))
            }
            event => Ok(event),
        }
    }

    /// Fits the window to the time that these replies took, so that a slow adapter is not overwhelmed.
    fn adjust(&mut self, replies: usize) {
        let each = self.progress.elapsed() / u32::try_from(replies).unwrap_or(u32::MAX);
        self.external.tally.slowest = self.external.tally.slowest.max(each);
        let share = self.external.limits.reply_timeout / SHARE;
        let most = (share.as_nanos() / each.as_nanos().max(1)).clamp(1, self.external.in_flight as u128);
        self.width = usize::try_from(most).unwrap_or(1).min(2 * self.width);
    }

    /// Fills the window once it is half empty: half a window is a batch, and the other half keeps the adapter busy.
    fn fill(&mut self) -> Result<(), ImplementationError> {
        if self.window.len() > self.width / 2 {
            return Ok(());
        }
        let idle = self.window.is_empty();
        let mut lines = Vec::new();
        let width = self.width.min(self.external.in_flight);
        while self.window.len() < width && self.send_next(&mut lines)? {}
        if !lines.is_empty() {
            self.external.session()?.send(lines);
            if idle {
                self.progress = Instant::now();
            }
        }
        Ok(())
    }

    /// Appends the line of the next request. Returns false if none is left, or if it may not be sent now.
    fn send_next(&mut self, lines: &mut Vec<u8>) -> Result<bool, ImplementationError> {
        let Some(mut job) = self.pull() else { return Ok(false) };
        if !self.fits(&job) {
            self.retries.push_front(job);
            return Ok(false);
        }
        let line = self.write(&mut job)?;
        let limit = self.external.handshake.max_line.unwrap_or(MAX_LINE);
        if line.len() > limit {
            let why = format!("its line has {} bytes, but the adapter reads at most {limit} (`max_line`)", line.len());
            self.held.push_back((job, Answer::NotRun(why).into()));
        } else {
            lines.extend_from_slice(&line);
            self.window.insert(job.seq, job);
        }
        Ok(true)
    }

    /// Gives a request its number. Returns its line.
    pub(super) fn write(&mut self, job: &mut Job) -> Result<Vec<u8>, ImplementationError> {
        // It is started before a number is given, since it may have to be told another one.
        self.external.session()?;
        let External { seq, specs, handshake, .. } = &mut *self.external;
        *seq += 1;
        let mut line = Vec::new();
        write_request(&mut line, *seq, &job.request, &specs.layouts, handshake);
        (job.seq, job.bytes) = (*seq, line.len());
        Ok(line)
    }

    /// Whether it can be sent in addition to the requests in flight.
    fn fits(&self, job: &Job) -> bool {
        let tally = &self.external.tally;
        let Some(oldest) = self.window.values().next() else { return true };
        let bytes: usize = self.window.values().map(|sent| sent.bytes).sum();
        bytes < BYTES && !tally.is_risky(&oldest.places) && !tally.is_risky(&job.places)
    }

    /// The next request that is sent: none, once it was given up.
    fn pull(&mut self) -> Option<Job> {
        loop {
            let job = self.retries.pop_front().or_else(|| self.take())?;
            let given_up = self.external.given_up.clone().map(Answer::NotRun);
            match given_up.or_else(|| self.external.tally.skips(&job.request, &job.places).map(Answer::Skipped)) {
                None => return Some(job),
                Some(answer) => self.held.push_back((job, answer.into())),
            }
        }
    }

    fn take(&mut self) -> Option<Job> {
        let request = self.requests.next()?;
        let places = places(&request, &self.external.specs);
        let place = self.pulled;
        self.pulled += 1;
        Some(Job { seq: 0, place, request, places, bytes: 0 })
    }

    pub(super) fn session(&mut self) -> Option<&mut Session> {
        self.external.session.as_mut()
    }
}
