//! Which request caused a death or a hang?
//!
//! The unanswered requests are sent again, each alone, the oldest first: an adapter that replies in order and flushes has
//! replied to everything before. Who ends a process that got nothing else is guilty. If the oldest is answered, the request that
//! the process answered last is asked again, and then one that was answered before: it may end or hang after its reply. Where no
//! request does it alone, a death is a fault of the oldest, and a hang is one of the process.

use std::collections::VecDeque;
use std::iter;
use std::time::{Duration, Instant};

use super::exit::End;
use super::pipeline::{Death, Job, Pipeline};
use super::replies::is_reply;
use super::streams::WireEvent;
use super::supervisor::External;
use variant_values::implementation::{Answer, Ending, ImplementationError, Outcome, Request};

/// How long a process is watched after a reply, to see whether it ends by itself.
const AFTERMATH: Duration = Duration::from_millis(200);

impl Pipeline<'_> {
    /// Blames the request that ended a process again, and this time one of its own. Until there is one, each is sent again.
    pub(super) fn ended(&mut self, end: End) -> Result<(), ImplementationError> {
        let death = self.reap(end);
        let is_fresh = death.last.is_none();
        let is_first_suspect = is_fresh || end.is_hang() && !self.is_risky(&death);
        let is_guilty = |job: &Job| {
            // It may end because of the one before, but no reply is late for that reason, unless such a one hung before.
            is_fresh && job.is_suspect || is_first_suspect && self.external.tally.is_risky(&job.places)
        };
        if self.window.len() == 1
            && let Some(alone) = self.window.first_entry()
            && is_guilty(alone.get())
        {
            let job = alone.remove();
            self.report_guilty(job, death);
            return self.solved();
        }
        let mut again: Vec<Job> = std::mem::take(&mut self.window).into_values().collect();
        if matches!(end, End::Stray(_)) && self.external.in_flight > 1 {
            // Others may have got what is no reply to them. One at a time, and with numbers that nobody guesses, none do.
            self.external.in_flight = 1;
            let (replies, kept): (VecDeque<_>, _) =
                self.held.drain(..).partition(|(_, outcome)| is_reply(&outcome.answer));
            self.held = kept;
            again.splice(..0, replies.into_iter().map(|(job, _)| job));
        }
        for job in again.into_iter().rev() {
            self.retries.push_front(Job { is_suspect: true, ..job });
        }
        self.unsolved.push(death);
        // Each of them costs time, and all may be answered alone in the end.
        self.external.given_up = self.external.tally.exhausted(self.unsolved.len());
        Ok(())
    }

    /// Somebody is guilty of all that is unsolved.
    fn solved(&mut self) -> Result<(), ImplementationError> {
        self.unsolved.clear();
        self.retries.iter_mut().for_each(|job| job.is_suspect = false);
        self.check_for_life()
    }

    /// Whether the request that it answered last is to be asked again: the next is innocent, or nothing was open.
    fn is_next(&self, death: &Death, has_suspects: bool) -> bool {
        death.last.is_some() && (!has_suspects || death.first.is_some() || self.is_risky(death))
    }

    /// Whether the type of the request that it answered last ended a process before.
    fn is_risky(&self, death: &Death) -> bool {
        let mut held = self.held.iter().map(|(job, _)| job);
        held.any(|job| Some(job.seq) == death.last && self.external.tally.is_risky(&job.places))
    }

    /// Reports a request that ended a process of its own.
    fn report_guilty(&mut self, job: Job, death: Death) {
        self.external.tally.died(&job.places, death.end);
        let answer = match death.end.answer() {
            Answer::TimedOut(why) if self.external.good.is_none() => Answer::TimedOut(
                why.and(", nor to anything before: check first that it flushes stdout after every reply"),
            ),
            answer => answer,
        };
        self.held.push_back((job, Outcome { answer, noise: death.noise }));
    }

    /// Blames the request that a process answered last, if that ends another one after its reply. Once all suspects were
    /// answered, no request repeats the death alone.
    pub(super) fn acquit(&mut self) -> Result<(), ImplementationError> {
        let has_suspects = self.retries.iter().chain(self.window.values()).any(|job| job.is_suspect);
        while self.window.is_empty()
            && let Some(place) = self.unsolved.iter().position(|death| self.is_next(death, has_suspects))
        {
            let (last, end) = (self.unsolved[place].last.take(), self.unsolved[place].end);
            if self.dies_after_its_reply(last, end)? {
                return self.solved();
            }
        }
        if has_suspects {
            return Ok(());
        }
        while self.external.given_up.is_none()
            && let Some(Death { end, noise, first, .. }) = self.unsolved.pop()
        {
            self.external.tally.unexplained(end);
            match (end, first) {
                (End::Silent(_), _) => {
                    // It may take one request from a buffer of many and forget the others, or be slow and reply to all at once.
                    self.external.in_flight = 1;
                    self.external.tally.late += 1;
                }
                (End::Stray(_), _) => self.external.tally.stray = Some(end),
                (_, Some(first)) => {
                    let rest = " while this was unanswered, but not when this was sent alone".to_owned();
                    let why = Ending { did: end.to_string(), rest, by_itself: true };
                    self.replace(first, Answer::Crashed(why), &noise);
                }
                (_, None) => {}
            }
            self.check_for_life()?;
        }
        Ok(())
    }

    /// Whether the request that was answered last is to blame: it ends a fresh process too, soon after its reply or before the
    /// next. Its reply does not count then.
    fn dies_after_its_reply(&mut self, last: Option<u64>, end: End) -> Result<bool, ImplementationError> {
        let held = self.held.iter().find(|(job, _)| Some(job.seq) == last);
        let held = held.map(|(job, _)| (job.seq, job.request.clone(), job.places.clone()));
        let (Some((seq, request, places)), Some(good)) = (held, self.external.good.clone()) else { return Ok(false) };
        let watched = if end.is_hang() { Duration::ZERO } else { AFTERMATH };
        let is_good = request == good;
        let sent = if is_good { vec![request.clone(), request] } else { vec![good.clone(), request, good] };
        let (answered, Some(Death { end, noise, .. })) = self.once_more(&sent, watched)? else { return Ok(false) };
        if answered + 1 < sent.len() {
            return Ok(false);
        }
        let External { tally, good, .. } = &mut *self.external;
        tally.died_after_reply(&places, end);
        if is_good {
            let is_better = |(job, outcome): &&(Job, Outcome)| {
                job.seq != seq && is_reply(&outcome.answer) && !tally.is_risky(&job.places)
            };
            *good = self.held.iter().rev().find(is_better).map(|(job, _)| job.request.clone());
        }
        let answer = match end.answer() {
            Answer::TimedOut(_) => Answer::TimedOut(Ending::new("replied, and then to nothing more")),
            Answer::Garbled(why) => Answer::Garbled(why),
            _ => Answer::Crashed(Ending::new(end.to_string()).and(", after it had replied")),
        };
        Ok(self.replace(seq, answer, &noise))
    }

    /// Gives up an adapter that dies by itself, or whatever it is sent, even what it answered before.
    fn check_for_life(&mut self) -> Result<(), ImplementationError> {
        self.external.given_up = self.external.tally.exhausted(0);
        if self.external.given_up.is_some() || !self.external.tally.is_dying() {
            return Ok(());
        }
        if let Some(good) = self.external.good.clone()
            && let (1, None) = self.once_more(&[good], Duration::ZERO)?
        {
            self.external.tally.unproven = 0;
            return Ok(());
        }
        self.external.given_up = Some(match self.external.tally.replies {
            0 => format!("it never replied to a request; it {}", self.external.tally.last),
            _ => format!(
                "the adapter now fails on every request that is sent alone, even on one that it answered before: it {} (a reply \
                 must not wait for the next request)",
                self.external.tally.last
            ),
        });
        Ok(())
    }

    /// Sends these, one after the other, to a process of their own, and watches that for so long after the last reply. Returns how
    /// many it answered, and how it ended.
    fn once_more(
        &mut self,
        requests: &[Request],
        watched: Duration,
    ) -> Result<(usize, Option<Death>), ImplementationError> {
        self.external.kill(false);
        let mut answered = 0;
        let end = self.ask(requests, watched, &mut answered)?;
        let death = end.map(|end| self.reap(end));
        self.external.kill(false);
        Ok((answered, death))
    }

    fn ask(
        &mut self,
        requests: &[Request],
        watched: Duration,
        answered: &mut usize,
    ) -> Result<Option<End>, ImplementationError> {
        let (mut open, mut patience, mut until) = (None, watched, Instant::now());
        loop {
            if open.is_none()
                && let Some(request) = requests.get(*answered)
            {
                let (seq, line) = self.number(self.unnumbered(request))?;
                patience = self.external.tally.patience(line.len(), iter::empty());
                self.external.session()?.send(line);
                self.progress = Instant::now();
                (open, until) = (Some(seq), self.progress + patience);
            }
            match self.wait(until)? {
                Err(end) => return Ok(Some(end)),
                Ok(lines) => {
                    for line in lines {
                        match line.says {
                            WireEvent::Reply(seq, _) if open == Some(seq) => {
                                *answered += 1;
                                (open, until) = (None, Instant::now() + watched);
                            }
                            WireEvent::Reply(seq, _) => {
                                self.noise(&line.text);
                                return Ok(Some(End::Stray(seq)));
                            }
                            WireEvent::Malformed(_) | WireEvent::Noise => {}
                        }
                    }
                }
            }
            if Instant::now() >= until {
                match open {
                    Some(_) => return Ok(Some(self.external.session()?.silence(patience))),
                    None if *answered == requests.len() => return Ok(None),
                    None => {}
                }
            }
        }
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
