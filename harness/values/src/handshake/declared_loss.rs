//! The words of `lossy` and `limits`: what each excuses. `adapters/PROTOCOL.md` has the same words with examples, and tests
//! compare them.

use serde::{Deserialize, Serialize};
use strum::{EnumMessage, IntoStaticStr, VariantArray};
use variant_codec::{Component, NodePath, Text, Value};
use variant_specs::{Layouts, Shape};

use super::op::Op;
use crate::fields::{FieldValue, fields_of};

/// A distinction that a language cannot make, or a library loses: values that differ only in it count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Lossy {
    /// an int and the float of the same number, also as keys of one dictionary
    IntFloat,
    /// ints beyond ±2^53 and the nearest double (JavaScript can, with BigInt). The nearest double to the largest int is 2^63, which an encoder may refuse
    Int64,
    /// NaNs with different bits
    NanPayload,
    /// dictionaries with their entries in another order
    DictionaryOrder,
    /// a bool, int or float as a key, and its text
    DictionaryKeys,
    /// keys of one dictionary that are equal as numbers: the first key stays, with the last value
    EqualKeys,
    /// a dictionary, and the same one with both entries of a repeated key
    RepeatedKeys,
    /// a packed array and an array
    PackedAsList,
    /// a typed array or dictionary, and an untyped one
    ContainerTypes,
    /// a string and the array of its code points
    CharLists,
}

/// A value that a library has no way to hold or to write: it may refuse it, or reply `unsupported`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Limit {
    /// typed arrays and dictionaries
    UntypedContainers,
    /// dictionaries with a key that is not a `string`
    StringKeys,
    /// NaN and infinity, also as components
    FiniteFloats,
    /// encoding node paths with a name that is empty or has `/` or `:` in it
    PathNames,
}

/// A declared word that a reply needed to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DeclaredLoss {
    Lossy(Lossy),
    Limit(Limit),
}

impl Lossy {
    /// Every word, in the order of the table.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in the handshake reply: `int-float`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it excuses: its comment above, which is a row of the tables in adapters/PROTOCOL.md.
    pub fn means(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }
}

impl Limit {
    /// Every word, in the order of the table.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The word in the handshake reply: `string-keys`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What may be refused: its comment above.
    pub fn means(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
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
