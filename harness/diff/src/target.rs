//! The oracle as a fuzz target: any packet, put to the reference codec and to another side, in every dialect that both
//! speak.

use std::sync::Arc;

use variant_specs::{Dialect, Reading, Specs};

use super::legal::Legal;
use super::locate::{Disagreement, locate, rulings};
use super::oracle::{Oracle, Ruling};
use super::sides::{Side, Sides};
use variant_corpus::test::is_deep;
use variant_wire::implementation::{Implementation, ImplementationError, Input, Request};
use variant_wire::reference::{NAME, Reference};

/// A dialect, and who is asked in it.
#[derive(Debug)]
pub struct Target {
    name: Arc<str>,
    oracle: Oracle,
    legal: Legal,
    sides: Sides,
}

impl Target {
    /// The reference codec against another, in a dialect; `None` where the other does not speak it.
    pub fn new(specs: &Specs, dialect: &Dialect, other: Box<dyn Implementation + Send>) -> Option<Self> {
        if !other.handshake().dialects.contains(&dialect.name) {
            return None;
        }
        let name = other.handshake().name.clone();
        let reference = Side::here(NAME, Box::new(Reference::new(specs, Reading::Engine)));
        let sides = vec![reference, Side::here(name, other)];
        let hellos: Vec<_> = sides.iter().map(Side::handshake).collect();
        let legal = Legal::new(specs, dialect, &hellos);
        let oracle = Oracle::new(dialect, &sides);
        Some(Self { name: dialect.name.as_str().into(), oracle, legal, sides: Sides::new(sides, dialect) })
    }

    /// What they part in, where no divergence explains it.
    ///
    /// # Errors
    /// Where the other side cannot be used any more.
    pub fn check(&mut self, packet: &[u8]) -> Result<Option<String>, ImplementationError> {
        let deep = self.oracle.codec.decode(packet).is_ok_and(|decoded| is_deep(&decoded.value));
        let decode = (!deep).then(|| Input::Decode(packet.to_vec()));
        let inputs = decode.into_iter().chain([Input::Reencode(packet.to_vec())]);
        let dialect = &self.name;
        let request = |input| Request { dialect: Arc::clone(dialect), input, objects: false, framing: None };
        let requests: Vec<Request> = inputs.map(request).collect();
        let ruled = rulings(&mut self.sides, &self.oracle, requests.clone())?;
        let parted = requests.into_iter().zip(ruled).filter_map(|(request, ruling)| match ruling {
            Ruling::Parted(parting) => Some(Disagreement { request, parting: *parting }),
            Ruling::Agree | Ruling::Undecidable | Ruling::NotRun(_) => None,
        });
        let located = locate(&mut self.sides, &self.oracle, parted.collect())?;
        let open = located.into_iter().find(|found| self.legal.of(found, &self.oracle).is_none());
        Ok(open.map(|found| found.parting.signature.to_string()))
    }
}
