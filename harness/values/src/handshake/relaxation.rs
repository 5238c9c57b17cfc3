//! The words of `lossy` and `limits`: what each relaxes. `adapters/PROTOCOL.md` has the same words with examples, and tests
//! compare them.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use variant_codec::{Component, NodePath, Text, Value};
use variant_specs::{Layouts, Shape};

use super::Op;
use crate::fields::{FieldValue, fields_of};

/// A distinction that a language cannot make, or a library loses: values that differ only in it count as the same.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Lossy {
    /// Between 1 and 1.0, also as keys.
    IntFloat,
    /// Between an int and the nearest double.
    Int64,
    /// Between NaNs with different bits.
    NanPayload,
    /// Between orders of dictionary entries.
    DictionaryOrder,
    /// Between a bool, int or float as a key and its text.
    DictionaryKeys,
    /// Between keys that compare equal: true, 1 and 1.0.
    EqualKeys,
    /// Between a dictionary and the pairs that it was made from.
    RepeatedKeys,
    /// Between a packed array and an array.
    PackedAsList,
    /// Between a container with types and one without.
    ContainerTypes,
    /// Between a string and the array of its code points.
    CharLists,
}

/// A value that a library has no way to hold or to write: it may refuse it, or reply `unsupported`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Limit {
    /// Containers with types.
    UntypedContainers,
    /// Dictionary keys other than strings.
    StringKeys,
    /// NaN and infinity.
    FiniteFloats,
    /// Encoding node paths with names that are empty or have `/` or `:` in them.
    PathNames,
}

/// A declared word that a reply needed to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DeclaredLoss {
    /// A word of `lossy`.
    Lossy(Lossy),
    /// A word of `limits`.
    Limit(Limit),
}

impl Lossy {
    /// Every word, in the order of the table.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in the handshake reply: `int-float`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it relaxes, in words: a row of the tables in adapters/PROTOCOL.md.
    pub fn means(self) -> &'static str {
        match self {
            Self::IntFloat => "an int and the float of the same number, also as keys of one dictionary",
            Self::Int64 => {
                "ints beyond ±2^53 and the nearest double (JavaScript can, with BigInt). The nearest double to the largest int is 2^63, which an encoder may refuse"
            }
            Self::NanPayload => "NaNs with different bits",
            Self::DictionaryOrder => "dictionaries with their entries in another order",
            Self::DictionaryKeys => "a bool, int or float as a key, and its text",
            Self::EqualKeys => {
                "keys of one dictionary that are equal as numbers: the first key stays, with the last value"
            }
            Self::RepeatedKeys => "a dictionary, and the same one with both entries of a repeated key",
            Self::PackedAsList => "a packed array and an array",
            Self::ContainerTypes => "a typed array or dictionary, and an untyped one",
            Self::CharLists => "a string and the array of its code points",
        }
    }
}

impl Limit {
    /// Every word, in the order of the table.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in the handshake reply: `string-keys`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What may be refused.
    pub fn means(self) -> &'static str {
        match self {
            Self::UntypedContainers => "typed arrays and dictionaries",
            Self::StringKeys => "dictionaries with a key that is not a `string`",
            Self::FiniteFloats => "NaN and infinity, also as components",
            Self::PathNames => "encoding node paths with a name that is empty or has `/` or `:` in it",
        }
    }

    /// Whether this limit keeps an implementation from this operation on this value.
    fn excuses(self, value: &Value, op: Op, layouts: &Layouts) -> bool {
        let here = match self {
            Self::UntypedContainers => is_typed(value),
            Self::StringKeys => has_other_keys(value, layouts),
            // The fields of a value are those of all values in it.
            Self::FiniteFloats => {
                let mut reals = fields_of(value, layouts).into_iter().filter_map(|field| field.value.real());
                return reals.any(|real| !real.is_finite());
            }
            Self::PathNames => op != Op::Decode && matches!(value, Value::NodePath(path) if has_odd_names(path)),
        };
        here || value.children().into_iter().any(|child| self.excuses(child, op, layouts))
    }
}

impl DeclaredLoss {
    /// The word in the handshake reply.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lossy(lossy) => lossy.name(),
            Self::Limit(limit) => limit.name(),
        }
    }
}

/// The first declared word that lets an implementation refuse this operation on this value.
pub fn excuse(lossy: &[Lossy], limits: &[Limit], value: &Value, op: Op, layouts: &Layouts) -> Option<DeclaredLoss> {
    let limit = limits.iter().find(|limit| limit.excuses(value, op, layouts)).map(|limit| DeclaredLoss::Limit(*limit));
    let too_large = || op != Op::Decode && lossy.contains(&Lossy::Int64) && has_too_large(value, layouts);
    limit.or_else(|| too_large().then_some(DeclaredLoss::Lossy(Lossy::Int64)))
}

/// Whether it has an int whose nearest double is 2^63, which is no int any more.
#[expect(clippy::cast_precision_loss, reason = "this loss is what it is about")]
fn has_too_large(value: &Value, layouts: &Layouts) -> bool {
    let fields = fields_of(value, layouts);
    fields.iter().any(|field| matches!(field.value, FieldValue::Int(int) if int as f64 == i64::MAX as f64))
}

fn is_typed(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.of.is_some(),
        Value::Dictionary(dictionary) => dictionary.of.is_some(),
        Value::Record(_, components) => matches!(components[..], [Component::Type(_), ..]),
        _ => false,
    }
}

fn has_other_keys(value: &Value, layouts: &Layouts) -> bool {
    let Value::Dictionary(dictionary) = value else { return false };
    let string = layouts.id_of_shape(Shape::Text);
    dictionary.entries.iter().any(|(key, _)| !matches!(key, Value::Text(layout, _) if Some(*layout) == string))
}

fn has_odd_names(path: &NodePath) -> bool {
    let odd = |name: &Text| name.as_bytes().is_empty() || name.as_bytes().iter().any(|byte| b"/:".contains(byte));
    path.names.iter().chain(&path.subnames).any(odd)
}
