//! Values: what a packet means, whatever its dialect.

mod numbers;

use alloc::boxed::Box;
use alloc::vec::Vec;

use smallvec::SmallVec;
use variant_specs::LayoutId;

use crate::text::Text;

pub use numbers::{F32, F64, Numbers};

/// A decoded value. Equality is by bits: `-0.0` is not `0.0`, and a NaN equals itself alone.
///
/// Layouts that share a shape share a variant; their [`LayoutId`] tells them apart, and numbers stand
/// in the layout's order of meaning, never in the order of the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// A float: always a double, whatever its width on the wire.
    Float(F64),
    /// `string` or `string_name`.
    Text(LayoutId, Text),
    /// A fixed row of numbers: a vector, a matrix, a color.
    Fields(LayoutId, Numbers),
    /// A packed array of numbers, elements one after the other.
    Packed(LayoutId, Numbers),
    /// A packed array of texts.
    PackedText(LayoutId, Vec<Text>),
    /// Values in a row.
    Array(Array),
    /// Pairs in the order of the packet.
    Dictionary(Dictionary),
    /// A path to a node, and into its properties.
    NodePath(Box<NodePath>),
    /// A resource handle; `None` where the packet ends with the header.
    Rid(Option<u64>),
    /// An object.
    Object(Box<Object>),
    /// A picture.
    Image(Box<Image>),
    /// An event.
    InputEvent(Box<InputEvent>),
    /// Values of one type in a row.
    Typed(LayoutId, Box<TypedArray>),
    /// A function to call; nothing of it is sent.
    Callable,
    /// A signal of an object.
    Signal(Box<Signal>),
}

impl Value {
    /// The values directly within this one, in the order of the packet.
    pub fn children(&self) -> Vec<&Value> {
        match self {
            Self::Array(array) => array.items.iter().collect(),
            Self::Dictionary(dictionary) => dictionary.entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Self::Object(object) => match object.as_ref() {
                Object::Full { properties, .. } => properties.iter().map(|(_, value)| value).collect(),
                Object::Null | Object::Id(_) => Vec::new(),
            },
            Self::Typed(_, typed) => typed.items.iter().collect(),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(..)
            | Self::Fields(..)
            | Self::Packed(..)
            | Self::PackedText(..)
            | Self::NodePath(_)
            | Self::Rid(_)
            | Self::Image(_)
            | Self::InputEvent(_)
            | Self::Callable
            | Self::Signal(_) => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Self::Array(array) => array.items.iter_mut().collect(),
            Self::Dictionary(dictionary) => {
                dictionary.entries.iter_mut().flat_map(|(key, value)| [key, value]).collect()
            }
            Self::Object(object) => match object.as_mut() {
                Object::Full { properties, .. } => properties.iter_mut().map(|(_, value)| value).collect(),
                Object::Null | Object::Id(_) => Vec::new(),
            },
            Self::Typed(_, typed) => typed.items.iter_mut().collect(),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(..)
            | Self::Fields(..)
            | Self::Packed(..)
            | Self::PackedText(..)
            | Self::NodePath(_)
            | Self::Rid(_)
            | Self::Image(_)
            | Self::InputEvent(_)
            | Self::Callable
            | Self::Signal(_) => Vec::new(),
        }
    }

    /// How many values stand on the longest path, this one included.
    pub fn depth(&self) -> usize {
        1 + self.children().into_iter().map(Self::depth).max().unwrap_or(0)
    }
}

/// Values in a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Array {
    /// The values. Whether they are of its type is not looked at.
    pub items: Vec<Value>,
    /// The type of its elements, where it has one.
    pub of: Option<Box<ElementType>>,
    /// Bit 31 of the count, where the dialect keeps it.
    pub shared: bool,
}

/// Pairs of values, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Dictionary {
    /// Key and value. Whether they are of its types is not looked at.
    pub entries: Vec<(Value, Value)>,
    /// The types of its keys and values, where either has one.
    pub of: Option<Box<EntryTypes>>,
    /// Bit 31 of the count, where the dialect keeps it.
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

/// A signal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Signal {
    /// The name of the signal.
    pub name: Text,
    /// The instance id of the object that sends it.
    pub object: u64,
}

/// A path to a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NodePath {
    /// It begins at the root.
    pub absolute: bool,
    /// The names of nodes.
    pub names: Vec<Text>,
    /// The names behind the colon.
    pub subnames: Vec<Text>,
    /// A property beside them, in dialects where a path has one; empty where it has none.
    pub property: Text,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Object {
    /// No object.
    Null,
    /// An object that lives elsewhere, by its instance id.
    Id(u64),
    /// An object with all its properties.
    Full {
        /// The class.
        class: Text,
        /// Name and value.
        properties: Vec<(Text, Value)>,
    },
}

/// A picture, as unlooked at as possible.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Image {
    /// What a pixel is.
    pub format: u32,
    /// How many smaller copies follow the picture itself.
    pub mipmaps: u32,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The pixels.
    pub data: Vec<u8>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct InputEvent {
    /// What happened, with the values that it carries.
    pub kind: u32,
    /// The number of the device.
    pub device: u32,
    /// What the type of event calls for, in the order of its layout; reals as their bits.
    pub words: SmallVec<[u32; 2]>,
}

/// Values of one type in a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypedArray {
    /// The type.
    pub of: ElementType,
    /// The values. Whether they are of the type is not looked at.
    pub items: Vec<Value>,
}

/// The type that an array names.
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
