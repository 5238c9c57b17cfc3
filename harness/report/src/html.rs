//! The HTML pages. Each is one file that needs no network.
//!
//! Text of an implementation reaches a page in two ways only: through the template engine, which escapes it, and as
//! part of one block of JSON, which no text in it can end. A content security policy allows only our own scripts, by
//! their hashes: no other script runs.

mod address;
mod data;
mod groups;
mod report;
mod templates;

pub use self::address::{encoded, link};
pub use self::report::page;
pub(crate) use self::templates::{STYLE, THEME, environment};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use sha2::{Digest, Sha256};

use variant_runner::status::CellStatus;

/// Renders a page: `script` runs at its end.
pub(crate) fn render(
    template: &str,
    title: &str,
    description: &str,
    mark: CellStatus,
    script: &str,
    content: Value,
) -> Result<String, Error> {
    let page = context! {
        title => title,
        description => description,
        mark_name => Value::from(Serde(&mark)),
        policy => policy(&[THEME, script], STYLE),
        style => STYLE,
        theme => THEME,
        script => script,
        ..content
    };
    environment()?.get_template(template)?.render(page)
}

/// The content security policy of a page: nothing is loaded, and only these scripts and this style are used.
pub(crate) fn policy(scripts: &[&str], style: &str) -> String {
    let hash = |text: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let scripts: Vec<String> = scripts.iter().map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        scripts.join(" "),
        hash(&style)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_of_this_page_run() {
        let policy = policy(&["one"], "");
        assert!(policy.contains("script-src 'sha256-dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0='"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
