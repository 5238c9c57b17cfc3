//! The fields of records.

use super::{Problem, Source, refuse_bad_name, refuse_repeats};
use crate::notation::{Pairs, RawField, RawFields, RawForm};
use crate::{FLAG, FieldForm, RecordField, any_field, least_bytes};

/// The fields of a layout's record.
pub(super) fn resolve_record(source: Source<'_>, layout: &str, raw: RawFields) -> Result<Vec<RecordField>, Problem> {
    let resolver = Resolver { source, layout };
    let record = resolver.fields(raw, &mut Vec::new())?;
    let has = |is: fn(&FieldForm) -> bool| any_field(&record, is);
    let mut forms: Vec<(&str, &FieldForm)> = Vec::new();
    resolver.refuse_two_forms(&record, &mut forms)?;
    let flags: [fn(&FieldForm) -> bool; 3] = [
        |form| *form == FieldForm::Flag,
        |form| *form == FieldForm::Real,
        |form| matches!(form, FieldForm::Type { .. }),
    ];
    if flags.into_iter().filter(|is| has(*is)).count() > 1 {
        return Err(
            resolver.refuse("flag 1 says one thing, so a record has only one of a choice by it, a `real` and a `type`")
        );
    }
    Ok(record)
}

struct Resolver<'a> {
    source: Source<'a>,
    layout: &'a str,
}

