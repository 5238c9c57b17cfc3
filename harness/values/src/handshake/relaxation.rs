//! The words of `lossy` and `limits`: what each relaxes, with an example. `adapters/PROTOCOL.md` has the same tables, and
//! a test compares them.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use variant_codec::{Component, F64, NodePath, Numbers, Text, Value};
use variant_specs::{Layouts, Shape};

use super::Op;

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

/// A value as JSON that shows what a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What is expected, or sent.
    pub value: &'static str,
    /// What counts as the same; `None` where the value may be refused.
    pub same: Option<&'static str>,
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

    /// Values of godot-4.4 that only this word makes the same.
    pub fn example(self) -> Example {
        let (value, same) = match self {
            Self::IntFloat => (r#"{"int":1}"#, r#"{"float":1.0}"#),
            Self::Int64 => (r#"{"int":"9007199254740993"}"#, r#"{"int":"9007199254740992"}"#),
            Self::NanPayload => (r#"{"float":"0x7ff8000000000001"}"#, r#"{"float":"nan"}"#),
            Self::DictionaryOrder => (
                r#"{"dictionary":[[{"int":1},{"null":null}],[{"int":2},{"null":null}]]}"#,
                r#"{"dictionary":[[{"int":2},{"null":null}],[{"int":1},{"null":null}]]}"#,
            ),
            Self::DictionaryKeys => {
                (r#"{"dictionary":[[{"int":1},{"null":null}]]}"#, r#"{"dictionary":[[{"string":"1"},{"null":null}]]}"#)
            }
            Self::EqualKeys => (
                r#"{"dictionary":[[{"bool":true},{"int":2}],[{"int":1},{"int":3}]]}"#,
                r#"{"dictionary":[[{"bool":true},{"int":3}]]}"#,
            ),
            Self::RepeatedKeys => (
                r#"{"dictionary":[[{"int":1},{"int":3}]]}"#,
                r#"{"dictionary":[[{"int":1},{"int":2}],[{"int":1},{"int":3}]]}"#,
            ),
            Self::PackedAsList => (r#"{"int32_array":[7]}"#, r#"{"array":[{"int":7}]}"#),
            Self::ContainerTypes => (r#"{"array":{"of":"int","items":[{"int":7}]}}"#, r#"{"array":[{"int":7}]}"#),
            Self::CharLists => (r#"{"string":"é"}"#, r#"{"array":[{"int":233}]}"#),
        };
        Example { value, same: Some(same) }
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

    /// A value of godot-4.4 that only this word allows to refuse.
    pub fn example(self) -> Example {
        let value = match self {
            Self::UntypedContainers => r#"{"array":{"of":"int","items":[]}}"#,
            Self::StringKeys => r#"{"dictionary":[[{"int":1},{"null":null}]]}"#,
            Self::FiniteFloats => r#"{"float":"inf"}"#,
            Self::PathNames => r#"{"node_path":{"names":["a/b"]}}"#,
        };
        Example { value, same: None }
    }

    /// Whether this limit keeps an implementation from this operation on this value.
    pub(crate) fn excuses(self, value: &Value, op: Op, layouts: &Layouts) -> bool {
        let here = match self {
            Self::UntypedContainers => is_typed(value),
            Self::StringKeys => has_other_keys(value, layouts),
            Self::FiniteFloats => !is_finite(value),
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
    let too_large = || op != Op::Decode && lossy.contains(&Lossy::Int64) && has_too_large(value);
    limit.or_else(|| too_large().then_some(DeclaredLoss::Lossy(Lossy::Int64)))
}

/// Whether it has an int whose nearest double is 2^63, which is no int any more.
fn has_too_large(value: &Value) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "this loss is what it is about")]
    let too_large = |int: &i64| *int as f64 == i64::MAX as f64;
    let here = if let Value::Int(int) = value {
        too_large(int)
    } else if let Value::Packed(_, Numbers::Int64(ints)) = value {
        ints.iter().any(too_large)
    } else {
        false
    };
    here || value.children().into_iter().any(has_too_large)
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

fn is_finite(value: &Value) -> bool {
    let double = |float: &F64| float.get().is_finite();
    match value {
        Value::Float(float) => double(float),
        Value::Fields(_, numbers) | Value::Packed(_, numbers) => match numbers {
            Numbers::Float32(floats) => floats.iter().all(|float| float.get().is_finite()),
            Numbers::Float64(floats) => floats.iter().all(double),
            Numbers::Bytes(_) | Numbers::Int32(_) | Numbers::Int64(_) => true,
        },
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Text(..)
        | Value::PackedText(..)
        | Value::Array(_)
        | Value::Dictionary(_)
        | Value::NodePath(_) => true,
        Value::Record(_, components) => components.iter().all(is_finite_component),
    }
}

fn is_finite_component(component: &Component) -> bool {
    match component {
        Component::Single(single) => single.get().is_finite(),
        Component::Double(double) => double.get().is_finite(),
        Component::List(elements) => elements.iter().flatten().all(is_finite_component),
        // The values within are asked by themselves.
        Component::Value(_)
        | Component::Values(_)
        | Component::Type(_)
        | Component::Flag(_)
        | Component::Word(_)
        | Component::Id(_)
        | Component::Text(_)
        | Component::Bytes(_) => true,
    }
}

fn has_odd_names(path: &NodePath) -> bool {
    let odd = |name: &Text| name.as_bytes().is_empty() || name.as_bytes().iter().any(|byte| b"/:".contains(byte));
    path.names.iter().chain(&path.subnames).any(odd)
}

/// The two tables of `adapters/PROTOCOL.md`, in Markdown: of `lossy` and of `limits`.
pub fn tables() -> [String; 2] {
    let row = |name: &str, means: &str, example: Example| {
        let same = example.same.map(|same| format!(" and `{same}`")).unwrap_or_default();
        format!("| `{name}` | {means} | `{}`{same} |\n", example.value)
    };
    let lossy = Lossy::ALL.iter().map(|word| row(word.name(), word.means(), word.example()));
    let limits = Limit::ALL.iter().map(|word| row(word.name(), word.means(), word.example()));
    let rule = "|---|---|---|\n";
    [
        format!("| `lossy` | counts as the same | for example |\n{rule}{}", lossy.collect::<String>()),
        format!("| `limits` | may be refused | for example |\n{rule}{}", limits.collect::<String>()),
    ]
}
