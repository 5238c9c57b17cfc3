//! The body of each shape: what follows the header.

use variant_specs::{
    Bit31, FLAG_1, JudgedBy, Layout, NodePathProperty, OldNodePath, Scalar, Shape, SharedBit, TypedContainers,
};

use serde_yaml::Value;

use super::model::{Attributes, KaitaiField, KaitaiType, mapping, switch};
use super::texts::{length, padding};
use super::{IDS, Ksy, LEFT, body_name};
use crate::definitions::identifier;

/// Bit 31 of a count, and the bits below it.
const HIGH_BIT: u32 = 1 << 31;
pub(super) const LOW_BITS: u32 = HIGH_BIT - 1;

impl Ksy<'_> {
    pub(super) fn body(&self, layout: &Layout) -> Vec<(String, KaitaiType)> {
        if layout.shape == Shape::Record {
            return self.record(layout);
        }
        let own = self.own_body(layout).map(|body| (body_name(&layout.name), body));
        let elements =
            (layout.shape == Shape::Packed && layout.arity() > 1).then(|| (element_name(layout), self.numbers(layout)));
        own.into_iter().chain(elements).chain((layout.shape == Shape::Dictionary).then(pair)).collect()
    }

    /// The body of a layout; `None` if its header is all.
    pub(super) fn own_body(&self, layout: &Layout) -> Option<KaitaiType> {
        Some(match layout.shape {
            Shape::Empty => return None,
            Shape::Record => return self.record(layout).pop().map(|(_, body)| body),
            Shape::Bool => {
                KaitaiType::new([KaitaiField::of("word", "u4")]).with("value", Attributes::value("word != 0"))
            }
            Shape::Int => self.int(),
            Shape::Float => self.float(),
            Shape::Text => KaitaiType::new([KaitaiField::of("value", "text")]),
            Shape::Fields => self.numbers(layout),
            Shape::Packed if layout.of == Some(Scalar::Byte) => self.bytes(),
            Shape::Packed => self.packed(layout),
            Shape::PackedText => self.packed_text(),
            Shape::Array => self.array(),
            Shape::Dictionary => self.dictionary(),
            Shape::NodePath => self.node_path(),
        })
    }

    fn int(&self) -> KaitaiType {
        // One field of either width would be cut to 32 bits in some languages.
        if !self.dialect.rules.wide_numbers {
            return KaitaiType::new([KaitaiField::of("value_32", "s4")]);
        }
        KaitaiType::new([
            KaitaiField::of("value_32", "s4").only_if("not flag_1"),
            KaitaiField::of("value_64", "s8").only_if("flag_1"),
        ])
        .given("flag_1", "bool")
    }

    fn float(&self) -> KaitaiType {
        if !self.dialect.rules.wide_numbers {
            return KaitaiType::new([KaitaiField::of("value", "f4")]);
        }
        KaitaiType::new([KaitaiField::of("value", by_width())]).given("flag_1", "bool")
    }

    /// Whether a flag of the header says how wide the numbers are.
    fn says_width(&self, layout: &Layout) -> bool {
        self.dialect.known_flags(layout, JudgedBy::Engines) & FLAG_1 != 0
    }

    pub(super) fn number(&self, layout: &Layout) -> Value {
        match self.dialect.scalar(layout) {
            _ if self.says_width(layout) => by_width(),
            Scalar::Byte => "u1".into(),
            Scalar::Int32 => "s4".into(),
            Scalar::Int64 => "s8".into(),
            Scalar::Float32 | Scalar::Real | Scalar::Channel => "f4".into(),
            Scalar::Float64 => "f8".into(),
        }
    }

    /// Bytes of a number, as an expression.
    fn width(&self, layout: &Layout) -> &'static str {
        match self.dialect.scalar(layout) {
            _ if self.says_width(layout) => "(flag_1 ? 8 : 4)",
            Scalar::Byte => "1",
            Scalar::Int32 | Scalar::Float32 | Scalar::Real | Scalar::Channel => "4",
            Scalar::Int64 | Scalar::Float64 => "8",
        }
    }

    /// The numbers of a value or an element, in the order of the wire.
    fn numbers(&self, layout: &Layout) -> KaitaiType {
        let names = layout.wire.iter().map(|&place| identifier(&layout.fields[place]));
        self.with_width(layout, KaitaiType::new(names.map(|name| KaitaiField::of(name, self.number(layout)))))
    }

    pub(super) fn with_width(&self, layout: &Layout, body: KaitaiType) -> KaitaiType {
        if self.says_width(layout) { body.given("flag_1", "bool") } else { body }
    }

    fn packed(&self, layout: &Layout) -> KaitaiType {
        let (width, arity) = (self.width(layout), layout.arity());
        let count = KaitaiField::of("num_items", "u4").valid(format!("_ <= {LEFT} / ({width} * {arity})"));
        let item = match arity {
            1 => self.number(layout),
            _ if self.says_width(layout) => format!("{}(flag_1)", element_name(layout)).into(),
            _ => element_name(layout).into(),
        };
        self.with_width(layout, KaitaiType::new([count, KaitaiField::of("items", item).times("num_items")]))
    }

    fn bytes(&self) -> KaitaiType {
        let optional = self.dialect.rules.byte_padding_optional_at_end;
        KaitaiType::new([length("len_data", 1), KaitaiField::bytes("data", "len_data"), padding("len_data", optional)])
    }

    fn packed_text(&self) -> KaitaiType {
        let items = KaitaiField::of("items", "text").times("num_items");
        let negative = self.dialect.rules.negative_text_count.into();
        counted(KaitaiType::default(), "num_items", "count", negative, 4).and(items)
    }

    fn array(&self) -> KaitaiType {
        let of = KaitaiField::of("element_type", "element_type(kind)").only_if("kind != 0");
        let items = KaitaiField::of("items", "variant(depth + 1)").times("num_items");
        if self.dialect.rules.typed_containers == TypedContainers::None {
            return self.counted([], 4, "num_items", items);
        }
        self.counted([of], 4, "num_items", items).given("kind", "u4")
    }

    fn dictionary(&self) -> KaitaiType {
        let pairs = KaitaiField::of("pairs", "pair(depth)").times("num_pairs");
        if self.dialect.rules.typed_containers != TypedContainers::All {
            return self.counted([], 8, "num_pairs", pairs);
        }
        let key = KaitaiField::of("key_type", "element_type(kind)").only_if("kind != 0");
        let value = KaitaiField::of("value_type", "element_type(second_kind)").only_if("second_kind != 0");
        self.counted([key, value], 8, "num_pairs", pairs).given("kind", "u4").given("second_kind", "u4")
    }

    /// A count of elements of at least `least` bytes, after what is before it, and the elements.
    fn counted<const N: usize>(
        &self,
        before: [KaitaiField; N],
        least: usize,
        name: &'static str,
        items: KaitaiField,
    ) -> KaitaiType {
        let body =
            counted(KaitaiType::new(before), name, "count", Bit31::Ignored, least).and(items).given("depth", "u4");
        match self.dialect.rules.shared_bit {
            SharedBit::Masked => body,
            SharedBit::Kept => body.with("is_shared", Attributes::value(format!("count >= {HIGH_BIT}"))),
        }
    }

    /// What the elements of a container are, if that may be said.
    pub(super) fn element_type(&self) -> Option<(String, KaitaiType)> {
        let in_enum = mapping([("in-enum", true.into())]);
        let fields = [
            KaitaiField::of("type", "u4").with("enum", IDS).only_if("kind == 1").with("valid", in_enum),
            KaitaiField::of("class_name", "text").only_if("kind == 2"),
            KaitaiField::of("script", "text").only_if("kind == 3"),
        ];
        let body = KaitaiType::new(fields).given("kind", "u4");
        let doc = Some("Null, as a type, is none; an empty class name is any class.".to_owned());
        let body = KaitaiType { doc, ..body };
        (self.dialect.rules.typed_containers != TypedContainers::None).then(|| ("element_type".to_owned(), body))
    }

    fn node_path(&self) -> KaitaiType {
        let rules = &self.dialect.rules;
        let names_fit = format!("num_names <= {LEFT} / 4 and num_subnames <= {LEFT} / 4 - num_names");
        let own = rules.node_path_property == NodePathProperty::Own;
        let last = if own { "" } else { " + (flags & 2) / 2" };
        let name = self.strict_text();
        let mut fields = vec![
            KaitaiField::of("num_subnames", "u4").only_if("is_new"),
            KaitaiField::of("flags", "u4").only_if("is_new").valid(names_fit),
            KaitaiField::of("names", name).times("num_names").only_if("is_new"),
            KaitaiField::of("subnames", name).times(format!("num_subnames{last}")).only_if("is_new"),
        ];
        if own {
            fields.push(KaitaiField::of("property", name).only_if("is_new and (flags & 2) != 0"));
        }
        let first = KaitaiField::of("first", "u4");
        if rules.old_node_path == OldNodePath::Refused {
            let body = KaitaiType::new(std::iter::once(first.valid(format!("_ >= {HIGH_BIT}"))).chain(fields));
            return new_node_path(body);
        }
        fields.push(KaitaiField::of("old_form", "text_content").with("size", "len_old_form").only_if("not is_new"));
        if rules.old_node_path == OldNodePath::Read {
            fields.push(padding("len_old_form", rules.text_padding_optional_at_end).only_if("not is_new"));
        }
        let first = first.valid(format!("_ >= {HIGH_BIT} or _ <= {LEFT}"));
        new_node_path(KaitaiType::new(std::iter::once(first).chain(fields)))
            .with("len_old_form", Attributes::value("first"))
    }
}

