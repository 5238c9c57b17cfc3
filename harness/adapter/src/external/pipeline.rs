//! A row of requests on its way through an adapter: a window of them in flight, pulled one by one.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::External;
use super::end::End;
use super::held::Held;
use super::session::Pumped;
use super::window::{Sent, Window};
use variant_wire::implementation::{Answer, ImplementationError, Outcome, Request};
use variant_wire::interrupt::INTERRUPTED;
use variant_wire::protocol::write_request;

/// How far answers may overtake the oldest request that has none. Beyond it nothing is sent, so that its deadline
/// comes, and memory does not grow with the number of requests.
const SPAN: usize = 4096;
/// The longest line that is sent to an adapter that does not say what it can read.
const MAX_LINE: usize = 4 << 20;

/// What is asked, and how far it has come.
pub(super) struct Pipeline<'a> {
    pub(super) external: &'a mut External,
    requests: &'a mut dyn Iterator<Item = Request>,
    /// How many were pulled.
    pulled: usize,
    /// Asked before, and to be asked again: their places, and they.
    pub(super) again: VecDeque<(usize, Request)>,
    /// Numbered and written, and too long to be sent beside what is in flight.
    overhang: Option<(Sent, Vec<u8>)>,
    pub(super) window: Window,
    pub(super) held: Held<'a>,
    /// Requests that were called garbled for another's fault; their own replies are ignored.
    pub(super) forgiven: VecDeque<u64>,
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
            again: VecDeque::new(),
            overhang: None,
            window: Window::default(),
            held: Held::new(answered),
            forgiven: VecDeque::new(),
            progress: Instant::now(),
        }
    }

    pub(super) fn run(mut self) -> Result<(), ImplementationError> {
        let result = self.run_to_the_end();
        self.held.release();
        result
    }

    fn run_to_the_end(&mut self) -> Result<(), ImplementationError> {
        loop {
            if let Some(why) = self.external.given_up.clone() {
                self.leave(&why);
                return Ok(());
            }
            match self.stream()? {
                None => return Ok(()),
                Some(end) => self.blame(end)?,
            }
        }
    }

    /// Keeps the window full until all is answered, or the process ended or hung: how.
    fn stream(&mut self) -> Result<Option<End>, ImplementationError> {
        loop {
            self.fill()?;
            if self.window.is_empty() {
                return Ok(None);
            }
            let limit = self.external.limits.reply_timeout;
            match self.pump(self.until_slips(self.progress + limit))? {
                Pumped::Lines => {
                    let waited = self.progress.elapsed();
                    if self.read_replies(waited)? {
                        self.progress = Instant::now();
                    } else if Instant::now() >= self.progress + limit {
                        return Ok(Some(End::Silent(limit)));
                    }
                }
                Pumped::Quiet => {
                    if !self.tell_slips() && Instant::now() >= self.progress + limit {
                        return Ok(Some(End::Silent(limit)));
                    }
                }
                Pumped::Ended(end) => return Ok(Some(end)),
            }
        }
    }

    /// Tells of requests whose replies came, and are none; whether there were any.
    fn tell_slips(&mut self) -> bool {
        let malformed = self.hold_slips();
        let any = !malformed.is_empty();
        for (sent, outcome) in malformed {
            self.held.push(sent.seq, sent.place, outcome);
            self.remember(sent);
        }
        if any {
            self.progress = Instant::now();
            self.external.flushes |= self.window.is_empty();
        }
        any
    }

    /// Waits; an interruption is nobody's fault, and ends all of it.
    pub(super) fn pump(&mut self, until: Instant) -> Result<Pumped, ImplementationError> {
        match self.external.session()?.pump(until) {
            // One that was told to end together with us is not to blame for it either.
            Pumped::Ended(_) if self.external.limits.interrupt.is_set() => {
                Err(ImplementationError(INTERRUPTED.to_owned()))
            }
            Pumped::Ended(End::Interrupted) => Err(ImplementationError(INTERRUPTED.to_owned())),
            pumped @ (Pumped::Lines | Pumped::Quiet | Pumped::Ended(_)) => Ok(pumped),
        }
    }

    /// Tells every answer that has arrived; whether there was one. The window is filled on the way, so that the adapter
    /// works on the next requests while these answers are looked at.
    fn read_replies(&mut self, waited: Duration) -> Result<bool, ImplementationError> {
        let (mut first, mut count) = (None, 0);
        while let Some(reply) = self.next_reply() {
            if let Some((sent, outcome)) = reply {
                first = first.or(Some(sent.seq));
                count += 1;
                self.held.push(sent.seq, sent.place, outcome);
                self.remember(sent);
                self.external.flushes |= self.window.is_empty();
                self.fill()?;
            }
        }
        // Answers that come together shared the time; of a slow one alone it is known that it was slow.
        if let Some(first) = first.filter(|_| waited / count > self.external.limits.slow_after) {
            self.held.slow(first, waited);
        }
        Ok(first.is_some())
    }

    /// Fills the window again once it is half empty: half a window is a batch, and the other half keeps it busy.
    fn fill(&mut self) -> Result<(), ImplementationError> {
        if self.window.len() > self.external.in_flight / 2 {
            return Ok(());
        }
        let mut any = false;
        while self.window.len() < self.external.in_flight && self.window.span() < SPAN && self.send_next()? {
            any = true;
        }
        if any {
            self.external.session()?.outbox.flush();
            self.progress = Instant::now();
        }
        Ok(())
    }

    /// Sends one more, unless there is none or it is too long for now.
    fn send_next(&mut self) -> Result<bool, ImplementationError> {
        if let Some((sent, line)) = self.overhang.take() {
            if !self.fits(sent.bytes) {
                self.overhang = Some((sent, line));
                return Ok(false);
            }
            self.external.session()?.outbox.bytes().extend_from_slice(&line);
            self.window.push(sent);
            return Ok(true);
        }
        let Some((place, request)) = self.pull() else { return Ok(false) };
        let Some(sent) = self.write(place, request)? else { return Ok(true) };
        if self.fits(sent.bytes) {
            self.window.push(sent);
            return Ok(true);
        }
        let outbox = self.external.session()?.outbox.bytes();
        let line = outbox.split_off(outbox.len() - sent.bytes);
        self.overhang = Some((sent, line));
        Ok(false)
    }

    /// Writes a request into the outbox. One that the adapter says it cannot read is not written, and told so.
    pub(super) fn write(&mut self, place: usize, request: Request) -> Result<Option<Sent>, ImplementationError> {
        self.external.session()?;
        let External { session: Some(session), seq, layouts, handshake, .. } = &mut *self.external else {
            return Ok(None);
        };
        *seq += 1;
        let outbox = session.outbox.bytes();
        let before = outbox.len();
        write_request(outbox, *seq, &request, layouts, handshake);
        let bytes = outbox.len() - before;
        let limit = handshake.max_line.unwrap_or(MAX_LINE);
        if bytes <= limit {
            return Ok(Some(Sent { seq: *seq, place, request, bytes }));
        }
        outbox.truncate(before);
        let why = format!("its line has {bytes} bytes, and the adapter reads {limit} (`max_line` of its hello)");
        self.held.tell(place, Answer::NotRun(why));
        Ok(None)
    }

    fn fits(&self, bytes: usize) -> bool {
        self.window.is_empty() || self.window.bytes() + bytes <= self.external.limits.unanswered_bytes
    }

    fn pull(&mut self) -> Option<(usize, Request)> {
        if let Some(again) = self.again.pop_front() {
            return Some(again);
        }
        let request = self.requests.next()?;
        self.pulled += 1;
        Some((self.pulled - 1, request))
    }

    /// Takes back all that was sent and not answered, oldest first. What was never sent is asked later.
    pub(super) fn take_unanswered(&mut self) -> VecDeque<Sent> {
        if let Some((sent, _)) = self.overhang.take() {
            self.again.push_front((sent.place, sent.request));
        }
        self.window.drain()
    }

    /// Tells the rest that it was not run.
    fn leave(&mut self, why: &str) {
        self.held.release();
        for sent in self.take_unanswered() {
            self.held.tell(sent.place, Answer::NotRun(why.to_owned()));
        }
        while let Some((place, _)) = self.pull() {
            self.held.tell(place, Answer::NotRun(why.to_owned()));
        }
    }
}
