//! A corpus file as YAML has it, before any name in it is looked up. The program carries its corpus in this form,
//! because reading YAML was most of the cost of a start.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use variant_values::SyntaxTree;

/// A corpus file: the cases of one type, in one dialect or in a family of dialects.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawFile {
    /// The name of the dialect; absent in a family file.
    pub dialect: Option<String>,
    /// The cases apply to every dialect that has the type.
    #[serde(default)]
    pub family: bool,
    /// The cases are for double-precision builds.
    #[serde(default)]
    pub double: bool,
    /// The name of the type's layout, or `packet`.
    #[serde(rename = "type")]
    pub layout: String,
    /// The heading of the document's section about the type.
    pub section: Option<String>,
    /// The section's field tables, one row per line.
    #[serde(default)]
    pub tables: String,
    /// In a dialect that extends another: these cases are added to those of its parent's file and do not replace them.
    #[serde(default)]
    pub beside_parent: bool,
    /// Sentences beside the document's tables, by name. Each needs a case that `covers` it.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Rules of the dialect, stated a second time. Family cases that need a rule cannot check its value.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The cases, in the order of the document.
    pub cases: Vec<RawCase>,
}

/// One case of a corpus file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCase {
    /// The name, which says what a failure means: `negative-zero-keeps-its-sign`.
    pub name: String,
    /// What decoders and encoders must do.
    pub class: Class,
    /// What it is about, in words of `flags.yaml`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Whether encoders must follow it.
    #[serde(default)]
    pub level: Level,
    /// Why the level or the authority is not the default.
    pub because: Option<String>,
    /// The engine and version that says so, where no document does.
    pub authority: Option<String>,
    /// The notes of the document that it shows.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Rules that a dialect must have for the case to apply.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Its requests allow objects with properties.
    #[serde(default)]
    pub objects: bool,
    /// It is tested by `reencode` only.
    #[serde(default)]
    pub reencode: bool,
    /// It is tested by `encode` only: whoever reads the packet gets another value.
    #[serde(default)]
    pub encode: bool,
    /// Why an open case is open.
    pub why: Option<OpenReason>,
    /// The value, tagged with its layout: `!vector2 [1.0, 2.0]`.
    pub value: Option<SyntaxTree>,
    /// The listing, one field per line: offset, bytes, name, meaning.
    pub bytes: Option<String>,
    /// `KIND at OFFSET`: how the reference codec refuses it.
    pub rejects: Option<String>,
    /// How many bytes a decoder consumes, if not all of them.
    pub used: Option<usize>,
    /// The erratum that it shows.
    pub erratum: Option<String>,
    /// In a readable case: the listing of the canonical packet of its value, where no canonical case has that value.
    #[serde(rename = "written-as")]
    pub written_as: Option<String>,
    /// The length prefix of the packet: `u32le` or `u32be`.
    pub framing: Option<String>,
    /// What differs where the document is read literally.
    pub document: Option<RawOverride>,
}

/// What is different if the document is read literally: only the keys that differ.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawOverride {
    /// The erratum that it shows.
    pub erratum: String,
    /// What decoders and encoders must do.
    pub class: Option<Class>,
    /// Why an open case is open.
    pub why: Option<OpenReason>,
    /// The value, where it differs.
    pub value: Option<SyntaxTree>,
    /// The listing, one field per line: offset, bytes, name, meaning.
    pub bytes: Option<String>,
    /// `KIND at OFFSET`: how the reference codec refuses it.
    pub rejects: Option<String>,
    /// How many bytes a decoder consumes, if not all of them.
    pub used: Option<usize>,
}

/// What decoders and encoders must do with a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Class {
    /// The one form of the value: decode it, and encode exactly these bytes.
    Canonical,
    /// Another form of the value: decode it.
    Readable,
    /// Not a packet, or a value that the dialect cannot carry: refuse it.
    Invalid,
    /// No source says what is right: anything except a crash or a hang.
    Open,
}

impl Class {
    /// The word in files and reports: `canonical`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether decoders must read a value from its packet.
    pub fn has_value(self) -> bool {
        matches!(self, Self::Canonical | Self::Readable)
    }
}

/// Whether encoders must follow a case. Decoders always must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Required: a failure fails the run.
    #[default]
    Must,
    /// Good practice: a failure is a warning.
    Should,
}

/// Why an open case is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// The documents do not mention it.
    Silent,
    /// The document contradicts itself.
    ContradictsItself,
    /// Engines differ from each other.
    EnginesDiffer,
}
