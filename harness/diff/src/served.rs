//! The reference codec at the end of its own lines: what is written, read and written again on the way is the
//! notation, and whoever parts from it there has found a fault of this suite.

use std::io::BufReader;

use variant_specs::{Reading, Specs};

use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Answer, Implementation, ImplementationError, Outcome, Request};
use variant_wire::protocol::{Line, read_line, write_request};
use variant_wire::reference::Reference;
use variant_wire::serve::serve;

/// The reference codec, asked line by line, without a process.
#[derive(Debug)]
pub struct Served {
    specs: Specs,
    reference: Reference,
    handshake: Handshake,
}

impl Served {
    /// In every dialect.
    pub fn new(specs: &Specs) -> Self {
        let reference = Reference::new(specs, Reading::Engine);
        let handshake = Handshake { name: "served".to_owned(), ..reference.handshake().clone() };
        Self { specs: specs.clone(), reference, handshake }
    }

    fn answer(&self, request: &Request) -> Answer {
        let mut line = Vec::new();
        write_request(&mut line, 1, request, &self.specs.layouts, &self.handshake);
        let mut reply = Vec::new();
        if let Err(error) = serve(&self.specs, &self.reference, BufReader::new(line.as_slice()), &mut reply) {
            return Answer::Garbled(error.to_string());
        }
        match read_line(reply.trim_ascii_end()) {
            Line::Reply(_, answer) => answer,
            Line::Garbled(_, why) => Answer::Garbled(why),
            Line::Noise => Answer::Garbled(String::from_utf8_lossy(&reply).into_owned()),
        }
    }
}

impl Implementation for Served {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send(
        &mut self,
        requests: &mut dyn Iterator<Item = Request>,
        answered: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), ImplementationError> {
        for (place, request) in requests.enumerate() {
            answered(place, self.answer(&request).into());
        }
        Ok(())
    }
}
