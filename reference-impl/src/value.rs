//! Values: what a packet means, whatever its dialect.

mod numbers;
mod record;

use alloc::boxed::Box;
use alloc::vec::Vec;

use variant_specs::LayoutId;

use crate::text::Text;

pub use numbers::{F32, F64, Numbers};
pub use record::Component;

/// A decoded value. Equality is by bits: `-0.0` is not `0.0`, and a NaN equals itself alone.
///
/// Layouts that share a shape share a variant; their [`LayoutId`] distinguishes them. Numbers are in
/// the layout's order of meaning, never in the order of the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// The null value, of shape `empty`.
    Null,
    /// A truth value: any word but zero is true.
    Bool(bool),
    /// A signed integer, whatever its width on the wire.
    Int(i64),
    /// A float: always a double, whatever its width on the wire.
    Float(F64),
    /// A text, whose layout is `string` or `string_name`.
    Text(LayoutId, Text),
    /// A fixed row of numbers: a vector, a matrix, a color.
    Fields(LayoutId, Numbers),
    /// A packed array of numbers, elements one after the other.
    Packed(LayoutId, Numbers),
    /// A packed array of texts.
    PackedText(LayoutId, Vec<Text>),
    /// A list of values, which may have a type.
    Array(Array),
    /// Pairs in the order of the packet.
    Dictionary(Dictionary),
    /// A path to a node, and into its properties.
    NodePath(Box<NodePath>),
    /// A type that is data: the components of the fields that its layout lists.
    Record(LayoutId, Vec<Component>),
}

impl Value {
    /// The values directly within this one, in the order of the packet.
    pub fn children(&self) -> Vec<&Value> {
        match self {
            Self::Array(array) => array.items.iter().collect(),
            Self::Dictionary(dictionary) => dictionary.entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Self::Record(_, components) => components.iter().flat_map(Component::values).collect(),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(..)
            | Self::Fields(..)
            | Self::Packed(..)
            | Self::PackedText(..)
            | Self::NodePath(_) => Vec::new(),
        }
    }

    /// As [`Value::children`], to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Self::Array(array) => array.items.iter_mut().collect(),
            Self::Dictionary(dictionary) => {
                dictionary.entries.iter_mut().flat_map(|(key, value)| [key, value]).collect()
            }
            Self::Record(_, components) => components.iter_mut().flat_map(Component::values_mut).collect(),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(..)
            | Self::Fields(..)
            | Self::Packed(..)
            | Self::PackedText(..)
            | Self::NodePath(_) => Vec::new(),
        }
    }

    /// How many values are on the longest path inwards, this one included.
    pub fn depth(&self) -> usize {
        1 + self.children().into_iter().map(Self::depth).max().unwrap_or(0)
    }
}

/// A list of values, which may have a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Array {
    /// The values. Whether they are of its type is not checked.
    pub items: Vec<Value>,
    /// The type of its elements; `None` if the array has no type.
    pub of: Option<Box<ElementType>>,
    /// Bit 31 of the count, if the dialect keeps it.
    pub shared: bool,
}

/// Pairs of values, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Dictionary {
    /// Key and value. Whether they are of its types is not checked.
    pub entries: Vec<(Value, Value)>,
    /// The types of its keys and values; `None` if neither has one.
    pub of: Option<Box<EntryTypes>>,
    /// Bit 31 of the count, if the dialect keeps it.
    pub shared: bool,
}

/// The types of a dictionary's keys and values. A dictionary without either has no `EntryTypes`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct EntryTypes {
    /// The type of its keys.
    pub key: Option<ElementType>,
    /// The type of its values.
    pub value: Option<ElementType>,
}

/// A path to a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NodePath {
    /// Whether it begins at the root, as in `/root/a`.
    pub absolute: bool,
    /// The names of nodes, like `root` and `a` in `/root/a:b`.
    pub names: Vec<Text>,
    /// The names after the colon, like `b` in `/root/a:b`.
    pub subnames: Vec<Text>,
    /// The property, in dialects that keep it apart from the sub-names; empty if there is none.
    pub property: Text,
}

/// The type of elements, keys or values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// A type of the dialect; objects are by id.
    Layout(LayoutId),
    /// Objects of this class.
    Class(Text),
    /// Objects with the script at this path.
    Script(Text),
    /// An id that is no type of the dialect.
    Id(u32),
}
