//! After a crash or hang: which request was it?
//!
//! The unanswered requests are asked one by one in a fresh process, the oldest first: an adapter that answers in order
//! and flushes has answered all before it. The one that ends the process again is to blame. If that was not the first
//! one asked there, it is asked once more in a process of its own, since those before it may have prepared the ground.

use std::collections::VecDeque;
use std::time::Instant;

use super::end::End;
use super::pipeline::Pipeline;
use super::session::Pumped;
use super::window::Sent;
use super::{External, Incidents, Limits};
use variant_wire::implementation::{Answer, ImplementationError, Input, Outcome};
use variant_wire::sanitize::beginning;
use variant_wire::value_text::{Form, value_json};

/// How many unanswered requests a text lists.
const LISTED: usize = 8;
/// How much of a packet or value it shows.
const CUT: usize = 48;

/// What is said of an adapter that keeps its answers in a buffer.
const UNFLUSHED: &str = "the answer came only when the input was closed: the adapter does not flush. Flush stdout after \
                         every answer, or at least whenever no input is waiting";

/// What is added where nothing else is known of it.
const SUSPECT: &str = ", nor to anything before: look first whether it flushes stdout after every answer";

/// What came of asking one request alone.
enum Alone {
    Answered(Sent, Outcome),
    Ended(Sent, Death),
    /// The line is too long for this adapter; that has been told.
    NotSent,
}

/// A process that ended or hung.
struct Death {
    end: End,
    /// The answer did come, but only when the input was closed.
    unflushed: bool,
    /// What it said last.
    noise: String,
    /// What it was asked last.
    trail: String,
}

