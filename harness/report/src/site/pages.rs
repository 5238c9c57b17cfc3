//! Renders templates into the files of the site: one frame, one style, one script.

use std::collections::BTreeMap;

use crate::html::{MARKS, STYLE, THEME, legend};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, Value, context};
use variant_runner::summary::label;
use variant_values::sanitize;

use crate::site::{Site, SiteFile, links, markdown};

const TEMPLATES: [(&str, &str); 16] = [
    ("marks.html", MARKS),
    ("frame.html", include_str!("pages/frame.html")),
    ("start.html", include_str!("pages/start.html")),
    ("formats.html", include_str!("pages/formats.html")),
    ("format.html", include_str!("pages/format.html")),
    ("cases.html", include_str!("pages/cases.html")),
    ("errata.html", include_str!("pages/errata.html")),
    ("implementations.html", include_str!("pages/implementations.html")),
    ("implementation.html", include_str!("pages/implementation.html")),
    ("finding-sections.html", include_str!("pages/finding-sections.html")),
    ("findings.html", include_str!("pages/findings.html")),
    ("matrix.html", include_str!("pages/matrix.html")),
    ("interop.html", include_str!("pages/interop.html")),
    ("reader.html", include_str!("pages/reader.html")),
    ("coverage.html", include_str!("pages/coverage.html")),
    ("explorer.html", include_str!("pages/explorer.html")),
];

/// The parts of the site, as the bar at the top of each page lists them.
const PARTS: [(&str, &str); 8] = [
    ("Format", "format/index.html"),
    ("Explorer", "explorer.html"),
    ("Errata", "errata.html"),
    ("Implementations", "implementations/index.html"),
    ("Matrix", "matrix.html"),
    ("Interop", "interop.html"),
    ("Coverage", "coverage.html"),
    ("Start", "index.html"),
];

/// The files so far, by path.
pub(crate) struct Pages {
    environment: Environment<'static>,
    files: BTreeMap<String, Vec<u8>>,
}

/// A page to render.
pub(crate) struct SitePage<'a> {
    /// Its path from the root.
    pub(crate) path: &'a str,
    /// The name of its template.
    pub(crate) template: &'a str,
    /// The part of the site that it belongs to.
    pub(crate) part: &'a str,
    /// What the tab says.
    pub(crate) title: &'a str,
    /// One sentence for search engines.
    pub(crate) description: &'a str,
}

impl Pages {
    pub(crate) fn new(site: &Site<'_>) -> Result<Self, Error> {
        let mut environment = environment()?;
        environment.add_global("corpus", Value::from(Serde(&site.matrix.corpus)));
        environment.add_global("conform", env!("CARGO_PKG_VERSION"));
        environment.add_global("parts", Value::from_iter(PARTS.map(|(name, path)| context! { name, path })));
        environment.add_global("legend", legend());
        let mut pages = Self { environment, files: BTreeMap::new() };
        pages.add("style.css", format!("{STYLE}\n{}", include_str!("pages/site.css")));
        pages.add("site.js", format!("{THEME}\n{}", include_str!("pages/site.js")));
        Ok(pages)
    }

    /// Adds a file as it is.
    pub(crate) fn add(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), content.into());
    }

    /// Adds a page, made of its template and this content.
    pub(crate) fn render(&mut self, page: &SitePage<'_>, content: Value) -> Result<(), Error> {
        let root = "../".repeat(page.path.matches('/').count());
        let frame = context! {
            // Only dots and slashes.
            root => Value::from_safe_string(root),
            part => page.part,
            title => page.title,
            description => page.description,
            ..content
        };
        let text = self.environment.get_template(page.template)?.render(frame)?;
        self.add(page.path, text);
        Ok(())
    }

    /// All files, by path.
    pub(crate) fn files(self) -> Vec<SiteFile> {
        self.files.into_iter().map(|(path, bytes)| SiteFile { path, bytes }).collect()
    }
}

/// The templates, and what they may call.
pub(crate) fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_filter("label", |layout: &str| label(layout).to_owned());
    environment.add_filter("short", |text: &str, most: usize| sanitize::short(text, most));
    // Addresses are made of escaped segments: nothing in them needs HTML's escapes.
    environment.add_filter("format_url", |dialect: &str, layout: &str| {
        Value::from_safe_string(links::format(dialect, layout))
    });
    environment.add_filter("case_url", |id: &str| Value::from_safe_string(links::case(id)));
    environment.add_filter("erratum_url", |id: &str| Value::from_safe_string(links::erratum(id)));
    environment.add_filter("explorer_url", |hex: &str| Value::from_safe_string(links::explorer(hex)));
    environment.add_filter("markdown", |text: &str| Value::from_safe_string(markdown::to_html(text)));
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}
