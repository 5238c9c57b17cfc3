//! A mutant as an implementation like any other: asked by whoever asks, the differential mode above all.

use variant_codec::Codec;
use variant_specs::{Dialect, Reading};

use super::mutant::{Memory, Mutant};
use variant_wire::hello::Hello;
use variant_wire::implementation::{Implementation, Outcome, Request, Unusable};
use variant_wire::reference;

/// A faulty codec, in one dialect.
#[derive(Debug)]
pub struct Faulty {
    mutant: Mutant,
    codec: Codec,
    reading: Reading,
    hello: Hello,
    memory: Memory,
}

impl Faulty {
    /// A mutant of this dialect, as it is when nobody has asked it anything.
    pub fn new(mutant: Mutant, dialect: &Dialect, reading: Reading) -> Self {
        let hello = Hello { name: mutant.id.clone(), ..reference::hello(vec![dialect.name.clone()]) };
        Self { mutant, codec: Codec::new(dialect, reading), reading, hello, memory: Memory::default() }
    }
}

impl Implementation for Faulty {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), Unusable> {
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
