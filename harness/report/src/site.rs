//! The static site: the format, its errata, who conforms, and what these bytes are. Made from specs, corpus and records
//! alone: no clock, no network, the same bytes from the same inputs.

mod cases;
mod content;
mod coverage;
mod errata;
mod explorer;
mod findings;
mod format;
mod implementations;
mod interop;
pub(crate) mod links;
pub(crate) mod markdown;
mod pages;
mod start;
mod trophies;

pub use self::content::{SiteInputs, TestedImplementation};
pub use self::findings::findings_page;

use std::collections::BTreeMap;

use crate::matrix::{Matrix, Ran};
use minijinja::Error;
use variant_corpus::coverage::measure;
use variant_specs::newest_first;

use self::content::Site;
use self::pages::Pages;

/// Every file of the site, by its path from the root, with `/`.
pub fn build(inputs: &SiteInputs<'_>) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let dialects = newest_first(inputs.specs.dialects.iter());
    let coverage = measure(inputs.corpus, inputs.specs, &dialects);
    let site = Site {
        sections: format::sections(inputs, &dialects, &coverage),
        coverage,
        matrix: matrix(inputs),
        dialects,
        inputs,
    };
    let mut pages = Pages::new(&site)?;
    start::add(&site, &mut pages)?;
    format::add(&site, &mut pages)?;
    cases::add(&site, &mut pages)?;
    errata::add(&site, &mut pages)?;
    implementations::add(&site, &mut pages)?;
    interop::add(&site, &mut pages)?;
    trophies::add(&site, &mut pages)?;
    coverage::add(&site, &mut pages)?;
    explorer::add(&site, &mut pages)?;
    Ok(pages.files)
}

fn matrix(inputs: &SiteInputs<'_>) -> Matrix {
    let ran = |of: &TestedImplementation<'_>| (of.row.clone(), Ok(Ran::of(of.record, &of.findings, "")));
    Matrix {
        corpus: inputs.corpus.id(),
        dialects: newest_first(inputs.specs.all()).iter().map(|dialect| dialect.name.clone()).collect(),
        implementations: inputs.implementations.iter().map(ran).collect(),
    }
}
