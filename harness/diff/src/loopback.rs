//! The reference codec behind its own protocol, without a process. Writing and reading lines must lose nothing: any
//! disagreement with the reference codec is a fault of this suite.

use std::io::BufReader;

use variant_specs::{JudgedBy, Specs};

use variant_values::handshake::Handshake;
use variant_values::implementation::{Answer, Implementation, Outcomes, Request, Requests};
use variant_values::protocol::{read_line, write_request};
use variant_values::reference::Reference;
use variant_values::serve::serve;

/// The reference codec, served line by line.
#[derive(Debug)]
pub struct LoopbackReference {
    specs: Specs,
    reference: Reference,
    handshake: Handshake,
}

impl LoopbackReference {
    /// Speaks every dialect of the specs.
    pub fn new(specs: &Specs) -> Self {
        let reference = Reference::new(specs, JudgedBy::Engines);
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
        match (read_line(reply.trim_ascii_end()), self.specs.dialect(&request.dialect)) {
            (Some((_, reply)), Some(dialect)) => reply.answer(dialect, &[]),
            (_, _) => Answer::Garbled(String::from_utf8_lossy(&reply).into_owned()),
        }
    }
}

impl Implementation for LoopbackReference {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, request)| Ok((place, self.answer(&request).into()))))
    }
}
