//! Addresses in links.

use std::path::{Component, Path, absolute};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_way_between_files() {
        let link = |folder, file| link(Path::new(folder), Path::new(file)).unwrap();
        assert_eq!(link("/p/reports/runs/x", "/p/adapters/a b/FINDINGS.md"), "./../../../adapters/a%20b/FINDINGS.md");
        assert_eq!(link("/p", "/p/javascript:alert(1)"), "./javascript%3Aalert%281%29");
    }
}
