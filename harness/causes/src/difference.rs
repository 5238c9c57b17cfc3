//! How a wrong value or packet differs from the right one.

use serde::{Deserialize, Serialize};
use variant_codec::{Codec, Role, Span, Value};
use variant_specs::{Dialect, Layout, Layouts, Shape};

use crate::lack::Lack;
use crate::numbers::{count_lack, int_lack, order_lack, real_lack};
use crate::packet_fields::PacketFields;
use crate::texts::{is_byte_each, length_lack, text_lack};
use variant_corpus::MaskedPacket;
use variant_wire::compare::{settled, undone};
use variant_wire::fields::{Field, FieldValue, any_index, fields_of};
use variant_wire::handshake::Lossy;

/// What is lacking, and the part of a value that lacks it: a layout, or what several layouts have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Difference {
    /// What is lacking.
    pub lack: Lack,
    /// Where: `text`, `int`, `basis`.
    pub place: String,
}

/// What all texts are, whatever they are in.
pub(crate) const TEXT: &str = "text";
/// The reals of vectors, matrices and the like.
pub(crate) const REALS: &str = "real numbers";
/// The matrix that a transform has too.
pub(crate) const BASIS: &str = "basis";
/// A container that names the type of its elements.
pub(crate) const TYPED: &str = "typed container";
/// The integers of vectors and rectangles.
pub(crate) const INTS: &str = "integers of vectors";

impl Difference {
    pub(crate) fn new(lack: Lack, place: impl Into<String>) -> Self {
        Self { lack, place: place.into() }
    }
}

/// How a value differs from the expected one, apart from declared losses.
pub(crate) fn of_values(expected: &Value, actual: &Value, lossy: &[Lossy], layouts: &Layouts) -> Difference {
    let actual = settled(expected, actual, lossy, layouts);
    let (right, wrong) = (fields_of(expected, layouts), fields_of(&actual, layouts));
    if in_one_order(expected) == in_one_order(&actual) {
        return Difference::new(Lack::DictionaryOrder, "dictionary");
    }
    if let (Value::Dictionary(right), Value::Dictionary(wrong)) = (expected, &actual) {
        let is_text = |(key, _): &(Value, Value)| matches!(key, Value::Text(..));
        if wrong.entries.iter().all(is_text) && !wrong.entries.is_empty() && !right.entries.iter().all(is_text) {
            return Difference::new(Lack::TextKeys, "dictionary");
        }
    }
    let at = right.iter().zip(&wrong).take_while(|(right, wrong)| right == wrong).count();
    if let Some(difference) = of_elements(&right, &wrong, at) {
        return difference;
    }
    let Some(field) = right.get(at) else {
        let place = wrong.get(at).map_or_else(String::new, |field| owner(&wrong, &field.path).1);
        return Difference::new(Lack::Elements, place);
    };
    let (prefix, layout) = owner(&right, &field.path);
    let general = || Lack::Field(any_index(field.path.strip_prefix(prefix.as_str()).unwrap_or(&field.path)));
    let Some(other) = wrong.iter().find(|other| other.path == field.path) else {
        let is_within = |other: &&Field| other.path.starts_with(&prefix);
        if layout == "object" && wrong.iter().filter(is_within).count() == 1 {
            return Difference::new(Lack::Type("the null object".to_owned()), layout);
        }
        let lack = if layout == "dictionary" { Lack::Keys } else { general() };
        return Difference::new(lack, layout);
    };
    match (&field.value, &other.value) {
        (FieldValue::Header(_), FieldValue::Header(other))
            if field.path.ends_with("key.header") && other == "string" =>
        {
            Difference::new(Lack::TextKeys, "dictionary")
        }
        (FieldValue::Header(of), FieldValue::Header(other)) => Difference::new(Lack::Type(other.clone()), of.clone()),
        (FieldValue::Count(more), FieldValue::Count(less)) if layout == "dictionary" && less < more => {
            Difference::new(Lack::Keys, layout)
        }
        (FieldValue::Count(less), FieldValue::Count(more)) if layout == "dictionary" && less < more => {
            Difference::new(Lack::SplitKeys, layout)
        }
        (FieldValue::Count(right), FieldValue::Count(wrong)) => {
            let word = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            // A path has several counts, each with its name.
            let other = || if field.path.ends_with("-count") { general() } else { Lack::Elements };
            let arity = layouts.id_of(&layout).map(|id| layouts.get(id)).filter(|layout| layout.shape == Shape::Packed);
            let arity = arity.map_or(1, Layout::arity);
            if arity > 1 && *right > 1 && right / arity == *wrong {
                return Difference::new(Lack::CountsNumbers, "packed array");
            }
            Difference::new(count_lack(word(*right), word(*wrong)).unwrap_or_else(other), layout)
        }
        (FieldValue::Int(right), FieldValue::Int(wrong)) if layout == "node_path" && (right ^ wrong) & 1 != 0 => {
            Difference::new(if right & 1 != 0 { Lack::Absolute } else { Lack::Relative }, layout)
        }
        (FieldValue::Bool(right), FieldValue::Bool(_)) if layout == "bool" => {
            Difference::new(if *right { Lack::True } else { Lack::False }, layout)
        }
        (FieldValue::Text(right), FieldValue::Text(wrong)) => {
            Difference::new(text_lack(right.as_bytes(), wrong.as_bytes()), TEXT)
        }
        (right_value, wrong_value) => {
            let shape = layouts.id_of(&layout).map(|id| layouts.get(id).shape);
            let row = matches!(shape, Some(Shape::Fields | Shape::Packed));
            let all = |fields: &[Field]| -> Vec<f64> {
                let within = fields.iter().filter(|field| field.path.starts_with(&prefix));
                within.filter_map(|field| real(&field.value)).collect()
            };
            let packed = layouts.id_of(&layout).map(|id| layouts.get(id)).filter(|of| of.shape == Shape::Packed);
            let arity = packed.map_or(1, Layout::arity).max(1);
            let ordered = row.then(|| order_lack(&all(&right), &all(&wrong), arity)).flatten();
            let scalar = scalar_lack(right_value, wrong_value);
            match (ordered, scalar) {
                (Some(Lack::Planar), _) => Difference::new(Lack::Planar, "packed array"),
                (Some(lack), _) => Difference::new(lack, matrix(&layout)),
                (None, Some((lack, real))) => Difference::new(lack.clone(), place_of(&lack, &layout, shape, real)),
                (None, None) => Difference::new(general(), layout),
            }
        }
    }
}

