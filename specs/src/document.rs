//! The documents, by name.

use alloc::string::String;

/// One published description of the format.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "yaml", derive(serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "yaml", serde(deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Document {
    /// The name by which dialects and errata cite it: its key in the file.
    #[cfg_attr(feature = "yaml", serde(skip))]
    pub name: String,
    /// Its title, like `Binary serialization API (English)`.
    pub title: String,
    /// The engine that it describes, like `Godot 3`.
    pub engine: String,
    /// Where it can be read; `{section}` stands for the heading of a section, in small letters and hyphens.
    pub address: Option<String>,
    /// The dialect whose corpus has its rows, where several name it.
    pub dialect: Option<String>,
    /// Whether its table of types ends with a row `max`.
    #[cfg_attr(feature = "yaml", serde(default = "yes"))]
    pub max_row: bool,
    /// Rows in its table of types, the `max` row included.
    pub type_rows: usize,
    /// Rows in all its tables of fields.
    pub field_rows: usize,
}

#[cfg(feature = "yaml")]
fn yes() -> bool {
    true
}
