//! Divergences that are legal: `specs/divergences.yaml`.

use variant_codec::{Codec, ElementType, Role, Span, Value};
use variant_specs::{Dialect, Divergence, Layouts, Shape, Specs};

use super::locate::Disagreement;
use super::oracle::Oracle;
use super::parts;
use super::signature::general;
use super::stream::op_of;
use variant_wire::fields::layout_of;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Input, Request};

/// The divergences of a dialect.
#[derive(Debug)]
pub struct Legal {
    divergences: Vec<Divergence>,
    /// Places of those that nothing was asked about so far.
    unasked: Vec<usize>,
    /// What each side calls itself.
    names: Vec<String>,
}

impl Legal {
    /// Those that concern this dialect and anybody who said this hello.
    pub fn new(specs: &Specs, dialect: &Dialect, hellos: &[&Handshake]) -> Self {
        let takes_part = |name: &String| hellos.iter().any(|handshake| handshake.name == *name);
        let concerned = |divergence: &&Divergence| {
            divergence.dialects.iter().any(|name| name == dialect.base())
                && (divergence.of.is_empty() || divergence.of.iter().any(takes_part))
        };
        let divergences: Vec<_> = specs.divergences.iter().filter(concerned).cloned().collect();
        Self {
            unasked: (0..divergences.len()).collect(),
            divergences,
            names: hellos.iter().map(|handshake| handshake.name.clone()).collect(),
        }
    }

    /// What each is called, and whether anything was asked that fits it.
    pub fn asked(&self) -> impl Iterator<Item = (&str, bool)> {
        let all = self.divergences.iter().enumerate();
        all.map(|(place, divergence)| (divergence.id.as_str(), !self.unasked.contains(&place)))
    }

    /// Notes that this was asked: a divergence that nothing fits has not had its chance.
    pub fn note(&mut self, request: &Request, oracle: &Oracle) {
        if self.unasked.is_empty() {
            return;
        }
        let Some(layout) = parts::layout_of(request, oracle.codec_for(request)) else { return };
        let divergences = &self.divergences;
        self.unasked.retain(|place| !tests(&divergences[*place], request, &layout, oracle));
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
        named(&divergence.layouts, &signature.layout)
            && named(&divergence.fields, &signature.field)
            && named(&divergence.ops, signature.op.name())
            && named(&divergence.kinds, signature.kind.name())
            && divergence.why.as_ref().is_none_or(|why| *why == signature.why)
            && by(&divergence.of)
            && holds(divergence, &found.request, oracle)
    }
}

fn named(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other == name)
}

/// Whether a question about this layout is one on which sides may part so.
fn tests(divergence: &Divergence, request: &Request, layout: &str, oracle: &Oracle) -> bool {
    named(&divergence.layouts, layout)
        && named(&divergence.ops, op_of(&request.input).name())
        && divergence.why.as_ref().is_none_or(|why| oracle.refusal(request).1 == *why)
        && holds(divergence, request, oracle)
}

/// Whether the packet has what the divergence is narrowed to.
fn holds(divergence: &Divergence, request: &Request, oracle: &Oracle) -> bool {
    let (input, codec) = (&request.input, oracle.codec_for(request));
    if divergence.unfit && !has_unfit(input, codec) {
        return false;
    }
    if divergence.when.is_empty() && divergence.texts_with.is_empty() {
        return true;
    }
    let packet = match input {
        Input::Encode(value) => parts::packet(value, codec),
        Input::Decode(packet) | Input::Reencode(packet) => Some(packet.clone()),
    };
    let Some(packet) = packet else { return false };
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

/// Whether an element of a typed array or a key of a typed dictionary, here the outermost value, is not of its type.
/// Values of dictionaries are kept by engines as they are.
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
    let layouts = codec.layouts();
    let unfit = |of: Option<&ElementType>, value: &Value| of.is_some_and(|of| !fits(of, value, layouts));
    match value {
        Value::Array(array) => array.items.iter().any(|item| unfit(array.of.as_deref(), item)),
        Value::Dictionary(dictionary) => dictionary
            .of
            .as_ref()
            .is_some_and(|of| dictionary.entries.iter().any(|(key, _)| unfit(of.key.as_ref(), key))),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Text(..)
        | Value::Fields(..)
        | Value::Packed(..)
        | Value::PackedText(..)
        | Value::NodePath(_)
        | Value::Rid(_)
        | Value::Object(_)
        | Value::Image(_)
        | Value::InputEvent(_)
        | Value::Callable
        | Value::Signal(_)
        | Value::Typed(..) => false,
    }
}

/// Whether a value is of this type.
fn fits(of: &ElementType, value: &Value, layouts: &Layouts) -> bool {
    let is = layout_of(value, layouts);
    let is_object = is.is_some_and(|is| matches!(is.shape, Shape::Object | Shape::Empty));
    match of {
        ElementType::Layout(of) if layouts.get(*of).shape == Shape::Object => is_object,
        ElementType::Layout(of) => is.is_some_and(|is| is.name == layouts.get(*of).name),
        ElementType::Class(_) | ElementType::Script(_) => is_object,
        ElementType::Id(_) => false,
    }
}