/// How the types of elements differ, which a container may have in front of its count, if that is the first difference.
fn of_elements(right: &[Field], wrong: &[Field], at: usize) -> Option<Difference> {
    let of = |fields: &[Field]| -> Option<(bool, String)> {
        let field = fields.get(at)?;
        let (prefix, layout) = owner(fields, &field.path);
        let own = field.path.strip_prefix(prefix.as_str())?;
        let part = own.strip_prefix("key.").or_else(|| own.strip_prefix("value.")).unwrap_or(own);
        let is_container = matches!(layout.as_str(), "array" | "dictionary");
        Some((is_container && matches!(part, "type" | "class.text" | "script.text"), layout))
    };
    let (lost, layout) = of(right)?;
    let more = of(wrong).is_some_and(|(more, _)| more);
    match (lost, more) {
        (false, false) => None,
        (true, false) => Some(Difference::new(Lack::ElementType, layout)),
        (_, true) => Some(Difference::new(Lack::OtherElementType, TYPED)),
    }
}

/// What a number lacks, and whether it is a real.
fn scalar_lack(right: &FieldValue, wrong: &FieldValue) -> Option<(Lack, bool)> {
    match (right, wrong) {
        (FieldValue::Int(right), FieldValue::Int(wrong)) => Some((int_lack(*right, *wrong), false)),
        (FieldValue::Single(right), FieldValue::Single(wrong)) => {
            // A NaN that is made wider may get other bits.
            let swapped = right.0.swap_bytes() == wrong.0;
            Some((if swapped { Lack::ByteOrder } else { real_lack(right.widen(), wrong.widen(), false) }, true))
        }
        (FieldValue::Double(right), FieldValue::Double(wrong)) => Some((real_lack(*right, *wrong, true), true)),
        (FieldValue::Id(right), FieldValue::Id(wrong)) => {
            let signed = |id: u64| i64::from_le_bytes(id.to_le_bytes());
            Some((int_lack(signed(*right), signed(*wrong)), false))
        }
        _ => None,
    }
}

