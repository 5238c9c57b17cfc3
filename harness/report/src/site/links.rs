//! Where each named thing is: addresses from the root of the site, which do not change from build to build.

use crate::html::encoded;
use variant_corpus::test::{TestId, case_parts};

/// The section of a type in the page of a dialect.
pub(crate) fn format(dialect: &str, layout: &str) -> String {
    match layout {
        variant_corpus::PACKET | variant_corpus::FRAMING => format!("format/{}.html#packets", encoded(dialect)),
        _ => format!("format/{}.html#{}", encoded(dialect), encoded(layout)),
    }
}

/// A case by its id, `godot-3/vector2/negative-zero`; also by the id of one of its tests.
pub(crate) fn case(id: &str) -> String {
    let (dialect, layout, name) = match id.parse::<TestId>() {
        Ok(test) => return case(test.parts().case),
        Err(_) => case_parts(id),
    };
    format!("cases/{}/{}.html#{}", encoded(dialect), encoded(layout), encoded(name))
}

pub(crate) fn erratum(id: &str) -> String {
    format!("errata.html#{}", encoded(id))
}

/// A packet of at most this many bytes can be opened in the explorer by a link.
pub(crate) const LINKED: usize = 1024;

/// The explorer with a packet loaded, in hex without spaces.
pub(crate) fn explorer(hex: &str) -> String {
    format!("explorer.html#{}", encoded(hex))
}

/// The file name of an implementation: its name, with `-` for what an address cannot have.
pub(crate) fn slug(name: &str) -> String {
    let letters = name.chars().take(80).map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '@' => letter,
        _ => '-',
    });
    let slug: String = letters.collect();
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_links_to_its_case() {
        let id = "godot-3/vector2/negative-zero~flag-16:decode";
        assert_eq!(case(id), "cases/godot-3/vector2.html#negative-zero");
    }

    #[test]
    fn no_name_leaves_the_folder() {
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("-- ./my adapter"), "my-adapter");
        assert_eq!(encoded("a/../\"<b>"), "a%2F..%2F%22%3Cb%3E");
    }
}
