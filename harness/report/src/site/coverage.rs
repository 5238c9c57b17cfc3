//! Which rows of the documents the corpus covers.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};

use crate::site::Site;
use crate::site::pages::{Pages, SitePage};

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let page = SitePage {
        path: "coverage.html",
        template: "coverage.html",
        part: "Coverage",
        title: "Coverage: what the corpus shows of each document",
        description: "Which rows of which document are covered, and by which cases",
    };
    pages.render(
        &page,
        context! {
            documents => Value::from(Serde(&site.coverage.documents)),
            dialects => Value::from(Serde(&site.coverage.dialects)),
        },
    )
}
