//! What a person may have meant by a name that there is not.

use variant_specs::Dialect;

/// The name that is most like this one, if one is like it at all.
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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
pub fn did_you_mean(meant: Option<&str>) -> String {
    meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The layout that is meant by what is none, `; did you mean …?`: engines have names of their own, like `PackedByteArray`.
pub fn layout_meant(written: &str, dialects: &[Dialect]) -> String {
    let types = || dialects.iter().flat_map(|dialect| dialect.types.iter().map(move |entry| (dialect, entry)));
    let engines = types().find(|(dialect, entry)| {
        [dialect.type_name(entry), entry.heading()].iter().any(|name| name.eq_ignore_ascii_case(written))
    });
    let layout = |(dialect, entry)| Dialect::layout(dialect, entry).name.as_str();
    did_you_mean(engines.map(layout).or_else(|| nearest(written, types().map(layout))))
}

/// A message about a key or a word that there is not, with the one of its list that may be meant.
pub fn with_known(message: String) -> String {
    let unknown = ["unknown field `", "unknown variant `"];
    let Some((_, rest)) = unknown.iter().find_map(|unknown| message.split_once(unknown)) else { return message };
    let mut names = rest.split('`').step_by(2);
    let meant = did_you_mean(names.next().and_then(|written| nearest(written, names)));
    message + &meant
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::nearest;

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
}
