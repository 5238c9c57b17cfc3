//! Lines from an adapter, each to the request that it answers.

use std::time::Instant;

use super::lines::Piece;
use super::malformed::MalformedReplies;
use super::pipeline::Pipeline;
use super::untrusted::clean_answer;
use super::window::{Sent, Window};
use variant_wire::implementation::{Answer, Outcome};
use variant_wire::malformed_reply::{MalformedReply, malformed_reply};
use variant_wire::protocol::{Line, read_line};
use variant_wire::sanitize::beginning;

/// How much of a line is shown.
const SHOWN: usize = 200;
/// How many forgiven requests are remembered.
const FORGIVEN: usize = 128;
/// Which part of a deadline a real reply has to follow what looks like one.
const GRACE: u32 = 20;

/// What a line was.
enum Read {
    Answer(u64, Answer),
    /// A reply longer than what is kept, to this request where its head tells.
    TooLong(Option<u64>, String),
    MalformedReply(MalformedReply),
    Noise,
}

impl Pipeline<'_> {
    /// The next reply that has arrived: a request and what came of it, or none where it was a stray one.
    pub(super) fn next_reply(&mut self) -> Option<Option<(Sent, Outcome)>> {
        loop {
            let session = self.external.session.as_mut()?;
            let (read, line) = match session.lines.next()? {
                Piece::Line(line) => (read(line), line),
                Piece::TooLong(head, length) => (too_long(head, length), head),
            };
            match read {
                Read::Noise => session.noise.push_line(line),
                Read::MalformedReply(malformed_reply) => {
                    match meant(&self.window, &self.external.malformed, malformed_reply) {
                        Some(seq) => self
                            .external
                            .malformed
                            .push(seq, format!("{}: {}", malformed_reply.why, beginning(line, SHOWN))),
                        None => session.noise.push_line(line),
                    }
                }
                Read::Answer(seq, answer) => {
                    // The line is shown only where its request is not known, which is rare.
                    let Some(sent) = self.window.take(seq) else {
                        let line = beginning(line, SHOWN);
                        return Some(self.stray(seq, &line));
                    };
                    if let Some(said) = self.external.malformed.answered(seq) {
                        session.noise.push_line(said.as_bytes());
                    }
                    return Some(Some(self.outcome(sent, answer)));
                }
                Read::TooLong(seq, why) => {
                    return Some(match seq.and_then(|seq| self.window.take(seq)) {
                        Some(sent) => Some(self.outcome(sent, Answer::Garbled(why))),
                        None => self.hold_against_somebody(why),
                    });
                }
            }
        }
    }

    /// Takes what was said instead of answers for the answers, now that no others came.
    pub(super) fn hold_slips(&mut self) -> Vec<(Sent, Outcome)> {
        let mut held = Vec::new();
        for (seq, why) in self.external.malformed.hold() {
            if let Some(sent) = self.window.take(seq) {
                self.forgive(seq);
                held.push(self.outcome(sent, Answer::Garbled(why)));
            }
        }
        held
    }

    /// When slips are held against their requests, or this comes.
    pub(super) fn until_slips(&self, until: Instant) -> Instant {
        let grace = self.external.limits.reply_timeout / GRACE;
        self.external.malformed.until(grace).map_or(until, |held| held.min(until))
    }

    /// Keeps an answered request in mind.
    pub(super) fn remember(&mut self, sent: Sent) {
        if let Some(session) = &mut self.external.session {
            session.trail.push(sent);
        }
    }

    fn outcome(&mut self, sent: Sent, mut answer: Answer) -> (Sent, Outcome) {
        clean_answer(&mut answer);
        self.external.answers = true;
        if let Some(debt) = self.external.debt.take() {
            answer = Answer::Garbled(debt);
        }
        let noise = self.external.session.as_mut().map(|session| &mut session.noise);
        let noise = noise.filter(|noise| !noise.is_empty()).map(super::Tail::take).unwrap_or_default();
        (sent, Outcome { answer, noise, slow: None })
    }

    /// A reply that no request waits for. It is held against the request it repeats; where that is no longer known,
    /// against the oldest unanswered, since that is most likely whom it was meant for; else the last answered; else
    /// the next.
    fn stray(&mut self, seq: u64, line: &str) -> Option<(Sent, Outcome)> {
        if let Some(at) = self.forgiven.iter().position(|forgiven| *forgiven == seq) {
            self.forgiven.remove(at);
            return None;
        }
        let why = format!("a second reply came to request {seq}: {line}");
        if self.held.garble(seq, &why) {
            return None;
        }
        let asked = if (1..=self.external.seq).contains(&seq) { "was answered before" } else { "was never asked" };
        self.hold_against_somebody(format!("a reply came to request {seq}, which {asked}: {line}"))
    }

    /// A finding that belongs to nobody must not be lost.
    fn hold_against_somebody(&mut self, why: String) -> Option<(Sent, Outcome)> {
        if let Some(sent) = self.take_forgiven() {
            return Some(self.outcome(sent, Answer::Garbled(why)));
        }
        if !self.held.garble_last(&why) {
            self.external.debt = Some(why);
        }
        None
    }

    /// Takes the oldest unanswered request out, for another's fault.
    fn take_forgiven(&mut self) -> Option<Sent> {
        let sent = self.window.take_oldest()?;
        self.forgive(sent.seq);
        Some(sent)
    }

    fn forgive(&mut self, seq: u64) {
        if self.forgiven.len() == FORGIVEN {
            self.forgiven.pop_front();
        }
        self.forgiven.push_back(seq);
    }
}

fn read(line: &[u8]) -> Read {
    match read_line(line) {
        Line::Reply(seq, answer) => Read::Answer(seq, answer),
        Line::Garbled(seq, why) => Read::Answer(seq, Answer::Garbled(format!("{why}: {}", beginning(line, SHOWN)))),
        Line::Noise => malformed_reply(line).map_or(Read::Noise, Read::MalformedReply),
    }
}

/// Whom a slip was meant for: the request that it names; else the oldest that nothing was said to.
fn meant(window: &Window, malformed: &MalformedReplies, malformed_reply: MalformedReply) -> Option<u64> {
    window.waiting().find(|seq| malformed_reply.seq.map_or(!malformed.has(*seq), |named| named == *seq))
}

fn too_long(head: &[u8], length: usize) -> Read {
    let why = format!("a line of {length} bytes came, more than is kept: {}", beginning(head, 60));
    Read::TooLong(seq_at_head(head), why)
}

/// The number in a line of which only the head is known: `{"seq":12,…`.
fn seq_at_head(head: &[u8]) -> Option<u64> {
    let head = std::str::from_utf8(head).unwrap_or_default();
    let digits = head.split_once("\"seq\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    let end = digits.find(|char: char| !char.is_ascii_digit())?;
    digits[..end].parse().ok()
}
