//! Dialects: which id has which layout, and which rules one engine generation follows.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{FieldForm, Layout, LayoutId, Layouts, Rules, Scalar, Shape, TypedContainers, WideReals, any_field};

const DEPTH: &str = "depth=";

/// One numbering of the types, with its rules: all that a codec needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub struct Dialect {
    /// The dialect's name, like `godot-3`, `pandemonium-38` or `godot-3+double`.
    pub name: String,
    /// Other names of the dialect.
    pub aliases: Vec<String>,
    /// The engines that speak it, with their versions: `Godot 4.4–4.6`.
    pub engines: Option<String>,
    /// The file that describes it, as messages name it.
    #[cfg_attr(feature = "yaml", serde(skip))]
    pub file: String,
    /// Whether it takes the place of a dialect of the same name that was loaded before it.
    #[cfg_attr(feature = "yaml", serde(skip))]
    pub in_place: bool,
    /// The dialect that it extends, whose cases hold in it too.
    pub parent: Option<String>,
    /// The layouts that [`Type::layout`] points into. All dialects share one table, so none is serialized with them.
    #[cfg_attr(feature = "yaml", serde(skip))]
    pub layouts: Arc<Layouts>,
    /// Names of the documents that describe it; empty if none does.
    pub documents: Vec<String>,
    /// The layouts of its types when those documents were named, here or in a parent: they have no others.
    pub documented: Vec<LayoutId>,
    /// Whether engines speak it, as far as could be seen.
    pub status: Status,
    /// What to tell the author of an implementation that speaks it, if that is advice against it.
    pub advice: Option<String>,
    /// The authority if no document describes it: an engine and its version, and whether it was tested.
    pub basis: Option<String>,
    /// The authority for its double-precision builds, which may not exist to be tested.
    pub double_basis: Option<String>,
    /// How the first word of a packet is read.
    pub header: Header,
    /// Whether a real has 32 or 64 bits.
    pub precision: Precision,
    /// Whether it has double-precision builds: its documents say what they write.
    pub double: bool,
    /// How many values a path from the outermost to the innermost may have. `None`: no limit.
    pub depth: Option<usize>,
    /// The first version of its engines that has this limit, like `3.6`, if earlier ones have none.
    pub depth_since: Option<String>,
    /// The first id that is no type, which is the number of types.
    pub max: u32,
    /// The rules as engines follow them.
    pub rules: Rules,
    /// The rules as the documents, read literally, give them.
    pub document_rules: Rules,
    /// The types, in the order of their ids.
    pub types: Vec<Type>,
}

impl Dialect {
    /// The type with this id.
    pub fn type_of(&self, id: u32) -> Option<&Type> {
        self.types.iter().find(|entry| entry.id == id)
    }

    /// The id of a layout; `None` if this dialect does not have it.
    pub fn id_of(&self, layout: LayoutId) -> Option<u32> {
        self.type_with(layout).map(|entry| entry.id)
    }

    /// The type that has a layout; `None` if this dialect does not have it.
    pub fn type_with(&self, layout: LayoutId) -> Option<&Type> {
        self.types.iter().find(|entry| entry.layout == layout)
    }

    /// The layout of a type.
    pub fn layout(&self, entry: &Type) -> &Layout {
        self.layouts.get(entry.layout)
    }

    /// The type of the family's first layout of this shape (`string`, for texts); `None` if this dialect lacks it.
    pub fn type_of_shape(&self, shape: Shape) -> Option<&Type> {
        self.type_with(self.layouts.id_of_shape(shape)?)
    }

    /// The name of a type of this dialect, for an example: one of this shape, if there is one.
    pub fn an_example(&self, shape: Shape) -> Option<&str> {
        let mut layouts = self.types.iter().map(|entry| self.layout(entry));
        let of_shape = layouts.clone().find(|layout| layout.shape == shape);
        of_shape.or_else(|| layouts.next()).map(|layout| layout.name.as_str())
    }

    /// The type whose values are objects; `None` if this dialect lacks it.
    pub fn objects(&self) -> Option<&Type> {
        self.type_with(self.layouts.objects()?)
    }

