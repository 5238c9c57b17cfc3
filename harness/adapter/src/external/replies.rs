//! Matches what an adapter sends with the requests that it answers.

use super::External;
use super::held::is_reply;
use super::lines::Line;
use super::pipeline::Pipeline;
use super::session::SentRequest;
use super::tail_buffer::TailBuffer;
use super::wire_event::{SHOWN, WireEvent};
use variant_values::implementation::{Answer, Outcome, Request};
use variant_values::malformed_reply::MalformedReply;
use variant_values::protocol::Reply;
use variant_values::sanitize::beginning;

/// How many reassigned requests are remembered.
const REASSIGNED: usize = 128;

impl Pipeline<'_> {
    /// Takes a line: the reply to a request in flight, or what else it may be.
    pub(super) fn read(&mut self, line: Line) {
        if let Some((sent, outcome)) = self.match_reply(line) {
            self.push_reply(sent, outcome);
        }
    }

    /// The request that a line answers, and its outcome.
    pub(super) fn match_reply(&mut self, Line { says, text }: Line) -> Option<(SentRequest, Outcome)> {
        match says {
            WireEvent::Reply(seq, reply) => match self.window.remove(&seq) {
                Some(sent) => {
                    if let Some(noise) = self.external.malformed.refute(seq) {
                        self.noise(noise.as_bytes());
                    }
                    let answer = self.answer(reply, &sent.request);
                    Some(self.outcome(sent, answer))
                }
                None => self.stray(seq, &beginning(&text, SHOWN)),
            },
            WireEvent::TooLong(seq, why) => match seq.and_then(|seq| self.window.remove(&seq)) {
                Some(sent) => Some(self.outcome(sent, Answer::Garbled(why))),
                None => self.assign_fault(why),
            },
            WireEvent::Malformed(reply) => {
                match self.intended(reply) {
                    Some(seq) => {
                        self.external.malformed.push(seq, format!("{}: {}", reply.why, beginning(&text, SHOWN)));
                    }
                    None => self.noise(&text),
                }
                None
            }
            WireEvent::Noise => {
                self.noise(&text);
                None
            }
        }
    }

    /// Counts malformed replies as the replies, since no others came. Returns whether there were any.
    pub(super) fn count_malformed(&mut self) -> bool {
        let malformed = self.take_malformed();
        let any = !malformed.is_empty();
        malformed.into_iter().for_each(|(sent, outcome)| self.push_reply(sent, outcome));
        any
    }

    pub(super) fn take_malformed(&mut self) -> Vec<(SentRequest, Outcome)> {
        let mut taken = Vec::new();
        for (seq, why) in self.external.malformed.take() {
            if let Some(sent) = self.window.remove(&seq) {
                self.reassign(seq);
                taken.push(self.outcome(sent, Answer::Garbled(why)));
            }
        }
        taken
    }

    /// Holds a reply back for a while, and remembers its request.
    pub(super) fn push_reply(&mut self, sent: SentRequest, outcome: Outcome) {
        if is_reply(&outcome.answer) {
            self.external.tally.answered(&sent.request);
        }
        self.held.push(sent.seq, sent.place, outcome);
        if let Some(session) = self.session() {
            session.remember(sent);
        }
    }

    /// A reply as the answer to its request, in whose dialect its value is read.
    fn answer(&self, reply: Reply, request: &Request) -> Answer {
        let External { specs, handshake, .. } = &*self.external;
        match specs.dialect(&request.dialect) {
            Some(dialect) => reply.unframed(request, handshake).answer(dialect, &handshake.lossy),
            None => Answer::Garbled(format!("a reply in {}, which is no dialect", request.dialect)),
        }
    }

    fn outcome(&mut self, sent: SentRequest, answer: Answer) -> (SentRequest, Outcome) {
        self.external.has_replied = true;
        let answer = self.external.pending_fault.take().map_or(answer, Answer::Garbled);
        let noise = self.session().map(|session| &mut session.noise);
        let noise = noise.filter(|noise| !noise.is_empty()).map(TailBuffer::take).unwrap_or_default();
        (sent, Outcome { answer, noise })
    }

    /// Handles a reply that no request waits for. If it is the second reply to a request, that request gets the fault.
    /// If that is no longer known, the oldest unanswered one gets it, else the last answered, else the next.
    fn stray(&mut self, seq: u64, line: &str) -> Option<(SentRequest, Outcome)> {
        let reassigned = &mut self.external.reassigned;
        if let Some(at) = reassigned.iter().position(|reassigned| *reassigned == seq) {
            reassigned.remove(at);
            return None;
        }
        if self.held.replace(seq, Answer::Garbled(format!("a second reply to request {seq}: {line}"))) {
            return None;
        }
        let known = (1..=self.external.seq).contains(&seq);
        let problem = if known { "was answered before" } else { "was never sent" };
        self.assign_fault(format!("a reply to request {seq}, which {problem}: {line}"))
    }

    /// Assigns a fault that names no request, so that it is not lost.
    fn assign_fault(&mut self, why: String) -> Option<(SentRequest, Outcome)> {
        if let Some((seq, sent)) = self.window.pop_first() {
            self.reassign(seq);
            return Some(self.outcome(sent, Answer::Garbled(why)));
        }
        if !self.held.replace_last(Answer::Garbled(why.clone())) {
            self.external.pending_fault = Some(why);
        }
        None
    }

    /// Remembers a request that got the fault of another line; its own reply is ignored.
    fn reassign(&mut self, seq: u64) {
        let reassigned = &mut self.external.reassigned;
        if reassigned.len() == REASSIGNED {
            reassigned.pop_front();
        }
        reassigned.push_back(seq);
    }

    /// The request that a malformed reply was meant for: the one it names, or else the oldest without a malformed reply.
    fn intended(&self, reply: MalformedReply) -> Option<u64> {
        let malformed = &self.external.malformed;
        self.window.keys().copied().find(|seq| reply.seq.map_or(!malformed.has(*seq), |named| named == *seq))
    }

    fn noise(&mut self, line: &[u8]) {
        if let Some(session) = self.session() {
            session.noise.push_line(line);
        }
    }
}
