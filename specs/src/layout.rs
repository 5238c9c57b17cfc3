//! Layouts: the shape of a type's body, whatever its id.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{FieldForm, RecordField, any_field};

/// What follows the header of one type, named once for the whole family.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub struct Layout {
    /// The name: tag in YAML, key in JSON, row in reports.
    pub name: String,
    /// Which code reads and writes it.
    pub shape: Shape,
    /// What each number of a `fields` or `packed` layout is; a real, for a `record` with one.
    pub of: Option<Scalar>,
    /// Names of the numbers (of one element, if packed) in the order of a value. Empty if an element is one number.
    pub fields: Vec<String>,
    /// For each number on the wire, its index in `fields`, in the order that engines write.
    pub wire: Vec<usize>,
    /// The same, in the order that the documents list.
    pub document_wire: Vec<usize>,
    /// The class that replaces any class or script if objects are not allowed, for `array` and `dictionary`.
    pub stand_in: Option<String>,
    /// How the paths of scripts begin, like `res://`, for `array` and `dictionary`.
    pub scripts: Option<String>,
    /// Bytes of a pixel by format, for a record that is an image; formats that are not here may have any data.
    pub pixels: Vec<(u32, u32)>,
    /// What follows the header, for `record`.
    pub record: Vec<RecordField>,
    /// Whether a record whose first field is 0 or empty is null: none, which is written as a value of shape `empty`.
    pub nullable: bool,
    /// Whether its values are objects: no two are the same key, and the types of elements name their class.
    pub objects: bool,
    /// What its fields do not say, in sentences.
    pub notes: Vec<String>,
}

impl Layout {
    /// Whether other values may be within its own.
    pub fn holds_values(&self) -> bool {
        self.shape.is_container() || any_field(&self.record, FieldForm::is_of_values)
    }

    /// How many numbers the value has, or one element of it if packed. At least 1.
    pub fn arity(&self) -> usize {
        self.fields.len().max(1)
    }
}

/// A form of values that needs code of its own in a codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(rename_all = "kebab-case"))]
pub enum Shape {
    /// Nothing: the header is all.
    Empty,
    /// A word, which is false if it is zero.
    Bool,
    /// A signed integer of 32 bits, or of 64 with flag 1.
    Int,
    /// A float of 32 bits, or of 64 with flag 1.
    Float,
    /// A length in bytes, UTF-8, padding.
    Text,
    /// A fixed row of numbers.
    Fields,
    /// A count, then that many elements of numbers, then padding.
    Packed,
    /// A count, then that many texts.
    PackedText,
    /// A count, then that many whole values.
    Array,
    /// A count, then that many pairs of whole values.
    Dictionary,
    /// Names, sub-names and flags.
    #[cfg_attr(feature = "yaml", serde(rename = "node_path"))]
    NodePath,
    /// The fields that the layout lists.
    Record,
}

impl Shape {
    /// Whether it is a count, then whole values.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Dictionary)
    }
}

/// One number on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(rename_all = "lowercase"))]
pub enum Scalar {
    /// An unsigned integer of 8 bits.
    Byte,
    /// A signed integer of 32 bits.
    Int32,
    /// A signed integer of 64 bits.
    Int64,
    /// An IEEE 754 single, in every precision.
    Float32,
    /// An IEEE 754 double, in every precision.
    Float64,
    /// A single, or a double in a double-precision build.
    Real,
    /// A real in a color, which stays a single in some dialects.
    Channel,
}

/// A layout's index in its [`Layouts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub struct LayoutId(pub u16);

/// The layouts of the family.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub struct Layouts(Vec<Layout>);

impl Layouts {
    /// A table of these layouts, in this order.
    ///
    /// # Panics
    /// If there are more than 65,535 layouts.
    pub fn new(layouts: Vec<Layout>) -> Self {
        assert!(layouts.len() <= usize::from(u16::MAX), "more layouts than a LayoutId can name");
        Self(layouts)
    }

    /// The layout with this id, which must come from this table.
    pub fn get(&self, id: LayoutId) -> &Layout {
        &self.0[usize::from(id.0)]
    }

    /// The id of the layout with this name.
    pub fn id_of(&self, name: &str) -> Option<LayoutId> {
        self.iter().find(|(_, layout)| layout.name == name).map(|(id, _)| id)
    }

    /// The id of the first layout of a shape. Text, fields, packed and record have more than one.
    pub fn id_of_shape(&self, shape: Shape) -> Option<LayoutId> {
        self.iter().find(|(_, layout)| layout.shape == shape).map(|(id, _)| id)
    }

    /// The id of the layout whose values are objects.
    pub fn objects(&self) -> Option<LayoutId> {
        self.iter().find(|(_, layout)| layout.objects).map(|(id, _)| id)
    }

    /// Every layout with its id.
    pub fn iter(&self) -> impl Iterator<Item = (LayoutId, &Layout)> {
        (0u16..).map(LayoutId).zip(&self.0)
    }
}
