//! The oracle as a fuzz target: any packet, sent to the reference codec and to another implementation.

use std::collections::HashSet;
use std::sync::Arc;

use variant_specs::{Dialect, Specs};

use super::divergences::AllowedDivergences;
use super::locate::{locate, rulings, wrong};
use super::oracle::{Oracle, declared};
use super::sides::{Participant, Sides};
use variant_corpus::test::is_deep;
use variant_values::implementation::{Implementation, ImplementationError, Input, Request};

/// The reference codec against another implementation, in one dialect.
#[derive(Debug)]
pub struct FuzzTarget<'a> {
    name: Arc<str>,
    oracle: Oracle<'a>,
    allowed: AllowedDivergences,
    sides: Sides<'a>,
}

impl<'a> FuzzTarget<'a> {
    /// A target in this dialect; `None` if the other implementation does not speak it.
    pub fn new(specs: &Specs, dialect: &'a Dialect, other: Box<dyn Implementation + Send>) -> Option<Self> {
        if !other.handshake().dialects.contains(&dialect.name) {
            return None;
        }
        let name = other.handshake().name.clone();
        let participants = vec![Participant::reference(specs), Participant::in_process(name, other)];
        let handshakes: Vec<_> = participants.iter().map(Participant::handshake).collect();
        let allowed = AllowedDivergences::new(specs, dialect, &handshakes);
        // A target lives as long as its program.
        let judged = declared(&participants, dialect).leak();
        let oracle = Oracle::new(dialect, judged, Some(0), Box::leak(Box::new(HashSet::new())));
        let sides = Sides::new(participants, dialect);
        Some(Self { name: dialect.name.as_str().into(), oracle, allowed, sides })
    }

    /// Sends a packet, and returns the test id of the first wrong reply that no divergence allows.
    pub fn check(&mut self, packet: &[u8]) -> Result<Option<String>, ImplementationError> {
        let deep = self.oracle.codec.decode(packet).is_ok_and(|decoded| is_deep(&decoded.value));
        let decode = (!deep).then(|| Input::Decode(packet.to_vec()));
        let inputs = decode.into_iter().chain([Input::Reencode(packet.to_vec())]);
        let dialect = || Arc::clone(&self.name);
        let request = |input| Request { dialect: dialect(), input, objects: false, framing: None, kind: None };
        let requests: Vec<Request> = inputs.map(request).collect();
        let mut found = wrong(rulings(&mut self.sides, &self.oracle, &requests)?);
        locate(&mut self.sides, &self.oracle, &mut found)?;
        let open = found.into_iter().find(|failed| self.allowed.id_of(failed, &self.oracle).is_none());
        Ok(open.map(|failed| failed.test.id.to_string()))
    }
}
