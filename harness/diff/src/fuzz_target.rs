//! The oracle as a property and as a fuzz target: any requests, sent to the reference codec and to another implementation.

use std::sync::Arc;

use variant_specs::{Dialect, Reading, Specs};

use super::divergences::AllowedDivergences;
use super::inputs::Inputs;
use super::locate::disagreements;
use super::oracle::Oracle;
use super::participants::{Participant, Participants};
use super::seed_corpus::SeedCorpus;
use variant_corpus::test::is_deep;
use variant_strategies::SizeLimits;
use variant_wire::implementation::{Implementation, ImplementationError, Input, Request};
use variant_wire::reference::{NAME, Reference};

/// The reference codec against another implementation, in one dialect.
#[derive(Debug)]
pub struct FuzzTarget {
    name: Arc<str>,
    oracle: Oracle,
    allowed: AllowedDivergences,
    participants: Participants,
    inputs: Inputs,
}

impl FuzzTarget {
    /// A target in this dialect; `None` if the other implementation does not speak it.
    pub fn new(specs: &Specs, dialect: &Dialect, other: Box<dyn Implementation + Send>) -> Option<Self> {
        if !other.handshake().dialects.contains(&dialect.name) {
            return None;
        }
        let name = other.handshake().name.clone();
        let reference = Participant::in_process(NAME, Box::new(Reference::new(specs, Reading::Engine)));
        let participants = vec![reference, Participant::in_process(name, other)];
        let handshakes: Vec<_> = participants.iter().map(Participant::handshake).collect();
        let allowed = AllowedDivergences::new(specs, dialect, &handshakes);
        let inputs = Inputs::new(dialect, &handshakes, SeedCorpus::default(), SizeLimits::default(), 0);
        let oracle = Oracle::new(dialect, &participants);
        let participants = Participants::new(participants, dialect);
        Some(Self { name: dialect.name.as_str().into(), oracle, allowed, participants, inputs })
    }

    /// The requests of a campaign with both: a strategy of proptest.
    pub fn inputs(&self) -> Inputs {
        self.inputs.clone()
    }

    /// Sends a packet, and returns the signature of the first disagreement that no divergence allows.
    ///
    /// # Errors
    /// The other implementation cannot be used any more.
    pub fn check(&mut self, packet: &[u8]) -> Result<Option<String>, ImplementationError> {
        let deep = self.oracle.codec.decode(packet).is_ok_and(|decoded| is_deep(&decoded.value));
        let decode = (!deep).then(|| Input::Decode(packet.to_vec()));
        let inputs = decode.into_iter().chain([Input::Reencode(packet.to_vec())]);
        let dialect = &self.name;
        let request =
            |input| Request { dialect: Arc::clone(dialect), input, objects: false, framing: None, kind: None };
        self.check_all(inputs.map(request).collect())
    }

    /// Sends requests, and returns the signature of the first disagreement that no divergence allows.
    ///
    /// # Errors
    /// The other implementation cannot be used any more.
    pub fn check_all(&mut self, requests: Vec<Request>) -> Result<Option<String>, ImplementationError> {
        let found = disagreements(&mut self.participants, &self.oracle, requests)?;
        let open = found.into_iter().find(|found| self.allowed.id_of(found, &self.oracle).is_none());
        Ok(open.map(|found| found.signature.to_string()))
    }
}
