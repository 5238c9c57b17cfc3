//! A dialect as a definition that other tools load: what they then decode follows from `specs/` alone.

mod kaitai;
mod notes;

pub use kaitai::kaitai;

/// Why there is no definition.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The definition cannot be written as YAML.
    #[error("the definition cannot be written as YAML: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// A record has no definition yet.
    #[error("{0} is a record, for which no definition is written yet")]
    Record(String),
}

/// The name of a dialect or field as tools accept it: `godot_3_double` for `godot-3+double`.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}
