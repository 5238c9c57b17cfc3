//! A mutant as an implementation like any other: asked by whoever asks, the differential mode above all.

use variant_codec::Codec;
use variant_specs::{Dialect, Reading};

use super::mutant::{Memory, Mutant};
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Implementation, ImplementationError, Outcome, Request};
use variant_wire::reference;

/// A faulty codec, in one dialect.
#[derive(Debug)]
pub struct Faulty {
    mutant: Mutant,
    codec: Codec,
    reading: Reading,
    handshake: Handshake,
    memory: Memory,
}

impl Faulty {
    /// A mutant of this dialect, as it is when nobody has asked it anything.
    pub fn new(mutant: Mutant, dialect: &Dialect, reading: Reading) -> Self {
        let handshake = Handshake { name: mutant.id.clone(), ..reference::handshake(vec![dialect.name.clone()]) };
        Self { mutant, codec: Codec::new(dialect, reading), reading, handshake, memory: Memory::default() }
    }
}

impl Implementation for Faulty {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        let memory = std::mem::take(&mut self.memory);
        let mut subject = self.mutant.subject_with(memory, &self.codec, self.reading);
        for (place, request) in requests.enumerate() {
            answered(place, subject.answer(&request).into());
        }
        self.memory = subject.into_memory();
        Ok(())
    }

    fn refresh(&mut self) -> bool {
        self.memory = Memory::default();
        true
    }
}
