//! The errata: documents, engines, packets, and where the format pages have them.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use variant_specs::{Erratum, Evidence};

use crate::site::Site;
use crate::site::format::SectionView;
use crate::site::pages::{Pages, SitePage};

/// At most so many cases are named.
const NAMED: usize = 12;

#[derive(Debug, Serialize)]
struct ErratumView<'a> {
    #[serde(flatten)]
    of: &'a Erratum,
    /// Name and title of its documents.
    sources: Vec<[&'a str; 2]>,
    packets: Vec<EvidenceView<'a>>,
    /// The sections that have it: a layout, and the dialects.
    sections: BTreeMap<&'a str, Vec<&'a str>>,
    cases: Vec<String>,
    more: usize,
}

#[derive(Debug, Serialize)]
struct EvidenceView<'a> {
    engines: Vec<String>,
    /// In groups of four bytes.
    words: Vec<String>,
    packet: &'a str,
    shows: &'a str,
}

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let mut cases = cases_by_erratum(site);
    let mut of = |erratum: &Erratum| cases.remove(erratum.id.as_str()).unwrap_or_default();
    let errata: Vec<_> = site.inputs.specs.errata.iter().map(|erratum| view(site, erratum, of(erratum))).collect();
    let page = SitePage {
        path: "errata.html",
        template: "errata.html",
        part: "Documentation errors",
        title: "Documentation errors: where documents and engines disagree",
        description: "Each place where a document of the format and the engines disagree, with packets that show it",
    };
    pages.render(&page, context! { errata => Value::from(Serde(&errata)) })
}

fn view<'a>(site: &'a Site<'_>, erratum: &'a Erratum, mut cases: Vec<String>) -> ErratumView<'a> {
    let title = |name: &'a String| {
        let document = site.inputs.specs.documents.iter().find(|document| document.name == *name);
        [name.as_str(), document.map_or("", |document| document.title.as_str())]
    };
    let more = cases.len().saturating_sub(NAMED);
    cases.truncate(NAMED);
    ErratumView {
        of: erratum,
        sources: erratum.documents.iter().map(title).collect(),
        packets: evidence(&erratum.evidence),
        sections: sections(site, &erratum.id),
        cases,
        more,
    }
}

/// The evidence, the engines that show the same on one line.
fn evidence(all: &[Evidence]) -> Vec<EvidenceView<'_>> {
    let mut views: Vec<EvidenceView<'_>> = Vec::new();
    for Evidence { engine, version, packet, shows } in all {
        let named = format!("{engine} {version}");
        match views.iter_mut().find(|view| view.packet == packet && view.shows == shows) {
            Some(view) => view.engines.push(named),
            None => views.push(EvidenceView { engines: vec![named], words: words(packet), packet, shows }),
        }
    }
    views
}

/// Hex in words of four bytes, a space after each byte: what never wraps.
pub(crate) fn words(hex: &str) -> Vec<String> {
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
        assert_eq!(words("0f000000010000"), ["0f 00 00 00", "01 00 00"]);
    }
}
