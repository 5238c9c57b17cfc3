//! Which request caused a crash or hang?
//!
//! The unanswered requests are sent one by one to a fresh process, the oldest first: an adapter that replies in order
//! and flushes has replied to everything before. The one that ends the process again is to blame. If others were sent
//! to that process before it, it is sent once more to a process of its own, since those may have caused it.

use std::collections::VecDeque;
use std::time::Instant;

use super::exit::End;
use super::pipeline::Pipeline;
use super::session::IoEvent;
use super::window::Sent;
use super::{External, FailureCounts, Limits};
use variant_wire::implementation::{Answer, ImplementationError, Input, Outcome};
use variant_wire::sanitize::beginning;
use variant_wire::value_text::{Form, value_json};

/// How many unanswered requests a message lists.
const LISTED: usize = 8;
/// How many bytes of a packet or value it shows.
const CUT: usize = 48;

const UNFLUSHED: &str = "the reply came only when the input was closed: the adapter does not flush. Flush stdout after \
                         every reply, or at least whenever no input is waiting";
/// Added if the adapter never replied at all.
const SUSPECT: &str = ", nor to anything before: check first that it flushes stdout after every reply";

/// Result of sending one request alone.
enum IsolatedRetry {
    Replied(Sent, Outcome),
    Crashed(Sent, Crash),
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
}

