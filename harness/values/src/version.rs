//! Versions that can be compared.

use serde::Deserialize;

/// The leading numbers of a version: `3.2.3.stable` → 3, 2, 3.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

/// Whether all of a version is understood: a number first, then numbers and words, as in `3.2.3.stable`.
pub fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    let is_word = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic()) && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let mut parts = text.split(['.', '-', '+']);
    parts.next().is_some_and(is_number) && parts.all(|part| is_number(part) || is_word(part))
}

/// The schema of a record, from its first line, if it is not the one that is read here. `kind` is what a first line calls
/// itself; `None` if it has no `kind`. Check this before you read the line: other schemas have other fields.
pub fn other_schema(line: &[u8], kind: Option<&str>, ours: u32) -> Option<u32> {
    #[derive(Deserialize)]
    struct FirstLine {
        kind: Option<String>,
        schema: u32,
    }
    let first: FirstLine = serde_json::from_slice(line).ok()?;
    (first.kind.as_deref() == kind && first.schema != ours).then_some(first.schema)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::is_version;

    #[rstest]
    #[case("3.6", true)]
    #[case("4", true)]
    #[case("3.2.3.stable", true)]
    #[case("4.7-beta2", true)]
    #[case("v3.6", false)]
    #[case("Godot 3.6", false)]
    #[case("banana", false)]
    #[case("3.6 beta", false)]
    #[case("3.6beta", false)]
    #[case("", false)]
    fn a_version_is_understood_or_not(#[case] text: &str, #[case] understood: bool) {
        assert_eq!(is_version(text), understood);
    }
}
