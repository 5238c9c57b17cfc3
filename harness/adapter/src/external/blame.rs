//! Which request caused a crash or hang?
//!
//! The unanswered requests are sent one by one to a fresh process, the oldest first: an adapter that replies in order
//! and flushes has replied to everything before. The one that ends the process again is to blame. If others were sent
//! to that process before it, it is sent once more to a process of its own, since those may have caused it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::External;
use super::exit::End;
use super::pipeline::Pipeline;
use super::session::IoEvent;
use super::window::SentRequest;
use variant_wire::implementation::{Answer, ImplementationError, Input, Outcome, Request};
use variant_wire::sanitize::{beginning, time};
use variant_wire::value_text::{Form, value_json};

/// How many unanswered requests a message lists.
const LISTED: usize = 8;
/// How many bytes of a packet or value it shows.
const CUT: usize = 48;

const UNFLUSHED: &str = "the reply came only after the input was closed: the adapter does not flush. Flush stdout after \
                         every reply, or at least whenever no input is waiting";
/// How long a process is watched after a reply, to see whether it ends by itself.
const AFTERMATH: Duration = Duration::from_millis(300);
/// Added if the adapter never replied at all.
const SUSPECT: &str = ", nor to anything before: check first that it flushes stdout after every reply";

/// Result of sending one request alone.
enum IsolatedRetry {
    Replied(SentRequest, Outcome),
    Crashed(SentRequest, Crash),
    /// The line is too long for this adapter; that is reported.
    NotSent,
}

/// A process that ended or hung.
struct Crash {
    end: End,
    /// The reply did come, but only when the input was closed.
    unflushed: bool,
    /// The end of what it printed outside the protocol.
    noise: String,
    /// The requests that it answered last, and those that it did not answer, as text.
    history: String,
    /// What it answered last.
    last: Option<(u64, Request)>,
}

