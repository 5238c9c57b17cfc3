//! What makes two disagreements one finding.

use std::fmt;

use serde::{Deserialize, Serialize};

use variant_wire::fields::any_index;
use variant_wire::handshake::Op;

/// Who differs from whom, about what, and how. It describes the innermost value that still shows the disagreement when
/// it is sent alone, wherever that value was.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// The dialect's name, like `godot-3`.
    pub dialect: String,
    /// The layout of that value; `packet` if its header is unreadable; `framing` if a length is in front.
    pub layout: String,
    /// The operation that was requested.
    pub op: Op,
    /// The field with its indices generalized: `x`, `[i].key.text`; empty for the whole value.
    pub field: String,
    /// How the participants in `odd` differ from the others.
    pub kind: DisagreementKind,
    /// For a refusal, why the reference codec refuses; empty if it does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Names of the participants that are taken to be wrong.
    pub odd: Vec<String>,
    /// Names of the participants that they differ from.
    pub others: Vec<String>,
}

/// How the participants that are taken to be wrong differ from the others. Written in kebab-case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum DisagreementKind {
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
    /// They refuse what the others accept.
    Refuses,
    /// They accept what the others refuse.
    Accepts,
    /// Their process ends before it replies.
    Crashes,
    /// They do not reply in time.
    Hangs,
    /// Their reply is not one of the protocol.
    Garbles,
    /// They fail, but not when the request is sent alone.
    DependsOnOrder,
    /// They do not support a request of types that they claim.
    Unsupported,
}

impl DisagreementKind {
    /// The word in signatures, in kebab-case: `nan-bits`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What a participant does that is taken to be wrong, to follow its name: `reads another value`.
    pub fn says(self) -> &'static str {
        match self {
            Self::Value => "reads a different value",
            Self::NanBits => "changes the bits of a NaN",
            Self::Length => "reads the same value from a different number of bytes",
            Self::Bytes => "writes bytes with a different meaning",
            Self::Form => "writes different bytes with the same meaning",
            Self::Refuses => "refuses",
            Self::Accepts => "accepts",
            Self::Crashes => "crashes",
            Self::Hangs => "does not reply",
            Self::Garbles => "breaks the protocol",
            Self::DependsOnOrder => "fails, but not if the request is sent alone",
            Self::Unsupported => "does not support what it claims",
        }
    }
}

impl Signature {
    /// What the finding is about, without who is wrong: `godot-3/node_path:decode value flags`.
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

/// The path of a field at any index and depth, so that neither makes another finding: `[3].names[0].text` →
/// `[i].names[i].text`, `[0].[0].[0].count` → `[i].count`, and `[0].value.[0].value.count` → `[i].value.count`.
pub(crate) fn general(path: &str) -> String {
    let mut name = any_index(path);
    for nested in ["[i].[i].", "[i].value.[i]."] {
        while name.contains(nested) {
            name = name.replace(nested, "[i].");
        }
    }
    name
}
