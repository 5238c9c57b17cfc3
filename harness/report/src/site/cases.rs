//! A page of cases for each type of each dialect.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use variant_corpus::{Case, File, Level};
use variant_runner::results::DialectPlan;
use variant_specs::{Dialect, JudgedBy};
use variant_values::row::Row;
use variant_values::sanitize;
use variant_values::value_text::value_json;

use crate::site::Site;
use crate::site::links::LINKED;
use crate::site::pages::{Pages, SitePage};

/// A value is shown with at most this many letters of JSON.
const SHOWN: usize = 600;

#[derive(Debug, Serialize)]
struct CaseView<'a> {
    name: &'a str,
    class: &'static str,
    should: bool,
    tags: &'a [String],
    because: Option<&'a str>,
    authority: Option<&'a str>,
    erratum: Option<&'a str>,
    value: Option<String>,
    rows: Vec<Row>,
    /// The whole packet in hex, unless it is long.
    hex: Option<String>,
    rejects: Option<String>,
    place: String,
}

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    for dialect in site.inputs.specs.all() {
        let mut layouts: BTreeMap<&str, Vec<CaseView<'_>>> = BTreeMap::new();
        for (file, case) in site.inputs.corpus.cases_of(dialect) {
            layouts.entry(&file.layout).or_default().push(CaseView::of(file, case, dialect));
        }
        let plan = DialectPlan::of(dialect);
        for (layout, cases) in layouts {
            let (name, title) = (plan.type_name(layout), plan.title());
            let page = SitePage {
                path: &format!("cases/{}/{layout}.html", dialect.name),
                template: "cases.html",
                part: "Coverage",
                title: &format!("Cases: {name} in {title}"),
                description: &format!("Every case about {name} in {title}, byte by byte"),
            };
            let of = context! { dialect => dialect.name.as_str(), base => dialect.base(), layout => layout };
            pages.render(&page, context! { cases => Value::from(Serde(&cases)), ..of })?;
        }
    }
    Ok(())
}

impl<'a> CaseView<'a> {
    fn of(file: &File, case: &'a Case, dialect: &'a Dialect) -> Self {
        let judged_by = case.side(JudgedBy::Engines, dialect);
        let expected = judged_by.expectation(dialect).ok();
        let value = expected.as_ref().and_then(|expected| expected.value.as_ref());
        let packet = expected.as_ref().and_then(|expected| expected.packet.as_ref());
        let row = |row: &variant_corpus::Row| {
            let bytes = packet.and_then(|packet| packet.bytes.get(row.bytes())).unwrap_or_default();
            Row::of_bytes(row.offset, bytes, &row.name, row.meaning.clone())
        };
        let of_document = case.document_in(dialect).map(|document| document.erratum.as_str());
        Self {
            name: &case.name,
            class: judged_by.class.name(),
            should: case.level == Level::Should,
            tags: &case.tags,
            because: case.because.as_deref(),
            authority: case.authority.as_deref(),
            erratum: case.erratum.as_deref().or(of_document),
            value: value
                .map(|value| sanitize::short(&value_json(&value.value, &dialect.layouts, Default::default()), SHOWN)),
            rows: judged_by.listing.map(|listing| listing.rows.iter().map(row).collect()).unwrap_or_default(),
            hex: packet.filter(|packet| packet.bytes.len() <= LINKED).map(|packet| hex::encode(&packet.bytes)),
            rejects: judged_by.rejects.map(|rejects| format!("{} at {}", rejects.kind.name(), rejects.at)),
            place: format!("{}:{}", file.path, case.line),
        }
    }
}
