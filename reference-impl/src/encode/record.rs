//! Records: the fields that their layout lists.

use alloc::boxed::Box;

use variant_specs::{FLAG_1, FieldForm, RecordField, Scalar, Shape};

use super::{Encoder, Result};
use crate::codec::TypePlan;
use crate::error::EncodeError;
use crate::value::Component;

impl<'a> Encoder<'a> {
    #[inline(never)]
    pub(super) fn record(&mut self, plan: &'a TypePlan, components: &[Component], depth: usize) -> Result<()> {
        let fields = self.codec.record(plan).ok_or_else(|| self.not_its_fields(plan))?;
        if components.is_empty() && !fields.is_empty() && self.codec.layouts.get(plan.layout).nullable {
            return self.header_of(Shape::Empty, 0);
        }
        let header = self.packet.len();
        self.word(plan.id | plan.own_flags);
        self.components(fields, plan, components, depth, header)
    }

    /// Writes the fields of a record or element. `header` is where the header of the record is.
    fn components(
        &mut self,
        fields: &[RecordField],
        plan: &TypePlan,
        components: &[Component],
        depth: usize,
        header: usize,
    ) -> Result<()> {
        let pairs = Component::with_fields(fields, components).ok_or_else(|| self.not_its_fields(plan))?;
        let mut size = None;
        for (field, component) in pairs {
            match component {
                None if field.form == FieldForm::Size => {
                    size = Some(self.packet.len());
                    self.word(0);
                }
                None if field.form == FieldForm::Permission && !self.codec.options.objects => {
                    return Err(self.not_its_fields(plan));
                }
                None => self.zeros(&field.form),
                Some(Component::Flag(flag)) => self.flag_1(header, *flag),
                Some(Component::Value(value)) => self.value(value, depth + 1)?,
                Some(Component::Values(values)) => {
                    self.count(values.len())?;
                    self.values(values, depth + 1)?;
                }
                Some(component) => match (component, &field.form) {
                    (Component::Type(of), FieldForm::Type { class, .. }) => {
                        let flag = self.element_type(plan, of, class, depth)?;
                        self.flag_1(header, flag);
                    }
                    (Component::List(elements), FieldForm::Repeat { of, .. }) => {
                        self.count(elements.len())?;
                        for element in elements {
                            self.components(of, plan, element, depth, header)?;
                        }
                    }
                    _ => self.component(&field.form, component, plan)?,
                },
            }
        }
        if let Some(size) = size {
            let bytes = super::length(self.packet.len() - header - 4)?;
            self.packet[size..size + 4].copy_from_slice(&bytes.to_le_bytes());
        }
        Ok(())
    }

    /// Sets flag 1 in the header of a record, if it is.
    fn flag_1(&mut self, header: usize, is: bool) {
        let flags = FLAG_1.to_le_bytes().map(|byte| if is { byte } else { 0 });
        self.packet[header..].iter_mut().zip(flags).for_each(|(byte, flag)| *byte |= flag);
    }

    fn zeros(&mut self, form: &FieldForm) {
        if let FieldForm::Padding { bytes } = form {
            self.packet.resize(self.packet.len() + *bytes as usize, 0);
        }
    }

    /// Writes a component with no value within.
    #[inline(never)]
    fn component(&mut self, form: &FieldForm, component: &Component, plan: &TypePlan) -> Result<()> {
        let width = if *form == FieldForm::Real { plan.scalar } else { Scalar::Float32 };
        match component {
            Component::Word(word) => self.word(*word),
            Component::Id(id) => self.packet.extend_from_slice(&id.to_le_bytes()),
            Component::Single(single) if width == Scalar::Float32 => self.word(single.0),
            Component::Double(double) if width == Scalar::Float64 => {
                self.packet.extend_from_slice(&double.0.to_le_bytes());
            }
            Component::Single(_) | Component::Double(_) => {
                return Err(EncodeError::WrongNumbers(self.codec.layouts.get(plan.layout).name.clone()).into());
            }
            Component::Text(text) => self.text(text, false)?,
            Component::Bytes(bytes) => self.counted(bytes, &[])?,
            // `components` writes these.
            Component::Flag(_)
            | Component::Value(_)
            | Component::Type(_)
            | Component::Values(_)
            | Component::List(_) => {}
        }
        Ok(())
    }

    #[cold]
    pub(super) fn not_its_fields(&self, plan: &TypePlan) -> Box<EncodeError> {
        Box::new(EncodeError::UnsupportedForm(self.codec.layouts.get(plan.layout).name.clone()))
    }
}
