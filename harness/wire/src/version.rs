//! Versions that can be compared.

use serde::Deserialize;

/// The leading numbers of a version: `3.2.3.stable` → 3, 2, 3.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
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

    use super::other_schema;

    #[rstest]
    #[case(r#"{"kind":"plan","schema":1,"asks":3}"#, Some(1))]
    #[case(r#"{"kind":"plan","schema":2}"#, None)]
    #[case(r#"{"kind":"diff","schema":1}"#, None)]
    #[case(r#"{"schema":1}"#, None)]
    #[case(r#"{"kind":"plan","schema":"1"}"#, None)]
    #[case("# a list", None)]
    fn another_schema_is_seen_whatever_its_fields(#[case] line: &str, #[case] seen: Option<u32>) {
        assert_eq!(other_schema(line.as_bytes(), Some("plan"), 2), seen);
    }
}
