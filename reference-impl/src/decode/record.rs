//! Records: the fields that their layout lists.

use alloc::vec::Vec;

use variant_specs::{BadImage, FLAG_1, FieldForm, RecordField, Scalar, least_bytes};

use super::image::fitting;
use super::{Decoder, Result, put};
use crate::codec::TypePlan;
use crate::error::Refusal;
use crate::trace::{Role, Step, Trace};
use crate::value::{Component, F32, F64, Value};

impl<'a, T: Trace> Decoder<'a, T> {
    #[inline(never)]
    pub(super) fn record(&mut self, plan: &'a TypePlan, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        let fields = self.codec.record(plan).ok_or_else(|| self.refuse_header(Refusal::UnsupportedForm))?;
        let mut components = self.components(fields, plan, flags, depth)?;
        let pixels = &self.codec.layouts.get(plan.layout).pixels;
        if !pixels.is_empty() && self.codec.rules.bad_image == BadImage::Empty {
            components = fitting(components, pixels);
        }
        if self.codec.layouts.get(plan.layout).nullable && Component::are_null(&components) {
            components = Vec::new();
        }
        put(place, Value::Record(plan.layout, components));
        Ok(())
    }

    fn components(
        &mut self,
        fields: &'a [RecordField],
        plan: &TypePlan,
        flags: u32,
        depth: usize,
    ) -> Result<Vec<Component>> {
        Component::make_all(fields, |field| {
            Ok(Some(if field.form == FieldForm::Value {
                Component::Value(self.nested(&field.name, depth)?)
            } else if let FieldForm::Type { id, class } = &field.form {
                Component::Type(self.element_type(id, class, flags, depth)?)
            } else if let FieldForm::Values { count, bit_31 } = &field.form {
                let count = self.count(count, *bit_31, 4)?;
                Component::Values(self.items(count, depth)?)
            } else if let FieldForm::Repeat { count, bit_31, of } = &field.form {
                let count = self.count(count, *bit_31, least_bytes(of))?;
                let mut elements = self.room_for(count);
                for index in 0..count {
                    self.trace.enter(Step::Element(&field.name, index));
                    elements.push(self.components(of, plan, flags, depth)?);
                    self.trace.leave();
                }
                Component::List(elements)
            } else {
                return self.component(field, plan, flags);
            }))
        })
    }

    /// Reads a whole value within a record.
    pub(super) fn nested(&mut self, name: &str, depth: usize) -> Result<Value> {
        let mut value = Value::Null;
        self.trace.enter(Step::Name(name));
        self.value(depth + 1, &mut value)?;
        self.trace.leave();
        Ok(value)
    }

    /// Reads a field with no value within. A function of its own, so that a deep path takes little stack.
    #[inline(never)]
    fn component(&mut self, field: &RecordField, plan: &TypePlan, flags: u32) -> Result<Option<Component>> {
        let name = field.name.as_str();
        Ok(Some(match &field.form {
            FieldForm::Word => Component::Word(self.word(name, Role::Word)?),
            FieldForm::Flag => Component::Flag(flags & FLAG_1 != 0),
            // No field with bytes is before it.
            FieldForm::Permission if !self.codec.options.objects => return Err(self.refuse_header(Refusal::BadObject)),
            FieldForm::Permission => return Ok(None),
            FieldForm::Id => Component::Id(self.long(name, Role::Id)?),
            FieldForm::Float32 => Component::Single(F32(self.word(name, Role::Number(Scalar::Float32))?)),
            FieldForm::Real => self.real(name, plan, flags)?,
            FieldForm::Text => Component::Text(self.named(name)?),
            FieldForm::Bytes { length } => {
                let length = self.length(length, Role::Length, 1)?;
                let before = self.input.at();
                let bytes = self.input.take(length)?.to_vec();
                self.tell_unless_empty(before, name, Role::Bytes);
                self.padding(length, self.codec.rules.byte_padding_optional_at_end)?;
                Component::Bytes(bytes)
            }
            FieldForm::Size => {
                self.word(name, Role::Length)?;
                return Ok(None);
            }
            FieldForm::Padding { bytes } => {
                let before = self.input.at();
                self.trace.enter(Step::Name(name));
                self.input.take(*bytes as usize)?;
                self.tell_unless_empty(before, "padding", Role::Padding);
                self.trace.leave();
                return Ok(None);
            }
            // `components` reads these.
            FieldForm::Value
            | FieldForm::Type { .. }
            | FieldForm::Values { .. }
            | FieldForm::Repeat { .. }
            | FieldForm::Choice { .. } => return Ok(None),
        }))
    }

    /// Reads a real as wide as the header says, and keeps it as wide as reals are in this dialect.
    fn real(&mut self, name: &str, plan: &TypePlan, flags: u32) -> Result<Component> {
        let [narrow, wide] = plan.on_wire;
        let on_wire = if flags & FLAG_1 == 0 { narrow } else { wide };
        if on_wire == Scalar::Float64 {
            let double = F64(self.long(name, Role::Number(on_wire))?);
            let kept = plan.scalar == Scalar::Float64;
            return Ok(if kept { Component::Double(double) } else { Component::Single(double.nearest()) });
        }
        let single = F32(self.word(name, Role::Number(on_wire))?);
        let widened = plan.scalar == Scalar::Float64;
        Ok(if widened { Component::Double(single.widen()) } else { Component::Single(single) })
    }
}
