//! Which request caused a death or a hang?
//!
//! The unanswered requests are sent one by one to a fresh process, the oldest first: an adapter that replies in order
//! and flushes has replied to everything before. The first that dies again is to blame. If others were sent to that
//! process before it, it is sent once more to a process of its own, since those may have caused it.

use std::time::{Duration, Instant};

use super::External;
use super::exit::End;
use super::pipeline::Pipeline;
use super::session::{IoEvent, SentRequest};
use variant_values::implementation::{Answer, ImplementationError, Input, Outcome, Request};
use variant_values::sanitize::beginning;
use variant_values::value_text::{Form, value_json};

/// How many bytes of a packet or value a message shows.
const CUT: usize = 48;
/// How long a process is watched after a reply, to see whether it ends by itself.
const AFTERMATH: Duration = Duration::from_millis(200);

/// So many replies may be late, as on a busy machine, if they come when the request is sent again alone.
const LATE: usize = 2;

/// Result of sending one request alone.
enum Alone {
    Replied(SentRequest, Outcome),
    Died(SentRequest, Death),
}

/// A process that ended or hung.
struct Death {
    end: End,
    /// The end of what it printed outside the protocol.
    noise: String,
    /// The requests that it answered last, as text.
    history: String,
    /// What it answered last.
    last: Option<(u64, Request)>,
}

