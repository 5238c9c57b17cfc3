//! Matches what an adapter sends with the requests that it answers.

use super::exit::End;
use super::pipeline::Pipeline;
use super::streams::{Line, SHOWN, WireEvent};
use super::supervisor::External;
use variant_values::implementation::{Answer, Outcome};
use variant_values::protocol::Reply;
use variant_values::sanitize::beginning;

impl Pipeline<'_> {
    /// Takes a line: the reply to a request in flight, or what else it may be. After a reply to any other request, none can be
    /// trusted.
    pub(super) fn read(&mut self, Line { says, text }: Line) -> Result<(), End> {
        let oldest = self.window.keys().next().copied();
        let shown = || beginning(&text, SHOWN);
        match says {
            WireEvent::Reply(seq, reply) if self.window.contains_key(&seq) => self.answered(seq, reply, text.len()),
            // What was wrong with the first counts.
            WireEvent::Reply(seq, _)
                if self.held.iter().any(|(job, outcome)| job.seq == seq && !is_reply(&outcome.answer)) => {}
            WireEvent::Reply(seq, _) => {
                self.noise(&text);
                return Err(End::Stray(seq));
            }
            // It counts as the reply to the open request that it names, or else to the oldest.
            WireEvent::Malformed(reply) => match reply.seq.or(oldest).filter(|seq| self.window.contains_key(seq)) {
                Some(seq) => self.answered(seq, Reply::Garbled(format!("{}: {}", reply.why, shown())), text.len()),
                None => self.noise(&text),
            },
            WireEvent::Noise => self.noise(&text),
        }
        Ok(())
    }

    pub(super) fn noise(&mut self, text: &[u8]) {
        if let Some(session) = &mut self.external.session {
            session.noise.push_line(text);
        }
    }

    /// Takes the reply to a request in flight, with what was printed before it, and holds it back for a while. Another reply to it
    /// is ignored.
    fn answered(&mut self, seq: u64, reply: Reply, length: usize) {
        let Some(mut job) = self.window.remove(&seq) else { return };
        job.bytes = length;
        let External { specs, handshake, session, tally, good, .. } = &mut *self.external;
        let answer = match specs.dialect(&job.request.dialect) {
            Some(dialect) => reply.answer(dialect, &handshake.lossy),
            None => Answer::Garbled(format!("a reply in {}, which is no dialect", job.request.dialect)),
        };
        if is_reply(&answer) {
            tally.answered(&job.places);
        }
        good.get_or_insert_with(|| job.request.clone());
        for death in &mut self.unsolved {
            death.first.get_or_insert(seq);
        }
        let noise = session.as_mut().map(|session| {
            session.last = Some(seq);
            session.noise.take()
        });
        self.held.push_back((job, Outcome { answer, noise: noise.unwrap_or_default() }));
    }

    /// Turns the reply to this request into another answer, with what was printed before it. One that is already bad stays
    /// what it is: the first fault counts. Returns false if it is no longer kept.
    pub(super) fn replace(&mut self, seq: u64, answer: Answer, noise: &str) -> bool {
        let held = self.held.iter_mut().rev().find(|(job, _)| job.seq == seq);
        let Some((_, outcome)) = held else { return false };
        if is_reply(&outcome.answer) {
            outcome.answer = answer;
            outcome.noise.insert_str(0, noise);
        }
        true
    }
}

/// Whether it is what the adapter replied, and not what became of it.
pub(super) fn is_reply(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Value { .. } | Answer::Invalid { .. } | Answer::Bytes(_) | Answer::Refused(_) | Answer::Unsupported(_)
    )
}
