//! The templates of all pages, with one frame, one style and one script for the theme.

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, Value};
use variant_values::sanitize;

use super::{ICON, abilities, encoded, legend};
use crate::site::{links, markdown};

/// The style of every page.
pub(crate) const STYLE: &str = include_str!("../pages/page.css");
/// The script that chooses between light and dark.
pub(crate) const THEME: &str = include_str!("../pages/theme.js");

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
