//! Which field of a record a row of a listing belongs to.

use variant_specs::{FieldForm, RecordField};

/// The form of the field that a row belongs to, and the row's name within it: `members[2].name.text` is `text` of a
/// text. A count is `count`, a length `length`, and a field of one row has no name.
pub(crate) fn owner<'l, 'n>(fields: &'l [RecordField], name: &'n str) -> Option<(&'l FieldForm, &'n str)> {
    fields.iter().find_map(|field| within(field, name))
}

fn within<'l, 'n>(field: &'l RecordField, name: &'n str) -> Option<(&'l FieldForm, &'n str)> {
    let (own, form) = (field.name.as_str(), &field.form);
    let part = match form {
        FieldForm::Choice { .. } => return form.lists().into_iter().find_map(|fields| owner(fields, name)),
        FieldForm::Repeat { count, .. } | FieldForm::Values { count, .. } if name == count => Some("count"),
        FieldForm::Type { id, .. } if name == id => Some(""),
        FieldForm::Type { .. } | FieldForm::Values { .. } => None,
        FieldForm::Repeat { of, .. } => {
            let (index, rest) = name.strip_prefix(own)?.strip_prefix('[')?.split_once("].")?;
            return index.parse::<usize>().ok().and_then(|_| owner(of, rest));
        }
        FieldForm::Bytes { length } if name == length => Some("length"),
        FieldForm::Bytes { .. } if name == "padding" => Some(name),
        FieldForm::Text | FieldForm::Padding { .. } => name.strip_prefix(own)?.strip_prefix('.'),
        FieldForm::Word
        | FieldForm::Flag
        | FieldForm::Permission
        | FieldForm::Id
        | FieldForm::Float32
        | FieldForm::Real
        | FieldForm::Value
        | FieldForm::Size
        | FieldForm::Bytes { .. } => (name == own).then_some(""),
    };
    part.map(|part| (form, part))
}
