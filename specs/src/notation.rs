//! The YAML of `specs/`, exactly as written.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use crate::rules::for_each_rule;
use crate::{Bit31, Header, Precision, Scalar, Shape, Status};

/// A map in the order of the file, equal keys kept: a map type would silently keep the last of two.
#[derive(Debug)]
pub(crate) struct Pairs<K, V>(pub(crate) Vec<(K, V)>);

impl<K, V> Default for Pairs<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

#[cfg(feature = "schema")]
impl<K, V: schemars::JsonSchema> schemars::JsonSchema for Pairs<K, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        std::collections::BTreeMap::<String, V>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        std::collections::BTreeMap::<String, V>::json_schema(generator)
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Pairs<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<K, V> {
            type Value = Pairs<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

/// What follows the header of a type.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawLayout {
    pub(crate) shape: Shape,
    pub(crate) of: Option<Scalar>,
    #[serde(default)]
    pub(crate) fields: Vec<String>,
    pub(crate) document_fields: Option<Vec<String>>,
    pub(crate) meaning: Option<Vec<String>>,
    pub(crate) stand_in: Option<String>,
    pub(crate) scripts: Option<String>,
    #[serde(default)]
    pub(crate) pixels: Pairs<u32, u32>,
    pub(crate) record: Option<RawFields>,
    #[serde(default)]
    pub(crate) nullable: bool,
    #[serde(default)]
    pub(crate) objects: bool,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
}

/// Fields of a record by their names, in the order of the packet.
pub(crate) type RawFields = Pairs<String, RawField>;

/// A field of a record: a word for its form, or a form with what it needs.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a field is word, id, float32, real, text, value, size, permission, {bytes: LENGTH}, {padding: BYTES}, \
                 {type: ID, class: LAYOUT}, {values: COUNT}, {repeat: COUNT, of: FIELDS} or \
                 {choice: FIELD, of: {NUMBER: FIELDS}, otherwise: FIELDS}"
)]
pub(crate) enum RawField {
    Plain(RawForm),
    /// A length with this name, as many bytes, and padding.
    Bytes {
        bytes: String,
    },
    /// So many bytes that mean nothing.
    Padding {
        padding: u32,
    },
    /// The id of a type under this name, and the layout that names a class of objects.
    Type {
        #[serde(rename = "type")]
        id: String,
        class: String,
    },
    /// A count with this name, and as many whole values.
    Values {
        values: String,
        #[serde(default, rename = "bit-31")]
        bit_31: Bit31,
    },
    /// A count with this name, and the fields of one element.
    Repeat {
        repeat: String,
        #[serde(default, rename = "bit-31")]
        bit_31: Bit31,
        of: RawFields,
    },
    /// What chooses (an earlier word or text, or `flag-1`), and the fields for each number.
    Choice {
        choice: String,
        of: Pairs<u32, RawFields>,
        #[serde(default)]
        otherwise: RawFields,
    },
}

/// The form of a field that needs nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum RawForm {
    Word,
    Id,
    Float32,
    Real,
    Text,
    Value,
    Size,
    Permission,
}

/// One numbering of the types, with its rules.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawDialect {
    pub(crate) dialect: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    /// The engines that speak it, as people are shown it: `Godot 4.4–4.6`, a name and the first and last version.
    pub(crate) engines: Option<String>,
    pub(crate) extends: Option<String>,
    pub(crate) documents: Option<Vec<String>>,
    /// Whether engines speak the dialect. One that they do not is tested only where it is claimed or asked for.
    #[serde(default)]
    pub(crate) status: Status,
    /// What to tell the author of an implementation that speaks it, if that is advice against it.
    pub(crate) advice: Option<String>,
    /// The authority if no document describes the dialect: an engine and its version.
    pub(crate) basis: Option<String>,
    /// The authority for its double-precision builds.
    pub(crate) double_basis: Option<String>,
    /// Layouts that this dialect adds to those of the family.
    #[serde(default)]
    pub(crate) layouts: Pairs<String, RawLayout>,
    pub(crate) header: Option<Header>,
    pub(crate) precision: Option<Precision>,
    pub(crate) double: Option<bool>,
    /// How many values a path from the outermost to the innermost may have. Absent: as in the parent. `~`: no limit.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
    pub(crate) depth: Option<Option<usize>>,
    /// The first version of the engines that has this limit, if earlier ones have none. A dialect that extends this one
    /// says so itself.
    pub(crate) depth_since: Option<String>,
    pub(crate) max: Option<u32>,
    #[serde(default)]
    pub(crate) rules: RawRules,
    #[serde(default)]
    pub(crate) document_rules: RawRules,
    #[serde(default)]
    pub(crate) types: Pairs<u32, RawType>,
    /// Layouts of the parent that this dialect does not have.
    #[serde(default)]
    pub(crate) remove: Vec<String>,
    /// Layouts to insert at an id; the types from that id on move up by one.
    #[serde(default)]
    pub(crate) insert: Pairs<u32, RawInsert>,
    /// Every layout in the order of its id.
    pub(crate) order: Option<Vec<String>>,
}

macro_rules! raw_rules {
    ($($(#[$doc:meta])* $name:literal $field:ident: $type:ty $(= $default:expr)?,)+) => {
        #[derive(Debug, Default, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct RawRules {
            $($(#[$doc])* #[serde(rename = $name)] pub(crate) $field: Option<$type>,)+
        }
    };
}
for_each_rule!(raw_rules);

/// The layout of a type id, the heading of its section in the documents, and the engines' name of it.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawType {
    pub(crate) layout: String,
    pub(crate) section: String,
    /// The name in the engines, where the documents' is another.
    pub(crate) name: Option<String>,
}

/// A type that is inserted: the name of its layout alone, or with the heading of its section.
#[derive(Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
pub(crate) enum RawInsert {
    Layout(String),
    Type(RawType),
}

// Not `untagged`, which does not say which key is wrong.
impl<'de> Deserialize<'de> for RawInsert {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InsertVisitor;
        impl<'de> Visitor<'de> for InsertVisitor {
            type Value = RawInsert;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a layout, or {layout: NAME, section: \"ID: HEADING\", name: NAME}")
            }

            fn visit_str<E: Error>(self, layout: &str) -> Result<Self::Value, E> {
                Ok(RawInsert::Layout(layout.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                RawType::deserialize(MapAccessDeserializer::new(map)).map(RawInsert::Type)
            }
        }
        deserializer.deserialize_any(InsertVisitor)
    }
}

/// Reads `~` as a limit that is given: an `Option` alone would take it for an absent key.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<usize>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The JSON Schema of each kind of file in `specs/`, by the file's name in `specs/schema/`.
#[cfg(feature = "schema")]
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    use schemars::schema_for;
    vec![
        ("dialect.json", schema_for!(RawDialect)),
        ("layouts.json", schema_for!(Pairs<String, RawLayout>)),
        ("documents.json", schema_for!(Pairs<String, crate::Document>)),
        ("errata.json", schema_for!(Vec<crate::Erratum>)),
        ("divergences.json", schema_for!(Vec<crate::Divergence>)),
    ]
}
