//! What an implementation says of itself.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::sanitize::beginning;

/// The version of the protocol that this harness speaks.
pub const PROTOCOL: u32 = 1;

/// The answer to `hello`. Everything after `ops` is optional.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// The language it is written in.
    #[serde(default)]
    pub language: String,
    /// The dialects that it speaks.
    pub dialects: Vec<String>,
    /// What it can be asked.
    pub ops: Vec<Op>,
    /// The layouts that it claims; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Types>,
    /// What its host language cannot tell apart.
    #[serde(default)]
    pub lossy: Vec<Lossy>,
    /// How many requests it wants in flight at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<usize>,
    /// The longest line that it can read, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_line: Option<usize>,
    /// `strings`: every integer is sent as a decimal string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ints: Option<String>,
    /// `bits`: every real is sent as its bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reals: Option<String>,
    /// `hex`: every text is sent as `{"utf8":"hex"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Request options that it understands.
    #[serde(default)]
    pub options: Vec<String>,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes to value.
    Decode,
    /// Value to bytes.
    Encode,
    /// Bytes to value to bytes.
    Reencode,
}

impl Op {
    /// The word of the protocol and of ask ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Encode => "encode",
            Self::Reencode => "reencode",
        }
    }
}

/// The layouts that are claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Types {
    /// In both directions.
    Both(Vec<String>),
    /// In each direction.
    Each {
        /// When decoding.
        #[serde(default)]
        decode: Vec<String>,
        /// When encoding.
        #[serde(default)]
        encode: Vec<String>,
    },
}

/// What a host language cannot tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lossy {
    /// 1 and 1.0.
    IntFloat,
    /// Integers beyond 2^53.
    Int64,
    /// The payload of a NaN.
    NanPayload,
    /// The order of a dictionary.
    DictionaryOrder,
    /// Keys that are no strings.
    DictionaryKeys,
    /// A packed array and a list.
    ElementTypes,
}

impl Lossy {
    /// The word of hello.
    pub fn name(self) -> &'static str {
        match self {
            Self::IntFloat => "int-float",
            Self::Int64 => "int64",
            Self::NanPayload => "nan-payload",
            Self::DictionaryOrder => "dictionary-order",
            Self::DictionaryKeys => "dictionary-keys",
            Self::ElementTypes => "element-types",
        }
    }
}

impl Handshake {
    /// Whether it claims this layout for this operation.
    pub fn claims(&self, layout: &str, op: Op) -> bool {
        let holds = |list: &[String]| list.iter().any(|name| name == layout);
        match (&self.types, op) {
            (None, _) => true,
            (Some(Types::Both(both)), _) => holds(both),
            (Some(Types::Each { decode, .. }), Op::Decode) => holds(decode),
            (Some(Types::Each { encode, .. }), Op::Encode) => holds(encode),
            (Some(Types::Each { decode, encode }), Op::Reencode) => holds(decode) && holds(encode),
        }
    }

    /// The layouts that it names.
    pub fn claimed(&self) -> Vec<&str> {
        match &self.types {
            None => Vec::new(),
            Some(Types::Both(both)) => both.iter().map(String::as_str).collect(),
            Some(Types::Each { decode, encode }) => decode.iter().chain(encode).map(String::as_str).collect(),
        }
    }

    /// Whether requests may carry this option.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }
}

/// Which keys of a handshake changed, and how.
pub fn changes(before: &Handshake, after: &Handshake) -> String {
    let [before, after] = [before, after].map(|handshake| serde_json::to_value(handshake).unwrap_or_default());
    let keys = before.as_object().into_iter().chain(after.as_object()).flat_map(Map::keys).collect::<BTreeSet<_>>();
    let changed = keys.into_iter().filter(|key| before.get(key) != after.get(key));
    let described = changed.map(|key| {
        let [before, after] =
            [&before, &after].map(|handshake| handshake.get(key).map_or("nothing".to_owned(), ToString::to_string));
        format!("{key}: {} → {}", beginning(before.as_bytes(), 80), beginning(after.as_bytes(), 80))
    });
    described.collect::<Vec<_>>().join(", ")
}