impl Pipeline<'_> {
    /// Finds out which request ended the process, and reports it. Those that were not sent again are sent later.
    pub(super) fn blame(&mut self, end: End) -> Result<(), ImplementationError> {
        let mut suspects = self.take_unanswered();
        let death = self.reap(end);
        // Others like it died alone: there is no doubt.
        let is_guilty = |only: &SentRequest| self.external.tally.is_risky(&only.request);
        if suspects.len() == 1
            && suspects.front().is_some_and(is_guilty)
            && let Some(only) = suspects.pop_front()
        {
            self.report_guilty(&only, death);
            return self.check_for_life();
        }
        let (mut guilty, mut first) = (false, None);
        while let Some(suspect) = suspects.pop_front() {
            let fresh = self.external.session.is_none();
            match self.alone(suspect)? {
                Alone::Replied(sent, outcome) if first.is_none() => first = Some((sent, outcome)),
                Alone::Replied(sent, outcome) => self.push_reply(sent, outcome),
                Alone::Died(sent, again) => {
                    guilty = self.confirm(sent, again, fresh)?;
                    break;
                }
            }
        }
        suspects.into_iter().rev().for_each(|sent| self.retries.push_front((sent.place, sent.request)));
        if guilty {
            first.into_iter().for_each(|(sent, outcome)| self.push_reply(sent, outcome));
        } else {
            self.report_no_guilty(death, first)?;
        }
        self.check_for_life()
    }

    /// Whether a request that died is guilty: it was the first in its process, or it dies in one of its own too.
    fn confirm(&mut self, sent: SentRequest, death: Death, fresh: bool) -> Result<bool, ImplementationError> {
        if fresh {
            self.report_guilty(&sent, death);
            return Ok(true);
        }
        match self.alone(sent)? {
            Alone::Died(sent, again) => {
                self.report_guilty(&sent, again);
                Ok(true)
            }
            Alone::Replied(sent, outcome) => {
                self.push_reply(sent, outcome);
                self.dies_after_its_reply(&death)?;
                Ok(false)
            }
        }
    }

    /// Reports a request that ended a process of its own.
    fn report_guilty(&mut self, sent: &SentRequest, death: Death) {
        self.external.tally.died(&sent.request, death.end);
        let answer = match death.end.answer() {
            Answer::TimedOut(why) if !self.external.has_replied => {
                let hint = "nor to anything before: check first that it flushes stdout after every reply";
                Answer::TimedOut(format!("{why}, {hint}"))
            }
            answer => answer,
        };
        self.held.report(sent.place, Outcome { answer, noise: death.noise });
    }

    /// Reports a death that no request repeats alone: the request that was answered last may end its process after the
    /// reply; else it is a fault of the oldest unanswered one, whose reply in another process is `first`.
    fn report_no_guilty(
        &mut self,
        death: Death,
        first: Option<(SentRequest, Outcome)>,
    ) -> Result<(), ImplementationError> {
        if let End::Silent(waited) = death.end {
            self.report_late(waited, death, first);
            return Ok(());
        }
        if self.dies_after_its_reply(&death)? {
            first.into_iter().for_each(|(sent, outcome)| self.push_reply(sent, outcome));
            return Ok(());
        }
        self.external.tally.unexplained();
        let Death { end, noise, history, .. } = death;
        let text = format!("it {end} while this was unanswered, but not when this was sent alone. {history}");
        if let Some((sent, outcome)) = first {
            let noise = format!("{noise}{}", outcome.noise);
            self.push_reply(sent, Outcome { answer: Answer::Crashed(text), noise });
        }
        Ok(())
    }

    /// A hang that no request repeats alone. On a busy machine a reply may be late once or twice: then the one that came
    /// alone counts.
    fn report_late(&mut self, waited: Duration, death: Death, first: Option<(SentRequest, Outcome)>) {
        let count = self.external.tally.late();
        if count >= LATE {
            // It may take one request from a buffer of many, and forget the others.
            self.external.in_flight = 1;
        }
        let Some((sent, outcome)) = first else { return };
        // That nothing came in a short time says nothing.
        let tolerated = count <= LATE || waited < self.external.limits.reply_timeout;
        let text = format!(
            "{}, but did when it was sent again alone: the machine was busy (--timeout allows more time), or earlier \
             requests make it hang",
            death.end
        );
        let late = Outcome { answer: Answer::TimedOut(text), noise: death.noise };
        self.push_reply(sent, if tolerated { outcome } else { late });
    }

    /// Whether the request that was answered last is to blame: it ends a fresh process too, soon after its reply. Its
    /// reply does not count then.
    fn dies_after_its_reply(&mut self, death: &Death) -> Result<bool, ImplementationError> {
        let Some((seq, request)) = &death.last else { return Ok(false) };
        if !self.held.holds(*seq) {
            return Ok(false);
        }
        // The process that runs now may be about to end too.
        if self.external.session.is_some()
            && let IoEvent::Ended(end) = self.wait(Instant::now() + AFTERMATH / 10)?
        {
            let other = self.reap(end);
            self.dies_after_its_reply(&other)?;
        }
        self.external.session = None;
        let again = SentRequest { seq: 0, place: 0, request: request.clone(), bytes: 0 };
        let Alone::Replied(..) = self.alone(again)? else { return Ok(false) };
        let until = Instant::now() + AFTERMATH;
        while Instant::now() < until {
            if let IoEvent::Ended(end) = self.wait(until)? {
                self.reap(end);
                self.external.tally.died(request, end);
                self.external.tally.unexplained();
                return Ok(self.held.replace(*seq, Answer::Crashed(format!("replied, and then {end}"))));
            }
        }
        // One that closes its pipes and goes on is not seen to have done it again.
        if !matches!(death.end, End::Exited(_)) {
            self.external.session = None;
        }
        Ok(false)
    }

    /// Gives up an adapter that dies by itself, or whatever it is sent, even what it answered before.
    fn check_for_life(&mut self) -> Result<(), ImplementationError> {
        if self.external.given_up.is_none() {
            self.external.given_up = self.external.tally.exhausted();
        }
        if self.external.given_up.is_some() || !self.external.tally.is_dying() {
            return Ok(());
        }
        let Some(request) = self.external.good.clone() else { return Ok(()) };
        self.external.session = None;
        let again = SentRequest { seq: 0, place: 0, request, bytes: 0 };
        match self.alone(again)? {
            Alone::Replied(..) => self.external.tally.is_alive(),
            Alone::Died(..) => {
                let why = "the adapter now crashes or hangs on every request, even on one that it answered before";
                self.external.given_up = Some(why.to_owned());
            }
        }
        Ok(())
    }

    /// Sends a request while no other is in flight, and waits for its reply.
    fn alone(&mut self, suspect: SentRequest) -> Result<Alone, ImplementationError> {
        let patience = self.external.tally.patience_alone(&suspect.request);
        let (sent, line) = self.write(suspect.place, suspect.request)?;
        self.external.session()?.send(line);
        self.progress = Instant::now();
        let (seq, until) = (sent.seq, self.progress + patience);
        self.window.insert(seq, sent);
        loop {
            let end = match self.wait(until)? {
                IoEvent::Lines(lines) => {
                    let replies = lines.into_iter().filter_map(|line| self.match_reply(line));
                    if let Some((sent, outcome)) = replies.last() {
                        return Ok(Alone::Replied(sent, outcome));
                    }
                    if Instant::now() < until {
                        continue;
                    }
                    self.external.session()?.silent(patience)
                }
                IoEvent::Quiet => self.external.session()?.silent(patience),
                IoEvent::Ended(end) => end,
            };
            let death = self.reap(end);
            if let Some(sent) = self.window.remove(&seq) {
                return Ok(Alone::Died(sent, death));
            }
        }
    }

    /// Kills the process, and keeps what is known about it.
    fn reap(&mut self, end: End) -> Death {
        self.external.tally.spend(self.progress.elapsed());
        let mut death = Death { end, noise: String::new(), history: String::new(), last: None };
        if let Some(mut session) = self.external.session.take() {
            death.noise = session.kill();
            // One that ended has a request to blame; the words of one that was killed would be lost.
            if !matches!(end, End::Exited(_)) {
                self.external.note_report(session.report());
            }
            if !session.recent.is_empty() {
                death.history = format!("Answered before: {}.", self.external.listed(session.recent.iter()));
            }
            death.last = session.recent.pop_back().map(|sent| (sent.seq, sent.request));
        }
        if let Some((_, request)) = &death.last {
            self.external.good = Some(request.clone());
        }
        let last_words = death.noise.lines().last().map(|line| format!(" ({line})")).unwrap_or_default();
        self.external.tally.last = Some(format!("{end}{last_words}"));
        death
    }
}

impl External {
    /// A list of requests for a message: `#12 decode 0500000000…, #13 …`.
    fn listed<'s>(&self, sent: impl Iterator<Item = &'s SentRequest>) -> String {
        let described = sent.map(|sent| {
            let (op, what) = match &sent.request.input {
                Input::Decode(bytes) => ("decode", hex::encode(&bytes[..bytes.len().min(CUT)])),
                Input::Reencode(bytes) => ("reencode", hex::encode(&bytes[..bytes.len().min(CUT)])),
                Input::Encode(value) => ("encode", value_json(value, &self.specs.layouts, Form::of(&self.handshake))),
            };
            format!("#{} {op} {}", sent.seq, beginning(what.as_bytes(), CUT))
        });
        described.collect::<Vec<_>>().join(", ")
    }
}
