//! One record changed: a field dropped, two neighbours swapped, a choice that is not made.

use variant_specs::{Dialect, FieldForm, Layout, RecordField};

/// The name of each change, and the layout after it. Of those with nothing behind their header there are rules.
pub(super) fn changes(dialect: &Dialect, layout: &Layout) -> Vec<(String, Layout)> {
    let changed = lists(dialect.rules.record(layout).unwrap_or_default());
    let changed = changed.into_iter().filter(|(_, record)| !record.is_empty());
    changed.map(|(name, record)| (name, Layout { record, ..layout.clone() })).collect()
}

/// The name of each change of a list of fields, and the list after it.
fn lists(fields: &[RecordField]) -> Vec<(String, Vec<RecordField>)> {
    let mut changes = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        let mut dropped = fields.to_vec();
        dropped.remove(place);
        changes.push((format!("{}-dropped", field.name), dropped));
        // Components have no names: two of one form that change places are the fault `record-words-swapped`.
        if let Some(next) = fields.get(place + 1).filter(|next| next.form != field.form) {
            let mut swapped = fields.to_vec();
            swapped.swap(place, place + 1);
            changes.push((format!("{}-and-{}-swapped", field.name, next.name), swapped));
        }
        for (name, form) in within(&field.form) {
            let mut changed = fields.to_vec();
            changed[place].form = form;
            changes.push((format!("{}-{name}", field.name), changed));
        }
    }
    changes
}

/// The changes within a field that has fields.
fn within(form: &FieldForm) -> Vec<(String, FieldForm)> {
    match form {
        FieldForm::Repeat { count, bit_31, of } => {
            // Without any field, there would be nothing to count.
            let lists = lists(of).into_iter().filter(|(_, of)| !of.is_empty());
            lists.map(|(name, of)| (name, FieldForm::Repeat { count: count.clone(), bit_31: *bit_31, of })).collect()
        }
        FieldForm::Choice { by, of, otherwise } => {
            let mut changes = Vec::new();
            for (place, (number, fields)) in of.iter().enumerate() {
                let mut fewer = of.clone();
                fewer.remove(place);
                let (by, otherwise) = (by.clone(), otherwise.clone());
                let form = FieldForm::Choice { by: by.clone(), of: fewer, otherwise: otherwise.clone() };
                changes.push((format!("{number}-is-any-other"), form));
                changes.extend(lists(fields).into_iter().map(|(name, fields)| {
                    let mut changed = of.clone();
                    changed[place].1 = fields;
                    let form = FieldForm::Choice { by: by.clone(), of: changed, otherwise: otherwise.clone() };
                    (format!("{number}-{name}"), form)
                }));
            }
            changes
        }
        FieldForm::Word
        | FieldForm::Flag
        | FieldForm::Permission
        | FieldForm::Id
        | FieldForm::Float32
        | FieldForm::Real
        | FieldForm::Text
        | FieldForm::Value
        | FieldForm::Size
        | FieldForm::Bytes { .. }
        | FieldForm::Type { .. }
        | FieldForm::Values { .. }
        | FieldForm::Padding { .. } => Vec::new(),
    }
}
