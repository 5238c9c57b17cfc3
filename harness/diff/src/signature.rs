//! What makes two disagreements one finding.

use std::fmt;

use serde::{Deserialize, Serialize};

use variant_wire::fields::any_index;
use variant_wire::handshake::Op;

/// Who parts from whom, about what, and how. The innermost value that parts when it is asked alone counts, wherever
/// it stood.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// The dialect.
    pub dialect: String,
    /// The layout of that value; `packet` where it has no header that anybody could read.
    pub layout: String,
    /// The operation.
    pub op: Op,
    /// The field, indices left out: `x`, `[i].key.text`; empty where it is the whole.
    pub field: String,
    /// How they part.
    pub kind: Kind,
    /// Of a refusal, why the reference codec refuses; empty where it does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The odd ones out.
    pub odd: Vec<String>,
    /// The others.
    pub others: Vec<String>,
}

/// How the odd ones out part from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// They read another value.
    Value,
    /// They read or write a NaN with other bits.
    NanBits,
    /// They read the same value from another number of bytes.
    Length,
    /// They write bytes that mean something else, or nothing.
    Bytes,
    /// They write other bytes that mean the same.
    Form,
    /// They refuse what the others take.
    Refuses,
    /// They take what the others refuse.
    Accepts,
    /// Their process ends.
    Crashes,
    /// They never answer.
    Hangs,
    /// They answer with what is no answer.
    Garbles,
    /// They fail, but not when asked alone.
    DependsOnOrder,
    /// They cannot be asked that, though they claim its types.
    Unsupported,
}

impl Kind {
    /// The word of signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::NanBits => "nan-bits",
            Self::Length => "length",
            Self::Bytes => "bytes",
            Self::Form => "form",
            Self::Refuses => "refuses",
            Self::Accepts => "accepts",
            Self::Crashes => "crashes",
            Self::Hangs => "hangs",
            Self::Garbles => "garbles",
            Self::DependsOnOrder => "depends-on-order",
            Self::Unsupported => "unsupported",
        }
    }

    /// What they do, behind their name.
    pub fn says(self) -> &'static str {
        match self {
            Self::Value => "reads another value",
            Self::NanBits => "gives a NaN other bits",
            Self::Length => "reads the same value from another number of bytes",
            Self::Bytes => "writes bytes that mean something else",
            Self::Form => "writes other bytes that mean the same",
            Self::Refuses => "refuses",
            Self::Accepts => "accepts",
            Self::Crashes => "crashes",
            Self::Hangs => "does not answer",
            Self::Garbles => "gives an answer that is none",
            Self::DependsOnOrder => "fails, but not when asked alone",
            Self::Unsupported => "cannot be asked, and claims it",
        }
    }
}

impl Signature {
    /// What it is about, without who it is: `godot-3/node_path:decode value flags`.
    pub fn what(&self) -> String {
        let Self { dialect, layout, op, field, kind, why, .. } = self;
        let field = if field.is_empty() { String::new() } else { format!(" {field}") };
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        format!("{dialect}/{layout}:{} {}{field}{why}", op.name(), kind.name())
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.what(), self.odd.join(", "))
    }
}

/// `[3].names[0].text` → `[i].names[i].text`, and `[0].[0].[0].count` → `[i].count`: how deep it is does not tell one
/// finding from another.
pub(crate) fn general(path: &str) -> String {
    let mut name = any_index(path);
    while name.contains("[i].[i].") {
        name = name.replace("[i].[i].", "[i].");
    }
    name
}
