//! The YAML of `specs/`, exactly as written.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};

use crate::rules::{Choice, for_each_rule};
use crate::{Precision, Scalar, Shape, UnknownFlags};

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
    pub(crate) class: Option<String>,
    pub(crate) stand_in: Option<String>,
    pub(crate) scripts: Option<String>,
    #[serde(default)]
    pub(crate) pixels: Pairs<u32, u32>,
    #[serde(default)]
    pub(crate) events: Pairs<u32, Pairs<String, RawWord>>,
}

/// What a field of an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RawWord {
    Word,
    Float32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawDialect {
    pub(crate) dialect: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) extends: Option<String>,
    pub(crate) documents: Option<Vec<String>>,
    /// Who says what holds, where no document does.
    pub(crate) basis: Option<String>,
    /// The same of its double-precision builds.
    pub(crate) double_basis: Option<String>,
    /// Layouts of its own.
    #[serde(default)]
    pub(crate) layouts: Pairs<String, RawLayout>,
    pub(crate) header: Option<RawHeader>,
    #[serde(default, deserialize_with = "precision")]
    pub(crate) precision: Option<Precision>,
    pub(crate) double: Option<bool>,
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
    /// Layouts of the parent's that are not here.
    #[serde(default)]
    pub(crate) remove: Vec<String>,
    /// Layouts that come in at an id; what stood there and behind it moves up.
    #[serde(default)]
    pub(crate) insert: Pairs<u32, String>,
    /// Every layout in the order of its id.
    pub(crate) order: Option<Vec<String>>,
    /// Each document's labels in the order of the ids.
    #[serde(default)]
    pub(crate) labels: Pairs<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawHeader {
    pub(crate) id_mask: u32,
    pub(crate) document_id_mask: u32,
    #[serde(deserialize_with = "unknown_flags")]
    pub(crate) unknown_flags: UnknownFlags,
}

macro_rules! raw_rules {
    ($($(#[$doc:meta])* $name:literal $field:ident: $type:ty $(= $default:expr)?,)+) => {
        #[derive(Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct RawRules {
            $(#[serde(rename = $name, deserialize_with = "chosen")] pub(crate) $field: Option<$type>,)+
        }
    };
}
for_each_rule!(raw_rules);

/// One of the words of a rule, `true` and `false` as such.
fn chosen<'de, D: Deserializer<'de>, C: Choice>(deserializer: D) -> Result<Option<C>, D::Error> {
    struct ChoiceVisitor<C>(PhantomData<C>);
    impl<C: Choice> Visitor<'_> for ChoiceVisitor<C> {
        type Value = C;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let words: Vec<_> = C::WORDS.iter().map(|(word, _)| *word).collect();
            write!(f, "one of {}", words.join(", "))
        }

        fn visit_str<E: Error>(self, word: &str) -> Result<C, E> {
            C::of_word(word).ok_or_else(|| E::invalid_value(Unexpected::Str(word), &self))
        }

        fn visit_bool<E: Error>(self, truth: bool) -> Result<C, E> {
            C::of_word(if truth { "true" } else { "false" })
                .ok_or_else(|| E::invalid_value(Unexpected::Bool(truth), &self))
        }
    }
    deserializer.deserialize_any(ChoiceVisitor(PhantomData)).map(Some)
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
    pub(crate) max_row: Option<bool>,
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
    pub(crate) chosen: Option<String>,
    #[serde(default)]
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
    "image" => Shape::Image,
    "input_event" => Shape::InputEvent,
    "typed" => Shape::Typed,
    "callable" => Shape::Callable,
    "signal" => Shape::Signal,
});
words!(scalar -> Scalar {
    "byte" => Scalar::Byte,
    "int32" => Scalar::Int32,
    "int64" => Scalar::Int64,
    "float32" => Scalar::Float32,
    "float64" => Scalar::Float64,
    "real" => Scalar::Real,
    "channel" => Scalar::Channel,
});
words!(precision -> Precision { "single" => Precision::Single, "double" => Precision::Double });
words!(unknown_flags -> UnknownFlags { "ignored" => UnknownFlags::Ignored, "refused" => UnknownFlags::Refused });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RawDivergence {
    pub(crate) id: String,
    pub(crate) dialects: Vec<String>,
    pub(crate) layouts: Vec<String>,
    pub(crate) fields: Vec<String>,
    pub(crate) ops: Vec<String>,
    pub(crate) kinds: Vec<String>,
    pub(crate) why: Option<String>,
    #[serde(default)]
    pub(crate) when: Pairs<String, Vec<[u32; 2]>>,
    #[serde(default)]
    pub(crate) texts_with: Vec<[u8; 2]>,
    #[serde(default)]
    pub(crate) unfit: bool,
    #[serde(default)]
    pub(crate) of: Vec<String>,
    pub(crate) rests_on: RawRestsOn,
    pub(crate) because: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRestsOn {
    pub(crate) erratum: Option<String>,
    pub(crate) case: Option<String>,
    pub(crate) page: Option<String>,
}
