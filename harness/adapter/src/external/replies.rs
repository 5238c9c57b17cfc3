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

/// How many requests are remembered whose own replies are ignored.
const GARBLED: usize = 128;

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
        let noise = self.session().map(|session| &mut session.noise);
        let noise = noise.filter(|noise| !noise.is_empty()).map(TailBuffer::take).unwrap_or_default();
        (sent, Outcome { answer, noise })
    }

    /// Handles a reply that no request waits for. If it is the second reply to a request, that request gets the fault.
    /// If that is no longer known, the oldest unanswered one gets it, else the last answered.
    fn stray(&mut self, seq: u64, line: &str) -> Option<(SentRequest, Outcome)> {
        let garbled = &mut self.external.garbled;
        if let Some(at) = garbled.iter().position(|garbled| *garbled == seq) {
            garbled.remove(at);
            return None;
        }
        if self.held.replace(seq, Answer::Garbled(format!("a second reply to request {seq}: {line}"))) {
            return None;
        }
        let known = (1..=self.external.seq).contains(&seq);
        let problem = if known { "was answered before" } else { "was never sent" };
        let why = format!("a reply to request {seq}, which {problem}: {line}");
        let Some(oldest) = self.window.keys().next().copied() else {
            self.held.replace_last(Answer::Garbled(why));
            return None;
        };
        self.garbled(oldest, why)
    }

    /// Counts a line as the reply to this request. Its own reply is ignored, if it comes.
    fn garbled(&mut self, seq: u64, why: String) -> Option<(SentRequest, Outcome)> {
        let sent = self.window.remove(&seq)?;
        let garbled = &mut self.external.garbled;
        if garbled.len() == GARBLED {
            garbled.pop_front();
        }
        garbled.push_back(seq);
        Some(self.outcome(sent, Answer::Garbled(why)))
    }

    /// The open request that a malformed reply was meant for: the one it names, or else the oldest.
    fn intended(&self, reply: MalformedReply) -> Option<u64> {
        let oldest = self.window.keys().next().copied();
        reply.seq.map_or(oldest, |seq| self.window.contains_key(&seq).then_some(seq))
    }
}
