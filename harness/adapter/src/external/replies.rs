//! Matches what an adapter sends with the requests that it answers.

use super::External;
use super::held::is_reply;
use super::pipeline::Pipeline;
use super::places::without_folders;
use super::session::SentRequest;
use super::tail_buffer::TailBuffer;
use super::wire_event::{Line, SHOWN, WireEvent};
use variant_values::implementation::{Answer, Outcome, Request};
use variant_values::malformed_reply::MalformedReply;
use variant_values::protocol::Reply;
use variant_values::sanitize::beginning;

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
                    let answer = self.answer(reply, &sent.request);
                    Some(self.outcome(sent, answer))
                }
                None => self.stray(seq, &beginning(&text, SHOWN)),
            },
            WireEvent::Malformed(reply) if self.intended(reply).is_some() => {
                let seq = self.intended(reply)?;
                self.garbled(seq, format!("{}: {}", reply.why, beginning(&text, SHOWN)))
            }
            WireEvent::Malformed(_) | WireEvent::Noise => {
                if let Some(session) = self.session() {
                    session.noise.push_line(&text);
                }
                None
            }
        }
    }

    /// Holds a reply back for a while, and remembers its request.
    pub(super) fn push_reply(&mut self, sent: SentRequest, outcome: Outcome) {
        if is_reply(&outcome.answer) {
            self.external.tally.answered(&sent.places);
        }
        self.held.push(Some(sent.seq), sent.place, outcome);
        if let Some(session) = self.session() {
            session.last = Some(sent);
        }
    }

    /// A reply as the answer to its request, in whose dialect its value is read.
    fn answer(&self, reply: Reply, request: &Request) -> Answer {
        let External { specs, handshake, .. } = &*self.external;
        match specs.dialect(&request.dialect) {
            Some(dialect) => reply.answer(dialect, &handshake.lossy),
            None => Answer::Garbled(format!("a reply in {}, which is no dialect", request.dialect)),
        }
    }

    fn outcome(&mut self, sent: SentRequest, answer: Answer) -> (SentRequest, Outcome) {
        self.external.has_replied = true;
        let noise = self.session().map(|session| &mut session.noise);
        let noise = noise.filter(|noise| !noise.is_empty()).map(TailBuffer::take);
        let noise = noise.map(|noise| without_folders(&noise)).unwrap_or_default();
        (sent, Outcome { answer, noise })
    }

    /// Handles a reply that no request waits for. The second reply to a request is a fault of that request. If its outcome
    /// was passed on already, nobody gets the fault. A number that was never sent is a fault of the oldest unanswered
    /// request, else of the last answered.
    fn stray(&mut self, seq: u64, line: &str) -> Option<(SentRequest, Outcome)> {
        let second = Answer::Garbled(format!("a second reply to request {seq}: {line}"));
        if self.held.replace(seq, second, "") || (1..=self.external.seq).contains(&seq) {
            return None;
        }
        let why = format!("a reply to request {seq}, which was never sent: {line}");
        if let Some(oldest) = self.window.keys().next().copied() {
            return self.garbled(oldest, why);
        }
        if let Some(last) = self.held.last() {
            self.held.replace(last, Answer::Garbled(why), "");
        }
        None
    }

    /// Counts a line as the reply to this request. Its own reply is ignored, if it comes.
    fn garbled(&mut self, seq: u64, why: String) -> Option<(SentRequest, Outcome)> {
        let sent = self.window.remove(&seq)?;
        Some(self.outcome(sent, Answer::Garbled(why)))
    }

    /// The open request that a malformed reply was meant for: the one it names, or else the oldest.
    fn intended(&self, reply: MalformedReply) -> Option<u64> {
        let oldest = self.window.keys().next().copied();
        reply.seq.map_or(oldest, |seq| self.window.contains_key(&seq).then_some(seq))
    }
}
