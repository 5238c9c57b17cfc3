//! Replies that are allowed beside the expected one: `specs/divergences.yaml`.

use variant_codec::{Array, Codec, Dictionary, ElementType, Refusal, Role, Span, Value};
use variant_specs::{Dialect, Divergence, Layouts, Shape, Specs};

use super::failed::{Failed, general};
use super::frame;
use super::oracle::Oracle;
use super::parts;
use variant_values::fields::layout_of;
use variant_values::handshake::Handshake;
use variant_values::implementation::{Input, Request};
use variant_values::reference;
use variant_values::version::numbers;

/// The divergences that a campaign may show.
#[derive(Debug)]
pub(super) struct AllowedDivergences(Vec<Divergence>);

impl AllowedDivergences {
    /// Those of this dialect and of sides with these handshakes.
    pub(super) fn new(specs: &Specs, dialect: &Dialect, handshakes: &[&Handshake]) -> Self {
        // Where the engines of all sides have the limit of depth, none of them may read on.
        let has_limit = |since: &str| {
            let known = |handshake: &&&Handshake| handshake.name != reference::NAME;
            let mut versions = handshakes.iter().filter(known).map(|handshake| handshake.engine.as_deref());
            versions.all(|version| version.is_some_and(|version| numbers(version) >= numbers(since)))
        };
        let limited = dialect.depth_since.as_deref().is_some_and(has_limit);
        let concerned = |divergence: &&Divergence| {
            divergence.dialects.iter().any(|name| name == dialect.base())
                && (divergence.of.is_empty() || handshakes.iter().any(|one| divergence.of.contains(&one.name)))
                && !(limited && divergence.why.as_deref() == Some(Refusal::TooDeep.name()))
        };
        Self(specs.divergences.iter().filter(concerned).cloned().collect())
    }

    /// The id of the divergence that allows a reply.
    pub(super) fn id_of(&self, failed: &Failed, oracle: &Oracle<'_>) -> Option<&str> {
        let allows = |divergence: &&Divergence| {
            named(&divergence.layouts, &failed.test.layout)
                && named(&divergence.fields, &failed.field())
                && named(&divergence.ops, failed.test.op.name())
                && named(&divergence.kinds, failed.kind())
                && divergence.why.as_ref().is_none_or(|why| why == failed.why())
                && holds(divergence, &failed.request, oracle)
        };
        self.0.iter().find(allows).map(|divergence| divergence.id.as_str())
    }
}

fn named(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other == name)
}

/// Whether the request meets the divergence's conditions: `unfit`, `when` and `texts-with`.
fn holds(divergence: &Divergence, request: &Request, oracle: &Oracle<'_>) -> bool {
    let (input, codec) = (&request.input, oracle.codec_for(request));
    if divergence.unfit && !has_unfit(input, codec) {
        return false;
    }
    if divergence.when.is_empty() && divergence.texts_with.is_empty() {
        return true;
    }
    let packet = parts::unframed(request, codec);
    let spans = frame::spans(&packet, codec);
    let numbers = divergence.when.iter().all(|(field, ranges)| {
        let here = |span: &&Span| general(&span.path) == *field;
        spans.iter().filter(here).any(|span| {
            let word = packet.get(span.bytes.start..span.bytes.start + 4);
            word.and_then(|word| word.try_into().ok()).is_some_and(|word| {
                let number = u32::from_le_bytes(word);
                ranges.iter().any(|[first, last]| (*first..=*last).contains(&number))
            })
        })
    });
    let pattern = &divergence.texts_with;
    let alike = |bytes: &[u8]| bytes.iter().zip(pattern).all(|(byte, [first, last])| (first..=last).contains(&byte));
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
