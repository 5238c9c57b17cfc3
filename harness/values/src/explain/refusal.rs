//! Why a packet is refused, in words that say what is wrong with the bytes.

use variant_codec::{DecodeError, Decoded, Refusal, Role, Span};

use super::Explainer;
use super::meaning::word;

/// `truncated at 12: the int32_array ends early`; empty if the packet is read.
pub(super) fn words(
    packet: &[u8],
    spans: &[Span],
    outcome: &Result<Decoded, DecodeError>,
    explainer: &Explainer<'_>,
) -> String {
    let Err(error) = outcome else { return String::new() };
    let name = |span: &Span| {
        let Role::Header(layout) = span.role else { return None };
        Some(explainer.dialect.layouts.get(layout).name.as_str())
    };
    let (outer, value) = (spans.iter().find_map(name), spans.iter().rev().find_map(name));
    let outer = outer.filter(|_| spans.iter().filter(|span| name(span).is_some()).nth(1).is_some());
    let refused = Refused { packet, outer, value, last: spans.last(), error: *error };
    format!("{error}: {}", refused.why(explainer))
}

struct Refused<'a> {
    packet: &'a [u8],
    /// The type of the whole value, if there is another one in it.
    outer: Option<&'a str>,
    /// The type of the innermost value that was begun.
    value: Option<&'a str>,
    /// The last field that was read.
    last: Option<&'a Span>,
    error: DecodeError,
}

impl Refused<'_> {
    fn why(&self, explainer: &Explainer<'_>) -> String {
        let value = self.value.unwrap_or("packet");
        match self.error.kind {
            Refusal::Truncated if self.value.is_none() => "a header has four bytes".to_owned(),
            Refusal::Truncated if self.lacks_padding() => "padding is missing: a text takes whole words".to_owned(),
            Refusal::Truncated => match self.outer {
                Some(outer) => format!("the {outer} ends early, in its {value}"),
                None => format!("the {value} ends early"),
            },
            Refusal::Length => match self.word().cast_signed() {
                length if length < 0 => format!("the {value} says {length}"),
                length => format!("the {value} says {length}, more than the bytes behind it"),
            },
            Refusal::UnknownType => self.unknown(explainer),
            Refusal::UnknownFlag => format!("flags {:#x}, which are not known here", self.word() >> 16),
            Refusal::BadUtf8 => "a text that is not UTF-8".to_owned(),
            Refusal::TooDeep => {
                let most = explainer.dialect.depth.map(|depth| format!(" ({depth} is the limit)"));
                format!("nested too deep{}", most.unwrap_or_default())
            }
            Refusal::BadObject => "an object in a form that is not read".to_owned(),
            Refusal::UnsupportedForm => format!("{value} is not part of the format there"),
        }
    }

    fn lacks_padding(&self) -> bool {
        self.last.is_some_and(|last| {
            matches!(last.role, Role::Text | Role::Bytes | Role::Nul)
                && last.bytes.end == self.error.at
                && !self.error.at.is_multiple_of(4)
                && self.packet.len() - self.error.at < 4
        })
    }

    fn word(&self) -> u32 {
        self.packet.get(self.error.at..).and_then(|rest| rest.get(..4)).map_or(0, word)
    }

    /// The number that is no type, and what it looks like.
    fn unknown(&self, explainer: &Explainer<'_>) -> String {
        let number = self.word();
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
}
