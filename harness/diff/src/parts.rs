//! The values within a request, as requests of their own: sending them alone shows what a disagreement is about.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use variant_codec::{Codec, Framing, Refusal};
use variant_specs::LayoutId;
use variant_strategies::Parts;

use super::frame;
use variant_corpus::FRAMING;
use variant_corpus::test::is_deep;
use variant_values::implementation::{Input, Request};

/// How many bytes a header takes.
const HEADER: usize = 4;

/// The requests directly within this one. For a packet with its length prefix: the packet alone. Otherwise: the same
/// without objects allowed, if they are; `decode` for `reencode`, if all participants `decode`; and one for each value in it.
pub(super) fn parts(request: &Request, codec: &Codec, all_decode: bool) -> Vec<Request> {
    if request.framing.is_some() {
        return bare(request).into_iter().collect();
    }
    let slices = |packet: &[u8]| {
        let parts = Parts::of(packet, codec);
        parts.within().iter().map(|range| packet[range.clone()].to_vec()).collect::<Vec<_>>()
    };
    let is_shallow = |packet: &Vec<u8>| !is_too_deep(packet, codec);
    let within: Vec<Input> = match &request.input {
        Input::Encode(value) => value.children().into_iter().cloned().map(Input::Encode).collect(),
        Input::Decode(packet) => slices(packet).into_iter().filter(is_shallow).map(Input::Decode).collect(),
        Input::Reencode(packet) => {
            let decode = Some(packet.clone()).filter(|packet| all_decode && is_shallow(packet)).map(Input::Decode);
            decode.into_iter().chain(slices(packet).into_iter().map(Input::Reencode)).collect()
        }
    };
    let forbidden = request.objects.then(|| Request { objects: false, ..request.clone() });
    let within = within.into_iter().map(|input| Request { input, ..request.clone() });
    forbidden.into_iter().chain(within).collect()
}

/// The same request without the length prefix; `None` if it has none, or a wrong one.
fn bare(request: &Request) -> Option<Request> {
    let framing = request.framing?;
    let input = match &request.input {
        Input::Encode(value) => Input::Encode(value.clone()),
        Input::Decode(input) => Input::Decode(input[frame::inside(input, framing)?].to_vec()),
        Input::Reencode(input) => Input::Reencode(input[frame::inside(input, framing)?].to_vec()),
    };
    Some(Request { input, framing: None, ..request.clone() })
}

/// Bytes of the shortest packet of a value that is too deep for JSON: more than thirty headers, with a count each.
const SHORTEST_DEEP: usize = 240;

/// Whether no JSON can carry what some participant may read from the packet.
pub(super) fn is_too_deep(packet: &[u8], codec: &Codec) -> bool {
    packet.len() >= SHORTEST_DEEP
        && match codec.decode(packet) {
            Ok(read) => is_deep(&read.value),
            Err(error) => error.kind == Refusal::TooDeep,
        }
}

/// The layout of the outermost value of a request, if it is known.
pub(super) fn layout_of(request: &Request, codec: &Codec) -> Option<String> {
    if request.framing.is_some() {
        return Some(FRAMING.to_owned());
    }
    match &request.input {
        Input::Encode(value) => {
            variant_values::fields::layout_of(value, codec.layouts()).map(|layout| layout.name.clone())
        }
        Input::Decode(packet) | Input::Reencode(packet) => {
            // The header alone is enough.
            let header = layouts(&packet[..packet.len().min(HEADER)], codec);
            header.first().map(|layout| name(*layout, codec).to_owned())
        }
    }
}

/// The layouts whose headers are in a packet, as far as it can be read.
pub(super) fn layouts(packet: &[u8], codec: &Codec) -> Vec<LayoutId> {
    Parts::of(packet, codec).layouts
}

pub(super) fn name(layout: LayoutId, codec: &Codec) -> &str {
    &codec.layouts().get(layout).name
}

/// The names of those layouts.
pub(super) fn names(packet: &[u8], codec: &Codec) -> BTreeSet<Arc<str>> {
    layouts(packet, codec).into_iter().map(|layout| name(layout, codec).into()).collect()
}

/// The packet of a request, without its length: the one it has, or that of its value.
pub(super) fn unframed<'a>(request: &'a Request, codec: &Codec) -> Cow<'a, [u8]> {
    match &request.input {
        Input::Encode(value) => Cow::Owned(codec.encode(value).unwrap_or_default()),
        Input::Decode(packet) | Input::Reencode(packet) => {
            let prefix = request.framing.map_or(0, |_| Framing::PREFIX);
            Cow::Borrowed(packet.get(prefix..).unwrap_or_default())
        }
    }
}
