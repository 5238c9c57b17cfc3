//! What the site is made from, and what its pages show.

use serde::Serialize;
use variant_corpus::Corpus;
use variant_corpus::coverage::Coverage;
use variant_corpus::findings::Findings;
use variant_runner::interop::InteropRecord;
use variant_runner::record::RunRecord;
use variant_specs::{Dialect, Specs};

use super::links;
use crate::matrix::{ImplementationRow, Matrix};

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

/// An implementation, with its record and what is known about it.
#[derive(Debug)]
pub struct TestedImplementation<'a> {
    pub row: ImplementationRow,
    pub record: &'a RunRecord,
    /// Its list of findings; empty if there is none.
    pub findings: Findings,
}

impl<'a> TestedImplementation<'a> {
    /// An implementation with one record; nothing else is known.
    pub fn new(name: impl Into<String>, record: &'a RunRecord) -> Self {
        let name = name.into();
        let page = Some(format!("implementations/{}.html", links::slug(&name)));
        let row = ImplementationRow { name, page, ..ImplementationRow::default() };
        Self { row, record, findings: Findings::default() }
    }
}

/// What the pages show, worked out once.
pub(super) struct Site<'a> {
    pub(super) inputs: &'a SiteInputs<'a>,
    /// The newest first.
    pub(super) dialects: Vec<&'a Dialect>,
    /// For each dialect, the sections of its page, with the errata and cases of each row.
    pub(super) sections: Vec<Vec<SectionView<'a>>>,
    pub(super) coverage: Coverage,
    pub(super) matrix: Matrix,
}

/// What is shown next to a section: the errata and cases of each row.
#[derive(Debug, Serialize)]
pub(super) struct SectionView<'a> {
    pub(super) layout: &'a str,
    pub(super) parts: Vec<Vec<FormatRow>>,
    pub(super) cases: usize,
}

/// A row of a section: what is wrong in documents about it, and the cases that show it.
#[derive(Debug, Serialize)]
pub(super) struct FormatRow {
    pub(super) errata: Vec<String>,
    pub(super) cases: Vec<String>,
}

impl SectionView<'_> {
    /// Whether a row has an erratum.
    pub(super) fn has(&self, erratum: &str) -> bool {
        self.parts.iter().flatten().any(|row| row.errata.iter().any(|id| id == erratum))
    }
}