impl Pipeline<'_> {
    /// Finds out which request ended the process, and reports it. Those that were not sent again are sent later.
    pub(super) fn blame(&mut self, end: End) -> Result<(), ImplementationError> {
        let mut suspects = self.take_unanswered();
        let crash = self.reap(end, &suspects);
        // Others like it died alone, and it was alone in flight: there is no doubt.
        if let [only] = suspects.make_contiguous()
            && self.external.budget.is_risky(&only.request)
        {
            if let Some(sent) = suspects.pop_front() {
                self.report_culprit(&sent, crash, None);
            }
            return self.check_for_life();
        }
        // Of one that replies in order, the oldest is the one that hung.
        let mut hung = match end {
            End::Silent(waited) => Some(waited).filter(|_| !self.window.is_overtaken()),
            End::Exited(_) | End::ClosedOutput | End::Memory { .. } | End::Interrupted => None,
        };
        let mut oldest = None;
        while let Some(suspect) = suspects.pop_front() {
            let fresh = self.external.session.is_none();
            let waited = hung.take();
            match self.retry_isolated(suspect, waited.is_some())? {
                IsolatedRetry::Replied(sent, outcome) if oldest.is_none() => oldest = Some((sent, outcome)),
                IsolatedRetry::Replied(sent, outcome) => self.push_reply(sent, outcome),
                IsolatedRetry::NotSent => {}
                IsolatedRetry::Crashed(sent, crash) => {
                    if fresh {
                        self.report_culprit(&sent, crash, waited);
                    } else if let Some(sent) = self.confirm(sent, crash)? {
                        suspects.push_front(sent);
                        continue;
                    }
                    self.put_back(suspects);
                    if let Some((sent, outcome)) = oldest {
                        self.push_reply(sent, outcome);
                    }
                    return self.check_for_life();
                }
            }
        }
        if self.dies_after_its_reply(&crash)? {
            oldest.into_iter().for_each(|(sent, outcome)| self.push_reply(sent, outcome));
        } else {
            self.report_no_culprit(crash, oldest.map(|(sent, _)| sent));
        }
        self.check_for_life()
    }

    /// Whether the request that was answered last is to blame: it ends a fresh process too, soon after its reply. Its
    /// reply does not count then.
    fn dies_after_its_reply(&mut self, crash: &Crash) -> Result<bool, ImplementationError> {
        let Some((seq, request)) = &crash.last else { return Ok(false) };
        if matches!(crash.end, End::Silent(_) | End::Interrupted) || !self.replies.holds(*seq) {
            return Ok(false);
        }
        if self.external.session.is_some() {
            // It may be about to end too.
            if let IoEvent::Ended(end) = self.pump(Instant::now() + AFTERMATH / 10)? {
                let other = self.reap(end, &VecDeque::new());
                self.dies_after_its_reply(&other)?;
            }
        }
        if let Some(mut session) = self.external.session.take() {
            session.kill();
        }
        let again = SentRequest { seq: 0, place: 0, request: request.clone(), bytes: 0 };
        let IsolatedRetry::Replied(again, _) = self.retry_isolated(again, false)? else { return Ok(false) };
        let until = Instant::now() + AFTERMATH;
        let end = loop {
            match self.pump(until)? {
                IoEvent::Ended(end) => break end,
                IoEvent::Quiet => return Ok(false),
                IoEvent::Lines => drop(self.next_reply()),
            }
            if Instant::now() >= until {
                return Ok(false);
            }
        };
        self.reap(end, &VecDeque::new());
        self.external.budget.count(&again.request, false);
        Ok(self.replies.replace(*seq, Answer::Crashed(format!("replied, and then {end}"))))
    }

    /// Gives up an adapter that dies whatever it is sent: even what it answered before, or if it never answered.
    fn check_for_life(&mut self) -> Result<(), ImplementationError> {
        let exceeded = self.external.budget.exceeded(&self.external.limits);
        self.external.given_up = self.external.given_up.take().or(exceeded);
        let External { budget, limits, has_replied, given_up, .. } = &*self.external;
        let mute = !has_replied && budget.is_spent(limits);
        if given_up.is_some() || !mute && !budget.is_dying() {
            return Ok(());
        }
        let Some(request) = self.external.good.take() else {
            self.external.given_up = Some("the adapter crashes or hangs on every request".to_owned());
            return Ok(());
        };
        // Its place is not reported again.
        let probe = SentRequest { seq: 0, place: 0, request, bytes: 0 };
        match self.retry_isolated(probe, false)? {
            IsolatedRetry::Replied(sent, _) => {
                self.external.good = Some(sent.request);
                self.external.budget.is_alive();
            }
            IsolatedRetry::NotSent => {}
            IsolatedRetry::Crashed(..) => {
                let why = "the adapter now crashes or hangs on every request, even on one that it answered before";
                self.external.given_up = Some(why.to_owned());
            }
        }
        Ok(())
    }

    /// Repeats a request in a fresh process, for the process that it ended had been sent others before. Returns it if it
    /// is innocent, and the request that was answered before it is to blame.
    fn confirm(&mut self, suspect: SentRequest, crash: Crash) -> Result<Option<SentRequest>, ImplementationError> {
        match self.retry_isolated(suspect, false)? {
            IsolatedRetry::Crashed(sent, again) => self.report_culprit(&sent, again, None),
            IsolatedRetry::NotSent => {}
            IsolatedRetry::Replied(sent, _) if self.dies_after_its_reply(&crash)? => return Ok(Some(sent)),
            IsolatedRetry::Replied(sent, _) => {
                self.external.budget.count_unexplained(crash.end, Some(&sent.request));
                let outcome = match crash.end {
                    End::Silent(_) => late(&crash),
                    End::Exited(_) | End::ClosedOutput | End::Memory { .. } | End::Interrupted => {
                        let text = format!("{}, but not when sent this alone. {}", crash.end, crash.history);
                        order_dependent(text, crash.noise)
                    }
                };
                self.push_reply(sent, outcome);
            }
        }
        Ok(None)
    }

    /// Reports a request that ended a fresh process, alone. `waited`: how long it was waited for before.
    fn report_culprit(&mut self, sent: &SentRequest, crash: Crash, waited: Option<Duration>) {
        self.external.budget.count(&sent.request, matches!(crash.end, End::Silent(_)));
        let answer = if crash.unflushed {
            self.external.given_up = Some("the adapter does not flush its replies".to_owned());
            Answer::TimedOut(UNFLUSHED.to_owned())
        } else if matches!(crash.end, End::Silent(_)) && !self.external.has_replied {
            Answer::TimedOut(format!("{}{SUSPECT}", crash.end))
        } else if let (End::Silent(alone), Some(waited)) = (crash.end, waited)
            && alone < waited
        {
            let alone = time(alone);
            Answer::TimedOut(format!("{}, nor in {alone} when it was sent again alone", End::Silent(waited)))
        } else {
            crash.end.answer()
        };
        self.replies.report(sent.place, Outcome { answer, noise: crash.noise, slow: None });
    }

    /// Reports a crash or hang that no request causes alone: for the oldest unanswered request, or else the next one.
    fn report_no_culprit(&mut self, crash: Crash, oldest: Option<SentRequest>) {
        self.external.budget.count_unexplained(crash.end, oldest.as_ref().map(|sent| &sent.request));
        let hung = matches!(crash.end, End::Silent(_));
        let mut text = format!("{}, but no unanswered request causes it alone. {}", crash.end, crash.history);
        if hung {
            self.external.in_flight = 1;
            text.push_str(" From now on, requests are sent one at a time.");
        }
        match oldest {
            Some(sent) if hung => self.push_reply(sent, late(&crash)),
            Some(sent) => self.push_reply(sent, order_dependent(text, crash.noise)),
            None => self.external.pending_fault = Some(text),
        }
    }

    fn retry_isolated(&mut self, suspect: SentRequest, hung: bool) -> Result<IsolatedRetry, ImplementationError> {
        let timeout = self.external.budget.timeout_alone(&suspect.request, hung, &self.external.limits);
        let Some(sent) = self.write(suspect.place, suspect.request)? else { return Ok(IsolatedRetry::NotSent) };
        self.window.push(sent);
        self.external.session()?.writer.flush();
        let from = Instant::now();
        let end = match self.wait_for_one(from + timeout, timeout)? {
            Ok((sent, outcome)) => {
                self.external.flushes = true;
                self.external.budget.took(from.elapsed());
                return Ok(IsolatedRetry::Replied(sent, outcome));
            }
            Err(end) => end,
        };
        let mut late = None;
        if let End::Silent(_) = end {
            self.external.budget.spend(timeout);
            late = self.reply_at_end_of_input()?;
        }
        let unflushed = late.is_some();
        let Some(sent) = late.or_else(|| self.window.take_oldest()) else { return Ok(IsolatedRetry::NotSent) };
        let crash = self.reap(end, &VecDeque::new());
        Ok(IsolatedRetry::Crashed(sent, Crash { unflushed, ..crash }))
    }

    /// Waits for the reply to the only open request. Returns it, or how the process ended or hung.
    fn wait_for_one(
        &mut self,
        until: Instant,
        timeout: Duration,
    ) -> Result<Result<(SentRequest, Outcome), End>, ImplementationError> {
        loop {
            let reply = match self.pump(self.malformed_deadline(until))? {
                IoEvent::Lines => self.next_reply(),
                IoEvent::Quiet => self.take_malformed().pop(),
                IoEvent::Ended(end) => return Ok(Err(end)),
            };
            if let Some(reply) = reply {
                return Ok(Ok(reply));
            }
            if Instant::now() >= until {
                return Ok(Err(End::Silent(timeout)));
            }
        }
    }

    /// Closes the input, and returns the request if its reply comes then: the adapter did not flush it. An adapter that
    /// has flushed before needs no such check.
    fn reply_at_end_of_input(&mut self) -> Result<Option<SentRequest>, ImplementationError> {
        if self.external.flushes {
            return Ok(None);
        }
        self.external.session()?.writer.close();
        let timeout = self.external.limits.shutdown / 4;
        Ok(self.wait_for_one(Instant::now() + timeout, timeout)?.ok().map(|(sent, _)| sent))
    }

    pub(super) fn put_back(&mut self, suspects: VecDeque<SentRequest>) {
        suspects.into_iter().rev().for_each(|sent| self.retries.push_front((sent.place, sent.request)));
    }

    /// Kills the process, and keeps what is known about it.
    fn reap(&mut self, end: End, unanswered: &VecDeque<SentRequest>) -> Crash {
        self.external.budget.last = Some(end.to_string());
        self.external.malformed.clear();
        let (mut noise, mut history, mut last) = (String::new(), Vec::new(), None);
        if let Some(mut session) = self.external.session.take() {
            noise = session.kill();
            let recent = self.external.listed(session.recent.iter());
            last = session.recent.take_last().map(|sent| (sent.seq, sent.request));
            if let Some((_, request)) = &last {
                self.external.good = Some(request.clone());
            }
            if !recent.is_empty() {
                history.push(format!("Last answered: {recent}."));
            }
            if !unanswered.is_empty() {
                let listed = self.external.listed(unanswered.iter().take(LISTED));
                let more = unanswered.len().saturating_sub(LISTED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                history.push(format!("Unanswered: {listed}{more}."));
            }
        }
        Crash { end, unflushed: false, noise, history: history.join(" "), last }
    }
}

