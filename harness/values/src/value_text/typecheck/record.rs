//! Records: from a map of their fields to the components.

use crate::SyntaxTree;
use variant_codec::Component;
use variant_specs::{FieldForm, Layout, RecordField, Scalar, flag_told_by};

use super::Typechecker;
use crate::value_text::error::{Result, error};
use crate::value_text::read::{Keys, bytes, each, has_component, id, int, list, null, only_field, ranged, text};

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
            FieldForm::Word => int(node).and_then(ranged).map(Component::Word),
            FieldForm::Id => id(node).map(Component::Id),
            FieldForm::Real if self.dialect.scalar(layout) == Scalar::Float64 => {
                self.reals.double(node).map(Component::Double)
            }
            FieldForm::Float32 | FieldForm::Real => self.reals.single(node).map(Component::Single),
            FieldForm::Text => text(node).map(Component::Text),
            FieldForm::Bytes { .. } => bytes(node).map(Component::Bytes),
            FieldForm::Value => self.value(node).map(Component::Value),
            FieldForm::Type { .. } => self.element_type(node).map(Component::Type),
            FieldForm::Values { .. } => {
                list(node).and_then(|nodes| each(nodes, |node| self.value(node))).map(Component::Values)
            }
            // Each element is a list of its components, or the only component alone.
            FieldForm::Repeat { of, .. } => list(node)
                .and_then(|elements| each(elements, |element| self.element(layout, of, element)))
                .map(Component::List),
            FieldForm::Flag
            | FieldForm::Permission
            | FieldForm::Size
            | FieldForm::Padding { .. }
            | FieldForm::Choice { .. } => Err(error("a field that is not written")),
        };
        component.map_err(|error| error.within(&field.name))
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
