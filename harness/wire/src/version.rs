//! Versions that can be compared.

/// The leading numbers of a version: `3.2.3.stable` → 3, 2, 3.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}
