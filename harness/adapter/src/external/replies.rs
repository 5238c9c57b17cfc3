//! Matches what an adapter sends with the requests that it answers.

use super::External;
use super::output::without_folders;
use super::pipeline::Pipeline;
use super::streams::{Line, SHOWN, WireEvent};
use variant_values::implementation::{Answer, Outcome, Request};
use variant_values::malformed_reply::MalformedReply;
use variant_values::protocol::Reply;
use variant_values::sanitize::beginning;

impl Pipeline<'_> {
    /// Takes a line: the reply to a request in flight, or what else it may be.
    pub(super) fn read(&mut self, Line { says, text }: Line) {
        match says {
            WireEvent::Reply(seq, reply) => match self.window.get(&seq) {
                Some(job) => {
                    let answer = self.answer(reply, &job.request);
                    self.answered(seq, answer, text.len());
                }
                None => self.stray(seq, &beginning(&text, SHOWN)),
            },
            WireEvent::Malformed(reply) if self.intended(reply).is_some() => {
                let why = format!("{}: {}", reply.why, beginning(&text, SHOWN));
                self.garbled(self.intended(reply), why);
            }
            WireEvent::Malformed(_) | WireEvent::Noise => {
                if let Some(session) = self.session() {
                    session.noise.push_line(&text);
                }
            }
        }
    }

    /// Takes the answer to a request in flight, with what was printed before it, and holds it back for a while.
    fn answered(&mut self, seq: u64, answer: Answer, length: usize) {
        let Some(mut job) = self.window.remove(&seq) else { return };
        job.bytes = length;
        let noise = self.session().map(|session| session.noise.take()).unwrap_or_default();
        if is_reply(&answer) {
            self.external.tally.answered(&job.places);
        }
        self.external.good.get_or_insert_with(|| job.request.clone());
        self.last = Some(seq);
        self.held.push_back((job, Outcome { answer, noise: without_folders(&noise) }));
    }

    /// A reply as the answer to its request, in whose dialect its value is read.
    fn answer(&self, reply: Reply, request: &Request) -> Answer {
        let External { specs, handshake, .. } = &*self.external;
        match specs.dialect(&request.dialect) {
            Some(dialect) => reply.answer(dialect, &handshake.lossy),
            None => Answer::Garbled(format!("a reply in {}, which is no dialect", request.dialect)),
        }
    }

    /// Handles a reply that no request waits for. The second reply to a request is a fault of that request. If its outcome
    /// was passed on already, nobody gets the fault. A number that was never sent is a fault of the oldest unanswered
    /// request, else of the last answered.
    fn stray(&mut self, seq: u64, line: &str) {
        if (1..=self.external.seq).contains(&seq) {
            self.replace(Some(seq), Answer::Garbled(format!("a second reply to request {seq}: {line}")), "");
            return;
        }
        let why = format!("a reply to request {seq}, which was never sent: {line}");
        match self.window.keys().next().copied() {
            Some(oldest) => self.garbled(Some(oldest), why),
            None => drop(self.replace(self.last, Answer::Garbled(why), "")),
        }
    }

    /// Counts a line as the reply to this request. Its own reply is ignored, if it comes.
    fn garbled(&mut self, seq: Option<u64>, why: String) {
        if let Some(seq) = seq {
            self.answered(seq, Answer::Garbled(why), 0);
        }
    }

    /// The open request that a malformed reply was meant for: the one it names, or else the oldest.
    fn intended(&self, reply: MalformedReply) -> Option<u64> {
        let oldest = self.window.keys().next().copied();
        reply.seq.map_or(oldest, |seq| self.window.contains_key(&seq).then_some(seq))
    }

    /// Turns the reply to this request into another answer, with what was printed before it. One that is already bad stays
    /// what it is: the first fault counts. Returns false if it is no longer kept.
    pub(super) fn replace(&mut self, seq: Option<u64>, answer: Answer, noise: &str) -> bool {
        let held = self.held.iter_mut().rev().find(|(job, _)| Some(job.seq) == seq);
        let Some((_, outcome)) = held else { return false };
        if is_reply(&outcome.answer) {
            outcome.answer = answer;
            outcome.noise.insert_str(0, noise);
        }
        true
    }
}

/// Whether it is what the adapter replied, and not what became of it.
fn is_reply(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Value { .. } | Answer::Invalid { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_)
    )
}
