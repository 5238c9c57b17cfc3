//! Why a packet is refused, in words that say what is wrong with the bytes.

use variant_codec::{DecodeError, Refusal, Role};
use variant_specs::LayoutId;

use super::explainer::Explainer;
use super::trace::FieldTrace;
use crate::fields::word;

/// `truncated at 12: the PackedInt32Array ends early`.
pub(super) fn in_words(error: &DecodeError, trace: &FieldTrace<'_>) -> String {
    let (packet, explainer) = (trace.packet, trace.explainer);
    let dialect = explainer.dialect;
    let name = |layout: LayoutId| dialect.type_name_of(&dialect.layouts.get(layout).name);
    // The type of the whole value, if there is another one in it; and that of the innermost value that was begun.
    let (outer, begun) = (trace.outer.map(name), trace.begun.map(name));
    let value = begun.unwrap_or("packet");
    let rest = packet.get(error.at..).unwrap_or_default();
    let number = rest.get(..4).map_or(0, word);
    let lacks_padding = matches!(trace.last, Some(Role::Text | Role::Bytes | Role::Nul))
        && trace.end == error.at
        && !error.at.is_multiple_of(4)
        && rest.len() < 4;
    let why = match error.kind {
        Refusal::Truncated if begun.is_none() => "a header has four bytes".to_owned(),
        Refusal::Truncated if lacks_padding => "padding is missing: a text takes whole words".to_owned(),
        Refusal::Truncated => match outer {
            Some(outer) => format!("the {outer} ends early, in its {value}"),
            None => format!("the {value} ends early"),
        },
        Refusal::Length => match number.cast_signed() {
            length if length < 0 => format!("the {value} says {length}"),
            length => format!("the {value} says {length}, more than the bytes behind it"),
        },
        Refusal::UnknownType => unknown(number, explainer),
        Refusal::UnknownFlag => format!("flags {:#x}, which are not known here", number >> 16),
        Refusal::BadUtf8 => "a text that is not UTF-8".to_owned(),
        Refusal::TooDeep => {
            let most = explainer.dialect.depth.map(|depth| format!(" ({depth} is the limit)"));
            format!("nested too deep{}", most.unwrap_or_default())
        }
        Refusal::BadObject => "an object in a form that is not read".to_owned(),
        Refusal::UnsupportedForm => format!("{value} is not part of the format there"),
    };
    format!("{error}: {why}")
}

/// The number that is no type, and what it looks like.
fn unknown(number: u32, explainer: &Explainer<'_>) -> String {
    let id = number & explainer.dialect.header.mask(explainer.judged_by);
    let letters = number.to_le_bytes();
    let float = f32::from_bits(number);
    let looks = if letters.iter().all(|letter| letter.is_ascii_graphic() || *letter == b' ') {
        format!(": the letters {:?}", String::from_utf8_lossy(&letters))
    } else if number.swap_bytes() <= explainer.dialect.max {
        format!(": with its bytes turned, {}", number.swap_bytes())
    } else if (1e-4..1e6).contains(&float.abs()) {
        format!(": as a float, {float:?}")
    } else {
        String::new()
    };
    format!("{id} is no type (there are {}){looks}", explainer.dialect.max)
}