    /// Whether a codec reads and writes both in the same way: they differ in their names and in what people are told.
    pub fn is_read_as(&self, other: &Self) -> bool {
        let types = |dialect: &Self| dialect.types.iter().map(|entry| entry.layout).collect::<Vec<_>>();
        // These rules say what is compared.
        let followed = |rules: &Rules| Rules {
            dictionary_order: self.rules.dictionary_order,
            unwritten_padding: self.rules.unwritten_padding,
            ..rules.clone()
        };
        let rules = |dialect: &Self| [&dialect.rules, &dialect.document_rules].map(followed);
        let codec = |dialect: &Self| (dialect.header, dialect.precision, dialect.depth, types(dialect));
        codec(self) == codec(other) && rules(self) == rules(other)
    }

    /// Its name without the precision.
    pub fn base(&self) -> &str {
        self.name.strip_suffix(DOUBLE).unwrap_or(&self.name)
    }

    /// The dialect's double-precision form.
    #[must_use]
    pub fn doubled(&self) -> Self {
        let suffixed = |name: &String| alloc::format!("{name}{DOUBLE}");
        Self {
            name: suffixed(&self.name),
            aliases: self.aliases.iter().map(suffixed).collect(),
            parent: self.parent.as_ref().map(suffixed),
            basis: self.double_basis.clone(),
            precision: Precision::Double,
            ..self.clone()
        }
    }

    /// Whether it has what a case needs: a rule, like `wide-numbers` or `rid=empty`, or a depth, like `depth=1025` or
    /// `depth=none` for no limit.
    pub fn has(&self, need: &str) -> bool {
        match need.strip_prefix(DEPTH) {
            Some(depth) => depth.parse().ok() == self.depth && (self.depth.is_some() || depth == "none"),
            None => self.rules.has(need),
        }
    }

    /// Whether there is a rule or depth of that name and value.
    pub fn knows(&self, need: &str) -> bool {
        match need.strip_prefix(DEPTH) {
            Some(depth) => depth == "none" || depth.parse::<usize>().is_ok(),
            None => self.rules.knows(need),
        }
    }

    /// Whether the numbers of a layout are wider in double precision.
    pub fn widens(&self, layout: &Layout) -> bool {
        match layout.of {
            Some(Scalar::Real) => true,
            Some(Scalar::Channel) => self.rules.wide_colors,
            Some(Scalar::Byte | Scalar::Int32 | Scalar::Int64 | Scalar::Float32 | Scalar::Float64) | None => false,
        }
    }

    /// What each number of a layout is in a value, precision applied: never a real.
    pub fn scalar(&self, layout: &Layout) -> Scalar {
        match (layout.of.unwrap_or(Scalar::Byte), self.precision) {
            (Scalar::Real | Scalar::Channel, Precision::Double) if self.widens(layout) => Scalar::Float64,
            (Scalar::Real | Scalar::Channel, _) => Scalar::Float32,
            (other, _) => other,
        }
    }

    /// What each number of a layout is in a packet, after a header with these flags.
    pub fn wire_scalar(&self, layout: &Layout, header: u32) -> Scalar {
        match self.says_width(layout) {
            false => self.scalar(layout),
            true if header & FLAG_1 != 0 => Scalar::Float64,
            true => Scalar::Float32,
        }
    }

    /// The flags that an encoder sets for each value of a layout, whatever the value.
    pub fn own_flags(&self, layout: &Layout) -> u32 {
        if self.precision == Precision::Double && self.says_width(layout) { FLAG_1 } else { 0 }
    }

    /// The flags that mean something in headers of a layout.
    pub fn known_flags(&self, layout: &Layout, judged_by: JudgedBy) -> u32 {
        let rules = self.rules(judged_by);
        let known = match layout.shape {
            Shape::Int | Shape::Float => rules.wide_numbers,
            Shape::Fields | Shape::Packed => self.says_width(layout),
            Shape::Record => {
                let has = |layout, is| any_field(rules.record(layout).unwrap_or_default(), is);
                let by_flag = |layout| has(layout, |form| *form == FieldForm::Flag);
                let objects = self.layouts.iter().any(|(_, layout)| layout.objects && by_flag(layout));
                let of_type = objects && has(layout, |form| matches!(form, FieldForm::Type { .. }));
                self.says_width(layout) || by_flag(layout) || of_type
            }
            Shape::Array if rules.typed_containers != TypedContainers::None => return TYPE,
            Shape::Dictionary if rules.typed_containers == TypedContainers::All => return TYPE | TYPE << 2,
            Shape::Empty
            | Shape::Bool
            | Shape::Text
            | Shape::PackedText
            | Shape::Array
            | Shape::Dictionary
            | Shape::NodePath => false,
        };
        if known { FLAG_1 } else { 0 }
    }

