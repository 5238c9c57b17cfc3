//! The HTML pages. Each is one file that needs no network.
//!
//! Text of an implementation reaches a page in two ways only: through the template engine, which escapes it, and as
//! part of one block of JSON, which no text in it can end. A content security policy allows only our own scripts, by
//! their hashes: no other script runs.

mod groups;
mod report;
mod templates;

pub use report::page;
pub(crate) use templates::{STYLE, THEME, environment};

use std::path::{Component, Path, absolute};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use sha2::{Digest, Sha256};
use strum::VariantArray as _;

use variant_runner::status::CellStatus;
use variant_runner::summary::Ability;
use variant_values::sanitize;

/// The icon of every page.
const ICON: &str = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3' fill='%231f55c4'/><path d='M4 5h3M9 5h3M4 8h3M9 8h3M4 11h3M9 11h3' stroke='white' stroke-width='1.6'/></svg>";

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

/// The way from a folder to a file, as a link: never one with a scheme. `None`: there is none.
pub fn link(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (absolute(folder).ok()?, absolute(file).ok()?);
    let alike = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(alike).map(|_| "..".to_owned());
    let down = file.components().skip(alike).map(|part| match part {
        Component::Normal(name) => encoded(&name.to_string_lossy()),
        Component::ParentDir => "..".to_owned(),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => ".".to_owned(),
    });
    let parts: Vec<String> = [".".to_owned()].into_iter().chain(up).chain(down).collect();
    Some(parts.join("/"))
}

/// A part of an address: all but plain letters as `%` and two digits.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+@".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
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

/// A block of JSON that no text in it can end: `<` and the line ends of old scripts are escaped.
fn json(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    sanitize::json(&text).replace('<', "\\u003c")
}

/// Data in which no text hides, reorders or moves what is around it.
fn clean(data: &impl Serialize) -> serde_json::Value {
    let mut cleaned = serde_json::to_value(data).unwrap_or_default();
    clean_texts(&mut cleaned);
    cleaned
}

fn clean_texts(data: &mut serde_json::Value) {
    match data {
        serde_json::Value::String(text) => *text = sanitize::lines(text),
        serde_json::Value::Array(items) => items.iter_mut().for_each(clean_texts),
        serde_json::Value::Object(entries) => entries.values_mut().for_each(clean_texts),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_block_of_json() {
        let hostile = "</script><script>alert(1)</script><!--\u{2028}\u{2029}";
        let block = json(&hostile);
        assert!(!block.contains('<') && !block.contains('\u{2028}') && !block.contains('\u{2029}'), "{block}");
        assert_eq!(serde_json::from_str::<String>(&block).unwrap(), hostile);
    }

    #[test]
    fn a_link_is_a_way_between_files() {
        let link = |folder, file| link(Path::new(folder), Path::new(file)).unwrap();
        assert_eq!(link("/p/reports/runs/x", "/p/adapters/a b/FINDINGS.md"), "./../../../adapters/a%20b/FINDINGS.md");
        assert_eq!(link("/p", "/p/javascript:alert(1)"), "./javascript%3Aalert%281%29");
    }

    #[test]
    fn only_scripts_of_this_page_run() {
        let policy = policy(&["one"], "");
        assert!(policy.contains("script-src 'sha256-dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0='"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
