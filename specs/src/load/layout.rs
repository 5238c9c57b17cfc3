//! Layouts: those of `specs/layouts.yaml`, and those that a dialect adds.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, Source, parse, refuse_bad_name, refuse_repeats};
use crate::notation::{Pairs, RawLayout};
use crate::{FieldForm, Layout, Layouts, Scalar, Shape, any_field};

pub(super) fn load_layouts(source: Source<'_>) -> Result<Layouts, Problem> {
    let raw: Pairs<String, RawLayout> = parse(source)?;
    refuse_repeats(source, raw.0.iter().map(|(name, _)| name))?;
    let layouts = raw.0.into_iter().map(|(name, raw)| resolve_layout(source, name, raw)).collect::<Result<_, _>>()?;
    table(source, layouts)
}

/// More layouts than this are refused.
const MOST: usize = 4096;

pub(super) fn table(source: Source<'_>, layouts: Vec<Layout>) -> Result<Layouts, Problem> {
    if layouts.len() > MOST {
        return Err(
            source.error_at("layouts", format!("there are {} layouts, and at most {MOST} may be", layouts.len()))
        );
    }
    Ok(Layouts::new(layouts))
}

/// One layout: its fields in the order of meaning, and each order on the wire as indices into them.
pub(super) fn resolve_layout(source: Source<'_>, name: String, raw: RawLayout) -> Result<Layout, Problem> {
    refuse_bad_name(source, "layouts", &name)?;
    for field in &raw.fields {
        refuse_bad_name(source, &name, field)?;
    }
    refuse_misplaced_keys(source, &name, &raw)?;
    let meaning = raw.meaning.unwrap_or_else(|| raw.fields.clone());
    let known: BTreeMap<&str, usize> = meaning.iter().map(String::as_str).zip(0..).collect();
    let places = |wire: &[String]| -> Option<Vec<usize>> {
        let places: Vec<usize> = wire.iter().filter_map(|field| known.get(field.as_str()).copied()).collect();
        let distinct: BTreeSet<_> = places.iter().collect();
        (distinct.len() == meaning.len() && wire.len() == meaning.len()).then_some(places)
    };
    let orders = (places(&raw.fields), places(raw.document_fields.as_ref().unwrap_or(&raw.fields)));
    let (Some(wire), Some(document_wire)) = orders else {
        return Err(source.error_at(
            &name,
            format!("layout {name}: `fields`, `document-fields` and `meaning` must be the same names, each once"),
        ));
    };
    let record = super::record::resolve_record(source, &name, raw.record.unwrap_or_default())?;
    let forms: Vec<&FieldForm> = record.iter().map(|field| &field.form).collect();
    let is_image = matches!(
        forms[..],
        [FieldForm::Word, FieldForm::Word, FieldForm::Word, FieldForm::Word, FieldForm::Bytes { .. }]
    );
    if !raw.pixels.0.is_empty() && !is_image {
        return Err(source.error_at(
            &name,
            format!("layout {name}: `pixels:` belongs to a record of format, mipmaps, width, height (words) and bytes"),
        ));
    }
    let real = any_field(&record, |form| *form == FieldForm::Real);
    Ok(Layout {
        name,
        shape: raw.shape,
        of: raw.of.or(real.then_some(Scalar::Real)),
        fields: meaning,
        wire,
        document_wire,
        stand_in: raw.stand_in,
        scripts: raw.scripts,
        pixels: raw.pixels.0,
        record,
        nullable: raw.nullable,
        objects: raw.objects,
        notes: raw.notes,
    })
}

/// Refuses a key that belongs to another shape, and a shape that lacks a key it needs.
fn refuse_misplaced_keys(source: Source<'_>, name: &str, raw: &RawLayout) -> Result<(), Problem> {
    let is_record = raw.shape == Shape::Record;
    let rules = [
        (
            matches!(raw.shape, Shape::Fields | Shape::Packed) == raw.of.is_some(),
            "`of:` belongs to the shapes `fields` and `packed`, which need it, and to no other",
        ),
        (
            raw.shape == Shape::Packed || (raw.shape == Shape::Fields) != raw.fields.is_empty(),
            "`fields:` belongs to the shapes `fields` and `packed`, and `fields` needs it",
        ),
        (is_record == raw.record.is_some(), "`record:` belongs to its own shape, which needs it"),
        (
            is_record || !raw.nullable && !raw.objects,
            "`nullable:` and `objects:` belong to the shape `record`, and to it alone",
        ),
        (
            raw.shape.is_container() || raw.stand_in.is_none() && raw.scripts.is_none(),
            "`stand-in:` and `scripts:` belong to the shapes `array` and `dictionary`",
        ),
    ];
    match rules.iter().find(|(holds, _)| !holds) {
        Some((_, rule)) => Err(source.error_at(name, format!("layout {name}: {rule}"))),
        None => Ok(()),
    }
}