impl Resolver<'_> {
    /// Fields, where those of these names were read before them; a choice may be made by words, texts and flag 1 alone.
    fn fields(&self, raw: RawFields, seen: &mut Vec<(String, bool)>) -> Result<Vec<RecordField>, Problem> {
        refuse_repeats(self.source, raw.0.iter().map(|(name, _)| name))?;
        let mut fields = Vec::new();
        for (name, raw) in raw.0 {
            let by_flag = matches!(&raw, RawField::Choice { choice, .. } if choice == FLAG);
            if by_flag && seen.iter().all(|(other, _)| other != FLAG) {
                seen.push((FLAG.to_owned(), true));
                fields.push(RecordField { name: FLAG.to_owned(), form: FieldForm::Flag });
            }
            fields.push(self.field(name, raw, seen)?);
        }
        Ok(fields)
    }

    fn field(&self, name: String, raw: RawField, seen: &mut Vec<(String, bool)>) -> Result<RecordField, Problem> {
        refuse_bad_name(self.source, self.layout, &name)?;
        let form = match raw {
            RawField::Plain(RawForm::Permission) if seen.iter().any(|(other, _)| other != FLAG) => {
                return Err(self.refuse(&format!("{name} is asked for after other fields; ask before them")));
            }
            RawField::Plain(form) => plain(form),
            RawField::Bytes { bytes } => FieldForm::Bytes { length: self.ending(bytes, "length")? },
            RawField::Type { id, class } => {
                refuse_bad_name(self.source, self.layout, &id)?;
                FieldForm::Type { id, class }
            }
            RawField::Values { values, bit_31 } => FieldForm::Values { count: self.ending(values, "count")?, bit_31 },
            RawField::Padding { padding } if padding == 0 || !padding.is_multiple_of(4) => {
                return Err(self.refuse(&format!("{name} has {padding} bytes; every field ends at a multiple of 4")));
            }
            RawField::Padding { padding } => FieldForm::Padding { bytes: padding },
            RawField::Repeat { repeat, bit_31, of } => {
                let of = self.fields(of, &mut Vec::new())?;
                if !of.iter().any(takes_bytes) {
                    return Err(self.refuse(&format!("an element of {name} may be empty; give it a field of its own")));
                }
                if any_field(&of, |form| {
                    matches!(form, FieldForm::Flag | FieldForm::Permission | FieldForm::Type { .. } | FieldForm::Size)
                }) {
                    return Err(self.refuse(&format!(
                        "{name} repeats flag 1, a permission, a type or a size; a record has them once"
                    )));
                }
                FieldForm::Repeat { count: self.ending(repeat, "count")?, bit_31, of }
            }
            RawField::Choice { choice, of, otherwise } => return self.choice(name, choice, of, otherwise, seen),
        };
        if seen.iter().any(|(other, _)| *other == name) {
            return Err(self.refuse(&format!("there are two fields {name}; a name is that of one field")));
        }
        seen.push((name.clone(), matches!(form, FieldForm::Word | FieldForm::Text)));
        Ok(RecordField { name, form })
    }

    /// One of several lists of fields: each may have the names of another, and what follows knows none of them.
    fn choice(
        &self,
        name: String,
        by: String,
        of: Pairs<u32, RawFields>,
        otherwise: RawFields,
        seen: &[(String, bool)],
    ) -> Result<RecordField, Problem> {
        if !seen.contains(&(by.clone(), true)) {
            return Err(
                self.refuse(&format!("{name} is chosen by {by}, which is no word or text before it, nor `flag-1`"))
            );
        }
        refuse_repeats(self.source, of.0.iter().map(|(number, _)| number))?;
        let list = |raw| self.fields(raw, &mut seen.to_vec());
        let of: Vec<_> = of.0.into_iter().map(|(number, raw)| Ok((number, list(raw)?))).collect::<Result<_, _>>()?;
        let otherwise = list(otherwise)?;
        if by == FLAG && !tells_flag(&of, &otherwise) {
            return Err(self.refuse(&format!(
                "{name} has to tell flag 1: it needs the fields of 0 or of 1, which begin with one that the others lack"
            )));
        }
        Ok(RecordField { name, form: FieldForm::Choice { by, of, otherwise } })
    }

    /// A name that says what it is: listings have no other sign of it.
    fn ending(&self, name: String, end: &str) -> Result<String, Problem> {
        refuse_bad_name(self.source, self.layout, &name)?;
        if name.ends_with(end) {
            return Ok(name);
        }
        Err(self.refuse(&format!("the name {name} must end with `{end}`, so that listings show what it is")))
    }

    /// Fields of one name, in several choices, must be of one form: a row of a listing has only the name.
    fn refuse_two_forms<'f>(
        &self,
        fields: &'f [RecordField],
        forms: &mut Vec<(&'f str, &'f FieldForm)>,
    ) -> Result<(), Problem> {
        for RecordField { name, form } in fields {
            if matches!(form, FieldForm::Choice { .. }) {
                form.lists().into_iter().try_for_each(|fields| self.refuse_two_forms(fields, forms))?;
            } else if forms.iter().any(|(other, known)| other == name && *known != form) {
                return Err(self.refuse(&format!("{name} is of two forms; call one of them something else")));
            } else {
                forms.push((name, form));
            }
        }
        Ok(())
    }

    fn refuse(&self, message: &str) -> Problem {
        self.source.error_at(self.layout, format!("layout {}: {message}", self.layout))
    }
}

fn plain(form: RawForm) -> FieldForm {
    match form {
        RawForm::Word => FieldForm::Word,
        RawForm::Permission => FieldForm::Permission,
        RawForm::Id => FieldForm::Id,
        RawForm::Float32 => FieldForm::Float32,
        RawForm::Real => FieldForm::Real,
        RawForm::Text => FieldForm::Text,
        RawForm::Value => FieldForm::Value,
        RawForm::Size => FieldForm::Size,
    }
}

/// Whether a value tells by its fields which list flag 1 chose.
fn tells_flag(of: &[(u32, Vec<RecordField>)], otherwise: &[RecordField]) -> bool {
    let [(0 | 1, chosen)] = of else { return false };
    let told = chosen.first().filter(|first| takes_bytes(first) && first.form != FieldForm::Size);
    told.is_some_and(|first| otherwise.iter().all(|other| other.name != first.name))
}

/// Whether a field takes bytes in every packet that say something.
fn takes_bytes(field: &RecordField) -> bool {
    least_bytes(std::slice::from_ref(field)) > 0 && !matches!(field.form, FieldForm::Padding { .. })
}
