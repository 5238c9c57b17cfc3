//! Documents, errata and divergences.

use core::ops::RangeInclusive;

use super::{LoadError, Source, Specs, parse, refuse_repeats};
use crate::notation::{Pairs, RawDivergence, RawDocument};
use crate::{Divergence, Document, Erratum, RestsOn};

pub(super) fn load_documents(source: Source<'_>) -> Result<Vec<Document>, LoadError> {
    let raw: Pairs<String, RawDocument> = parse(source)?;
    refuse_repeats(source, raw.0.iter().map(|(name, _)| name))?;
    let document = |(name, raw): (String, RawDocument)| Document {
        name,
        title: raw.title,
        engine: raw.engine,
        dialect: raw.dialect,
        max_row: raw.max_row.unwrap_or(true),
        type_rows: raw.type_rows,
        field_rows: raw.field_rows,
    };
    Ok(raw.0.into_iter().map(document).collect())
}

/// Refuses a document whose rows are to be in the corpus of a dialect that does not name it.
pub(super) fn check_dialects(source: Source<'_>, specs: &Specs) -> Result<(), LoadError> {
    for document in &specs.documents {
        let Some(name) = &document.dialect else { continue };
        if !specs.dialect(name).is_some_and(|dialect| dialect.documents.contains(&document.name)) {
            let message = format!("there is no dialect {name} with {} in its `documents:`", document.name);
            return Err(source.error_at(&document.name, message));
        }
    }
    Ok(())
}

pub(super) fn load_errata(source: Source<'_>, documents: &[Document]) -> Result<Vec<Erratum>, LoadError> {
    let errata: Vec<Erratum> = parse(source)?;
    refuse_repeats(source, errata.iter().map(|erratum| &erratum.id))?;
    errata.iter().try_for_each(|erratum| check_erratum(source, erratum, documents))?;
    Ok(errata)
}

fn check_erratum(source: Source<'_>, erratum: &Erratum, documents: &[Document]) -> Result<(), LoadError> {
    let Erratum { id, evidence, chosen, .. } = erratum;
    let refuse = |message: String| Err(source.error_at(id, message));
    for name in &erratum.documents {
        exists(source, id, name, documents)?;
    }
    if evidence.is_empty() && chosen.is_none() {
        return refuse(format!(
            "erratum {id} has no evidence: add an engine, a version and a packet, or `chosen:` if no engine shows it"
        ));
    }
    let is_hex = |packet: &str| packet.len().is_multiple_of(2) && packet.bytes().all(|byte| byte.is_ascii_hexdigit());
    match evidence.iter().find(|evidence| !is_hex(&evidence.packet)) {
        Some(evidence) => refuse(format!("documentation error {id}: packet {:?} is not hex", evidence.packet)),
        None => Ok(()),
    }
}

pub(super) fn load_divergences(source: Source<'_>, specs: &Specs) -> Result<Vec<Divergence>, LoadError> {
    let raw: Vec<RawDivergence> = parse(source)?;
    refuse_repeats(source, raw.iter().map(|divergence| &divergence.id))?;
    raw.into_iter().map(|divergence| divergent(source, divergence, specs)).collect()
}

fn divergent(source: Source<'_>, raw: RawDivergence, specs: &Specs) -> Result<Divergence, LoadError> {
    let refuse = |message: String| Err(source.error_at(&raw.id, format!("divergence {}: {message}", raw.id)));
    if let Some(name) = raw.dialects.iter().find(|name| specs.dialect(name).is_none()) {
        return refuse(format!("there is no dialect {name}; there are {}", specs.dialect_names()));
    }
    if let Some(name) = raw.layouts.iter().find(|name| *name != "packet" && specs.layouts.id_of(name).is_none()) {
        return refuse(format!("there is no layout {name}"));
    }
    if raw.layouts.is_empty() || raw.fields.is_empty() || raw.ops.is_empty() || raw.kinds.is_empty() {
        return refuse(
            "`layouts`, `fields`, `ops` and `kinds` each name something: a whole type never diverges".to_owned(),
        );
    }
    let rests_on = match (raw.rests_on.erratum, raw.rests_on.case, raw.rests_on.page) {
        (Some(id), None, None) if specs.erratum(&id).is_some() => RestsOn::Erratum(id),
        (Some(id), None, None) => return refuse(format!("there is no erratum {id}")),
        (None, Some(case), None) => RestsOn::Case(case),
        (None, None, Some(page)) => RestsOn::Page(page),
        (_, _, _) => {
            let forms = "`{erratum: ID}`, `{case: DIALECT/LAYOUT/NAME}` and `{page: adapters/NAME/PAGE.md#heading}`";
            return refuse(format!("`rests-on:` is one of {forms}"));
        }
    };
    Ok(Divergence {
        id: raw.id,
        dialects: raw.dialects,
        layouts: raw.layouts,
        fields: raw.fields,
        ops: raw.ops,
        kinds: raw.kinds,
        why: raw.why,
        when: raw.when.0.into_iter().map(|(field, all)| (field, all.into_iter().map(range).collect())).collect(),
        texts_with: raw.texts_with.into_iter().map(range).collect(),
        unfit: raw.unfit,
        of: raw.of,
        rests_on,
        because: raw.because,
    })
}

fn range<N>([least, most]: [N; 2]) -> RangeInclusive<N> {
    least..=most
}

/// Refuses an unknown document.
pub(super) fn exists(source: Source<'_>, key: &str, name: &str, documents: &[Document]) -> Result<(), LoadError> {
    if documents.iter().any(|document| document.name == name) {
        return Ok(());
    }
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    Err(source.error_at(key, format!("there is no document {name}; there are {}", names.join(", "))))
}
