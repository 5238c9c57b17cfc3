//! The page of the bugs that were found.

use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};

use crate::site::Site;
use crate::site::pages::{Pages, SitePage};
use crate::trophies::shelves;

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for of in &site.inputs.implementations {
        // Several versions may share a list.
        if !seen.insert(&of.findings.implementation) {
            continue;
        }
        for mut shelf in shelves([(of.name.as_str(), &of.findings)]) {
            shelf.page = format!("implementations/{}.html", of.page);
            all.push(shelf);
        }
    }
    let page = SitePage {
        path: "trophies.html",
        template: "trophies.html",
        part: "Trophies",
        title: "Trophies: the bugs that this suite found",
        description: "Each bug found in a library or an engine, with the packet that shows it",
    };
    let count: usize = all.iter().map(|shelf| shelf.trophies.len()).sum();
    pages.render(&page, context! { shelves => Value::from(Serde(&all)), count => count })
}
