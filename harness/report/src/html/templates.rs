//! The templates of all pages, with one frame, one style and one script for the theme.

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, Value, context};
use strum::VariantArray as _;
use variant_runner::status::CellStatus;
use variant_runner::summary::Ability;
use variant_values::sanitize;

use super::address::encoded;
use crate::site::{links, markdown};

/// The style of every page.
pub(crate) const STYLE: &str = include_str!("../pages/page.css");
/// The script that chooses between light and dark.
pub(crate) const THEME: &str = include_str!("../pages/theme.js");

/// The icon of every page.
const ICON: &str = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3' fill='%231f55c4'/><path d='M4 5h3M9 5h3M4 8h3M9 8h3M4 11h3M9 11h3' stroke='white' stroke-width='1.6'/></svg>";

/// Every page, and what pages share.
static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/pages");

/// The templates, and what they may call.
pub(crate) fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_filter("short", |text: &str, most: usize| sanitize::short(text, most));
    // Addresses are made of escaped segments: nothing in them needs HTML's escapes.
    environment.add_filter("format_url", |dialect: &str, layout: &str| {
        Value::from_safe_string(links::format(dialect, layout))
    });
    environment.add_filter("case_url", |id: &str| Value::from_safe_string(links::case(id)));
    environment.add_filter("erratum_url", |id: &str| Value::from_safe_string(links::erratum(id)));
    environment.add_filter("explorer_url", |hex: &str| Value::from_safe_string(links::explorer(hex)));
    environment.add_filter("address", |part: &str| Value::from_safe_string(encoded(part)));
    environment.add_filter("markdown", |text: &str| Value::from_safe_string(markdown::to_html(text)));
    environment.add_global("conform", env!("CARGO_PKG_VERSION"));
    environment.add_global("icon", ICON);
    environment.add_global("legend", legend());
    environment.add_global("abilities", abilities());
    for file in PAGES.files().filter(|file| file.path().extension() == Some("html".as_ref())) {
        let name = file.path().to_str().unwrap_or_default();
        environment.add_template(name, file.contents_utf8().unwrap_or_default())?;
    }
    Ok(environment)
}

/// What each status looks like and means, for the legend of a page.
fn legend() -> Value {
    let entry =
        |mark: CellStatus| context! { mark => Value::from(Serde(&mark)), word => mark.word(), means => mark.means() };
    CellStatus::VARIANTS.iter().copied().map(entry).collect()
}

/// The words of the abilities and what each means, in their order.
fn abilities() -> Value {
    let entry = |ability: &Ability| context! { name => ability.name(), means => ability.means() };
    Ability::VARIANTS.iter().map(entry).collect()
}