impl Pipeline<'_> {
    /// Finds out which request ended the process, and reports it. Those that were not sent again are sent later.
    pub(super) fn blame(&mut self, end: End) -> Result<(), ImplementationError> {
        self.replies.flush();
        let mut suspects = self.take_unanswered();
        let crash = self.reap(end, &suspects);
        self.external.given_up = self.external.failures.count(end, &self.external.limits);
        if self.external.given_up.is_some() {
            self.put_back(suspects);
            return Ok(());
        }
        let mut oldest = None;
        while let Some(suspect) = suspects.pop_front() {
            let fresh = self.external.session.is_none();
            match self.retry_isolated(suspect)? {
                IsolatedRetry::Replied(sent, outcome) if oldest.is_none() => oldest = Some((sent, outcome)),
                IsolatedRetry::Replied(sent, outcome) => self.push_reply(sent, outcome),
                IsolatedRetry::NotSent => {}
                IsolatedRetry::Crashed(sent, crash) => {
                    self.put_back(suspects);
                    if let Some((sent, outcome)) = oldest {
                        self.push_reply(sent, outcome);
                    }
                    if !fresh {
                        return self.confirm(sent, crash);
                    }
                    self.report_culprit(&sent, crash);
                    return Ok(());
                }
            }
        }
        self.report_no_culprit(crash, oldest.map(|(sent, _)| sent));
        Ok(())
    }

    /// Repeats a request in a fresh process. The process that it ended had been sent other requests before.
    fn confirm(&mut self, suspect: Sent, crash: Crash) -> Result<(), ImplementationError> {
        match self.retry_isolated(suspect)? {
            IsolatedRetry::Crashed(sent, again) => self.report_culprit(&sent, again),
            IsolatedRetry::NotSent => {}
            IsolatedRetry::Replied(sent, _) => {
                let text = format!("{}, but not when sent this alone. {}", crash.end, crash.history);
                self.push_reply(sent, order_dependent(text, crash.noise));
            }
        }
        Ok(())
    }

    /// Reports a request that ended a fresh process, alone.
    fn report_culprit(&mut self, sent: &Sent, crash: Crash) {
        let answer = if crash.unflushed {
            self.external.given_up = Some("the adapter does not flush its replies".to_owned());
            Answer::TimedOut(UNFLUSHED.to_owned())
        } else if matches!(crash.end, End::Silent(_)) && !self.external.has_replied {
            Answer::TimedOut(format!("{}{SUSPECT}", crash.end))
        } else {
            crash.end.answer()
        };
        self.replies.report(sent.place, Outcome { answer, noise: crash.noise, slow: None });
    }

    /// Reports a crash or hang that no request causes alone: for the oldest unanswered request, or else the next one.
    fn report_no_culprit(&mut self, crash: Crash, oldest: Option<Sent>) {
        let mut text = format!("{}, and no unanswered request does it alone. {}", crash.end, crash.history);
        if matches!(crash.end, End::Silent(_)) {
            self.external.in_flight = 1;
            text.push_str(" From here on requests are sent one at a time.");
        }
        match oldest {
            Some(sent) => self.push_reply(sent, order_dependent(text, crash.noise)),
            None => self.external.pending_fault = Some(text),
        }
    }

    fn retry_isolated(&mut self, suspect: Sent) -> Result<IsolatedRetry, ImplementationError> {
        let Some(sent) = self.write(suspect.place, suspect.request)? else { return Ok(IsolatedRetry::NotSent) };
        self.window.push(sent);
        self.external.session()?.writer.flush();
        let until = Instant::now() + self.external.limits.reply_timeout;
        let end = match self.wait_for_one(until)? {
            Ok((sent, outcome)) => {
                self.external.flushes = true;
                return Ok(IsolatedRetry::Replied(sent, outcome));
            }
            Err(end) => end,
        };
        let late = if let End::Silent(_) = end { self.reply_at_end_of_input()? } else { None };
        let unflushed = late.is_some();
        let Some(sent) = late.or_else(|| self.window.take_oldest()) else { return Ok(IsolatedRetry::NotSent) };
        let crash = self.reap(end, &VecDeque::new());
        Ok(IsolatedRetry::Crashed(sent, Crash { unflushed, ..crash }))
    }

    /// Waits for the reply to the only open request. Returns it, or how the process ended or hung.
    fn wait_for_one(&mut self, until: Instant) -> Result<Result<(Sent, Outcome), End>, ImplementationError> {
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
                return Ok(Err(End::Silent(self.external.limits.reply_timeout)));
            }
        }
    }

    /// Closes the input, and returns the request if its reply comes then: the adapter did not flush it. An adapter that
    /// has flushed before needs no such check.
    fn reply_at_end_of_input(&mut self) -> Result<Option<Sent>, ImplementationError> {
        if self.external.flushes {
            return Ok(None);
        }
        self.external.session()?.writer.close();
        let until = Instant::now() + self.external.limits.shutdown / 4;
        Ok(self.wait_for_one(until)?.ok().map(|(sent, _)| sent))
    }

    fn put_back(&mut self, suspects: VecDeque<Sent>) {
        suspects.into_iter().rev().for_each(|sent| self.retries.push_front((sent.place, sent.request)));
    }

    /// Kills the process, and keeps what is known about it.
    fn reap(&mut self, end: End, unanswered: &VecDeque<Sent>) -> Crash {
        self.external.failures.last = Some(end.to_string());
        self.external.malformed.clear();
        let (mut noise, mut history) = (String::new(), Vec::new());
        if let Some(mut session) = self.external.session.take() {
            noise = session.kill();
            let recent = self.external.listed(session.recent.iter());
            if !recent.is_empty() {
                history.push(format!("Answered last: {recent}."));
            }
            if !unanswered.is_empty() {
                let listed = self.external.listed(unanswered.iter().take(LISTED));
                let more = unanswered.len().saturating_sub(LISTED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                history.push(format!("Unanswered: {listed}{more}."));
            }
        }
        Crash { end, unflushed: false, noise, history: history.join(" ") }
    }
}

fn order_dependent(text: String, noise: String) -> Outcome {
    Outcome { answer: Answer::OrderDependent(text), noise, slow: None }
}

impl External {
    /// A list of requests for a message: `#12 decode 0500000000…, #13 …`.
    fn listed<'s>(&self, sent: impl Iterator<Item = &'s Sent>) -> String {
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

impl FailureCounts {
    /// Counts a crash or hang. Returns why to give up, if there were too many.
    fn count(&mut self, end: End, limits: &Limits) -> Option<String> {
        match end {
            End::Silent(_) => self.hangs += 1,
            End::Exited(_) | End::ClosedOutput | End::Memory { .. } | End::Interrupted => self.crashes += 1,
        }
        let (hangs, all) = (self.hangs, self.crashes + self.hangs);
        if hangs > limits.hangs {
            return Some(format!("the adapter hung {hangs} times, and is not restarted after {}", limits.hangs));
        }
        (all > limits.restarts)
            .then(|| format!("the adapter crashed or hung {all} times, and is not restarted after {}", limits.restarts))
    }
}
