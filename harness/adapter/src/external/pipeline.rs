//! Requests on their way through an adapter: a window of them in flight, pulled one by one.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::External;
use super::exit::End;
use super::reply_buffer::ReplyBuffer;
use super::session::{IoEvent, Session};
use super::window::{SentRequest, Window};
use variant_wire::implementation::{Answer, ImplementationError, Outcome, Request};
use variant_wire::interrupt::INTERRUPTED;
use variant_wire::protocol::write_request;

/// How far replies may overtake the oldest unanswered request. Beyond that nothing is sent, so that its timeout comes,
/// and memory does not grow with the number of requests.
const SPAN: u64 = 4096;
/// The longest line for an adapter that does not name its limit, in bytes.
const MAX_LINE: usize = 4 << 20;

/// One call of `External::send`, and its progress.
pub(super) struct Pipeline<'a> {
    pub(super) external: &'a mut External,
    requests: &'a mut dyn Iterator<Item = Request>,
    /// How many were taken from `requests`.
    pulled: usize,
    /// Requests to send again, with their places.
    pub(super) retries: VecDeque<(usize, Request)>,
    /// A request with its line, too long to be sent while others are in flight.
    deferred: Option<(SentRequest, Vec<u8>)>,
    pub(super) window: Window,
    pub(super) replies: ReplyBuffer<'a>,
    /// Requests that were reported as garbled before their own replies came; those replies are ignored.
    pub(super) reassigned: VecDeque<u64>,
    /// When something was last sent or answered.
    progress: Instant,
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(
        external: &'a mut External,
        requests: &'a mut dyn Iterator<Item = Request>,
        answered: &'a mut dyn FnMut(usize, Outcome),
    ) -> Self {
        Self {
            external,
            requests,
            pulled: 0,
            retries: VecDeque::new(),
            deferred: None,
            window: Window::default(),
            replies: ReplyBuffer::new(answered),
            reassigned: VecDeque::new(),
            progress: Instant::now(),
        }
    }

    pub(super) fn run(mut self) -> Result<(), ImplementationError> {
        let result = self.run_to_the_end();
        self.replies.flush();
        result
    }

    fn run_to_the_end(&mut self) -> Result<(), ImplementationError> {
        while self.external.given_up.is_none() {
            match self.stream()? {
                None => return Ok(()),
                Some(end) => self.blame(end)?,
            }
        }
        self.skip_the_rest();
        Ok(())
    }

    /// Keeps the window full until all is answered. Returns how the process ended or hung, if it did.
    fn stream(&mut self) -> Result<Option<End>, ImplementationError> {
        loop {
            self.fill()?;
            if self.window.is_empty() {
                return Ok(None);
            }
            let timeout = self.timeout();
            let progressed = match self.pump(self.malformed_deadline(self.progress + timeout))? {
                IoEvent::Lines => self.read_replies(self.progress.elapsed())?,
                IoEvent::Quiet => self.report_malformed(),
                IoEvent::Ended(end) => return Ok(Some(end)),
            };
            if progressed {
                self.progress = Instant::now();
                self.external.session.iter_mut().for_each(Session::begin_work);
            } else if Instant::now() >= self.progress + timeout {
                self.external.budget.spend(timeout);
                return Ok(Some(End::Silent(timeout)));
            }
        }
    }

    /// How long to wait without any reply. It shrinks only for a request that is alone in flight: of several, another
    /// may be worked on.
    fn timeout(&self) -> Duration {
        let External { budget, limits, .. } = &*self.external;
        match self.window.oldest() {
            Some(sent) if self.window.len() == 1 => budget.timeout(&sent.request, limits),
            Some(_) | None => limits.reply_timeout,
        }
    }

    /// Reports requests that only got malformed replies. Returns whether there were any.
    fn report_malformed(&mut self) -> bool {
        let malformed = self.take_malformed();
        let any = !malformed.is_empty();
        malformed.into_iter().for_each(|(sent, outcome)| self.push_reply(sent, outcome));
        self.external.flushes |= any && self.window.is_empty();
        any
    }

    /// Waits for the next event. An interruption is an error, so that no request is blamed for it.
    pub(super) fn pump(&mut self, until: Instant) -> Result<IoEvent, ImplementationError> {
        let event = self.external.session()?.pump(until);
        // An adapter that was interrupted together with us is not to blame either.
        match event {
            IoEvent::Ended(_) if self.external.limits.interrupt.is_set() => {
                Err(ImplementationError(INTERRUPTED.to_owned()))
            }
            IoEvent::Lines | IoEvent::Quiet | IoEvent::Ended(_) => Ok(event),
        }
    }

    /// Reads all replies that have arrived. Returns whether there were any. The window is filled in between, so that
    /// the adapter works on the next requests while these replies are judged.
    fn read_replies(&mut self, waited: Duration) -> Result<bool, ImplementationError> {
        let mut together = Vec::new();
        while let Some((sent, outcome)) = self.next_reply() {
            together.push(sent.seq);
            self.push_reply(sent, outcome);
            self.external.flushes |= self.window.is_empty();
            self.fill()?;
        }
        let Some(count) = u32::try_from(together.len()).ok().filter(|count| *count > 0) else { return Ok(false) };
        // Replies that arrive together shared the time, so their average counts.
        self.external.budget.took(waited / count);
        let slow_after = self.external.limits.slow_after;
        if waited > slow_after {
            // On a machine with other work, most of the time may be theirs.
            let took = self.external.session.as_ref().and_then(Session::work).unwrap_or(waited);
            // Any of them may have taken it: the runner measures each alone.
            for seq in together.into_iter().filter(|_| took > slow_after) {
                self.replies.mark_slow(seq, took);
            }
        }
        Ok(true)
    }

    /// Fills the window once it is half empty: half a window is a batch, and the other half keeps the adapter busy.
    fn fill(&mut self) -> Result<(), ImplementationError> {
        if self.window.len() > self.external.in_flight / 2 {
            return Ok(());
        }
        let mut any = false;
        while self.window.len() < self.external.in_flight && self.window.span() < SPAN && self.send_next()? {
            any = true;
        }
        if any {
            self.external.session()?.writer.flush();
            self.progress = Instant::now();
        }
        Ok(())
    }

    /// Sends the next request. Returns false if none is left, or if it is too long for now.
    fn send_next(&mut self) -> Result<bool, ImplementationError> {
        if let Some((sent, line)) = self.deferred.take() {
            if !self.fits(&sent) {
                self.deferred = Some((sent, line));
                return Ok(false);
            }
            self.external.session()?.writer.bytes().extend_from_slice(&line);
            self.window.push(sent);
            return Ok(true);
        }
        let Some((place, request)) = self.pull() else { return Ok(false) };
        let Some(sent) = self.write(place, request)? else { return Ok(true) };
        if self.fits(&sent) {
            self.window.push(sent);
            return Ok(true);
        }
        let buffer = self.external.session()?.writer.bytes();
        let line = buffer.split_off(buffer.len() - sent.bytes);
        self.deferred = Some((sent, line));
        Ok(false)
    }

    /// Writes a request into the buffer. One that is longer than the adapter's `max_line` is reported as not run.
    pub(super) fn write(&mut self, place: usize, request: Request) -> Result<Option<SentRequest>, ImplementationError> {
        self.external.session()?;
        let External { session: Some(session), seq, layouts, handshake, .. } = &mut *self.external else {
            return Ok(None);
        };
        *seq += 1;
        let buffer = session.writer.bytes();
        let before = buffer.len();
        write_request(buffer, *seq, &request, layouts, handshake);
        let bytes = buffer.len() - before;
        let limit = handshake.max_line.unwrap_or(MAX_LINE);
        if bytes <= limit {
            return Ok(Some(SentRequest { seq: *seq, place, request, bytes }));
        }
        buffer.truncate(before);
        let why = format!("its line has {bytes} bytes, but the adapter reads at most {limit} (`max_line`)");
        self.replies.report(place, Answer::NotRun(why));
        Ok(None)
    }

    /// Whether it can be sent in addition to the requests in flight.
    fn fits(&self, sent: &SentRequest) -> bool {
        let is_risky = |sent: &SentRequest| self.external.budget.is_risky(&sent.request);
        match self.window.oldest() {
            None => true,
            Some(oldest) => {
                self.window.bytes() + sent.bytes <= self.external.limits.unanswered_bytes
                    && !is_risky(oldest)
                    && !is_risky(sent)
            }
        }
    }

    /// The next request that is not skipped.
    fn pull(&mut self) -> Option<(usize, Request)> {
        loop {
            let (place, request) = self.pull_any()?;
            match self.external.budget.skips(&request, &self.external.limits) {
                None => return Some((place, request)),
                Some(why) => self.replies.report(place, Answer::Skipped(why)),
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

    /// Takes back all that was sent and not answered, oldest first. What was never sent is sent later.
    pub(super) fn take_unanswered(&mut self) -> VecDeque<SentRequest> {
        if let Some((sent, _)) = self.deferred.take() {
            self.retries.push_front((sent.place, sent.request));
        }
        self.window.drain()
    }

    /// Reports the rest as not run.
    fn skip_the_rest(&mut self) {
        self.replies.flush();
        let why = self.external.given_up.clone().unwrap_or_default();
        for sent in self.take_unanswered() {
            self.replies.report(sent.place, Answer::NotRun(why.clone()));
        }
        while let Some((place, _)) = self.pull_any() {
            self.replies.report(place, Answer::NotRun(why.clone()));
        }
    }
}
