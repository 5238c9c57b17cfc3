//! Renders templates into the files of the site: one frame, one style, one script.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::html::{STYLE, THEME, environment};
use minijinja::value::Serde;
use minijinja::{Environment, Error, Value, context};
use variant_runner::results::DialectPlan;
use variant_runner::results::label;

use crate::site::content::Site;

/// A site loads its style and its program from beside its pages.
const POLICY: &str = "default-src 'none'; script-src 'self' file: 'wasm-unsafe-eval'; style-src 'self' file:; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self' file:";

/// The parts of the site, as the bar at the top of each page lists them.
const PARTS: [(&str, &str); 9] = [
    ("Format", "format/index.html"),
    ("Explorer", "explorer.html"),
    ("Documentation errors", "errata.html"),
    ("Implementations", "implementations/index.html"),
    ("Matrix", "matrix.html"),
    ("Interop", "interop.html"),
    ("Trophies", "trophies.html"),
    ("Coverage", "coverage.html"),
    ("Start", "index.html"),
];

/// The files so far, by path.
pub(crate) struct Pages {
    environment: Environment<'static>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Pages {
    pub(crate) fn new(site: &Site<'_>) -> Result<Self, Error> {
        let mut environment = environment()?;
        environment.add_global("corpus", Value::from(Serde(&site.matrix.corpus)));
        environment.add_global("parts", Value::from_iter(PARTS.map(|(name, path)| context! { name, path })));
        environment.add_global("policy", POLICY);
        environment.add_global("is_site", true);
        let plans = site.inputs.specs.all().map(|dialect| (dialect.name.clone(), DialectPlan::of(dialect)));
        let plans: Arc<BTreeMap<String, DialectPlan>> = Arc::new(plans.collect());
        let known = Arc::clone(&plans);
        environment.add_filter("titled", move |dialect: &str| {
            known.get(dialect).map_or_else(|| dialect.to_owned(), DialectPlan::title)
        });
        environment.add_filter("type_name", move |layout: &str, dialect: &str| {
            plans.get(dialect).map_or_else(|| label(layout), |plan| plan.type_name(layout)).to_owned()
        });
        let mut pages = Self { environment, files: BTreeMap::new() };
        pages.add("style.css", STYLE);
        pages.add("site.js", format!("{THEME}\n{}", include_str!("../pages/explorer.js")));
        Ok(pages)
    }

    /// Adds a file as it is.
    pub(crate) fn add(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), content.into());
    }

    /// Adds a page, made of its template and this content: its path from the root, the name of the template, its
    /// title, and one sentence for search engines.
    pub(crate) fn render(&mut self, page: [&str; 4], content: Value) -> Result<(), Error> {
        let [path, template, title, description] = page;
        let folder = |path: &str| path.split(['/', '.']).next().map(|name| name.replace("cases", "coverage"));
        let root = "../".repeat(path.matches('/').count());
        let frame = context! {
            // Only dots and slashes.
            root => Value::from_safe_string(root),
            part => PARTS.iter().find(|(_, of)| folder(of) == folder(path)).map(|(name, _)| *name),
            title => title,
            description => description,
            ..content
        };
        let text = self.environment.get_template(template)?.render(frame)?;
        self.add(path, text);
        Ok(())
    }
}
