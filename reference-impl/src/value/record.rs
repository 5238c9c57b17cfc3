//! The components of records, and which field of the layout each one is.

use alloc::vec::Vec;

use variant_specs::{FieldForm, FieldWalk, RecordField};

use super::{ElementType, F32, F64, Value};
use crate::text::Text;

/// The value of one field of a record. Sizes, padding and permissions have none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Component {
    /// Flag 1 of the header.
    Flag(bool),
    /// A word.
    Word(u32),
    /// A number of 64 bits.
    Id(u64),
    /// A single.
    Single(F32),
    /// A real of a double-precision build.
    Double(F64),
    /// A text.
    Text(Text),
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// A whole value.
    Value(Value),
    /// The type of elements.
    Type(ElementType),
    /// Whole values.
    Values(Vec<Value>),
    /// The components of each element.
    List(Vec<Vec<Component>>),
}

impl Component {
    /// The number by which choices are made: of a flag or word, or the length of a text.
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Flag(flag) => Some(u32::from(*flag)),
            Self::Word(word) => Some(*word),
            Self::Text(text) => u32::try_from(text.as_bytes().len()).ok(),
            Self::Id(_)
            | Self::Single(_)
            | Self::Double(_)
            | Self::Bytes(_)
            | Self::Value(_)
            | Self::Type(_)
            | Self::Values(_)
            | Self::List(_) => None,
        }
    }

    /// Whether a field of this form has such a component.
    fn is_of(&self, form: &FieldForm) -> bool {
        match form {
            FieldForm::Word => matches!(self, Self::Word(_)),
            FieldForm::Flag => matches!(self, Self::Flag(_)),
            FieldForm::Id => matches!(self, Self::Id(_)),
            FieldForm::Float32 => matches!(self, Self::Single(_)),
            FieldForm::Real => matches!(self, Self::Single(_) | Self::Double(_)),
            FieldForm::Text => matches!(self, Self::Text(_)),
            FieldForm::Bytes { .. } => matches!(self, Self::Bytes(_)),
            FieldForm::Value => matches!(self, Self::Value(_)),
            FieldForm::Type { .. } => matches!(self, Self::Type(_)),
            FieldForm::Values { .. } => matches!(self, Self::Values(_)),
            FieldForm::Repeat { .. } => matches!(self, Self::List(_)),
            FieldForm::Size | FieldForm::Permission | FieldForm::Padding { .. } | FieldForm::Choice { .. } => false,
        }
    }

    /// The values directly within it.
    pub(super) fn values(&self) -> Vec<&Value> {
        match self {
            Self::Value(value) => alloc::vec![value],
            Self::Values(values) => values.iter().collect(),
            Self::List(elements) => elements.iter().flatten().flat_map(Self::values).collect(),
            Self::Flag(_)
            | Self::Word(_)
            | Self::Id(_)
            | Self::Single(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::Bytes(_)
            | Self::Type(_) => Vec::new(),
        }
    }

    pub(super) fn values_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Self::Value(value) => alloc::vec![value],
            Self::Values(values) => values.iter_mut().collect(),
            Self::List(elements) => elements.iter_mut().flatten().flat_map(Self::values_mut).collect(),
            Self::Flag(_)
            | Self::Word(_)
            | Self::Id(_)
            | Self::Single(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::Bytes(_)
            | Self::Type(_) => Vec::new(),
        }
    }

    /// Whether the first field of these is 0 or empty: what is nullable is null then.
    pub(crate) fn are_null(components: &[Self]) -> bool {
        let first = components.iter().find(|component| !matches!(component, Self::Flag(_)));
        first.is_some_and(|first| *first == Self::Id(0) || first.number() == Some(0))
    }

    /// The fields that a record or element with these components has, each with its component if it has one. `None`
    /// if the components are not those of the fields.
    pub fn with_fields<'a>(
        fields: &'a [RecordField],
        components: &'a [Component],
    ) -> Option<Vec<(&'a RecordField, Option<&'a Component>)>> {
        let mut rest = components.iter();
        let mut pairs = Vec::with_capacity(fields.len());
        let mut walk = FieldWalk::new(fields);
        while let Some(field) = walk.next() {
            let has_none = matches!(field.form, FieldForm::Size | FieldForm::Permission | FieldForm::Padding { .. });
            let component = if has_none { None } else { Some(rest.next()?) };
            if !component.is_none_or(|component| component.is_of(&field.form)) {
                return None;
            }
            walk.tell(field, component.and_then(Self::number));
            pairs.push((field, component));
        }
        rest.next().is_none().then_some(pairs)
    }

    /// Makes the components of a record or element, from the first field to the last; `make` gives none for fields
    /// without one.
    ///
    /// # Errors
    /// The first error of `make`.
    pub fn make_all<'f, E>(
        fields: &'f [RecordField],
        mut make: impl FnMut(&'f RecordField) -> Result<Option<Component>, E>,
    ) -> Result<Vec<Component>, E> {
        let mut components = Vec::with_capacity(fields.len());
        let mut walk = FieldWalk::new(fields);
        while let Some(field) = walk.next() {
            let component = make(field)?;
            walk.tell(field, component.as_ref().and_then(Self::number));
            components.extend(component);
        }
        Ok(components)
    }
}
