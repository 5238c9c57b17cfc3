//! A page of cases for each type of each dialect.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use variant_corpus::{Case, File, Level};
use variant_runner::results::DialectPlan;
use variant_specs::{Dialect, JudgedBy};
use variant_values::row::Row;
use variant_values::sanitize;
use variant_values::value_text::value_json;

use crate::site::content::Site;
use crate::site::links::LINKED;
use crate::site::pages::Pages;

/// A value is shown with at most this many letters of JSON.
const SHOWN: usize = 600;

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    for dialect in site.inputs.specs.all() {
        let mut layouts: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for (file, case) in site.inputs.corpus.cases_of(dialect) {
            layouts.entry(&file.layout).or_default().push(view(file, case, dialect));
        }
        let plan = DialectPlan::of(dialect);
        for (layout, cases) in layouts {
            let (name, title) = (plan.type_name(layout), plan.title());
            let page: [&str; 4] = [
                &format!("cases/{}/{layout}.html", dialect.name),
                "cases.html",
                &format!("Cases: {name} in {title}"),
                &format!("Every case about {name} in {title}, byte by byte"),
            ];
            let of = context! { dialect => dialect.name.as_str(), base => dialect.base(), layout => layout };
            pages.render(page, context! { cases => cases, ..of })?;
        }
    }
    Ok(())
}

fn view(file: &File, case: &Case, dialect: &Dialect) -> Value {
    let judged_by = case.side(JudgedBy::Engines, dialect);
    let expected = judged_by.expectation(dialect).ok();
    let value = expected.as_ref().and_then(|expected| expected.value.as_ref());
    let value = value.map(|value| value_json(&value.value, &dialect.layouts, Default::default()));
    let packet = expected.as_ref().and_then(|expected| expected.packet.as_ref());
    let row = |row: &variant_corpus::Row| {
        let bytes = packet.and_then(|packet| packet.bytes.get(row.bytes())).unwrap_or_default();
        Value::from(Serde(&Row::of_bytes(row.offset, bytes, &row.name, row.meaning.clone())))
    };
    let of_document = case.document_in(dialect).map(|document| document.erratum.as_str());
    context! {
        name => case.name.as_str(),
        class => judged_by.class.name(),
        should => case.level == Level::Should,
        tags => case.tags.clone(),
        because => case.because.as_deref(),
        authority => case.authority.as_deref(),
        erratum => case.erratum.as_deref().or(of_document),
        value => value.map(|value| sanitize::short(&value, SHOWN)),
        rows => judged_by.listing.iter().flat_map(|listing| &listing.rows).map(row).collect::<Vec<_>>(),
        hex => packet.filter(|packet| packet.bytes.len() <= LINKED).map(|packet| hex::encode(&packet.bytes)),
        rejects => judged_by.rejects.map(|rejects| format!("{} at {}", rejects.kind.name(), rejects.at)),
        place => format!("{}:{}", file.path, case.line),
    }
}
