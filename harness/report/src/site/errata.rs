//! The errata: documents, engines, packets, and where the format pages have them.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_specs::{Erratum, Evidence};

use crate::site::content::{SectionView, Site};
use crate::site::pages::Pages;

/// At most so many cases are named.
const NAMED: usize = 12;

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let mut cases = cases_by_erratum(site);
    let mut of = |erratum: &Erratum| cases.remove(erratum.id.as_str()).unwrap_or_default();
    let errata: Vec<_> = site.inputs.specs.errata.iter().map(|erratum| view(site, erratum, of(erratum))).collect();
    let page = [
        "errata.html",
        "errata.html",
        "Documentation errors: where documents and engines disagree",
        "Each place where a document of the format and the engines disagree, with packets that show it",
    ];
    pages.render(page, context! { errata => errata })
}

fn view(site: &Site<'_>, erratum: &Erratum, mut cases: Vec<String>) -> Value {
    let title = |name: &String| {
        let document = site.inputs.specs.documents.iter().find(|document| document.name == *name);
        vec![name.clone(), document.map_or_else(String::new, |document| document.title.clone())]
    };
    let more = cases.len().saturating_sub(NAMED);
    cases.truncate(NAMED);
    context! {
        sources => erratum.documents.iter().map(title).collect::<Vec<_>>(),
        packets => evidence(&erratum.evidence),
        sections => Value::from(Serde(&sections(site, &erratum.id))),
        cases => cases,
        more => more,
        ..Value::from(Serde(erratum))
    }
}

/// The evidence, the engines that show the same on one line.
fn evidence(all: &[Evidence]) -> Value {
    let mut engines: IndexMap<(&str, &str), Vec<String>> = IndexMap::new();
    for Evidence { engine, version, packet, shows } in all {
        engines.entry((packet, shows)).or_default().push(format!("{engine} {version}"));
    }
    let view = |((packet, shows), engines)| {
        context! { engines => engines, words => hex_words(packet), packet => packet, shows => shows }
    };
    engines.into_iter().map(view).collect()
}

/// Hex in words of four bytes, a space after each byte: what never wraps.
pub(crate) fn hex_words(hex: &str) -> Vec<String> {
    let bytes: Vec<&str> = hex.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok()).collect();
    bytes.chunks(4).map(|word| word.join(" ")).collect()
}

fn sections<'a>(site: &'a Site<'_>, id: &str) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (dialect, sections) in site.dialects.iter().zip(&site.sections) {
        for section in sections.iter().filter(|section| SectionView::has(section, id)) {
            found.entry(section.layout).or_default().push(&dialect.name);
        }
    }
    found
}

/// The cases that cite each erratum, each in the newest dialect that has it.
fn cases_by_erratum<'a>(site: &'a Site<'_>) -> BTreeMap<&'a str, Vec<String>> {
    let (mut seen, mut found) = (BTreeSet::new(), BTreeMap::<&str, Vec<String>>::new());
    for dialect in &site.dialects {
        for (file, case) in site.inputs.corpus.cases_of(dialect) {
            let of_document = case.document_in(dialect).map(|document| &document.erratum);
            for id in case.erratum.iter().chain(of_document) {
                if seen.insert((id, &file.layout, &case.name)) {
                    found.entry(id).or_default().push(format!("{}/{}/{}", dialect.name, file.layout, case.name));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_cut_in_words() {
        assert_eq!(hex_words("0f000000010000"), ["0f 00 00 00", "01 00 00"]);
    }
}
