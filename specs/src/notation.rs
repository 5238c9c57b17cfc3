//! The YAML of `specs/`, exactly as written: the only place of this crate that knows serde.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::{
    KeyRule, ObjectRule, OldNodePath, Precision, RidRule, Scalar, Shape, SharedBit, UnknownFlags, UnwrittenPadding,
};

/// A map in the order of the file, equal keys kept: a map type would silently keep the last of two.
#[derive(Debug)]
pub(crate) struct Pairs<K, V>(pub(crate) Vec<(K, V)>);

impl<K, V> Default for Pairs<K, V> {
    fn default() -> Self {
        Self(Vec::new())
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawLayout {
    #[serde(deserialize_with = "shape")]
    pub(crate) shape: Shape,
    #[serde(default, deserialize_with = "scalar")]
    pub(crate) of: Option<Scalar>,
    #[serde(default)]
    pub(crate) fields: Vec<String>,
    pub(crate) document_fields: Option<Vec<String>>,
    pub(crate) meaning: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawDialect {
    pub(crate) dialect: String,
    pub(crate) extends: Option<String>,
    pub(crate) documents: Option<Vec<String>>,
    pub(crate) header: Option<RawHeader>,
    #[serde(default, deserialize_with = "precision")]
    pub(crate) precision: Option<Precision>,
    /// Absent: the parent's. `~`: no limit.
    #[serde(default, deserialize_with = "present")]
    pub(crate) depth: Option<Option<usize>>,
    pub(crate) max: Option<u32>,
    #[serde(default)]
    pub(crate) rules: RawRules,
    #[serde(default)]
    pub(crate) document_rules: RawRules,
    #[serde(default)]
    pub(crate) types: Pairs<u32, RawType>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawHeader {
    pub(crate) id_mask: u32,
    pub(crate) document_id_mask: u32,
    #[serde(deserialize_with = "unknown_flags")]
    pub(crate) unknown_flags: UnknownFlags,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct RawRules {
    pub(crate) wide_numbers: Option<bool>,
    pub(crate) text_ends_at_nul: Option<bool>,
    pub(crate) text_drops_bom: Option<bool>,
    pub(crate) string_array_nul: Option<bool>,
    pub(crate) byte_padding_optional_at_end: Option<bool>,
    #[serde(deserialize_with = "old_node_path")]
    pub(crate) old_node_path: Option<OldNodePath>,
    #[serde(deserialize_with = "shared_bit")]
    pub(crate) shared_bit: Option<SharedBit>,
    #[serde(deserialize_with = "keys")]
    pub(crate) keys: Option<KeyRule>,
    #[serde(deserialize_with = "rid")]
    pub(crate) rid: Option<RidRule>,
    #[serde(deserialize_with = "object")]
    pub(crate) object: Option<ObjectRule>,
    #[serde(deserialize_with = "unwritten_padding")]
    pub(crate) unwritten_padding: Option<UnwrittenPadding>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawType {
    pub(crate) layout: String,
    pub(crate) section: String,
    #[serde(default)]
    pub(crate) labels: Pairs<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawDocument {
    pub(crate) title: String,
    pub(crate) engine: String,
    pub(crate) type_rows: usize,
    pub(crate) field_rows: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawErratum {
    pub(crate) id: String,
    pub(crate) documents: Vec<String>,
    pub(crate) rows: Vec<String>,
    pub(crate) says: String,
    pub(crate) engines_do: String,
    pub(crate) evidence: Vec<RawEvidence>,
    pub(crate) since: String,
    #[serde(default)]
    pub(crate) derived: Vec<RawConcern>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawConcern {
    pub(crate) rule: String,
    pub(crate) layout: Option<String>,
    pub(crate) field: Option<String>,
    #[serde(default)]
    pub(crate) exempts_negative: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEvidence {
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) packet: String,
    pub(crate) shows: String,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<usize>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A function that reads one of a few words, and names them all when it meets another.
macro_rules! words {
    ($name:ident -> $type:ty { $($word:literal => $value:expr),+ $(,)? }) => {
        fn $name<'de, D: Deserializer<'de>, T: From<$type>>(deserializer: D) -> Result<T, D::Error> {
            const WORDS: &[&str] = &[$($word),+];
            let word = String::deserialize(deserializer)?;
            let value: $type = match word.as_str() {
                $($word => $value,)+
                _ => return Err(serde::de::Error::unknown_variant(&word, WORDS)),
            };
            Ok(value.into())
        }
    };
}

words!(shape -> Shape {
    "empty" => Shape::Empty,
    "bool" => Shape::Bool,
    "int" => Shape::Int,
    "float" => Shape::Float,
    "text" => Shape::Text,
    "fields" => Shape::Fields,
    "packed" => Shape::Packed,
    "packed-text" => Shape::PackedText,
    "array" => Shape::Array,
    "dictionary" => Shape::Dictionary,
    "node_path" => Shape::NodePath,
    "rid" => Shape::Rid,
    "object" => Shape::Object,
});
words!(scalar -> Scalar {
    "byte" => Scalar::Byte,
    "int32" => Scalar::Int32,
    "int64" => Scalar::Int64,
    "float32" => Scalar::Float32,
    "float64" => Scalar::Float64,
    "real" => Scalar::Real,
});
words!(precision -> Precision { "single" => Precision::Single, "double" => Precision::Double });
words!(unknown_flags -> UnknownFlags { "ignored" => UnknownFlags::Ignored, "refused" => UnknownFlags::Refused });
words!(old_node_path -> OldNodePath { "read" => OldNodePath::Read, "refused" => OldNodePath::Refused });
words!(shared_bit -> SharedBit { "masked" => SharedBit::Masked, "kept" => SharedBit::Kept });
words!(keys -> KeyRule { "unique" => KeyRule::Unique, "repeated" => KeyRule::Repeated });
words!(rid -> RidRule { "empty" => RidRule::Empty, "unsupported" => RidRule::Unsupported });
words!(object -> ObjectRule { "by-id" => ObjectRule::ById, "unsupported" => ObjectRule::Unsupported });
words!(unwritten_padding -> UnwrittenPadding {
    "none" => UnwrittenPadding::None,
    "node-path" => UnwrittenPadding::NodePath,
    "all" => UnwrittenPadding::All,
});
