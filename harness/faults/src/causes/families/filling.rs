//! What stands in padding and behind packets.

use std::collections::BTreeSet;

use variant_codec::{Framing, Role};
use variant_specs::{LayoutId, Scalar};
use variant_values::handshake::Op;
use variant_values::implementation::Answer;

use super::member::MOST;
use crate::builder::{writes, written};
use crate::causes::bench::Bench;
use crate::causes::subject::Subject;
use crate::fault::Fault;

pub(super) fn suggested(bench: &Bench<'_>) -> Vec<Fault> {
    let mut faults = padded_with(bench);
    faults.extend(zeros_behind(bench));
    faults
}

/// Padding that is not of zeros, of texts or of byte arrays: with the bytes that the first padding of a reply has.
fn padded_with(bench: &Bench<'_>) -> Vec<Fault> {
    let layouts = &bench.dialect.layouts;
    let mut bytes = BTreeSet::new();
    for subject in bench.failed_cases() {
        let (Some(Answer::Bytes(right)), Some(Answer::Bytes(wrong))) = (&subject.right, subject.reply()) else {
            continue;
        };
        if right.len() == wrong.len()
            && let (trace, Ok(_)) = bench.codec.traced(right)
        {
            let padding = trace.spans.iter().find(|span| span.role == Role::Padding);
            bytes.extend(padding.map(|span| wrong[span.bytes.start]).filter(|byte| *byte != 0));
        }
    }
    let of_bytes: BTreeSet<LayoutId> =
        layouts.iter().filter(|(_, layout)| layout.of == Some(Scalar::Byte)).map(|(id, _)| id).collect();
    let fault = |byte: u8, name: &str, is_of_bytes: bool| {
        let of_bytes = of_bytes.clone();
        let mutation = writes(move |field| {
            let is_own = field.role == Role::Padding && of_bytes.contains(&field.layout) == is_of_bytes;
            is_own.then(|| vec![byte; field.bytes.len()])
        })?;
        let id = format!("padding-of-{name}-{byte:02x}");
        let sentence = format!("the padding of {} is filled with {byte:#04x}, not with zeros", name.replace('-', " "));
        let fault = Fault::new(bench.dialect, "family", &id, Some(Op::Encode), mutation).called("padding-filled");
        Some(fault.described(sentence))
    };
    bytes
        .into_iter()
        .take(MOST)
        .flat_map(|byte| [fault(byte, "texts", false), fault(byte, "byte-arrays", true)])
        .flatten()
        .collect()
}

/// Zeros behind packets, of a buffer that is larger: up to one length, to a multiple of a length or to a power of two. The
/// shortest reply has the length.
fn zeros_behind(bench: &Bench<'_>) -> Vec<Fault> {
    let Some(length) = bench.failed_cases().filter_map(Subject::with_zeros_behind).min() else { return Vec::new() };
    let fault = |name: &str, sentence: String, up_to: fn(usize, usize) -> usize| {
        let mutation = written(move |request, bytes| {
            // Beside another fault there may be no length in front.
            let framed = request.framing.map_or(0, |_| Framing::PREFIX);
            let mut packet = bytes.get(framed..).unwrap_or_default().to_vec();
            packet.resize(up_to(packet.len(), length), 0);
            let count = u32::try_from(packet.len()).unwrap_or(u32::MAX);
            let prefix = request.framing.map(|framing| framing.prefix(count));
            [prefix.as_slice().as_flattened(), &packet].concat()
        })?;
        Some(Fault::new(bench.dialect, "family", name, Some(Op::Encode), mutation).described(sentence))
    };
    let up_to = "zeros are written behind each packet, up to a";
    let faults = [
        fault("zeros-up-to-a-length", format!("{up_to} length of {length} bytes"), usize::max),
        fault("zeros-up-to-a-multiple", format!("{up_to} multiple of {length} bytes"), usize::next_multiple_of),
        fault("zeros-up-to-a-power-of-two", format!("{up_to} power of two, at least {length} bytes"), |own, least| {
            own.next_power_of_two().max(least)
        }),
    ];
    faults.into_iter().flatten().collect()
}
