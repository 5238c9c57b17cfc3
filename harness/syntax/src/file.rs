//! A corpus file as YAML has it, before anything is looked up. `build.rs` has this file too: the program carries the
//! corpus in this form, for reading YAML was most of what a start cost.

use serde::{Deserialize, Serialize};

use crate::SyntaxTree;

/// A corpus file: the cases of one type in one dialect, or of a family of dialects.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawFile {
    /// The dialect; none in a family file.
    pub dialect: Option<String>,
    /// The cases hold in every dialect that has the type.
    #[serde(default)]
    pub family: bool,
    /// The cases are of double-precision builds.
    #[serde(default)]
    pub double: bool,
    /// The type's layout, or `packet`.
    #[serde(rename = "type")]
    pub layout: String,
    /// The document's section.
    pub section: Option<String>,
    /// The section's field tables, a row a line.
    #[serde(default)]
    pub tables: String,
    /// In a dialect that extends another: these cases stand beside those of its parent's file, not in their place.
    #[serde(default)]
    pub beside_parent: bool,
    /// The notes of the document that these cases cover.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The rules of the dialect that these cases cover.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The cases, in the order of the document.
    pub cases: Vec<RawCase>,
}

/// One case.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawCase {
    /// The name: what a failure would teach.
    pub name: String,
    /// What decoders and encoders must do.
    pub class: RawClass,
    /// Words of `flags.yaml`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// How strictly it is required.
    pub level: Option<RawLevel>,
    /// Why the level or the authority is not the default.
    pub because: Option<String>,
    /// Who says so, where no document does: engine and version.
    pub authority: Option<String>,
    /// Rows that it covers beside those of its listing.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Rules that a dialect must have for the case to hold.
    #[serde(default)]
    pub needs: Vec<String>,
    /// It is sent with objects allowed.
    #[serde(default)]
    pub objects: bool,
    /// It is sent as `reencode` only.
    #[serde(default)]
    pub reencode: bool,
    /// Why an open case is open.
    pub why: Option<RawWhy>,
    /// The value.
    pub value: Option<SyntaxTree>,
    /// The listing: offset, bytes, name and meaning, a field a line.
    pub bytes: Option<String>,
    /// `KIND at OFFSET`: how the reference refuses it.
    pub rejects: Option<String>,
    /// How many bytes a decoder consumes, where that is not all.
    pub used: Option<usize>,
    /// The erratum that it shows.
    pub erratum: Option<String>,
    /// What is in front of the packet.
    pub framing: Option<String>,
    /// What differs where the document is read literally.
    pub document: Option<RawDeparture>,
}

/// What differs where the document is read literally: only the keys that differ.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawDeparture {
    /// The erratum that it shows.
    pub erratum: String,
    /// What decoders and encoders must do.
    pub class: Option<RawClass>,
    /// Why an open case is open.
    pub why: Option<RawWhy>,
    /// The value.
    pub value: Option<SyntaxTree>,
    /// The listing: offset, bytes, name and meaning, a field a line.
    pub bytes: Option<String>,
    /// `KIND at OFFSET`: how the reference refuses it.
    pub rejects: Option<String>,
    /// How many bytes a decoder consumes, where that is not all.
    pub used: Option<usize>,
}

/// What decoders and encoders must do with a case.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum RawClass {
    /// Read it, and write exactly these bytes.
    Canonical,
    /// Read it.
    Readable,
    /// Refuse it.
    Invalid,
    /// Anything but a crash or a hang.
    Open,
}

/// How strictly a case is required.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum RawLevel {
    /// Everybody follows it.
    Must,
    /// Good practice.
    Should,
}

/// Why an open case is open.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum RawWhy {
    /// No document says.
    Silent,
    /// The document says both.
    ContradictsItself,
    /// Engines differ.
    EnginesDiffer,
}
