//! The handshake: what an implementation declares about itself.

mod declared_loss;
mod op;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Map;
use variant_codec::Framing;
use variant_specs::Specs;

use crate::sanitize::beginning;
use crate::suggest::layout_meant;

pub use declared_loss::{DeclaredLoss, Limit, Lossy, excuse};
pub use op::Op;

/// The version of the protocol that the runner speaks.
pub const PROTOCOL: u32 = 1;

/// The reply to `hello`. Keys that have a default are optional.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Handshake {
    /// The version of the protocol that the adapter speaks.
    pub protocol: u32,
    pub name: String,
    /// The version of the implementation; empty if it names none.
    #[serde(default)]
    pub version: String,
    /// The programming language of the implementation, like `rust`; empty if it names none.
    #[serde(default)]
    pub language: String,
    /// The version of the engine that it is or follows, like `3.6`, where engines of a dialect differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The names of the dialects that it supports.
    pub dialects: Vec<String>,
    /// The names by which it knows dialects, where they are others, such as `godot-4.6` for `godot-4.4`: requests have these.
    #[serde(skip)]
    pub own_names: BTreeMap<String, String>,
    /// The operations that it supports.
    pub ops: Vec<Op>,
    /// The layouts that it supports; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Types>,
    /// Distinctions that it cannot make.
    #[serde(default)]
    pub lossy: Vec<Lossy>,
    /// Values that it has no way to hold or to write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// The most requests that may be in flight; absent: as many as the runner allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<usize>,
    /// The longest line that it reads, in bytes.
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
    /// Request options that it understands: `objects`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The length prefixes that it understands if a request asks for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub framing: Vec<Framing>,
}

/// The supported layouts: one list, or one for each direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "it must be a list of layouts, like [\"int\",\"string\"], or {\"decode\":[…],\"encode\":[…]}"
)]
pub enum Types {
    /// The same for decoding and encoding.
    Both(Vec<String>),
    /// Different ones for decoding and encoding.
    Each {
        /// Layouts that it decodes.
        #[serde(default)]
        decode: Vec<String>,
        /// Layouts that it encodes.
        #[serde(default)]
        encode: Vec<String>,
    },
}

impl Handshake {
    /// Takes versions of engines as names of dialects: `godot-4.6` is `godot-4.4`.
    pub fn understand(&mut self, specs: &Specs) {
        for own in std::mem::take(&mut self.dialects) {
            let name = specs.find(&own).map_or_else(|_| own.clone(), |dialect| dialect.name.clone());
            if self.dialects.contains(&name) {
                continue;
            }
            if name != own {
                self.own_names.insert(name.clone(), own);
            }
            self.dialects.push(name);
        }
    }

    pub fn own_name<'a>(&'a self, dialect: &'a str) -> &'a str {
        self.own_names.get(dialect).map_or(dialect, String::as_str)
    }

    /// Whether it supports this layout in this operation.
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

    /// The layouts in `types`, in order; none if it is absent.
    pub fn claimed(&self) -> Vec<&str> {
        match &self.types {
            None => Vec::new(),
            Some(Types::Both(both)) => both.iter().map(String::as_str).collect(),
            Some(Types::Each { decode, encode }) => decode.iter().chain(encode).map(String::as_str).collect(),
        }
    }

    /// What is wrong with its `types`, if it lists a layout that there is not: its tests would silently not run.
    pub fn unknown_layout(&self, specs: &Specs) -> Option<String> {
        let unknown = |name: &&str| specs.dialects.iter().all(|dialect| dialect.layouts.id_of(name).is_none());
        let name = self.claimed().into_iter().find(unknown)?;
        let meant = layout_meant(name, &specs.dialects);
        let types = || specs.layouts.iter().map(|(_, layout)| layout.name.as_str()).collect::<Vec<_>>().join(", ");
        let meant = if meant.is_empty() { format!("; types are {}", types()) } else { meant };
        Some(format!("`types` in its handshake reply has {name:?}, which is no type{meant}"))
    }

    /// What is wrong with its `dialects`, if none of them is known.
    pub fn unknown_dialects(&self, specs: &Specs) -> Option<String> {
        if self.dialects.iter().any(|name| specs.find(name).is_ok()) {
            return None;
        }
        let error = specs.find(self.dialects.first()?).err()?;
        Some(format!("{error}; fix `dialects` in its handshake reply, or describe a dialect of your own with --spec"))
    }

    /// Whether it reads and writes packets with this length prefix.
    pub fn frames(&self, framing: Framing) -> bool {
        self.framing.contains(&framing)
    }

    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }

    /// What it does not claim: words, each with its key.
    pub fn lacks(&self) -> Vec<String> {
        let mut lacks = Vec::new();
        let ops = [Op::Decode, Op::Encode, Op::Reencode].into_iter().filter(|op| !self.ops.contains(op));
        lacks.extend(ops.map(|op| format!("`{}` in `ops`", op.name())));
        let framings = Framing::ALL.into_iter().filter(|framing| !self.frames(*framing));
        lacks.extend(framings.map(|framing| format!("`{}` in `framing`", framing.name())));
        lacks.extend((!self.has_option("objects")).then(|| "`objects` in `options`".to_owned()));
        lacks.extend(self.types.is_some().then(|| "types that are not in `types`".to_owned()));
        lacks
    }
}

/// The keys that differ between two handshakes, with both values, as one line.
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
