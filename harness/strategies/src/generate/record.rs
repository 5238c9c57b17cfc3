//! Records: a component for each field that has one.

use std::convert::Infallible;

use variant_codec::{Component, Value};
use variant_specs::{FLAG, FieldForm, RecordField, Scalar};

use super::{Generator, SIZE};
use crate::grammar::TypedElement;
use crate::numbers;
use crate::random::Random;

impl Generator<'_> {
    /// The components of a record or element; its reals are of this scalar.
    pub(super) fn record(&mut self, fields: &[RecordField], real: Scalar, depth: usize) -> Vec<Component> {
        let chosen: Vec<(&str, u32)> = choices(fields);
        let mut element: Option<&TypedElement> = None;
        let made: Result<_, Infallible> = Component::make_all(fields, |field| {
            Ok(Some(match &field.form {
                FieldForm::Word => Component::Word(self.word_of(&field.name, &chosen)),
                FieldForm::Flag => Component::Flag(self.flag(fields)),
                FieldForm::Id => Component::Id(numbers::int64(self.random).cast_unsigned()),
                FieldForm::Real if real == Scalar::Float64 => Component::Double(numbers::double(self.random)),
                FieldForm::Float32 | FieldForm::Real => Component::Single(numbers::single(self.random)),
                FieldForm::Text => Component::Text(numbers::text(self.random, SIZE)),
                FieldForm::Bytes { .. } => {
                    let length = self.random.below(9);
                    Component::Bytes((0..length).map(|_| self.random.byte()).collect())
                }
                FieldForm::Value => Component::Value(self.value_at(depth + 1)),
                FieldForm::Type { .. } => {
                    let picked = self.random.pick(&self.grammar.elements);
                    element = Some(picked);
                    Component::Type(picked.of.clone())
                }
                FieldForm::Values { .. } => Component::Values(self.values(element, depth + 1)),
                FieldForm::Repeat { of, .. } => {
                    let count = self.count();
                    Component::List((0..count).map(|_| self.record(of, real, depth)).collect())
                }
                FieldForm::Permission | FieldForm::Size | FieldForm::Padding { .. } | FieldForm::Choice { .. } => {
                    return Ok(None);
                }
            }))
        });
        let Ok(components) = made;
        components
    }

    /// A flag that chooses fields which need no permission.
    fn flag(&mut self, fields: &[RecordField]) -> bool {
        let asks = |list: &[RecordField]| list.iter().any(|field| field.form == FieldForm::Permission);
        let needed = fields.iter().find_map(|field| {
            let FieldForm::Choice { by, of, otherwise } = &field.form else { return None };
            let (number, chosen) = of.first().filter(|_| by == FLAG)?;
            asks(otherwise).then_some(*number == 1).or(asks(chosen).then_some(*number != 1))
        });
        needed.unwrap_or_else(|| self.random.one_in(2))
    }

    /// Values, of the type that a field before them says if there is one.
    fn values(&mut self, of: Option<&TypedElement>, depth: usize) -> Vec<Value> {
        let fits = of.is_none_or(|of| of.production.is_some());
        let count = if fits { self.count() } else { 0 };
        let one = |generator: &mut Self| match of {
            Some(of) => of.production.map(|place| generator.of_kind(place, depth)),
            None => Some(generator.value_at(depth)),
        };
        (0..count).filter_map(|_| one(self)).collect()
    }

    /// As much data as the format needs, or an unknown format.
    pub(super) fn image(&mut self, pixels: &[(u32, u32)]) -> Vec<Component> {
        let side = |random: &mut Random| 1 + u32::try_from(random.below(3)).unwrap_or(0);
        let (width, height) = (side(self.random), side(self.random));
        let (format, length) = if self.random.one_in(4) {
            (1000, 1 + self.random.below(9))
        } else {
            let (format, pixel) = *self.random.pick(pixels);
            (format, usize::try_from(pixel * width * height).unwrap_or(0))
        };
        let data = (0..length).map(|_| self.random.byte()).collect();
        [format, 0, width, height].map(Component::Word).into_iter().chain([Component::Bytes(data)]).collect()
    }

    /// A word; one that chooses is mostly a number that has fields of its own.
    fn word_of(&mut self, name: &str, chosen: &[(&str, u32)]) -> u32 {
        let numbers: Vec<u32> = chosen.iter().filter(|(by, _)| *by == name).map(|(_, number)| *number).collect();
        match numbers.as_slice() {
            [] => numbers::word(self.random),
            _ if self.random.one_in(4) => u32::try_from(self.random.below(12)).unwrap_or(0),
            numbers => *self.random.pick(numbers),
        }
    }
}

/// For each choice, the field by which it is made and each of its numbers.
fn choices(fields: &[RecordField]) -> Vec<(&str, u32)> {
    let mut all = Vec::new();
    for field in fields {
        if let FieldForm::Choice { by, of, otherwise } = &field.form {
            all.extend(of.iter().map(|(number, _)| (by.as_str(), *number)));
            all.extend(of.iter().flat_map(|(_, fields)| choices(fields)));
            all.extend(choices(otherwise));
        }
    }
    all
}
