//! A corpus file as it is in YAML, before names are looked up. The program embeds the corpus in this form, because
//! parsing YAML took most of the start-up time.

use serde::{Deserialize, Serialize};

use crate::SyntaxTree;

/// A corpus file: the cases of one type, in one dialect or in a family of dialects.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawFile {
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
    /// The document's section.
    pub section: Option<String>,
    /// The section's field tables, one row per line.
    #[serde(default)]
    pub tables: String,
    /// In a dialect that extends another: these cases are added to those of the parent's file. Otherwise they replace them.
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

/// One case of a corpus file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawCase {
    /// The name, which says what a failure means: `negative-zero-keeps-its-sign`.
    pub name: String,
    /// What decoders and encoders must do.
    pub class: Class,
    /// Flags, each defined in `flags.yaml`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// How strictly encoders must follow it; `must` by default.
    pub level: Option<Level>,
    /// Why the level or the authority is not the default.
    pub because: Option<String>,
    /// The engine and version that decides, where no document does.
    pub authority: Option<String>,
    /// Rows that it covers in addition to those of its listing.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Rules that a dialect must have for the case to apply.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Requests allow objects.
    #[serde(default)]
    pub objects: bool,
    /// It is tested by `reencode` only.
    #[serde(default)]
    pub reencode: bool,
    /// Why an open case is open.
    pub why: Option<OpenReason>,
    /// The value that the bytes mean.
    pub value: Option<SyntaxTree>,
    /// The listing, one field per line: offset, bytes, name, meaning.
    pub bytes: Option<String>,
    /// `KIND at OFFSET`: how the reference codec refuses it.
    pub rejects: Option<String>,
    /// How many bytes a decoder consumes, if not all of them.
    pub used: Option<usize>,
    /// The erratum that it shows.
    pub erratum: Option<String>,
    /// How the length before the packet is written: `u32le` or `u32be`.
    pub framing: Option<String>,
    /// What is different if the document is read literally.
    pub document: Option<RawOverride>,
}

/// What is different if the document is read literally: only the keys that differ.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawOverride {
    /// The erratum that it shows.
    pub erratum: String,
    /// What decoders and encoders must do.
    pub class: Option<Class>,
    /// Why an open case is open.
    pub why: Option<OpenReason>,
    /// The value that the bytes mean.
    pub value: Option<SyntaxTree>,
    /// The listing, one field per line: offset, bytes, name, meaning.
    pub bytes: Option<String>,
    /// `KIND at OFFSET`: how the reference codec refuses it.
    pub rejects: Option<String>,
    /// How many bytes a decoder consumes, if not all of them.
    pub used: Option<usize>,
}

/// What decoders and encoders must do with a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The only canonical form: decoders read it as the value, encoders write exactly these bytes.
    Canonical,
    /// Another form of the value: decoders read it.
    Readable,
    /// Not a packet, or not a value that the dialect has: decoders or encoders refuse it.
    Invalid,
    /// No source says what happens: anything but a crash or a hang passes, and the answer is recorded.
    Open,
}

impl Class {
    /// Every class, strictest first.
    pub const ALL: [Self; 4] = [Self::Canonical, Self::Readable, Self::Invalid, Self::Open];

    /// The name in corpus files and in `results.jsonl`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Readable => "readable",
            Self::Invalid => "invalid",
            Self::Open => "open",
        }
    }
}

/// How strictly encoders must follow a case. Decoders always must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Required.
    #[default]
    Must,
    /// Good practice: a failure is a warning.
    Should,
}

/// Why an open case is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// No document says.
    Silent,
    /// The document contradicts itself.
    ContradictsItself,
    /// Engines differ.
    EnginesDiffer,
}
