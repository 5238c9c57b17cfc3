//! A page for each dialect, and the table of all type ids.

use std::collections::BTreeMap;

use globset::{Glob, GlobMatcher};
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use variant_corpus::citation::Citations;
use variant_corpus::coverage::{Coverage, DialectCoverage};
use variant_document::Page as Document;
use variant_document::rows::rows;
use variant_specs::{Dialect, Specs, Type};
use variant_values::fields::any_index;

use crate::site::content::{FormatRow, SectionView, Site, SiteInputs};
use crate::site::pages::Pages;

/// A type of the family, with its id in each dialect.
#[derive(Debug, Serialize)]
pub(crate) struct TypeIndex<'a> {
    layout: &'a str,
    /// For each dialect, in order: the id, or `None` where it lacks the type.
    ids: Vec<Option<u32>>,
    /// The dialect to read first: the newest of the first line that engines speak, or else of another.
    newest: &'a str,
}

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let page = [
        "format/index.html",
        "formats.html",
        "The format: dialects and type ids",
        "Every dialect of Godot's binary serialization format, and the id of each type in it",
    ];
    pages.render(
        page,
        context! { dialects => Value::from(Serde(&site.dialects)), types => Value::from(Serde(&index(site))) },
    )?;
    site.dialects.iter().zip(&site.sections).try_for_each(|(dialect, sections)| {
        let document = Document::new(site.inputs.corpus, site.inputs.specs, dialect);
        let page: [&str; 4] = [
            &format!("format/{}.html", dialect.name),
            "format.html",
            &format!("{}: the binary serialization format", dialect.title()),
            &format!("Every type of {} with offsets, an annotated example and documentation errors", dialect.title()),
        ];
        pages.render(
            page,
            context! {
                dialect => dialect.name.as_str(),
                beside => Value::from(Serde(sections)),
                ..Value::from(Serde(&document))
            },
        )
    })
}

/// Every type, in the order of the dialect to read first.
pub(crate) fn index<'a>(site: &'a Site<'_>) -> Vec<TypeIndex<'a>> {
    let mut found: BTreeMap<&str, TypeIndex<'a>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for dialect in &site.dialects {
        for entry in &dialect.types {
            let layout = dialect.layout(entry).name.as_str();
            found.entry(layout).or_insert_with(|| {
                order.push(layout);
                let id = |other: &&Dialect| other.id_of(entry.layout);
                TypeIndex { layout, ids: site.dialects.iter().map(id).collect(), newest: &dialect.name }
            });
        }
    }
    order.into_iter().filter_map(|layout| found.remove(layout)).collect()
}

/// For each dialect, the sections of its page.
pub(crate) fn sections<'a>(
    inputs: &SiteInputs<'_>,
    dialects: &[&'a Dialect],
    coverage: &Coverage,
) -> Vec<Vec<SectionView<'a>>> {
    let errata = errata_of_rows(inputs.specs);
    let of = |(dialect, coverage): (&&'a Dialect, _)| {
        dialect.types.iter().map(|entry| section(inputs, &errata, dialect, coverage, entry)).collect()
    };
    dialects.iter().zip(&coverage.dialects).map(of).collect()
}

/// The globs over rows of all errata, each with the erratum's id.
type ErrataOfRows<'a> = Vec<(GlobMatcher, &'a str)>;

fn errata_of_rows(specs: &Specs) -> ErrataOfRows<'_> {
    let globs = specs.errata.iter().flat_map(|erratum| erratum.rows.iter().map(|row| (row, erratum.id.as_str())));
    globs.filter_map(|(row, id)| Some((Glob::new(row).ok()?.compile_matcher(), id))).collect()
}

/// The errata of a row, whatever document says them: a reader of the page may have read any.
fn errata_of(errata: &ErrataOfRows<'_>, row: &str) -> Vec<String> {
    let mut ids: Vec<String> =
        errata.iter().filter(|(glob, _)| glob.is_match(row)).map(|(_, id)| (*id).to_owned()).collect();
    ids.dedup();
    ids
}

/// For each field of a layout, by its name and its length in bytes, the cases whose listings have it: `names[i].text` of a
/// node path. Without a length, those with any.
fn shown_by_cases(inputs: &SiteInputs<'_>, dialect: &Dialect, layout: &str) -> CasesOfRows {
    let mut shown = CasesOfRows::new();
    for (_, case) in inputs.corpus.cases_of(dialect).iter().filter(|(file, _)| file.layout == layout) {
        for row in case.listing.iter().flat_map(|listing| &listing.rows) {
            for length in [None, Some(row.bytes().len())] {
                let cases = shown.entry((any_index(&row.name), length)).or_default();
                if cases.last() != Some(&case.name) {
                    cases.push(case.name.clone());
                }
            }
        }
    }
    shown
}

type CasesOfRows = BTreeMap<(String, Option<usize>), Vec<String>>;

fn section<'a>(
    inputs: &SiteInputs<'_>,
    errata: &ErrataOfRows<'_>,
    dialect: &'a Dialect,
    coverage: &DialectCoverage,
    entry: &Type,
) -> SectionView<'a> {
    let specs = inputs.specs;
    let layout = dialect.layout(entry).name.as_str();
    let citations = Citations { specs, corpus: inputs.corpus, dialect };
    let covered = coverage.types.iter().find(|covered| covered.layout == layout);
    let shown = shown_by_cases(inputs, dialect, layout);
    let row = |row: variant_document::rows::DocumentRow| FormatRow {
        errata: citations.row(layout, &row.name, row.length).map(|id| errata_of(errata, &id)).unwrap_or_default(),
        cases: shown.get(&(row.name, row.length)).cloned().unwrap_or_default(),
    };
    SectionView {
        layout,
        parts: rows(dialect, entry).into_iter().map(|part| part.rows.into_iter().map(row).collect()).collect(),
        cases: covered.map_or(0, |covered| {
            covered.cases.canonical + covered.cases.readable + covered.cases.invalid + covered.cases.undecided
        }),
    }
}
