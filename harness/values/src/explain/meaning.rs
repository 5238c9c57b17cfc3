//! What the bytes of a field mean, in words.

use variant_codec::{F32, F64, Role, Span, Text};
use variant_specs::{FLAG_1, Layout, Scalar, Shape, UnknownFlags};

use super::explainer::Explainer;
use crate::fields::{FieldValue, long_word, word};

/// The meanings of the fields of one packet, which are asked for in their order.
pub(super) struct Meanings<'a> {
    packet: &'a [u8],
    explainer: &'a Explainer<'a>,
    /// The shape of the value whose header came last.
    shape: Shape,
}

/// So many letters of a text are shown.
const LETTERS: usize = 60;

impl<'a> Meanings<'a> {
    /// Meanings of the fields of this packet.
    pub(super) fn new(packet: &'a [u8], explainer: &'a Explainer<'a>) -> Self {
        Self { packet, explainer, shape: Shape::Empty }
    }

    /// What the bytes of a field mean: `type 2 int, no flags`. Empty for bytes and padding.
    pub(super) fn meaning(&mut self, span: &Span) -> String {
        let Some(bytes) = self.packet.get(span.bytes.clone()) else { return String::new() };
        match span.role {
            Role::Header(layout) => {
                let layout = self.explainer.dialect.layouts.get(layout);
                self.shape = layout.shape;
                self.header(word(bytes), layout, span.bytes.end)
            }
            Role::Count => self.count(word(bytes), &span.path),
            Role::Length => word(bytes).cast_signed().to_string(),
            Role::Word => word(bytes).to_string(),
            Role::Flags => format!("{}{}", word(bytes), if word(bytes) & 1 == 1 { " absolute" } else { "" }),
            Role::Bool => (word(bytes) != 0).to_string(),
            // A `float` value is a double at any width, and is shown as one. A NaN is shown as its bits.
            Role::Number(Scalar::Float32) if self.shape == Shape::Float => {
                let single = F32(word(bytes));
                let is_nan = single.get().is_nan();
                if is_nan { FieldValue::Single(single) } else { FieldValue::Double(single.widen()) }.to_string()
            }
            Role::Id => FieldValue::Id(long_word(bytes)).to_string(),
            Role::Number(scalar) => number(bytes, scalar),
            Role::Text if self.explainer.uncut => FieldValue::Text(Text::from_bytes(bytes)).to_string(),
            Role::Text => beginning(bytes),
            Role::Bytes | Role::Nul | Role::Padding => String::new(),
        }
    }

    /// The same, as lint wants it: bytes have a meaning, and a text that is not UTF-8 has none.
    pub(super) fn uncut(&mut self, span: &Span) -> String {
        let bytes = self.packet.get(span.bytes.clone()).unwrap_or_default();
        match span.role {
            Role::Bytes => format!("\"{}\"", hex::encode(bytes)),
            Role::Text if std::str::from_utf8(bytes).is_err() => String::new(),
            _ => self.meaning(span),
        }
    }

    fn header(&self, word: u32, layout: &Layout, end: usize) -> String {
        let Explainer { dialect, judged_by, .. } = *self.explainer;
        let (mask, known) = (dialect.header.mask(judged_by), dialect.known_flags(layout, judged_by));
        let mut said = Vec::new();
        let second = word >> 8 & 0xff & !(mask >> 8);
        if second != 0 {
            said.push(format!("second byte {second} ignored"));
        }
        said.extend(flags(word & known, layout));
        let unknown = word >> 16 & !(known >> 16) & !(mask >> 16);
        if unknown != 0 {
            let refused = dialect.header.unknown_flags == UnknownFlags::Refused;
            said.push(format!("flags {unknown:#x} {}", if refused { "refused" } else { "ignored" }));
        }
        if word & known & FLAG_1 != 0 && self.is_too_wide(layout.shape, end) {
            said.push("32 bits suffice".to_owned());
        }
        if said.is_empty() {
            said.push("no flags".to_owned());
        }
        format!("type {} {}, {}", word & mask, dialect.type_name_of(&layout.name), said.join(", "))
    }

    /// Whether a number in its 64-bit form has a 32-bit one.
    fn is_too_wide(&self, shape: Shape, at: usize) -> bool {
        let Some(bytes) = self.packet.get(at..at + 8) else { return false };
        let number = long_word(bytes);
        match shape {
            Shape::Int => i32::try_from(number.cast_signed()).is_ok(),
            Shape::Float => F64(number).narrow().is_some(),
            _ => false,
        }
    }

    fn count(&self, count: u32, path: &str) -> String {
        let masked = count & 0x7fff_ffff;
        match self.shape {
            Shape::NodePath if masked != count && path.rsplit('.').next() == Some("name-count") => {
                format!("{masked}, new form")
            }
            Shape::Array | Shape::Dictionary if masked != count => format!("{masked}, shared"),
            _ => count.cast_signed().to_string(),
        }
    }
}

/// The beginning of a text, without a copy of the rest.
fn beginning(text: &[u8]) -> String {
    let begins = match std::str::from_utf8(text) {
        Ok(text) => text.char_indices().nth(LETTERS).map_or(text, |(end, _)| &text[..end]).as_bytes(),
        Err(_) => &text[..text.len().min(LETTERS)],
    };
    let shown = FieldValue::Text(Text::from_bytes(begins)).to_string();
    if shown.chars().count() <= LETTERS { shown } else { shown.chars().take(LETTERS - 1).chain(['…']).collect() }
}

/// The flags of a header that mean something, in words.
fn flags(word: u32, layout: &Layout) -> Vec<String> {
    let flag = word >> 16;
    let element = |whose: &str, kind: u32| {
        let kinds = [None, Some("a type"), Some("a class"), Some("a script")];
        kinds[(kind & 3) as usize].map(|kind| format!("{whose} have {kind}"))
    };
    let said: Vec<String> = match layout.shape {
        _ if flag == 0 => return Vec::new(),
        Shape::Array => element("the elements", flag).into_iter().collect(),
        Shape::Dictionary => element("the keys", flag).into_iter().chain(element("the values", flag >> 2)).collect(),
        Shape::Int | Shape::Float => vec!["64-bit form".to_owned()],
        Shape::Fields | Shape::Packed => vec!["doubles".to_owned()],
        Shape::Record if layout.objects => vec!["by its id (EncodedObjectAsID)".to_owned()],
        _ => Vec::new(),
    };
    let name = format!("flag {flag}");
    vec![if said.is_empty() { name } else { format!("{name}: {}", said.join(", ")) }]
}

fn number(bytes: &[u8], scalar: Scalar) -> String {
    let value = match scalar {
        Scalar::Byte => FieldValue::Int(bytes.first().copied().map_or(0, i64::from)),
        Scalar::Int32 => FieldValue::Int(i64::from(word(bytes).cast_signed())),
        Scalar::Int64 => FieldValue::Int(long_word(bytes).cast_signed()),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => FieldValue::Single(F32(word(bytes))),
        Scalar::Float64 => FieldValue::Double(F64(long_word(bytes))),
    };
    value.to_string()
}