impl Pipeline<'_> {
    /// Finds out who ended the process, and tells. Whoever was not asked is asked again later.
    pub(super) fn blame(&mut self, end: End) -> Result<(), ImplementationError> {
        self.held.release();
        let mut suspects = self.take_unanswered();
        let death = self.bury(end, &suspects);
        self.external.given_up = self.external.incidents.count(end, &self.external.limits);
        if self.external.given_up.is_some() {
            self.put_back(suspects);
            return Ok(());
        }
        let mut oldest = None;
        while let Some(suspect) = suspects.pop_front() {
            let first = self.external.session.is_none();
            match self.ask_alone(suspect)? {
                Alone::Answered(sent, outcome) if oldest.is_none() => oldest = Some((sent, outcome)),
                Alone::Answered(sent, outcome) => self.tell(sent, outcome),
                Alone::NotSent => {}
                Alone::Ended(sent, death) => {
                    self.put_back(suspects);
                    if let Some((sent, outcome)) = oldest {
                        self.tell(sent, outcome);
                    }
                    if !first {
                        return self.confirm(sent, death);
                    }
                    self.found(&sent, death);
                    return Ok(());
                }
            }
        }
        self.nobody(&death, oldest);
        Ok(())
    }

    /// Asks once more who ended a process in which others had been asked before.
    fn confirm(&mut self, suspect: Sent, death: Death) -> Result<(), ImplementationError> {
        match self.ask_alone(suspect)? {
            Alone::Ended(sent, again) => self.found(&sent, again),
            Alone::NotSent => {}
            Alone::Answered(sent, _) => {
                let text = format!("{}, and not when asked this alone. {}", death.end, death.trail);
                self.tell(sent, Outcome { answer: Answer::OrderDependent(text), noise: death.noise, slow: None });
            }
        }
        Ok(())
    }

    /// This one did it, alone in a fresh process.
    fn found(&mut self, sent: &Sent, death: Death) {
        let answer = if death.unflushed {
            self.external.given_up = Some("the adapter does not flush its answers".to_owned());
            Answer::TimedOut(UNFLUSHED.to_owned())
        } else if matches!(death.end, End::Silent(_)) && !self.external.answers {
            Answer::TimedOut(format!("{}{SUSPECT}", death.end))
        } else {
            death.end.answer()
        };
        self.held.tell(sent.place, Outcome { answer, noise: death.noise, slow: None });
    }

    /// Nobody does it alone, so it takes more than one.
    fn nobody(&mut self, death: &Death, oldest: Option<(Sent, Outcome)>) {
        let slower = matches!(death.end, End::Silent(_));
        if slower {
            self.external.in_flight = 1;
        }
        let slower = if slower { " From here on it is asked one at a time." } else { "" };
        let text = format!("{}, and none that was unanswered does it alone. {}{slower}", death.end, death.trail);
        match oldest {
            Some((sent, _)) => {
                let noise = death.noise.clone();
                self.tell(sent, Outcome { answer: Answer::OrderDependent(text), noise, slow: None });
            }
            None => self.external.debt = Some(text),
        }
    }

    fn ask_alone(&mut self, suspect: Sent) -> Result<Alone, ImplementationError> {
        let Some(sent) = self.write(suspect.place, suspect.request)? else { return Ok(Alone::NotSent) };
        self.window.push(sent);
        self.external.session()?.outbox.flush();
        let limit = self.external.limits.reply_timeout;
        let (end, late) = match self.wait_for_one(Instant::now() + limit)? {
            Ok((sent, outcome)) => {
                self.external.flushes = true;
                return Ok(Alone::Answered(sent, outcome));
            }
            Err(Some(end)) => (end, None),
            Err(None) => (End::Silent(limit), self.answer_at_the_end()?),
        };
        let unflushed = late.is_some();
        match late.or_else(|| self.window.take_oldest()) {
            Some(sent) => {
                let death = self.bury(end, &VecDeque::new());
                Ok(Alone::Ended(sent, Death { unflushed, ..death }))
            }
            None => Ok(Alone::NotSent),
        }
    }

    /// The only answer that can come; or how the process ended, or nothing where it is silent.
    fn wait_for_one(&mut self, until: Instant) -> Result<Result<(Sent, Outcome), Option<End>>, ImplementationError> {
        loop {
            match self.pump(self.until_slips(until))? {
                Pumped::Lines => {
                    while let Some(reply) = self.next_reply() {
                        if let Some(answer) = reply {
                            return Ok(Ok(answer));
                        }
                    }
                    if Instant::now() >= until {
                        return Ok(Err(None));
                    }
                }
                Pumped::Quiet => {
                    if let Some(answer) = self.hold_slips().pop() {
                        return Ok(Ok(answer));
                    }
                    if Instant::now() >= until {
                        return Ok(Err(None));
                    }
                }
                Pumped::Ended(end) => return Ok(Err(Some(end))),
            }
        }
    }

    /// The request, where its answer comes as soon as the input ends: it lay in a buffer. An adapter that flushed
    /// before needs no such test.
    fn answer_at_the_end(&mut self) -> Result<Option<Sent>, ImplementationError> {
        if self.external.flushes {
            return Ok(None);
        }
        self.external.session()?.outbox.close();
        let until = Instant::now() + self.external.limits.shutdown / 4;
        Ok(self.wait_for_one(until)?.ok().map(|(sent, _)| sent))
    }

    fn tell(&mut self, sent: Sent, outcome: Outcome) {
        self.held.push(sent.seq, sent.place, outcome);
        self.remember(sent);
    }

    fn put_back(&mut self, mut suspects: VecDeque<Sent>) {
        while let Some(sent) = suspects.pop_back() {
            self.again.push_front((sent.place, sent.request));
        }
    }

    /// Ends the process for good, and keeps what is known of it.
    fn bury(&mut self, end: End, unanswered: &VecDeque<Sent>) -> Death {
        self.external.incidents.last = Some(end.to_string());
        self.external.malformed.forget();
        let Some(mut session) = self.external.session.take() else {
            return Death { end, unflushed: false, noise: String::new(), trail: String::new() };
        };
        session.process.kill();
        let answered = self.external.listed(session.trail.iter());
        let waiting = self.external.listed(unanswered.iter().take(LISTED));
        let more = unanswered.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let waiting = if waiting.is_empty() { waiting } else { format!(" Unanswered: {waiting}{more}.") };
        let trail = if answered.is_empty() { waiting } else { format!("Answered last: {answered}.{waiting}") };
        Death { end, unflushed: false, noise: session.last_words(), trail: trail.trim_start().to_owned() }
    }
}

impl External {
    fn listed<'s>(&self, sent: impl Iterator<Item = &'s Sent>) -> String {
        sent.map(|sent| self.described(sent)).collect::<Vec<_>>().join(", ")
    }

    /// `#12 decode 0500000000…`.
    fn described(&self, sent: &Sent) -> String {
        let (op, what) = match &sent.request.input {
            Input::Decode(bytes) => ("decode", hex::encode(&bytes[..bytes.len().min(CUT)])),
            Input::Reencode(bytes) => ("reencode", hex::encode(&bytes[..bytes.len().min(CUT)])),
            Input::Encode(value) => ("encode", value_json(value, &self.layouts, Form::of(&self.handshake))),
        };
        format!("#{} {op} {}", sent.seq, beginning(what.as_bytes(), CUT))
    }
}

impl Incidents {
    /// Counts a crash or hang; a reason to give up where there were too many.
    fn count(&mut self, end: End, limits: &Limits) -> Option<String> {
        if let End::Silent(_) = end {
            self.hangs += 1;
        } else {
            self.crashes += 1;
        }
        let (crashes, hangs) = (self.crashes, self.hangs);
        if hangs > limits.hangs {
            return Some(format!("the adapter hung {hangs} times, and is not started again after {}", limits.hangs));
        }
        let all = crashes + hangs;
        (all > limits.restarts).then(|| {
            format!("the adapter crashed or hung {all} times, and is not started again after {}", limits.restarts)
        })
    }
}
