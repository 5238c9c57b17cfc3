//! Which request caused a death or a hang?
//!
//! The unanswered requests are sent one by one to a fresh process, the oldest first: an adapter that replies in order
//! and flushes has replied to everything before. The first that dies again is to blame. If others were sent to that
//! process before it, it is sent once more to a process of its own, since those may have caused it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::exit::End;
use super::output::without_folders;
use super::pipeline::{Job, Pipeline};
use super::session::IoEvent;
use variant_values::implementation::{Answer, ImplementationError, Outcome, Request};

/// How long a process is watched after a reply, to see whether it ends by itself.
const AFTERMATH: Duration = Duration::from_millis(200);

/// So many replies may be late, as on a busy machine, if they come when the request is sent again alone.
const LATE: usize = 2;

/// A request that was sent alone: its number, if it was answered, or how it died.
type Alone = Result<u64, (Job, Death)>;

/// A process that ended or hung.
struct Death {
    end: End,
    /// The end of what it printed outside the protocol.
    noise: String,
    /// The request that it answered last.
    last: Option<u64>,
}

impl Pipeline<'_> {
    /// Finds out which request ended the process, and reports it. Those that were not sent again are sent later.
    pub(super) fn blame(&mut self, end: End) -> Result<(), ImplementationError> {
        let mut suspects: VecDeque<Job> = std::mem::take(&mut self.window).into_values().collect();
        let death = self.reap(end);
        if suspects.len() == 1 && self.external.tally.is_alike(&suspects[0].places, death.end) {
            suspects.into_iter().for_each(|suspect| self.report_guilty(suspect, &death));
            return self.check_for_life();
        }
        let (mut guilty, mut first) = (false, None);
        while let Some(suspect) = suspects.pop_front() {
            let is_fresh = self.external.session.is_none();
            let (mut tried, mut before) = (self.alone(suspect)?, None);
            if !is_fresh && let Err((suspect, again)) = tried {
                // Those before it may have caused it. The next process is its own.
                before = Some(again);
                tried = self.alone(suspect)?;
            }
            match tried {
                Ok(seq) => {
                    first.get_or_insert(seq);
                    if let Some(before) = before {
                        self.dies_after_its_reply(&before)?;
                        break;
                    }
                }
                Err((suspect, again)) => {
                    self.report_guilty(suspect, &again);
                    guilty = true;
                    break;
                }
            }
        }
        suspects.into_iter().rev().for_each(|suspect| self.retries.push_front(suspect));
        if !guilty {
            self.report_no_guilty(&death, first)?;
        }
        self.check_for_life()
    }

    /// Reports a request that ended a process of its own.
    fn report_guilty(&mut self, job: Job, death: &Death) {
        self.external.tally.died(&job.places, death.end);
        let answer = match death.end.answer() {
            Answer::TimedOut(why) if self.external.good.is_none() => {
                let hint = "nor to anything before: check first that it flushes stdout after every reply";
                Answer::TimedOut(format!("{why}, {hint}"))
            }
            answer => answer,
        };
        self.held.push_back((job, Outcome { answer, noise: death.noise.clone() }));
    }

    /// Reports a death that no request repeats alone: the request that was answered last may end its process after the
    /// reply; else it is a fault of the oldest unanswered one, which got its reply in another process: `first`.
    fn report_no_guilty(&mut self, death: &Death, first: Option<u64>) -> Result<(), ImplementationError> {
        let end = death.end;
        if !end.is_hang() && self.dies_after_its_reply(death)? {
            return Ok(());
        }
        self.external.tally.unexplained(end);
        let answer = match end {
            End::Silent(waited) => self.late(waited),
            _ => Some(Answer::Crashed(format!("it {end} while this was unanswered, but not when this was sent alone"))),
        };
        if let Some(answer) = answer {
            self.replace(first, answer, &death.noise);
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
        let held = self.held.iter().find(|(job, _)| Some(job.seq) == death.last);
        let Some((request, places)) = held.map(|(job, _)| (job.request.clone(), job.places.clone())) else {
            return Ok(false);
        };
        if !self.replies_alone(&request)? {
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
        self.external.tally.died(&places, end);
        self.external.tally.unexplained(end);
        Ok(self.replace(death.last, Answer::Crashed(format!("replied, and then {end}")), ""))
    }

    /// Whether a request that was answered before gets a reply in a fresh process.
    fn replies_alone(&mut self, request: &Request) -> Result<bool, ImplementationError> {
        if let Some(mut session) = self.external.session.take() {
            session.kill();
            self.external.note_report(session.report.take());
        }
        let again = Job { seq: 0, place: 0, request: request.clone(), places: Vec::new(), bytes: 0 };
        let is_answered = self.alone(again)?.is_ok();
        if is_answered {
            // Its outcome is known already.
            self.held.pop_back();
        }
        Ok(is_answered)
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
    fn alone(&mut self, mut suspect: Job) -> Result<Alone, ImplementationError> {
        let patience = self.external.tally.patience();
        let line = self.write(&mut suspect)?;
        self.external.session()?.send(line);
        self.progress = Instant::now();
        let seq = suspect.seq;
        self.window.insert(seq, suspect);
        while self.window.contains_key(&seq) {
            if let Some(end) = self.listen(patience)?
                && let Some(suspect) = self.window.remove(&seq)
            {
                return Ok(Err((suspect, self.reap(end))));
            }
        }
        Ok(Ok(seq))
    }

    /// Kills the process, and keeps what is known about it.
    fn reap(&mut self, end: End) -> Death {
        self.external.tally.spent += self.progress.elapsed();
        let mut death = Death { end, noise: String::new(), last: self.last.take() };
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
        }
        let last_words = death.noise.lines().last().map(|line| format!(" ({line})")).unwrap_or_default();
        self.external.tally.last = format!("{}{last_words}", death.end);
        death
    }
}
