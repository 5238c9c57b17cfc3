//! The static site: the format, its errata, who conforms, and what these bytes are. Made from specs, corpus and records
//! alone: no clock, no network, the same bytes from the same inputs.

mod cases;
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

pub use findings::findings_page;
pub use implementations::TestedImplementation;

use std::collections::BTreeMap;

use crate::matrix::{Matrix, Ran};
use minijinja::Error;
use variant_corpus::Corpus;
use variant_corpus::coverage::{Coverage, measure};
use variant_runner::interop::InteropRecord;
use variant_specs::{Dialect, Specs, newest_first};

use self::pages::Pages;

/// What the site is made from.
#[derive(Debug)]
pub struct SiteInputs<'a> {
    pub specs: &'a Specs,
    /// The cases, each with a page.
    pub corpus: &'a Corpus,
    /// Who was tested, in the order of the matrix.
    pub implementations: Vec<TestedImplementation<'a>>,
    /// Who can read what whom wrote.
    pub interop: Option<&'a InteropRecord>,
    /// The explorer's program: the reference codec as WebAssembly.
    pub explorer: Option<Vec<u8>>,
}

/// What the pages show, worked out once.
struct Site<'a> {
    inputs: &'a SiteInputs<'a>,
    /// The newest first.
    dialects: Vec<&'a Dialect>,
    /// For each dialect, the sections of its page, with the errata and cases of each row.
    sections: Vec<Vec<format::SectionView<'a>>>,
    coverage: Coverage,
    matrix: Matrix,
}

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
