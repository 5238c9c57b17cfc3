//! Which request caused a death or a hang?
//!
//! The unanswered requests are sent one by one to a fresh process, the oldest first: an adapter that replies in order
//! and flushes has replied to everything before. The first that dies again is to blame. If others were sent to that
//! process before it, it is sent once more to a process of its own, since those may have caused it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::exit::End;
use super::pipeline::Pipeline;
use super::places::without_folders;
use super::session::{IoEvent, SentRequest};
use variant_values::implementation::{Answer, ImplementationError, Outcome, Request};

/// How long a process is watched after a reply, to see whether it ends by itself.
const AFTERMATH: Duration = Duration::from_millis(200);

/// So many replies may be late, as on a busy machine, if they come when the request is sent again alone.
const LATE: usize = 2;

/// A request that was sent alone: its reply, or how it died.
type Alone = (SentRequest, Result<Outcome, Death>);

/// A process that ended or hung.
struct Death {
    end: End,
    /// The end of what it printed outside the protocol.
    noise: String,
    /// What it answered last.
    last: Option<SentRequest>,
}

impl Pipeline<'_> {
    /// Finds out which request ended the process, and reports it. Those that were not sent again are sent later.
    pub(super) fn blame(&mut self, end: End) -> Result<(), ImplementationError> {
        let mut suspects: VecDeque<SentRequest> = std::mem::take(&mut self.window).into_values().collect();
        let death = self.reap(end);
        if suspects.len() == 1 && self.external.tally.is_alike(&suspects[0].places, death.end) {
            self.report_guilty(&suspects[0], death);
            return self.check_for_life();
        }
        let (mut guilty, mut first, mut repeated) = (false, None, None);
        while let Some(suspect) = suspects.pop_front() {
            let fresh = self.external.session.is_none();
            match (self.alone(suspect)?, repeated.take()) {
                ((sent, Ok(outcome)), before) => {
                    first.get_or_insert(sent.seq);
                    self.push_reply(sent, outcome);
                    if let Some(before) = before {
                        self.dies_after_its_reply(&before)?;
                        break;
                    }
                }
                ((sent, Err(again)), _) if fresh => {
                    self.report_guilty(&sent, again);
                    guilty = true;
                    break;
                }
                // The next process is its own.
                ((sent, Err(again)), _) => {
                    repeated = Some(again);
                    suspects.push_front(sent);
                }
            }
        }
        suspects.into_iter().rev().for_each(|sent| self.retries.push_front((sent.place, sent.request)));
        if !guilty {
            self.report_no_guilty(&death, first)?;
        }
        self.check_for_life()
    }

    /// Reports a request that ended a process of its own.
    fn report_guilty(&mut self, sent: &SentRequest, death: Death) {
        self.external.tally.died(&sent.places, death.end);
        let answer = match death.end.answer() {
            Answer::TimedOut(why) if !self.external.has_replied => {
                let hint = "nor to anything before: check first that it flushes stdout after every reply";
                Answer::TimedOut(format!("{why}, {hint}"))
            }
            answer => answer,
        };
        self.held.push(Some(sent.seq), sent.place, Outcome { answer, noise: death.noise });
    }

    /// Reports a death that no request repeats alone: the request that was answered last may end its process after the
    /// reply; else it is a fault of the oldest unanswered one, which got its reply in another process: `first`.
    fn report_no_guilty(&mut self, death: &Death, first: Option<u64>) -> Result<(), ImplementationError> {
        let end = death.end;
        let hung = matches!(end, End::Silent(_));
        if !hung && self.dies_after_its_reply(death)? {
            return Ok(());
        }
        self.external.tally.unexplained(end);
        let answer = match end {
            End::Silent(waited) => self.late(waited),
            _ => Some(Answer::Crashed(format!("it {end} while this was unanswered, but not when this was sent alone"))),
        };
        if let (Some(answer), Some(first)) = (answer, first) {
            self.held.replace(first, answer, &death.noise);
        }
        Ok(())
    }

    /// A hang that no request repeats alone. On a busy machine a reply may be late once or twice: then the one that came
    /// alone counts.
    fn late(&mut self, waited: Duration) -> Option<Answer> {
        let count = self.external.tally.late;
        if count >= LATE {
            // It may take one request from a buffer of many, and forget the others.
            self.external.in_flight = 1;
        }
        // That nothing came in a short time says nothing.
        let tolerated = count <= LATE || waited < self.external.limits.reply_timeout;
        (!tolerated).then(|| {
            Answer::TimedOut(format!(
                "{}, but did when it was sent again alone: the machine was busy (--timeout allows more time), or \
                 earlier requests make it hang",
                End::Silent(waited)
            ))
        })
    }

    /// Whether the request that was answered last is to blame: it ends a fresh process too, soon after its reply. Its
    /// reply does not count then.
    fn dies_after_its_reply(&mut self, death: &Death) -> Result<bool, ImplementationError> {
        let Some(SentRequest { seq, request, places, .. }) = &death.last else { return Ok(false) };
        if !self.held.holds(*seq) || !self.replies_alone(request)? {
            return Ok(false);
        }
        let (until, mut end) = (Instant::now() + AFTERMATH, None);
        while end.is_none() && Instant::now() < until {
            if let IoEvent::Ended(ended) = self.wait(until)? {
                end = Some(ended);
            }
        }
        // A closed stream is enough: it need not be waited for what follows.
        let Some(end) = end.or_else(|| self.session()?.ending()) else { return Ok(false) };
        self.reap(end);
        self.external.tally.died(places, end);
        self.external.tally.unexplained(end);
        Ok(self.held.replace(*seq, Answer::Crashed(format!("replied, and then {end}")), ""))
    }

    /// Whether a request that was answered before gets a reply in a fresh process.
    fn replies_alone(&mut self, request: &Request) -> Result<bool, ImplementationError> {
        if let Some(mut session) = self.external.session.take() {
            session.kill();
            self.external.note_report(session.report.take());
        }
        let again = SentRequest { seq: 0, place: 0, request: request.clone(), places: Vec::new(), bytes: 0 };
        Ok(self.alone(again)?.1.is_ok())
    }

    /// Gives up an adapter that dies by itself, or whatever it is sent, even what it answered before.
    fn check_for_life(&mut self) -> Result<(), ImplementationError> {
        self.external.given_up = self.external.tally.exhausted();
        if self.external.given_up.is_some() || !self.external.tally.is_dying() {
            return Ok(());
        }
        let why = match self.external.good.clone() {
            None => format!("it never replied to a request; it {}", self.external.tally.last),
            Some(good) if self.replies_alone(&good)? => {
                self.external.tally.in_a_row = 0;
                return Ok(());
            }
            Some(_) => {
                "the adapter now crashes or hangs on every request, even on one that it answered before".to_owned()
            }
        };
        self.external.given_up = Some(why);
        Ok(())
    }

    /// Sends a request while no other is in flight, and waits for its reply.
    fn alone(&mut self, suspect: SentRequest) -> Result<Alone, ImplementationError> {
        let patience = self.external.tally.patience();
        let (sent, line) = self.write(suspect.place, suspect.request, suspect.places)?;
        self.external.session()?.send(line);
        self.progress = Instant::now();
        let (seq, until) = (sent.seq, self.progress + patience);
        self.window.insert(seq, sent);
        loop {
            let end = match self.wait(until)? {
                IoEvent::Lines(lines) => {
                    let replies = lines.into_iter().filter_map(|line| self.match_reply(line));
                    if let Some((sent, outcome)) = replies.last() {
                        return Ok((sent, Ok(outcome)));
                    }
                    if Instant::now() < until {
                        continue;
                    }
                    End::Silent(patience)
                }
                IoEvent::Quiet => End::Silent(patience),
                IoEvent::Ended(end) => end,
            };
            let death = self.reap(end);
            if let Some(sent) = self.window.remove(&seq) {
                return Ok((sent, Err(death)));
            }
        }
    }

    /// Kills the process, and keeps what is known about it.
    fn reap(&mut self, end: End) -> Death {
        self.external.tally.spent += self.progress.elapsed();
        let mut death = Death { end, noise: String::new(), last: None };
        if let Some(mut session) = self.external.session.take() {
            // A short wait may be over before a closed stream is waited for.
            if let (End::Silent(_), Some(ending)) = (end, session.ending()) {
                death.end = ending;
            }
            death.noise = without_folders(&session.kill());
            // One that ended has a request to blame; the words of one that was killed would be lost.
            if !matches!(death.end, End::Exited(_)) {
                self.external.note_report(session.report.take());
            }
            death.last = session.last.take();
        }
        if let Some(answered) = &death.last {
            self.external.good = Some(answered.request.clone());
        }
        let last_words = death.noise.lines().last().map(|line| format!(" ({line})")).unwrap_or_default();
        self.external.tally.last = format!("{}{last_words}", death.end);
        death
    }
}