/// Where a number lacks something: what all numbers of a kind may share is one place.
fn place_of(lack: &Lack, layout: &str, shape: Option<Shape>, real: bool) -> String {
    let shared = matches!(
        lack,
        Lack::NegativeZero
            | Lack::NanBits
            | Lack::Infinity
            | Lack::ByteOrder
            | Lack::SinglePrecision
            | Lack::Sign
            | Lack::AsFloat
    );
    match shape {
        Some(Shape::Fields) if shared && real => REALS.to_owned(),
        Some(Shape::Fields) if shared => INTS.to_owned(),
        _ => layout.to_owned(),
    }
}

/// A transform is a basis and an origin: what its basis lacks, a basis lacks.
fn matrix(layout: &str) -> String {
    if layout == "transform" { BASIS.to_owned() } else { layout.to_owned() }
}

/// A number as a double, to compare the order of several.
pub(crate) fn real(value: &FieldValue) -> Option<f64> {
    match value {
        FieldValue::Single(float) => Some(float.widen().get()),
        FieldValue::Double(float) => Some(float.get()),
        #[expect(clippy::cast_precision_loss, reason = "only the order is compared")]
        FieldValue::Int(int) => Some(*int as f64),
        FieldValue::Header(_)
        | FieldValue::Count(_)
        | FieldValue::Bool(_)
        | FieldValue::Id(_)
        | FieldValue::Text(_)
        | FieldValue::Bytes(_) => None,
    }
}

/// The prefix of the innermost value that a field belongs to, and its layout.
pub(crate) fn owner(fields: &[Field], path: &str) -> (String, String) {
    let headers = fields.iter().filter_map(|field| match (&field.value, field.path.strip_suffix("header")) {
        (FieldValue::Header(layout), Some(prefix)) if path.starts_with(prefix) => Some((prefix, layout)),
        _ => None,
    });
    let innermost = headers.max_by_key(|(prefix, _)| prefix.len());
    innermost.map_or_else(Default::default, |(prefix, layout)| (prefix.to_owned(), layout.clone()))
}

/// The value with the entries of each dictionary in one order.
pub(crate) fn in_one_order(value: &Value) -> Value {
    let mut value = value.clone();
    sort(&mut value);
    value
}

fn sort(value: &mut Value) {
    value.children_mut().into_iter().for_each(sort);
    if let Value::Dictionary(dictionary) = value {
        dictionary.entries.sort_by_cached_key(|entry| format!("{entry:?}"));
    }
}

/// The codec by which packets are understood, and what is set aside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared<'a> {
    /// The dialect of the packets.
    pub(crate) dialect: &'a Dialect,
    /// Its codec, with objects allowed if the request allows them.
    pub(crate) codec: &'a Codec,
    /// What the implementation declares as lossy.
    pub(crate) lossy: &'a [Lossy],
}

/// A packet, and the value that it means, if it can be read to its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant<'a> {
    /// The packet, without a length prefix.
    pub(crate) packet: &'a MaskedPacket,
    /// Its value.
    pub(crate) value: Option<&'a Value>,
}