    /// The values that flags may have in headers of a layout, each with the bits of which it is one: `flags & 3 is 2`.
    pub fn flag_values(&self, layout: &Layout, judged_by: JudgedBy) -> Vec<(u32, u32)> {
        let known = self.known_flags(layout, judged_by);
        let masks: &[u32] = if known == FLAG_1 { &[FLAG_1] } else { &[TYPE, TYPE << 2] };
        let within = masks.iter().copied().filter(|mask| known & mask == *mask);
        let values = within.flat_map(|mask| (1..=mask >> 16).map(move |value| (mask >> 16, value)));
        values.filter(|(mask, value)| value & !mask == 0).collect()
    }

    /// Whether the header of a layout says how wide its reals are.
    pub fn says_width(&self, layout: &Layout) -> bool {
        self.rules.wide_reals == WideReals::Flag1 && self.widens(layout)
    }

    /// The rules by one judge.
    pub fn rules(&self, judged_by: JudgedBy) -> &Rules {
        match judged_by {
            JudgedBy::Engines => &self.rules,
            JudgedBy::Documents => &self.document_rules,
        }
    }
}

/// Flag 1 of a header: the 64-bit form, or an object by its id.
pub const FLAG_1: u32 = 1 << 16;

/// The flags that say how the type of a container's elements is given.
const TYPE: u32 = 0b11 << 16;

/// The suffix of the names of double-precision forms, as in `godot-3+double`.
pub const DOUBLE: &str = "+double";

/// A type of a dialect: its id and its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub struct Type {
    /// The id in the header.
    pub id: u32,
    /// The layout of what follows the header.
    pub layout: LayoutId,
    /// The heading of its section in the documents.
    pub section: String,
    /// Its name in the engines, where the documents' is another.
    pub name: Option<String>,
}

impl Type {
    /// The heading of its section without its id: its name there.
    pub fn heading(&self) -> &str {
        self.section.split_once(": ").map_or(&self.section, |(_, heading)| heading)
    }
}

/// By what is judged where document and engine disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "yaml", serde(rename_all = "lowercase"))]
pub enum JudgedBy {
    /// Engines win: expected results are what engines do.
    #[default]
    Engines,
    /// Documents win: their tables are read literally.
    Documents,
}

impl JudgedBy {
    /// The other one of the two.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Engines => Self::Documents,
            Self::Documents => Self::Engines,
        }
    }

    /// The word for it in options and reports: `engines` or `documents`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engines => "engines",
            Self::Documents => "documents",
        }
    }
}

/// Whether engines speak a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(rename_all = "lowercase"))]
pub enum Status {
    /// Released engines speak it.
    #[default]
    Spoken,
    /// A document has it, and no engine ever spoke it.
    Unspoken,
    /// An engine speaks it that could not be tested: only what is known of it is here.
    Unverified,
}

/// How the first word of a packet is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Header {
    /// The bits of the type id, by what engines do.
    pub id_mask: u32,
    /// The bits of the type id, by the documents.
    pub document_id_mask: u32,
    /// What is done about bits that are neither the id nor a known flag.
    pub unknown_flags: UnknownFlags,
}

impl Header {
    /// The bits that are the type id by one judge.
    pub fn mask(&self, judged_by: JudgedBy) -> u32 {
        match judged_by {
            JudgedBy::Engines => self.id_mask,
            JudgedBy::Documents => self.document_id_mask,
        }
    }
}

/// What is done about header bits that mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(rename_all = "lowercase"))]
pub enum UnknownFlags {
    /// The bits are ignored, and the value is read.
    Ignored,
    /// The packet is refused.
    Refused,
}

/// How wide a real is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(rename_all = "lowercase"))]
pub enum Precision {
    /// A real has 32 bits.
    Single,
    /// A real has 64 bits.
    Double,
}
