//! Disagreements that are allowed: `specs/divergences.yaml`.

use variant_codec::{Array, Codec, Dictionary, ElementType, Refusal, Role, Span, Value};
use variant_specs::{Dialect, Divergence, Layouts, Shape, Specs};

use super::campaign::FoundDifference;
use super::inputs::op_of;
use super::oracle::{Disagreement, Oracle};
use super::parts;
use super::signature::general;
use variant_wire::fields::layout_of;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Input, Request};
use variant_wire::reference;
use variant_wire::version::numbers;

/// The divergences that a campaign may show.
#[derive(Debug)]
pub(super) struct AllowedDivergences {
    divergences: Vec<Divergence>,
    /// Indices of those that no request could show so far.
    untested: Vec<usize>,
    /// The handshake's name of each participant.
    names: Vec<String>,
}

impl AllowedDivergences {
    /// Those of this dialect and of participants with these handshakes.
    pub(super) fn new(specs: &Specs, dialect: &Dialect, handshakes: &[&Handshake]) -> Self {
        // Where the engines of all participants have the limit of depth, none of them may read on.
        let has_limit = |since: &str| {
            let known = |handshake: &&&Handshake| handshake.name != reference::NAME;
            let mut versions = handshakes.iter().filter(known).map(|handshake| handshake.engine.as_deref());
            versions.all(|version| version.is_some_and(|version| numbers(version) >= numbers(since)))
        };
        let limited = dialect.depth_since.as_deref().is_some_and(has_limit);
        let names: Vec<String> = handshakes.iter().map(|handshake| handshake.name.clone()).collect();
        let concerned = |divergence: &&Divergence| {
            divergence.dialects.iter().any(|name| name == dialect.base())
                && (divergence.of.is_empty() || divergence.of.iter().any(|name| names.contains(name)))
                && !(limited && divergence.why.as_deref() == Some(Refusal::TooDeep.name()))
        };
        let divergences: Vec<_> = specs.divergences.iter().filter(concerned).cloned().collect();
        Self { untested: (0..divergences.len()).collect(), divergences, names }
    }

    /// Each divergence that some request could show, and how many requests showed it.
    pub(super) fn counted(&self, findings: &[FoundDifference]) -> Vec<(String, u64)> {
        let counted = |(index, divergence): (usize, &Divergence)| {
            let found = findings.iter().filter(|finding| finding.legal.as_ref() == Some(&divergence.id));
            let count = found.map(|finding| finding.count).sum();
            (count > 0 || !self.untested.contains(&index)).then(|| (divergence.id.clone(), count))
        };
        self.divergences.iter().enumerate().filter_map(counted).collect()
    }

    /// Notes that a request was sent: a divergence is stale only if some request could show it.
    pub(super) fn note(&mut self, request: &Request, oracle: &Oracle) {
        if self.untested.is_empty() {
            return;
        }
        let Some(layout) = parts::layout_of(request, oracle.codec_for(request)) else { return };
        let divergences = &self.divergences;
        self.untested.retain(|index| !tests(&divergences[*index], request, &layout, oracle));
    }

    /// The id of the divergence that allows a disagreement.
    pub(super) fn id_of(&self, found: &Disagreement, oracle: &Oracle) -> Option<String> {
        let allows = |divergence: &&Divergence| self.allows(divergence, found, oracle);
        self.divergences.iter().find(allows).map(|divergence| divergence.id.clone())
    }

    fn allows(&self, divergence: &Divergence, found: &Disagreement, oracle: &Oracle) -> bool {
        let signature = &found.signature;
        let mut participants = found.odd.iter().chain(&found.others);
        named(&divergence.layouts, &signature.layout)
            && named(&divergence.fields, &signature.field)
            && named(&divergence.ops, signature.op.name())
            && named(&divergence.kinds, signature.kind.name())
            && divergence.why.as_ref().is_none_or(|why| *why == signature.why)
            && (divergence.of.is_empty() || participants.any(|one| divergence.of.contains(&self.names[*one])))
            && holds(divergence, &found.request, oracle)
    }
}

fn named(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other == name)
}

/// Whether a request about this layout could show the divergence.
fn tests(divergence: &Divergence, request: &Request, layout: &str, oracle: &Oracle) -> bool {
    named(&divergence.layouts, layout)
        && named(&divergence.ops, op_of(&request.input).name())
        && divergence.why.as_ref().is_none_or(|why| oracle.refusal(request).1 == *why)
        && holds(divergence, request, oracle)
}

/// Whether the request meets the divergence's conditions: `unfit`, `when` and `texts-with`.
fn holds(divergence: &Divergence, request: &Request, oracle: &Oracle) -> bool {
    let (input, codec) = (&request.input, oracle.codec_for(request));
    if divergence.unfit && !has_unfit(input, codec) {
        return false;
    }
    if divergence.when.is_empty() && divergence.texts_with.is_empty() {
        return true;
    }
    let Some(packet) = parts::packet_of(input, codec) else { return false };
    let spans = parts::spans(&packet, codec);
    let numbers = divergence.when.iter().all(|(field, ranges)| {
        let here = |span: &&Span| general(&span.path) == *field;
        spans.iter().filter(here).any(|span| {
            let word = packet.get(span.bytes.start..span.bytes.start + 4);
            word.and_then(|word| word.try_into().ok())
                .is_some_and(|word| ranges.iter().any(|range| range.contains(&u32::from_le_bytes(word))))
        })
    });
    let pattern = &divergence.texts_with;
    let alike = |bytes: &[u8]| bytes.iter().zip(pattern).all(|(byte, range)| range.contains(byte));
    let texts = pattern.is_empty()
        || spans
            .iter()
            .filter(|span| span.role == Role::Text)
            .any(|span| packet[span.bytes.clone()].windows(pattern.len()).any(alike));
    numbers && texts
}

/// Whether the outermost value is a typed array with an element of another type, or a typed dictionary with a key of
/// another type. Engines keep the values of dictionaries, whatever their type.
fn has_unfit(input: &Input, codec: &Codec) -> bool {
    let decoded;
    let value = match input {
        Input::Encode(value) => value,
        Input::Decode(packet) | Input::Reencode(packet) => match codec.decode(packet) {
            Ok(read) => {
                decoded = read.value;
                &decoded
            }
            Err(_) => return false,
        },
    };
    let unfit = |of: &ElementType, value: &Value| !fits(of, value, codec.layouts());
    if let Value::Array(Array { of: Some(of), items, .. }) = value {
        return items.iter().any(|item| unfit(of, item));
    }
    let Value::Dictionary(Dictionary { of: Some(of), entries, .. }) = value else { return false };
    of.key.as_ref().is_some_and(|of| entries.iter().any(|(key, _)| unfit(of, key)))
}

/// Whether a value is of this type.
fn fits(of: &ElementType, value: &Value, layouts: &Layouts) -> bool {
    let layout = layout_of(value, layouts);
    let is_object = layout.is_some_and(|layout| layout.objects || layout.shape == Shape::Empty);
    match of {
        ElementType::Layout(of) if layouts.get(*of).objects => is_object,
        ElementType::Layout(of) => layout.is_some_and(|layout| layout.name == layouts.get(*of).name),
        ElementType::Class(_) | ElementType::Script(_) => is_object,
        ElementType::Id(_) => false,
    }
}
