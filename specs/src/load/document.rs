//! Documents, errata and divergences.

use super::{Problem, Source, Specs, parse, refuse_repeats};
use crate::notation::Pairs;
use crate::{Divergence, Document, Erratum, RestsOn};

pub(super) fn load_documents(source: Source<'_>) -> Result<Vec<Document>, Problem> {
    let documents: Pairs<String, Document> = parse(source)?;
    refuse_repeats(source, documents.0.iter().map(|(name, _)| name))?;
    Ok(documents.0.into_iter().map(|(name, document)| Document { name, ..document }).collect())
}

/// Refuses a document whose rows are to be in the corpus of a dialect that does not name it.
pub(super) fn check_dialects(source: Source<'_>, specs: &Specs) -> Result<(), Problem> {
    for document in &specs.documents {
        let Some(name) = &document.dialect else { continue };
        if !specs.dialect(name).is_some_and(|dialect| dialect.documents.contains(&document.name)) {
            let message = format!("there is no dialect {name} with {} in its `documents:`", document.name);
            return Err(source.error_at(&document.name, message));
        }
    }
    Ok(())
}

pub(super) fn load_errata(source: Source<'_>, documents: &[Document]) -> Result<Vec<Erratum>, Problem> {
    let errata: Vec<Erratum> = parse(source)?;
    refuse_repeats(source, errata.iter().map(|erratum| &erratum.id))?;
    errata.iter().try_for_each(|erratum| check_erratum(source, erratum, documents))?;
    Ok(errata)
}

fn check_erratum(source: Source<'_>, erratum: &Erratum, documents: &[Document]) -> Result<(), Problem> {
    let Erratum { id, evidence, chosen, .. } = erratum;
    let refuse = |message: String| Err(source.error_at(id, message));
    for name in &erratum.documents {
        exists(source, id, name, documents)?;
    }
    if evidence.is_empty() && chosen.is_none() {
        return refuse(format!(
            "documentation error {id} has no evidence: add an engine, a version and a packet, or `chosen:` if no engine shows it"
        ));
    }
    let is_hex = |packet: &str| packet.len().is_multiple_of(2) && packet.bytes().all(|byte| byte.is_ascii_hexdigit());
    match evidence.iter().find(|evidence| !is_hex(&evidence.packet)) {
        Some(evidence) => refuse(format!("documentation error {id}: packet {:?} is not hex", evidence.packet)),
        None => Ok(()),
    }
}

pub(super) fn load_divergences(source: Source<'_>, specs: &Specs) -> Result<Vec<Divergence>, Problem> {
    let divergences: Vec<Divergence> = parse(source)?;
    refuse_repeats(source, divergences.iter().map(|divergence| &divergence.id))?;
    divergences.iter().try_for_each(|divergence| check_divergence(source, divergence, specs))?;
    Ok(divergences)
}

fn check_divergence(source: Source<'_>, divergence: &Divergence, specs: &Specs) -> Result<(), Problem> {
    let Divergence { id, dialects, layouts, fields, ops, kinds, rests_on, .. } = divergence;
    let refuse = |message: String| Err(source.error_at(id, format!("divergence {id}: {message}")));
    if let Some(name) = dialects.iter().find(|name| specs.dialect(name).is_none()) {
        return refuse(format!("there is no dialect {name}; there are {}", specs.dialect_names()));
    }
    if let Some(name) = layouts.iter().find(|name| *name != "packet" && specs.layouts.id_of(name).is_none()) {
        return refuse(format!("there is no layout {name}"));
    }
    if layouts.is_empty() || fields.is_empty() || ops.is_empty() || kinds.is_empty() {
        return refuse(
            "`layouts`, `fields`, `ops` and `kinds` each name something: a whole type never diverges".to_owned(),
        );
    }
    match rests_on {
        RestsOn::Erratum { erratum } if specs.erratum(erratum).is_none() => {
            refuse(format!("there is no documentation error {erratum}"))
        }
        RestsOn::Erratum { .. } | RestsOn::Case { .. } | RestsOn::Page { .. } => Ok(()),
    }
}

/// Refuses an unknown document.
pub(super) fn exists(source: Source<'_>, key: &str, name: &str, documents: &[Document]) -> Result<(), Problem> {
    if documents.iter().any(|document| document.name == name) {
        return Ok(());
    }
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    Err(source.error_at(key, format!("there is no document {name}; there are {}", names.join(", "))))
}
