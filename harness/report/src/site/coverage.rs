//! Which rows of the documents the corpus covers.

use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_corpus::FRAMING;

use crate::site::content::Site;
use crate::site::pages::Pages;

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let page = [
        "coverage.html",
        "coverage.html",
        "Coverage: what the corpus shows of each document",
        "Which rows of which document are covered, and by which cases",
    ];
    let framing = site.inputs.corpus.files.iter().filter(|file| file.layout == FRAMING);
    let framing: BTreeSet<&str> = framing.flat_map(|file| &file.cases).map(|case| case.name.as_str()).collect();
    pages.render(
        page,
        context! {
            // Notes about all packets have cases of both pages.
            framing => Value::from(Serde(&framing)),
            documents => Value::from(Serde(&site.coverage.documents)),
            dialects => Value::from(Serde(&site.coverage.dialects)),
        },
    )
}
