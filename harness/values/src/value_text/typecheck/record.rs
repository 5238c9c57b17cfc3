//! Records: from a map of their fields to the components.

use crate::SyntaxTree;
use variant_codec::Component;
use variant_specs::{FieldForm, Layout, RecordField, Scalar, flag_told_by};

use super::Typechecker;
use crate::value_text::error::{Result, error};
use crate::value_text::read::{Keys, bytes, list, null, only_field, optional_id, text, word};

impl Typechecker<'_> {
    /// A map from the names of the fields, the only field alone, or null if there is none.
    pub(super) fn record(&mut self, layout: &Layout, body: &SyntaxTree) -> Result<Vec<Component>> {
        // A rule of the dialect may leave a record without fields.
        if layout.record.is_empty() || *body == SyntaxTree::Null {
            return null(body).map(|()| Vec::new());
        }
        if only_field(&layout.record).is_some() {
            return Component::make_all(&layout.record, |field| self.component(layout, field, body).map(Some));
        }
        let mut keys = Keys::of(body)?;
        let flag = flag_told_by(&layout.record);
        let components = Component::make_all(&layout.record, |field| {
            if !has_component(&field.form) {
                return Ok(None);
            }
            if field.form == FieldForm::Flag {
                return Ok(flag.map(|(name, set)| Component::Flag(keys.has(name) == set)));
            }
            self.component(layout, field, keys.take(&field.name)?).map(Some)
        })?;
        keys.end()?;
        Ok(components)
    }

    fn component(&mut self, layout: &Layout, field: &RecordField, node: &SyntaxTree) -> Result<Component> {
        let component = match &field.form {
            FieldForm::Word => word(node).map(Component::Word),
            FieldForm::Id => match optional_id(node) {
                Ok(Some(id)) => Ok(Component::Id(id)),
                Ok(None) => Err(error("null where an id was expected")),
                Err(error) => Err(error),
            },
            FieldForm::Real if self.dialect.scalar(layout) == Scalar::Float64 => {
                self.reals.double(node).map(Component::Double)
            }
            FieldForm::Float32 | FieldForm::Real => self.reals.single(node).map(Component::Single),
            FieldForm::Text => text(node).map(Component::Text),
            FieldForm::Bytes { .. } => bytes(node).map(Component::Bytes),
            FieldForm::Value => self.value(node).map(Component::Value),
            FieldForm::Type { .. } => self.element_type(node).map(Component::Type),
            FieldForm::Values { .. } => list(node)
                .and_then(|nodes| {
                    let values = nodes.iter().enumerate();
                    values.map(|(index, node)| self.value(node).map_err(|error| error.at(index))).collect()
                })
                .map(Component::Values),
            FieldForm::Repeat { of, .. } => self.elements(layout, of, node).map(Component::List),
            FieldForm::Flag
            | FieldForm::Permission
            | FieldForm::Size
            | FieldForm::Padding { .. }
            | FieldForm::Choice { .. } => Err(error("a field that is not written")),
        };
        component.map_err(|error| error.within(&field.name))
    }

    /// The elements of a repeated field: each a list of its components, or the only component alone.
    fn elements(&mut self, layout: &Layout, fields: &[RecordField], node: &SyntaxTree) -> Result<Vec<Vec<Component>>> {
        let mut elements = Vec::new();
        for (index, element) in list(node)?.iter().enumerate() {
            elements.push(self.element(layout, fields, element).map_err(|error| error.at(index))?);
        }
        Ok(elements)
    }

    fn element(&mut self, layout: &Layout, fields: &[RecordField], node: &SyntaxTree) -> Result<Vec<Component>> {
        if only_field(fields).is_some() {
            return Component::make_all(fields, |field| self.component(layout, field, node).map(Some));
        }
        let mut nodes = list(node)?.iter();
        let components = Component::make_all(fields, |field| {
            if !has_component(&field.form) {
                return Ok(None);
            }
            let node = nodes.next().ok_or_else(|| error(format!("`{}` is missing", field.name)))?;
            self.component(layout, field, node).map(Some)
        })?;
        match nodes.len() {
            0 => Ok(components),
            more => Err(error(format!("{more} more than its fields"))),
        }
    }
}

fn has_component(form: &FieldForm) -> bool {
    !matches!(form, FieldForm::Size | FieldForm::Permission | FieldForm::Padding { .. })
}
