//! Dialects: which id has which layout, and how one engine generation bends it.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{Layout, LayoutId, Layouts, Shape};

/// One numbering of the types, with its rules: all that a codec needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// `godot-3`, `pandemonium-38`…
    pub name: String,
    /// The layouts that [`Type::layout`] points into.
    pub layouts: Arc<Layouts>,
    /// Names of the documents that describe it; empty where none does.
    pub documents: Vec<String>,
    /// How the first word of a packet is read.
    pub header: Header,
    /// Width of a real.
    pub precision: Precision,
    /// How many values may stand on a path from the outermost to a leaf, both counted. `None`: no limit.
    pub depth: Option<usize>,
    /// The first id that is no type.
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

    /// The id of a layout, where this dialect has it.
    pub fn id_of(&self, layout: LayoutId) -> Option<u32> {
        self.types.iter().find(|entry| entry.layout == layout).map(|entry| entry.id)
    }

    /// The layout of a type.
    pub fn layout(&self, entry: &Type) -> &Layout {
        self.layouts.get(entry.layout)
    }

    /// The type with this shape, where this dialect has one.
    pub fn type_of_shape(&self, shape: Shape) -> Option<&Type> {
        self.types.iter().find(|entry| self.layout(entry).shape == shape)
    }

    /// The rules under a reading.
    pub fn rules(&self, reading: Reading) -> &Rules {
        match reading {
            Reading::Engine => &self.rules,
            Reading::Document => &self.document_rules,
        }
    }
}

/// One type id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// The id in the header.
    pub id: u32,
    /// What follows the header.
    pub layout: LayoutId,
    /// The heading of its section in the documents.
    pub section: String,
    /// What each document calls it: document name and label.
    pub labels: Vec<(String, String)>,
}

/// Whose word counts where document and engine part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reading {
    /// What interoperates.
    #[default]
    Engine,
    /// The tables, read literally.
    Document,
}

impl Reading {
    /// The one that is not this.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Engine => Self::Document,
            Self::Document => Self::Engine,
        }
    }

    /// `engine` or `document`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Document => "document",
        }
    }
}

/// How the first word of a packet is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The bits that are the type id, as engines have it.
    pub id_mask: u32,
    /// The same as the documents have it.
    pub document_id_mask: u32,
    /// What is done about bits that are neither id nor a known flag.
    pub unknown_flags: UnknownFlags,
}

impl Header {
    /// The bits that are the type id under a reading.
    pub fn mask(&self, reading: Reading) -> u32 {
        match reading {
            Reading::Engine => self.id_mask,
            Reading::Document => self.document_id_mask,
        }
    }
}

/// What is done about header bits that mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFlags {
    /// They are ignored.
    Ignored,
    /// The packet is refused.
    Refused,
}

/// Width of a real.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

/// How a dialect bends the layouts. Each field is explained where it is set: `specs/*.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// `int` and `float` have a 64-bit form behind flag 1.
    pub wide_numbers: bool,
    /// An embedded NUL ends a text; its length is consumed all the same.
    pub text_ends_at_nul: bool,
    /// A leading byte order mark is dropped on input.
    pub text_drops_bom: bool,
    /// In a string array, each length counts a terminating NUL that is written.
    pub string_array_nul: bool,
    /// A byte array's padding may be missing where the input ends.
    pub byte_padding_optional_at_end: bool,
    /// A node path without bit 31 in its first word.
    pub old_node_path: OldNodePath,
    /// Bit 31 in the count of an array or dictionary.
    pub shared_bit: SharedBit,
    /// What a repeated key in a dictionary means.
    pub keys: KeyRule,
    /// What follows the header of a `rid`.
    pub rid: RidRule,
    /// What follows the header of an `object`.
    pub object: ObjectRule,
    /// Padding that engines do not write: what stood in memory goes out.
    pub unwritten_padding: UnwrittenPadding,
}

impl Rules {
    /// Whether a case that needs this rule holds: a name of `rules:` that is true or, as `rid=empty`,
    /// has this value.
    pub fn has(&self, need: &str) -> bool {
        self.answer(need).unwrap_or(false)
    }

    /// Whether any packet of this shape is the one form of its value: not where only other types are written.
    pub fn has_canonical(&self, shape: Shape) -> bool {
        match shape {
            Shape::Rid => self.rid != RidRule::Unsupported,
            Shape::Object => self.object != ObjectRule::Unsupported,
            Shape::Empty
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Text
            | Shape::Fields
            | Shape::Packed
            | Shape::PackedText
            | Shape::Array
            | Shape::Dictionary
            | Shape::NodePath => true,
        }
    }

    /// Whether there is such a rule.
    pub fn knows(need: &str) -> bool {
        Self::SAMPLE.answer(need).is_some()
    }

    const SAMPLE: Self = Self {
        wide_numbers: true,
        text_ends_at_nul: true,
        text_drops_bom: true,
        string_array_nul: true,
        byte_padding_optional_at_end: true,
        old_node_path: OldNodePath::Read,
        shared_bit: SharedBit::Masked,
        keys: KeyRule::Unique,
        rid: RidRule::Empty,
        object: ObjectRule::ById,
        unwritten_padding: UnwrittenPadding::None,
    };

    fn answer(&self, need: &str) -> Option<bool> {
        Some(match need {
            "wide-numbers" => self.wide_numbers,
            "text-ends-at-nul" => self.text_ends_at_nul,
            "text-drops-bom" => self.text_drops_bom,
            "string-array-nul" => self.string_array_nul,
            "byte-padding-optional-at-end" => self.byte_padding_optional_at_end,
            "old-node-path=read" => self.old_node_path == OldNodePath::Read,
            "old-node-path=refused" => self.old_node_path == OldNodePath::Refused,
            "shared-bit=masked" => self.shared_bit == SharedBit::Masked,
            "shared-bit=kept" => self.shared_bit == SharedBit::Kept,
            "keys=unique" => self.keys == KeyRule::Unique,
            "rid=empty" => self.rid == RidRule::Empty,
            "object=by-id" => self.object == ObjectRule::ById,
            _ => return None,
        })
    }
}

/// Padding that engines do not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnwrittenPadding {
    /// They write all of it, as zeros.
    None,
    /// That of the names in node paths.
    NodePath,
    /// All of it.
    All,
}

/// A node path that is one string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldNodePath {
    /// Read as the path that the string spells.
    Read,
    /// Refused.
    Refused,
}

/// Bit 31 of a container's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedBit {
    /// Ignored on input, never written.
    Masked,
    /// A property of the value.
    Kept,
}

/// A repeated key in a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRule {
    /// Keeps its first place and its last value.
    Unique,
    /// Stays as it is.
    Repeated,
}

/// What follows the header of a `rid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RidRule {
    /// Nothing.
    Empty,
    /// The type is not part of the format.
    Unsupported,
}

/// What follows the header of an `object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectRule {
    /// Behind flag 1, a 64-bit instance id; without it, a class name and properties.
    ById,
    /// The type is not part of the format.
    Unsupported,
}
