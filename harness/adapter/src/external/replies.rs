//! Matches what an adapter sends with the requests that it answers.

use std::time::Instant;

use super::malformed::MalformedReplies;
use super::pipeline::Pipeline;
use super::tail_buffer::TailBuffer;
use super::window::{SentRequest, Window};
use super::wire_event::{SHOWN, WireEvent};
use variant_wire::implementation::{Answer, Outcome};
use variant_wire::malformed_reply::MalformedReply;
use variant_wire::protocol::unframed;
use variant_wire::sanitize::beginning;

/// How many reassigned requests are remembered.
const REASSIGNED: usize = 128;

impl Pipeline<'_> {
    /// The next request whose reply has arrived, and its result.
    pub(super) fn next_reply(&mut self) -> Option<(SentRequest, Outcome)> {
        loop {
            let session = self.external.session.as_mut()?;
            let (event, line) = session.lines.next_event()?;
            let reply = match event {
                WireEvent::Reply(seq, answer) => match self.window.take(seq) {
                    Some(sent) => {
                        if let Some(noise) = self.external.malformed.refute(seq) {
                            session.noise.push_line(noise.as_bytes());
                        }
                        Some(self.outcome(sent, answer))
                    }
                    None => {
                        let line = beginning(line, SHOWN);
                        self.stray(seq, &line)
                    }
                },
                WireEvent::TooLong(seq, why) => match seq.and_then(|seq| self.window.take(seq)) {
                    Some(sent) => Some(self.outcome(sent, Answer::Garbled(why))),
                    None => self.assign_fault(why),
                },
                WireEvent::Malformed(reply) => {
                    match intended(&self.window, &self.external.malformed, reply) {
                        Some(seq) => {
                            self.external.malformed.push(seq, format!("{}: {}", reply.why, beginning(line, SHOWN)));
                        }
                        None => session.noise.push_line(line),
                    }
                    None
                }
                WireEvent::Noise => {
                    session.noise.push_line(line);
                    None
                }
            };
            if reply.is_some() {
                return reply;
            }
        }
    }

    /// Counts malformed replies as the replies, since no others came.
    pub(super) fn take_malformed(&mut self) -> Vec<(SentRequest, Outcome)> {
        let mut taken = Vec::new();
        for (seq, why) in self.external.malformed.take() {
            if let Some(sent) = self.window.take(seq) {
                self.reassign(seq);
                taken.push(self.outcome(sent, Answer::Garbled(why)));
            }
        }
        taken
    }

    /// When malformed replies count as the replies, or `until`.
    pub(super) fn malformed_deadline(&self, until: Instant) -> Instant {
        self.external.malformed.deadline(until, self.external.limits.reply_timeout)
    }

    /// Holds a reply back for a while, and remembers its request.
    pub(super) fn push_reply(&mut self, sent: SentRequest, outcome: Outcome) {
        if is_reply(&outcome.answer) {
            self.external.budget.answered(&sent.request);
        }
        self.replies.push(sent.seq, sent.place, outcome);
        if let Some(session) = &mut self.external.session {
            session.recent.push(sent);
        }
    }

    fn outcome(&mut self, sent: SentRequest, answer: Answer) -> (SentRequest, Outcome) {
        self.external.has_replied = true;
        let answer = unframed(answer, &sent.request, &self.external.handshake);
        let answer = self.external.pending_fault.take().map_or(answer, Answer::Garbled);
        let noise = self.external.session.as_mut().map(|session| &mut session.noise);
        let noise = noise.filter(|noise| !noise.is_empty()).map(TailBuffer::take).unwrap_or_default();
        (sent, Outcome { answer, noise, slow: None })
    }

    /// Handles a reply that no request waits for. If it is the second reply to a request, that request gets the fault.
    /// If that is no longer known, the oldest unanswered one gets it, else the last answered, else the next.
    fn stray(&mut self, seq: u64, line: &str) -> Option<(SentRequest, Outcome)> {
        if let Some(at) = self.reassigned.iter().position(|reassigned| *reassigned == seq) {
            self.reassigned.remove(at);
            return None;
        }
        if self.replies.garble(seq, &format!("a second reply to request {seq}: {line}")) {
            return None;
        }
        let known = (1..=self.external.seq).contains(&seq);
        let problem = if known { "was answered before" } else { "was never sent" };
        self.assign_fault(format!("a reply to request {seq}, which {problem}: {line}"))
    }

    /// Assigns a fault that names no request, so that it is not lost.
    fn assign_fault(&mut self, why: String) -> Option<(SentRequest, Outcome)> {
        if let Some(sent) = self.window.take_oldest() {
            self.reassign(sent.seq);
            return Some(self.outcome(sent, Answer::Garbled(why)));
        }
        if !self.replies.garble_last(&why) {
            self.external.pending_fault = Some(why);
        }
        None
    }

    fn reassign(&mut self, seq: u64) {
        if self.reassigned.len() == REASSIGNED {
            self.reassigned.pop_front();
        }
        self.reassigned.push_back(seq);
    }
}

/// Whether it is what the adapter replied, and not what became of it.
pub(super) fn is_reply(answer: &Answer) -> bool {
    matches!(answer, Answer::Value { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_))
}

/// The request that a malformed reply was meant for: the one it names, or else the oldest without a malformed reply.
fn intended(window: &Window, malformed: &MalformedReplies, reply: MalformedReply) -> Option<u64> {
    window.waiting().find(|seq| reply.seq.map_or(!malformed.has(*seq), |named| named == *seq))
}
