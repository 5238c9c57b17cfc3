//! Which request caused a death or a hang?
//!
//! The unanswered requests are sent again, each alone, the oldest first: an adapter that replies in order and flushes has
//! replied to everything before. Who ends a process that got nothing else is guilty. If one ends a process that got others
//! before, those may have caused it: then this one is sent once more, to a process of its own.

use std::time::{Duration, Instant};

use super::exit::End;
use super::pipeline::{Job, Pipeline};
use variant_values::implementation::{ALONE, Answer, ImplementationError, Outcome, Request};

/// How long a process is watched after a reply, to see whether it ends by itself.
const AFTERMATH: Duration = Duration::from_millis(200);

/// So many replies may be late, as on a busy machine, if they come when the request is sent again alone.
const LATE: usize = 2;

/// A process that ended or hung.
pub(super) struct Death {
    end: End,
    /// The end of what it printed outside the protocol.
    noise: String,
    /// The request that it answered last.
    last: Option<u64>,
    /// The first request that it left unanswered and that got its reply from another process.
    pub(super) first: Option<u64>,
}

impl Pipeline<'_> {
    /// Blames the request that ended a process again, and this time one of its own. Until there is one, each is sent again.
    pub(super) fn ended(&mut self, end: End) -> Result<(), ImplementationError> {
        let death = self.reap(end);
        let is_fresh = death.last.is_none();
        let is_guilty = |job: &Job| {
            // It may end because of the one before, but no reply is late for that reason.
            let is_certain = (is_fresh || death.end.is_hang()) && self.external.tally.is_risky(&job.places);
            is_fresh && job.is_suspect || is_certain
        };
        if self.window.len() == 1
            && let Some(alone) = self.window.first_entry()
            && is_guilty(alone.get())
        {
            let job = alone.remove();
            self.unsolved.clear();
            self.retries.iter_mut().for_each(|job| job.is_suspect = false);
            self.report_guilty(job, death);
            return self.check_for_life();
        }
        let was_alone = self.window.len() == 1;
        for (_, job) in std::mem::take(&mut self.window).into_iter().rev() {
            self.retries.push_front(Job { is_suspect: true, ..job });
        }
        let is_hang = death.end.is_hang();
        // Who is guilty ends two processes at most before its own; more end after their replies.
        if was_alone && self.unsolved.len() > 1 && !is_hang && self.dies_after_its_reply(&death)? {
            return self.check_for_life();
        }
        self.unsolved.push(death);
        if is_hang {
            // Each of them costs time, and all may be answered alone in the end.
            self.external.given_up = self.external.tally.exhausted(self.unsolved.len());
        }
        Ok(())
    }

    /// Reports a request that ended a process of its own.
    fn report_guilty(&mut self, job: Job, death: Death) {
        self.external.tally.died(&job.places, death.end);
        let answer = match death.end.answer() {
            Answer::TimedOut(why) if self.external.good.is_none() => {
                let hint = "nor to anything before: check first that it flushes stdout after every reply";
                Answer::TimedOut(format!("{why}, {hint}"))
            }
            answer => answer,
        };
        self.held.push_back((job, Outcome { answer, noise: death.noise }));
    }

    /// Once all suspects were answered: reports a death that no request repeats alone. The request that was answered last may
    /// end its process after the reply; else it is a fault of the oldest unanswered one, which got its reply in another process.
    pub(super) fn acquit(&mut self) -> Result<(), ImplementationError> {
        let mut open = self.retries.iter().chain(self.window.values());
        if self.unsolved.is_empty() || open.any(|job| job.is_suspect) {
            return Ok(());
        }
        while self.external.given_up.is_none()
            && let Some(death) = self.unsolved.pop()
        {
            let Death { end, .. } = death;
            if end.is_hang() || !self.dies_after_its_reply(&death)? {
                self.external.tally.unexplained(end);
                let why = || format!("it {end} while this was unanswered, but not {ALONE}");
                let answer =
                    if let End::Silent(waited) = end { self.late(waited) } else { Some(Answer::Crashed(why())) };
                if let (Some(first), Some(answer)) = (death.first, answer) {
                    self.replace(first, answer, &death.noise);
                }
            }
            self.check_for_life()?;
        }
        Ok(())
    }

    /// A hang that no request repeats alone. On a busy machine a reply may be late once or twice: then the one that came
    /// alone counts.
    fn late(&mut self, waited: Duration) -> Option<Answer> {
        if self.external.in_flight > 1 {
            // It may take one request from a buffer of many and forget the others, or be slow and reply to all of them at once.
            self.external.in_flight = 1;
            return None;
        }
        self.external.late += 1;
        (self.external.late > LATE).then(|| {
            Answer::TimedOut(format!(
                "{}, but did {ALONE}: earlier requests make it hang, or the machine was busy (--timeout allows more time)",
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
        let (true, Some(end)) = self.once_more(&request)? else { return Ok(false) };
        self.external.tally.died_after_reply(&places, end);
        let answer = Answer::Crashed(format!("replied, and then {end}"));
        Ok(death.last.is_some_and(|last| self.replace(last, answer, "")))
    }

    /// Gives up an adapter that dies by itself, or whatever it is sent, even what it answered before.
    fn check_for_life(&mut self) -> Result<(), ImplementationError> {
        self.external.given_up = self.external.tally.exhausted(0);
        if self.external.given_up.is_some() || !self.external.tally.is_dying() {
            return Ok(());
        }
        self.external.given_up = match self.external.good.clone() {
            None => Some(format!("it never replied to a request; it {}", self.external.tally.last)),
            Some(good) if self.once_more(&good)?.0 => {
                self.external.tally.unproven = 0;
                None
            }
            Some(_) => Some(
                "the adapter now crashes or hangs on every request that is sent alone, even on one that it answered before \
                 (a reply must not wait for the next request)"
                    .to_owned(),
            ),
        };
        Ok(())
    }

    /// Sends a request that was answered before to a process of its own, and watches that for a moment after the reply. Returns
    /// whether it replied, and how it ended.
    fn once_more(&mut self, request: &Request) -> Result<(bool, Option<End>), ImplementationError> {
        self.external.kill(false);
        let (seq, line) = self.write(request)?;
        let (patience, mut has_replied) = (self.external.tally.patience(line.len(), std::iter::empty()), false);
        self.external.session()?.send(line);
        self.progress = Instant::now();
        let mut until = self.progress + patience;
        let end = loop {
            match self.wait(until)? {
                Err(end) => break end,
                Ok(lines) if !has_replied && lines.iter().any(|line| line.replies_to(seq)) => {
                    (has_replied, until) = (true, Instant::now() + AFTERMATH);
                }
                Ok(_) if Instant::now() >= until => break self.external.session()?.silence(patience),
                Ok(_) => {}
            }
        };
        if has_replied && end.is_hang() {
            self.external.kill(false);
            return Ok((true, None));
        }
        self.reap(end);
        Ok((has_replied, Some(end)))
    }

    /// Kills the process, and keeps what is known about it.
    fn reap(&mut self, end: End) -> Death {
        self.external.tally.spent += self.progress.elapsed();
        let last = self.external.session.as_ref().and_then(|session| session.last);
        let noise = self.external.kill(matches!(end, End::Exited(_)));
        let last_words = noise.lines().last().map(|line| format!(" ({line})")).unwrap_or_default();
        self.external.tally.last = format!("{end}{last_words}");
        Death { end, noise, last, first: None }
    }
}