impl Compared<'_> {
    /// How an answered packet differs from the expected one.
    pub(crate) fn packets(&self, expected: Meant<'_>, actual: &[u8]) -> Difference {
        let layouts = self.codec.layouts();
        let decoded = self.codec.decode(actual).ok().filter(|decoded| decoded.used == actual.len());
        // A byte order mark in front of a text is written, and not read.
        let again = self.codec.decode(&expected.packet.bytes).ok().filter(|_| expected.value.is_some());
        let right = again.as_ref().map(|again| &again.value).or(expected.value);
        if let (Some(right), Some(wrong)) = (right, decoded.as_ref().map(|decoded| &decoded.value))
            && settled(right, wrong, self.lossy, layouts) != *right
        {
            let difference = of_values(right, wrong, self.lossy, layouts);
            // What is read as another number may be the right one in the wrong form, and what has other words the right
            // ones in the wrong order.
            let form = self.bytes(expected.packet, actual);
            let known =
                matches!(form.lack, Lack::Exchanged(_) | Lack::NeedlessPadding | Lack::WideForm | Lack::Headerless);
            return if known { form } else { difference };
        }
        let unread = decoded.is_none() && !self.lossy.is_empty();
        let undone = unread.then(|| undone(&expected.packet.bytes, actual, self.lossy, self.codec)).flatten();
        self.bytes(expected.packet, undone.as_deref().unwrap_or(actual))
    }

    /// How bytes differ, by the field of the expected packet in which they do.
    fn bytes(&self, packet: &MaskedPacket, bytes: &[u8]) -> Difference {
        let expected = &packet.bytes[..];
        let Some(at) = packet.first_difference(bytes) else { return Difference::new(Lack::Bytes, "packet") };
        let fields = PacketFields::of(expected, self.codec);
        if fields.headerless(expected).is_some_and(|headerless| headerless == bytes) {
            return Difference::new(Lack::Headerless, TYPED);
        }
        let Some(place) = fields.at(at) else {
            let zeros = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
            // Zero may be all that follows a text with padding.
            let padded = fields.spans.iter().rposition(|span| is_padded(span.role)).filter(|_| zeros(&bytes[at..]));
            return match padded.filter(|padded| zeros(&expected[fields.spans[*padded].bytes.end..])) {
                Some(padded) => Difference::new(Lack::NeedlessPadding, fields.padded(padded)),
                None => Difference::new(Lack::MoreBytes, fields.owner(fields.spans.len().saturating_sub(1))),
            };
        };
        let span = &fields.spans[place];
        let layout = fields.owner(place);
        if let Some(padding) = fields.added_padding(place, expected, bytes) {
            return Difference::new(Lack::NeedlessPadding, fields.padded(padding));
        }
        if let Some((bool, width)) = fields.narrow_bool(place, expected, bytes) {
            return Difference::new(Lack::FieldWidth(width), fields.owner(bool));
        }
        // The first byte that differs may be in the text behind a length.
        let mut exchanged = (place.saturating_sub(2)..=place).flat_map(|place| fields.exchanged(place));
        if let Some((lack, _)) = exchanged.find(|(_, packet)| packet(expected) == bytes) {
            return Difference::new(lack, layout);
        }
        if let Some(padding) = fields.lost_padding(place, at, expected, bytes) {
            return Difference::new(Lack::Padding, fields.padded(padding));
        }
        let here = bytes.get(span.bytes.start..).unwrap_or_default();
        let word = |bytes: &[u8]| bytes.first_chunk().copied().map(u32::from_le_bytes);
        let words = word(&expected[span.bytes.start..]).zip(word(here));
        let next = fields.spans.get(place + 1);
        match span.role {
            Role::Header(_) => {
                let shape = fields.layout(place).map(|layout| layout.shape);
                let rest = |bytes: &[u8]| bytes.get(span.bytes.end..).map(<[u8]>::to_vec);
                let same = rest(expected) == rest(bytes);
                Difference::new(words.map_or(Lack::End, |words| self.header(words, shape, same)), layout)
            }
            Role::Count | Role::Length | Role::Flags | Role::Word => {
                let of = if span.role == Role::Length { TEXT.to_owned() } else { layout };
                let Some((right, wrong)) = words else {
                    let narrow = span.role == Role::Count && matches!(here.len(), 1 | 2) && next.is_none();
                    return Difference::new(if narrow { Lack::CountWidth(here.len()) } else { Lack::End }, of);
                };
                if span.role == Role::Flags && (right ^ wrong) & 1 != 0 {
                    return Difference::new(if right & 1 != 0 { Lack::Absolute } else { Lack::Relative }, of);
                }
                let follows = next.map(|next| &expected[next.bytes.clone()]).unwrap_or_default();
                let narrow = |width: &usize| {
                    let right = u64::from(right).to_le_bytes();
                    !follows.is_empty()
                        && here.starts_with(&right[..*width])
                        && here.get(*width..).is_some_and(|rest| rest.starts_with(follows))
                };
                let arity = fields.layout(place).filter(|layout| layout.shape == Shape::Packed).map(Layout::arity);
                let times = arity.and_then(|arity| right.checked_mul(u32::try_from(arity).ok()?));
                if span.role == Role::Count && right != 0 && right != wrong && times == Some(wrong) {
                    return Difference::new(Lack::CountsNumbers, "packed array");
                }
                let text = here.get(4..).zip(usize::try_from(wrong).ok()).and_then(|(rest, length)| rest.get(..length));
                if span.role == Role::Length && text.is_some_and(|text| is_byte_each(follows, text)) {
                    return Difference::new(Lack::Encoding, of);
                }
                let top = count_lack(right, wrong).filter(|lack| *lack == Lack::TopBit);
                let lack = top.or_else(|| [1, 2, 8].into_iter().find(narrow).map(Lack::CountWidth));
                let text = if next.is_some_and(|next| next.role == Role::Text) { follows } else { &[] };
                let of_text = || (span.role == Role::Length).then(|| length_lack(text, right, wrong)).flatten();
                let lack = lack.or_else(of_text).or_else(|| count_lack(right, wrong));
                Difference::new(lack.unwrap_or_else(|| of_field(span)), of)
            }
            Role::Number(_) => Difference::new(number(&expected[span.bytes.clone()], here), layout),
            Role::Text => {
                let wrong = here.get(..span.bytes.len());
                let right = &expected[span.bytes.clone()];
                Difference::new(wrong.map_or(Lack::TextEnd, |wrong| text_lack(right, wrong)), TEXT)
            }
            Role::Nul => Difference::new(Lack::MissingNul, layout),
            Role::Padding => {
                let gone = here.len() < span.bytes.len();
                Difference::new(if gone { Lack::Padding } else { Lack::NonzeroPadding }, fields.padded(place))
            }
            Role::Bool if words.is_some_and(|(right, wrong)| right != 0 && wrong != 0) => {
                Difference::new(Lack::WrittenTrue, layout)
            }
            Role::Bool | Role::Id | Role::Bytes => {
                Difference::new(if bytes.len() <= at { Lack::End } else { of_field(span) }, layout)
            }
        }
    }

    /// What a header lacks: the type, or the flag of the wide form; `same`: what follows is right.
    fn header(&self, (right, wrong): (u32, u32), shape: Option<Shape>, same: bool) -> Lack {
        const WIDE: u32 = 1 << 16;
        let mask = self.dialect.header.id_mask;
        if right.swap_bytes() == wrong {
            Lack::ByteOrder
        } else if (right ^ wrong) & mask != 0 {
            let other = self.dialect.type_of(wrong & mask).map(|entry| self.dialect.layout(entry).name.clone());
            Lack::Type(other.unwrap_or_else(|| "an unknown type".to_owned()))
        } else if shape.is_some_and(Shape::is_container) && right != 0 && wrong >> 16 & 0xf == 0 {
            Lack::ElementType
        } else if right ^ wrong == WIDE && wrong & WIDE == 0 && same {
            Lack::FlagOnly
        } else if right & WIDE != 0 && wrong & WIDE == 0 {
            Lack::WideForm
        } else if right & WIDE == 0 && wrong & WIDE != 0 {
            Lack::NeedlessWideForm
        } else {
            Lack::HeaderFlags
        }
    }
}

fn of_field(span: &Span) -> Lack {
    let name = any_index(&span.path);
    Lack::Field(name.rsplit('.').next().unwrap_or(&name).to_owned())
}

pub(crate) fn is_padded(role: Role) -> bool {
    matches!(role, Role::Text | Role::Nul | Role::Padding | Role::Bytes | Role::Length)
}

/// What a number lacks, by the bytes from its place on.
fn number(right: &[u8], here: &[u8]) -> Lack {
    let Some(wrong) = here.get(..right.len()) else { return Lack::End };
    let wide = |single: [u8; 4]| f64::from(f32::from_le_bytes(single)).to_le_bytes();
    let sign = |int: [u8; 4]| i64::from(i32::from_le_bytes(int)).to_le_bytes();
    if right.iter().rev().eq(wrong) {
        Lack::ByteOrder
    } else if let Some(four) = right.first_chunk::<4>().filter(|_| right.len() == 4)
        && (here.starts_with(&wide(*four)) || here.starts_with(&sign(*four)))
    {
        Lack::Unflagged
    } else {
        Lack::Number
    }
}
