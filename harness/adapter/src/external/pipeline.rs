//! Requests on their way through an adapter: a window of them in flight, pulled one by one.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::External;
use super::exit::End;
use super::held::Held;
use super::session::{IoEvent, SentRequest, Session};
use super::tally::{Place, places};
use variant_values::implementation::{Answer, ImplementationError, Outcome, Request, Requests};
use variant_values::interrupt::INTERRUPTED;
use variant_values::protocol::write_request;

/// The longest line for an adapter that does not name its limit, in bytes.
const MAX_LINE: usize = 4 << 20;
/// Requests in flight are so many that the replies to all of them take at most this part of the timeout.
const SHARE: u32 = 4;

/// One call of `External::send`: the outcomes as they come.
pub(super) struct Pipeline<'a> {
    pub(super) external: &'a mut External,
    requests: Requests<'a>,
    /// How many were taken from `requests`.
    pulled: usize,
    /// Requests to send again, with their places.
    pub(super) retries: VecDeque<(usize, Request)>,
    /// Requests in flight by their `seq`, the oldest first.
    pub(super) window: BTreeMap<u64, SentRequest>,
    /// How many may be in flight now. It begins with one, and grows as replies come in time.
    width: usize,
    pub(super) held: Held,
    error: Option<ImplementationError>,
    over: bool,
    /// When something was last sent to an idle adapter, or answered.
    pub(super) progress: Instant,
}

impl Iterator for Pipeline<'_> {
    type Item = Result<(usize, Outcome), ImplementationError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(outcome) = self.held.release(self.over) {
                return Some(Ok(outcome));
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
            width: 1,
            held: Held::default(),
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
        let patience = self.external.tally.patience();
        let until = self.progress + patience;
        let progressed = match self.wait(until)? {
            IoEvent::Lines(lines) => {
                let waited = self.progress.elapsed();
                let before = self.window.len();
                lines.into_iter().for_each(|line| self.read(line));
                let replies = before - self.window.len();
                self.adjust(waited, replies);
                replies > 0
            }
            IoEvent::Quiet => false,
            IoEvent::Ended(end) => return self.blame(end).map(|()| true),
        };
        if progressed {
            self.progress = Instant::now();
        } else if Instant::now() >= until {
            self.blame(End::Silent(patience))?;
        }
        Ok(true)
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

    /// Fits the window to the time that replies take, so that a slow adapter is not overwhelmed.
    fn adjust(&mut self, waited: Duration, replies: usize) {
        let Some(replies) = u32::try_from(replies).ok().filter(|replies| *replies > 0) else { return };
        let each = waited / replies;
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
        let Some((place, request, places)) = self.pull() else { return Ok(false) };
        if !self.fits(&places) {
            self.retries.push_front((place, request));
            return Ok(false);
        }
        let (sent, line) = self.write(place, request, places)?;
        let limit = self.external.handshake.max_line.unwrap_or(MAX_LINE);
        if line.len() > limit {
            let why = format!("its line has {} bytes, but the adapter reads at most {limit} (`max_line`)", line.len());
            self.held.push(None, place, Answer::NotRun(why).into());
        } else {
            lines.extend_from_slice(&line);
            self.window.insert(sent.seq, sent);
        }
        Ok(true)
    }

    pub(super) fn write(
        &mut self,
        place: usize,
        request: Request,
        places: Vec<Place>,
    ) -> Result<(SentRequest, Vec<u8>), ImplementationError> {
        // It is started before a number is given, since it may have to be told another one.
        self.external.session()?;
        let External { seq, specs, handshake, .. } = &mut *self.external;
        *seq += 1;
        let mut line = Vec::new();
        write_request(&mut line, *seq, &request, &specs.layouts, handshake);
        Ok((SentRequest { seq: *seq, place, request, places, bytes: line.len() }, line))
    }

    /// Whether it can be sent in addition to the requests in flight.
    fn fits(&self, places: &[Place]) -> bool {
        let External { tally, limits, .. } = &*self.external;
        let Some(oldest) = self.window.values().next() else { return true };
        let bytes: usize = self.window.values().map(|sent| sent.bytes).sum();
        bytes < limits.unanswered_bytes && !tally.is_risky(&oldest.places) && !tally.is_risky(places)
    }

    /// The next request that is sent: none, once it was given up.
    fn pull(&mut self) -> Option<(usize, Request, Vec<Place>)> {
        loop {
            let (place, request) = self.pull_any()?;
            let places = places(&request, &self.external.specs);
            let given_up = self.external.given_up.clone().map(Answer::NotRun);
            match given_up.or_else(|| self.external.tally.skips(&request, &places).map(Answer::Skipped)) {
                None => return Some((place, request, places)),
                Some(answer) => self.held.push(None, place, answer.into()),
            }
        }
    }

    fn pull_any(&mut self) -> Option<(usize, Request)> {
        if let Some(retry) = self.retries.pop_front() {
            return Some(retry);
        }
        let request = self.requests.next()?;
        self.pulled += 1;
        Some((self.pulled - 1, request))
    }

    pub(super) fn session(&mut self) -> Option<&mut Session> {
        self.external.session.as_mut()
    }
}
