//! Divergences that are legal: `specs/divergences.yaml`.

use std::ops::RangeInclusive;

use variant_specs::{Dialect, Divergence, Specs};

use super::locate::Disagreement;
use super::oracle::Oracle;
use super::parts;
use super::signature::general;
use crate::hello::Hello;
use crate::implementation::Question;

/// The divergences of a dialect.
#[derive(Debug)]
pub struct Legal {
    divergences: Vec<Divergence>,
    /// What each side calls itself.
    names: Vec<String>,
}

impl Legal {
    /// Those that concern this dialect.
    pub fn new(specs: &Specs, dialect: &Dialect, hellos: &[&Hello]) -> Self {
        let concerned = |divergence: &&Divergence| divergence.dialects.iter().any(|name| name == dialect.base());
        Self {
            divergences: specs.divergences.iter().filter(concerned).cloned().collect(),
            names: hellos.iter().map(|hello| hello.name.clone()).collect(),
        }
    }

    /// The divergence by which a disagreement is legal.
    pub fn of(&self, found: &Disagreement, oracle: &Oracle) -> Option<String> {
        let fits = |divergence: &&Divergence| self.fits(divergence, found, oracle);
        self.divergences.iter().find(fits).map(|divergence| divergence.id.clone())
    }

    fn fits(&self, divergence: &Divergence, found: &Disagreement, oracle: &Oracle) -> bool {
        let signature = &found.parting.signature;
        let by = |names: &[String]| {
            names.is_empty()
                || found.parting.odd.iter().chain(&found.parting.others).any(|side| names.contains(&self.names[*side]))
        };
        divergence.layout == signature.layout
            && divergence.fields.iter().any(|field| *field == signature.field)
            && divergence.ops.iter().any(|op| op == signature.op.name())
            && divergence.kinds.iter().any(|kind| kind == signature.kind.name())
            && by(&divergence.of)
            && (divergence.when.is_empty() || holds(&divergence.when, &found.request.question, oracle))
    }
}

/// Whether each of these fields holds a number of its range, in some place of the packet.
fn holds(when: &[(String, RangeInclusive<u32>)], question: &Question, oracle: &Oracle) -> bool {
    let packet = match question {
        Question::Encode(value) => parts::packet(value, &oracle.codec),
        Question::Decode(packet) | Question::Reencode(packet) => Some(packet.clone()),
    };
    let Some(packet) = packet else { return false };
    let spans = parts::spans(&packet, &oracle.codec);
    when.iter().all(|(field, range)| {
        spans.iter().any(|span| {
            general(&span.path) == *field
                && packet
                    .get(span.bytes.start..span.bytes.start + 4)
                    .is_some_and(|word| range.contains(&word.try_into().map_or(0, u32::from_le_bytes)))
        })
    })
}
