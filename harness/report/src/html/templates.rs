//! The templates of all pages, with one frame, one style and one script for the theme.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, Value};
use variant_values::sanitize;

use super::{ICON, abilities, legend};
use crate::site::{links, markdown};

/// The style of every page.
pub(crate) const STYLE: &str = include_str!("../pages/page.css");
/// The script that chooses between light and dark.
pub(crate) const THEME: &str = include_str!("../pages/theme.js");

const TEMPLATES: [(&str, &str); 19] = [
    ("marks.html", include_str!("../pages/marks.html")),
    ("frame.html", include_str!("../pages/frame.html")),
    ("report.html", include_str!("../pages/report.html")),
    ("coverage.html", include_str!("../pages/coverage.html")),
    ("matrix.html", include_str!("../pages/matrix.html")),
    ("start.html", include_str!("../pages/start.html")),
    ("formats.html", include_str!("../pages/formats.html")),
    ("format.html", include_str!("../pages/format.html")),
    ("cases.html", include_str!("../pages/cases.html")),
    ("errata.html", include_str!("../pages/errata.html")),
    ("trophies.html", include_str!("../pages/trophies.html")),
    ("implementations.html", include_str!("../pages/implementations.html")),
    ("implementation.html", include_str!("../pages/implementation.html")),
    ("finding-sections.html", include_str!("../pages/finding-sections.html")),
    ("findings.html", include_str!("../pages/findings.html")),
    ("cards.html", include_str!("../pages/cards.html")),
    ("interop.html", include_str!("../pages/interop.html")),
    ("reader.html", include_str!("../pages/reader.html")),
    ("explorer.html", include_str!("../pages/explorer.html")),
];

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
    environment.add_filter("markdown", |text: &str| Value::from_safe_string(markdown::to_html(text)));
    environment.add_global("conform", env!("CARGO_PKG_VERSION"));
    environment.add_global("icon", ICON);
    environment.add_global("legend", legend());
    environment.add_global("abilities", abilities());
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}
