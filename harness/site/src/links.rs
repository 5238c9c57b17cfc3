//! Where each named thing is: addresses from the root of the site, which do not change from build to build.

use std::fmt::Write;

/// The section of a type in the page of a dialect.
pub(crate) fn format(dialect: &str, layout: &str) -> String {
    match layout {
        variant_corpus::PACKET | variant_corpus::FRAMING => format!("format/{}.html#packets", segment(dialect)),
        _ => format!("format/{}.html#{}", segment(dialect), segment(layout)),
    }
}

/// A case by its id, `godot-3/vector2/negative-zero`; also by the id of one of its tests.
pub(crate) fn case(id: &str) -> String {
    let id = id.rsplit_once(':').map_or(id, |(case, _)| case);
    let id = id.split('~').next().unwrap_or(id);
    let mut parts = id.splitn(3, '/').map(segment);
    let mut next = || parts.next().unwrap_or_default();
    format!("cases/{}/{}.html#{}", next(), next(), next())
}

/// An erratum by its id.
pub(crate) fn erratum(id: &str) -> String {
    format!("errata.html#{}", segment(id))
}

/// The explorer with a packet loaded, in hex without spaces.
pub(crate) fn explorer(hex: &str) -> String {
    format!("explorer.html#{}", segment(hex))
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

/// One segment of an address: what is not plain is escaped.
pub(crate) fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'+' | b'@' => out.push(char::from(byte)),
            // Writing to a String cannot fail.
            _ => drop(write!(out, "%{byte:02X}")),
        }
        out
    })
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
        assert_eq!(segment("a/../\"<b>"), "a%2F..%2F%22%3Cb%3E");
    }
}
