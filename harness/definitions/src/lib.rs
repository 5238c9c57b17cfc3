//! A dialect as a definition that other tools load: what they then decode follows from `specs/` alone.

mod kaitai;
mod notes;
mod wireshark;

pub use kaitai::kaitai;
pub use wireshark::wireshark;

use variant_specs::{Dialect, Shape};

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

/// That no type of this dialect is a record.
fn without_records(dialect: &Dialect) -> Result<(), Error> {
    let mut layouts = dialect.types.iter().map(|entry| dialect.layout(entry));
    let record = layouts.find(|layout| layout.shape == Shape::Record);
    record.map_or(Ok(()), |record| Err(Error::Record(record.name.clone())))
}

/// The name of a dialect or field as tools accept it: `godot_3_double` for `godot-3+double`.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}
