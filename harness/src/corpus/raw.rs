//! A corpus file as YAML has it, before anything is looked up. `build.rs` has this file too: the program carries the
//! corpus in this form, for reading YAML was most of what a start cost.

use serde::{Deserialize, Serialize};

use crate::notation::Node;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawFile {
    pub(crate) dialect: Option<String>,
    #[serde(default)]
    pub(crate) family: bool,
    #[serde(default)]
    pub(crate) double: bool,
    #[serde(rename = "type")]
    pub(crate) layout: String,
    pub(crate) section: Option<String>,
    #[serde(default)]
    pub(crate) tables: String,
    /// In a dialect that extends another: these cases stand beside those of its parent's file, not in their place.
    #[serde(default)]
    pub(crate) beside_parent: bool,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    #[serde(default)]
    pub(crate) rules: Vec<String>,
    pub(crate) cases: Vec<RawCase>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCase {
    pub(crate) name: String,
    pub(crate) class: RawClass,
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    pub(crate) level: Option<RawLevel>,
    pub(crate) because: Option<String>,
    pub(crate) authority: Option<String>,
    #[serde(default)]
    pub(crate) covers: Vec<String>,
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    #[serde(default)]
    pub(crate) objects: bool,
    #[serde(default)]
    pub(crate) reencode: bool,
    pub(crate) why: Option<RawWhy>,
    pub(crate) value: Option<Node>,
    pub(crate) bytes: Option<String>,
    pub(crate) rejects: Option<String>,
    pub(crate) used: Option<usize>,
    pub(crate) erratum: Option<String>,
    pub(crate) framing: Option<String>,
    pub(crate) document: Option<RawDeparture>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDeparture {
    pub(crate) erratum: String,
    pub(crate) class: Option<RawClass>,
    pub(crate) why: Option<RawWhy>,
    pub(crate) value: Option<Node>,
    pub(crate) bytes: Option<String>,
    pub(crate) rejects: Option<String>,
    pub(crate) used: Option<usize>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RawClass {
    Canonical,
    Readable,
    Invalid,
    Open,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RawLevel {
    Must,
    Should,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RawWhy {
    Silent,
    ContradictsItself,
    EnginesDiffer,
}
