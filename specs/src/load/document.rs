//! Documents, errata and divergences.

use core::ops::RangeInclusive;

use super::{LoadError, Source, Specs, parse, refuse_repeats};
use crate::notation::{Pairs, RawConcern, RawDivergence, RawDocument, RawErratum};
use crate::{Concern, Divergence, Document, Erratum, Evidence, RestsOn};

pub(super) fn load_documents(source: Source<'_>) -> Result<Vec<Document>, LoadError> {
    let raw: Pairs<String, RawDocument> = parse(source)?;
    refuse_repeats(source, raw.0.iter().map(|(name, _)| name))?;
    let document = |(name, raw): (String, RawDocument)| Document {
        name,
        title: raw.title,
        engine: raw.engine,
        max_row: raw.max_row.unwrap_or(true),
        type_rows: raw.type_rows,
        field_rows: raw.field_rows,
    };
    Ok(raw.0.into_iter().map(document).collect())
}

pub(super) fn load_errata(source: Source<'_>, documents: &[Document]) -> Result<Vec<Erratum>, LoadError> {
    let raw: Vec<RawErratum> = parse(source)?;
    refuse_repeats(source, raw.iter().map(|erratum| &erratum.id))?;
    raw.into_iter().map(|erratum| resolve(source, erratum, documents)).collect()
}

fn resolve(source: Source<'_>, raw: RawErratum, documents: &[Document]) -> Result<Erratum, LoadError> {
    let refuse = |message: String| Err(source.error_at(&raw.id, message));
    for name in &raw.documents {
        exists(source, &raw.id, name, documents)?;
    }
    if raw.evidence.is_empty() && raw.chosen.is_none() {
        return refuse(format!(
            "erratum {} has no evidence: an engine, a version and a packet belong there, or `chosen:` where no engine shows it",
            raw.id
        ));
    }
    for evidence in &raw.evidence {
        let hex = evidence.packet.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !hex || evidence.packet.len() % 2 != 0 {
            return refuse(format!("erratum {}: packet {:?} is not hex", raw.id, evidence.packet));
        }
    }
    let evidence = raw.evidence.into_iter();
    Ok(Erratum {
        id: raw.id,
        documents: raw.documents,
        rows: raw.rows,
        says: raw.says,
        engines_do: raw.engines_do,
        chosen: raw.chosen,
        evidence: evidence
            .map(|e| Evidence { engine: e.engine, version: e.version, packet: e.packet, shows: e.shows })
            .collect(),
        since: raw.since,
        derived: raw.derived.into_iter().map(concern).collect(),
    })
}

fn concern(raw: RawConcern) -> Concern {
    Concern { rule: raw.rule, layout: raw.layout, field: raw.field, exempts_negative: raw.exempts_negative }
}

pub(super) fn load_divergences(source: Source<'_>, specs: &Specs) -> Result<Vec<Divergence>, LoadError> {
    let raw: Vec<RawDivergence> = parse(source)?;
    refuse_repeats(source, raw.iter().map(|divergence| &divergence.id))?;
    raw.into_iter().map(|divergence| divergent(source, divergence, specs)).collect()
}

fn divergent(source: Source<'_>, raw: RawDivergence, specs: &Specs) -> Result<Divergence, LoadError> {
    let refuse = |message: String| Err(source.error_at(&raw.id, format!("divergence {}: {message}", raw.id)));
    if let Some(name) = raw.dialects.iter().find(|name| specs.dialect(name).is_none()) {
        return refuse(format!("no dialect is called {name}; there are {}", specs.dialect_names()));
    }
    if let Some(name) = raw.layouts.iter().find(|name| *name != "packet" && specs.layouts.id_of(name).is_none()) {
        return refuse(format!("no layout is called {name}"));
    }
    if raw.layouts.is_empty() || raw.fields.is_empty() || raw.ops.is_empty() || raw.kinds.is_empty() {
        return refuse(
            "`layouts`, `fields`, `ops` and `kinds` each name something: a whole type never diverges".to_owned(),
        );
    }
    let rests_on = match (raw.rests_on.erratum, raw.rests_on.case, raw.rests_on.page) {
        (Some(id), None, None) if specs.erratum(&id).is_some() => RestsOn::Erratum(id),
        (Some(id), None, None) => return refuse(format!("no erratum is called {id}")),
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

/// Refuses the name of a document that is none.
pub(super) fn exists(source: Source<'_>, key: &str, name: &str, documents: &[Document]) -> Result<(), LoadError> {
    if documents.iter().any(|document| document.name == name) {
        return Ok(());
    }
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    Err(source.error_at(key, format!("no document is called {name}; there are {}", names.join(", "))))
}
