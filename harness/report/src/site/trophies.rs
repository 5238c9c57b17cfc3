//! The page of the bugs that were found.

use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};

use variant_runner::record::RunRecord;

use crate::site::content::Site;
use crate::site::pages::Pages;
use crate::trophies::{shelves, tested};

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for of in &site.inputs.implementations {
        // Several versions may share a list.
        if !seen.insert(&of.findings.implementation) {
            continue;
        }
        let sharing = || {
            let all = site.inputs.implementations.iter();
            all.filter(|other| other.findings.implementation == of.findings.implementation)
        };
        for mut shelf in shelves([(of.row.name.as_str(), &of.findings)]) {
            for trophy in &mut shelf.trophies {
                // The page of an implementation shows what its own record shows.
                let shows = |record: &RunRecord| {
                    record.findings.iter().any(|shown| shown.id == trophy.finding.id && shown.tests > 0)
                };
                let page = sharing().find(|other| shows(other.record));
                trophy.page = page.and_then(|other| other.row.page.clone());
            }
            all.push(shelf);
        }
    }
    let page = [
        "trophies.html",
        "trophies.html",
        "Trophies: the bugs that this suite found",
        "Each bug found in a library or an engine, with the packet that shows it",
    ];
    let count: usize = all.iter().map(|shelf| shelf.trophies.len()).sum();
    pages.render(page, context! { shelves => Value::from(Serde(&all)), count => count, tested => tested(all.len()) })
}
