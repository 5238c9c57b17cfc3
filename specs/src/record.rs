//! Records: types whose body is a list of fields, so that a new type needs no code.

use alloc::string::String;
use alloc::vec::Vec;

/// The name under which flag 1 of the header chooses.
pub const FLAG: &str = "flag-1";

/// One field of a record, in the order of the packet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub struct RecordField {
    /// Its name in values and listings. That of a choice is for readers of the specs alone.
    pub name: String,
    /// What it is.
    pub form: FieldForm,
}

/// What a field of a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldForm {
    /// An unsigned word.
    Word,
    /// Flag 1 of the header, by which the next field is chosen. It takes no bytes, and is not in a value either: which
    /// fields are there tells it.
    Flag,
    /// Nothing, but what comes after it is refused unless the reader or writer allows objects.
    Permission,
    /// An unsigned number of 64 bits.
    Id,
    /// An IEEE 754 single, in every precision.
    Float32,
    /// A single, or a double in a double-precision build.
    Real,
    /// A length in bytes, UTF-8, padding.
    Text,
    /// A whole value with its header.
    Value,
    /// A word with the number of bytes that the record takes after its header. No reader looks at it.
    Size,
    /// A length with this name, as many bytes, padding.
    Bytes {
        /// The name of the length.
        length: String,
    },
    /// The type of elements: the id of a type under this name. For objects, unless flag 1 is set, their class follows.
    Type {
        /// The name of the id.
        id: String,
        /// The layout of the class, a whole value.
        class: String,
    },
    /// A count with this name, then as many whole values, which are listed as those of an array.
    Values {
        /// The name of the count.
        count: String,
        /// What bit 31 of the count means.
        bit_31: Bit31,
    },
    /// So many bytes that mean nothing, written as zero.
    Padding {
        /// How many: a multiple of 4.
        bytes: u32,
    },
    /// A count with this name, then the fields as many times.
    Repeat {
        /// The name of the count.
        count: String,
        /// What bit 31 of the count means.
        bit_31: Bit31,
        /// The fields of one element, which takes at least a word.
        of: Vec<RecordField>,
    },
    /// The fields that flag 1, an earlier word or the length of an earlier text chooses. They belong to the record like those around them.
    Choice {
        /// The name of the earlier field.
        by: String,
        /// The fields for each number.
        of: Vec<(u32, Vec<RecordField>)>,
        /// The fields for all other numbers.
        otherwise: Vec<RecordField>,
    },
}

/// What bit 31 of a count means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(rename_all = "lowercase"))]
pub enum Bit31 {
    /// That there are more elements than fit in any packet.
    #[default]
    Refused,
    /// Nothing.
    Ignored,
    /// That there are no elements.
    Empty,
}

impl FieldForm {
    /// Whether whole values are directly within.
    pub fn is_of_values(&self) -> bool {
        matches!(self, Self::Value | Self::Values { .. })
    }

    /// The lists of fields directly within this one, whatever is chosen.
    pub fn lists(&self) -> Vec<&[RecordField]> {
        match self {
            Self::Repeat { of, .. } => [of.as_slice()].into(),
            Self::Choice { of, otherwise, .. } => {
                of.iter().map(|(_, fields)| fields.as_slice()).chain([otherwise.as_slice()]).collect()
            }
            Self::Word
            | Self::Flag
            | Self::Permission
            | Self::Id
            | Self::Float32
            | Self::Real
            | Self::Text
            | Self::Value
            | Self::Size
            | Self::Bytes { .. }
            | Self::Type { .. }
            | Self::Values { .. }
            | Self::Padding { .. } => Vec::new(),
        }
    }
}

/// Whether any of these fields, or one within, is of such a form.
pub fn any_field(fields: &[RecordField], is: fn(&FieldForm) -> bool) -> bool {
    fields.iter().any(|field| is(&field.form) || field.form.lists().into_iter().any(|fields| any_field(fields, is)))
}

/// The fewest bytes that a record or element with these fields takes.
pub fn least_bytes(fields: &[RecordField]) -> usize {
    let least = |field: &RecordField| match &field.form {
        FieldForm::Flag | FieldForm::Permission | FieldForm::Choice { .. } => 0,
        FieldForm::Padding { bytes } => *bytes as usize,
        FieldForm::Id => 8,
        FieldForm::Word
        | FieldForm::Float32
        | FieldForm::Real
        | FieldForm::Text
        | FieldForm::Value
        | FieldForm::Size
        | FieldForm::Bytes { .. }
        | FieldForm::Type { .. }
        | FieldForm::Values { .. }
        | FieldForm::Repeat { .. } => 4,
    };
    fields.iter().map(least).sum()
}

/// The name of the field that tells flag 1, and whether the flag is set if it is there: it is the first field of the list
/// that the flag chooses by its number.
pub fn flag_told_by(fields: &[RecordField]) -> Option<(&str, bool)> {
    fields.iter().find_map(|field| {
        if let FieldForm::Choice { by, of, .. } = &field.form
            && by == FLAG
        {
            let (number, chosen) = of.first()?;
            return Some((chosen.first()?.name.as_str(), *number == 1));
        }
        field.form.lists().into_iter().find_map(flag_told_by)
    })
}

/// Walks the fields of one record or element in the order of the packet, those within choices too. A loop, not a
/// recursion, so that a deep path takes little stack.
#[derive(Debug)]
pub struct FieldWalk<'f> {
    list: core::slice::Iter<'f, RecordField>,
    /// The lists that choices have interrupted, the outermost first.
    interrupted: Vec<core::slice::Iter<'f, RecordField>>,
    /// The numbers of earlier fields, if any field chooses.
    numbers: Option<Vec<(&'f str, u32)>>,
}

impl<'f> FieldWalk<'f> {
    /// Begins before the first of these fields.
    pub fn new(fields: &'f [RecordField]) -> Self {
        let chooses = fields.iter().any(|field| matches!(field.form, FieldForm::Choice { .. }));
        Self { list: fields.iter(), interrupted: Vec::new(), numbers: chooses.then(Vec::new) }
    }

    /// The next field, which is no choice.
    #[expect(clippy::should_implement_trait, reason = "between two fields the walk is told the number of the first")]
    pub fn next(&mut self) -> Option<&'f RecordField> {
        loop {
            let Some(field) = self.list.next() else {
                self.list = self.interrupted.pop()?;
                continue;
            };
            let FieldForm::Choice { by, of, otherwise } = &field.form else { return Some(field) };
            let mut numbers = self.numbers.iter().flatten();
            let number = numbers.find(|(name, _)| name == by).map(|(_, number)| *number);
            let chosen = of.iter().find(|(one, _)| Some(*one) == number).map_or(otherwise, |(_, fields)| fields);
            self.interrupted.push(core::mem::replace(&mut self.list, chosen.iter()));
        }
    }

    /// The number by which this field chooses among later ones.
    pub fn tell(&mut self, field: &'f RecordField, number: Option<u32>) {
        if let (Some(numbers), Some(number)) = (&mut self.numbers, number) {
            numbers.push((&field.name, number));
        }
    }
}