/// What the words before the names say.
fn new_node_path(body: KaitaiType) -> KaitaiType {
    body.with("is_new", Attributes::value(format!("first >= {HIGH_BIT}")))
        .with("num_names", Attributes::value(format!("first & {LOW_BITS}")))
        .with("is_absolute", Attributes::value("is_new ? (flags & 1) != 0 : false"))
}

/// A count of elements of at least `least` bytes under this name. Where bit 31 means something, the word has a name of
/// its own.
pub(super) fn counted(mut body: KaitaiType, name: &str, word: &str, bit_31: Bit31, least: usize) -> KaitaiType {
    let (valid, value) = match bit_31 {
        Bit31::Refused => {
            body.seq.push(length(name, least));
            return body;
        }
        Bit31::Ignored => (format!("(_ & {LOW_BITS}) <= {LEFT} / {least}"), format!("{word} & {LOW_BITS}")),
        Bit31::Empty => {
            (format!("_ >= {HIGH_BIT} or _ <= {LEFT} / {least}"), format!("{word} >= {HIGH_BIT} ? 0 : {word}"))
        }
    };
    body.and(KaitaiField::of(word, "u4").valid(valid)).with(name, Attributes::value(value))
}

/// A float of 64 bits behind flag 1, else of 32.
fn by_width() -> Value {
    switch("flag_1", [("true".to_owned(), "f8".to_owned()), ("false".to_owned(), "f4".to_owned())])
}

fn element_name(layout: &Layout) -> String {
    format!("{}_element", layout.name)
}

fn pair() -> (String, KaitaiType) {
    let pair = KaitaiType::new(["key", "value"].map(|id| KaitaiField::of(id, "variant(depth + 1)")));
    ("pair".to_owned(), pair.given("depth", "u4"))
}
