//! What a person may have meant by a name that there is not.

use std::collections::BTreeSet;

/// The name that is most like this one, if one is like it at all.
pub(super) fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let likeness = |name: &&str| strsim::damerau_levenshtein(&written, &name.to_lowercase());
    // A third of the letters may be wrong; what is only the beginning of a name is meant for it too.
    let is_like = |name: &str, wrong: usize| {
        wrong * 3 <= name.chars().count().max(3) || written.len() > 3 && name.to_lowercase().starts_with(&written)
    };
    let ranked = names.into_iter().map(|name| (likeness(&name), name)).filter(|(wrong, name)| is_like(name, *wrong));
    ranked.min_by_key(|(wrong, name)| (*wrong, name.len())).map(|(_, name)| name)
}

/// `; did you mean …?`, or nothing.
pub(super) fn did_you_mean(meant: Option<&str>) -> String {
    meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The glob over test ids that may have been meant by one that matches none: its parts without a wildcard are compared
/// with those of the tests, from the left.
pub(super) fn glob(written: &str, ids: &[String]) -> Option<String> {
    let mut meant: Vec<String> = Vec::new();
    let mut left: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (path, operation) = written.split_once(':').map_or((written, None), |(path, word)| (path, Some(word)));
    let parts: Vec<&str> = path.split('/').collect();
    // A dialect alone, or a dialect and a type, are no test ids yet: all that is below them is meant.
    let below = ["/**", "/*", ""].get(parts.len().checked_sub(1)?)?;
    for (place, part) in parts.iter().enumerate() {
        let has_wildcard = part.contains(['*', '?', '[', '{']);
        let names: BTreeSet<&str> = left.iter().filter_map(|id| at(id, place)).collect();
        let name = if has_wildcard || names.contains(part) { part } else { nearest(part, names)? };
        if !has_wildcard {
            left.retain(|id| at(id, place) == Some(name));
        }
        meant.push((*name).to_owned());
    }
    let operation = operation.map(|word| format!(":{word}")).unwrap_or_default();
    let meant = format!("{}{below}{operation}", meant.join("/"));
    (meant != written && !left.is_empty()).then_some(meant)
}

/// A part of a test id, without its operation.
fn at(id: &str, place: usize) -> Option<&str> {
    id.split(':').next()?.split('/').nth(place)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{glob, nearest};

    #[rstest]
    #[case("pythn", Some("python"))]
    #[case("Python", Some("python"))]
    #[case("godot3@3.2", Some("godot3@3.6"))]
    #[case("gd", None)]
    #[case("nobody", None)]
    #[case("godot-bin", Some("godot-binary-serialization-crate"))]
    fn a_name_like_it_is_meant(#[case] written: &str, #[case] meant: Option<&str>) {
        let names = ["gd-com", "godot3@3.2.3", "godot3@3.6", "godot4", "godot-binary-serialization-crate", "python"];
        assert_eq!(nearest(written, names), meant);
    }

    #[rstest]
    #[case("godot-3/vectr2/*", Some("godot-3/vector2/*"))]
    #[case("godot-3/vector2/zero:encod", None)]
    #[case("godot3/vector2/zro:decode", Some("godot-3/vector2/zero:decode"))]
    #[case("godot-3", Some("godot-3/**"))]
    #[case("godot-3/vector2", Some("godot-3/vector2/*"))]
    #[case("godot-4/vector2/*", Some("godot-3/vector2/*"))]
    #[case("x", None)]
    #[case("a/b/c/d", None)]
    fn a_part_like_it_is_meant(#[case] written: &str, #[case] meant: Option<&str>) {
        let ids = ["godot-3/vector2/zero:decode", "godot-3/vector2/zero:encode", "godot-3/bool/true:decode"];
        assert_eq!(glob(written, &ids.map(str::to_owned)).as_deref(), meant);
    }
}