/// The outcome of a request that was not answered in time beside others, and was when it was sent alone. That may depend on
/// the others, or on what else the machine does.
fn late(crash: &Crash) -> Outcome {
    let text = format!(
        "{}, but did when it was sent again alone: the machine was busy (--timeout allows more time), or earlier requests \
         make it hang",
        crash.end
    );
    Outcome { answer: Answer::TimedOut(text), noise: crash.noise.clone(), slow: None }
}

fn order_dependent(text: String, noise: String) -> Outcome {
    Outcome { answer: Answer::OrderDependent(text), noise, slow: None }
}

impl External {
    /// A list of requests for a message: `#12 decode 0500000000…, #13 …`.
    fn listed<'s>(&self, sent: impl Iterator<Item = &'s SentRequest>) -> String {
        let described = sent.map(|sent| {
            let (op, what) = match &sent.request.input {
                Input::Decode(bytes) => ("decode", hex::encode(&bytes[..bytes.len().min(CUT)])),
                Input::Reencode(bytes) => ("reencode", hex::encode(&bytes[..bytes.len().min(CUT)])),
                Input::Encode(value) => ("encode", value_json(value, &self.layouts, Form::of(&self.handshake))),
            };
            format!("#{} {op} {}", sent.seq, beginning(what.as_bytes(), CUT))
        });
        described.collect::<Vec<_>>().join(", ")
    }
}
