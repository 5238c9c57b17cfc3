//! The values within a request, as requests of their own: sending them alone shows what a disagreement is about.

use std::borrow::Cow;
use std::ops::Range;

use variant_codec::{Codec, Role, Span, Spans, Step, Trace};
use variant_specs::LayoutId;

use super::frame;
use variant_corpus::FRAMING;
use variant_wire::implementation::{Input, Request};

/// How many bytes a header takes.
const HEADER: usize = 4;

/// The requests directly within this one. For a packet with its length in front: the packet alone. Otherwise: the same
/// without objects allowed, if they are, and one for each value in it.
pub(super) fn parts(request: &Request, codec: &Codec) -> Vec<Request> {
    if request.framing.is_some() {
        return frame::bare(request).into_iter().collect();
    }
    let within: Vec<Input> = match &request.input {
        Input::Encode(value) => value.children().into_iter().cloned().map(Input::Encode).collect(),
        Input::Decode(packet) => slices(packet, codec).map(Input::Decode).collect(),
        Input::Reencode(packet) => slices(packet, codec).map(Input::Reencode).collect(),
    };
    let forbidden = request.objects.then(|| Request { objects: false, ..request.clone() });
    forbidden.into_iter().chain(within.into_iter().map(|input| Request { input, ..request.clone() })).collect()
}

/// The layout of the outermost value of a request, if it is known.
pub(super) fn layout_of(request: &Request, codec: &Codec) -> Option<String> {
    if request.framing.is_some() {
        return Some(FRAMING.to_owned());
    }
    match &request.input {
        Input::Encode(value) => {
            variant_wire::fields::layout_of(value, codec.layouts()).map(|layout| layout.name.clone())
        }
        Input::Decode(packet) | Input::Reencode(packet) => {
            outermost(packet, codec).map(|layout| name(layout, codec).to_owned())
        }
    }
}

/// The layouts whose headers are in a packet, as far as it can be read.
pub(super) fn layouts(packet: &[u8], codec: &Codec) -> Vec<LayoutId> {
    let mut trace = Places::default();
    let _ = codec.decode_traced(packet, &mut trace);
    trace.layouts
}

pub(super) fn name(layout: LayoutId, codec: &Codec) -> &str {
    &codec.layouts().get(layout).name
}

/// The fields of a packet, as far as it can be read.
pub(super) fn spans(packet: &[u8], codec: &Codec) -> Vec<Span> {
    let mut trace = Spans::default();
    let _ = codec.decode_traced(packet, &mut trace);
    trace.spans
}

/// The packet of an input: the one it has, or that of its value.
pub(super) fn packet_of<'a>(input: &'a Input, codec: &Codec) -> Option<Cow<'a, [u8]>> {
    match input {
        Input::Encode(value) => codec.encode(value).ok().map(Cow::Owned),
        Input::Decode(packet) | Input::Reencode(packet) => Some(Cow::Borrowed(packet)),
    }
}

fn outermost(packet: &[u8], codec: &Codec) -> Option<LayoutId> {
    let mut trace = Places::default();
    // The header alone is enough.
    let _ = codec.decode_traced(&packet[..packet.len().min(HEADER)], &mut trace);
    trace.layouts.first().copied()
}

fn slices<'a>(packet: &'a [u8], codec: &Codec) -> impl Iterator<Item = Vec<u8>> + use<'a> {
    let mut trace = Places::default();
    let _ = codec.decode_traced(packet, &mut trace);
    trace.parts(packet.len()).into_iter().map(|range| packet[range].to_vec())
}

/// Finds the values directly within a packet's value.
#[derive(Default)]
struct Places {
    layouts: Vec<LayoutId>,
    /// How many steps were entered and not left.
    depth: usize,
    /// Depth and offset of the values that have not ended.
    open: Vec<(usize, usize)>,
    closed: Vec<Range<usize>>,
    /// The end of the last field.
    end: usize,
}

impl Places {
    /// The ranges in the order of the packet. A value in which reading failed goes to the packet's end.
    fn parts(mut self, length: usize) -> Vec<Range<usize>> {
        if let Some((_, start)) = self.open.get(1) {
            self.closed.push(*start..length);
        }
        self.closed
    }
}

impl Trace for Places {
    const ON: bool = true;

    fn field(&mut self, bytes: Range<usize>, _: &str, role: Role) {
        self.end = bytes.end;
        if let Role::Header(layout) = role {
            self.layouts.push(layout);
            self.open.push((self.depth, bytes.start));
        }
    }

    fn enter(&mut self, _: Step) {
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
        while let Some((depth, start)) = self.open.last().copied()
            && depth > self.depth
        {
            self.open.pop();
            if self.open.len() == 1 {
                self.closed.push(start..self.end);
            }
        }
    }
}
