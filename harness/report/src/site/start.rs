//! The start page: what this is, who conforms in small, and how to test your own.

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_specs::Dialect;

use crate::matrix::{Card, DialectRow};
use crate::site::content::Site;
use crate::site::format;
use crate::site::pages::Pages;

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let dialects: Vec<&str> = tested(site).map(|dialect| dialect.name.as_str()).collect();
    let ran = site.matrix.ran().map(|(row, ran)| {
        let cell = |name: &&str| ran.dialects.iter().find(|dialect| dialect.name == **name);
        let cells: Vec<Option<&DialectRow>> = dialects.iter().map(cell).collect();
        context! { cells => Value::from(Serde(&cells)), ..Value::from(Serde(&Card { row, ran })) }
    });
    let small: Value = ran.collect();
    let (_, cases) = site.inputs.corpus.written();
    pages.render(
        [
            "index.html",
            "start.html",
            "conform: Godot's binary Variant format, byte by byte",
            "The binary serialization format of Godot and its forks: documented, tested, explained",
        ],
        context! {
            dialects => Value::from(Serde(&dialects)),
            small => small,
            types => Value::from(Serde(&format::index(site))),
            cases => cases,
            errata => site.inputs.specs.errata.len(),
        },
    )
}

fn tested<'a>(site: &'a Site<'_>) -> impl Iterator<Item = &'a Dialect> {
    let is_tested = |dialect: &&Dialect| {
        site.matrix.ran().any(|(_, ran)| ran.dialects.iter().any(|tested| tested.name == dialect.name))
    };
    site.dialects.iter().copied().filter(move |dialect| is_tested(dialect))
}
