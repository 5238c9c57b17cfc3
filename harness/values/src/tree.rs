//! A value as it was written, before any layout is looked at.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};

/// A tree of what was written. Numbers keep the form they had: `1` is no real.
#[derive(Debug, Clone, PartialEq)]
pub enum SyntaxTree {
    /// `null`, or a YAML key without a value.
    Null,
    /// A truth value: `true` or `false`.
    Bool(bool),
    /// A number without point or exponent, signed or unsigned, of 64 bits.
    Int(i128),
    /// A number with point or exponent.
    Real(f64),
    /// Quoted text, or a plain word.
    Text(String),
    /// A list, in the order written.
    List(Vec<SyntaxTree>),
    /// A map, in order, equal keys kept.
    Map(Vec<(String, SyntaxTree)>),
    /// `!tag …` of YAML. JSON writes it as a map with one key. Items of `{times: …, item: …}` share one `Arc`.
    Tagged(Arc<(String, SyntaxTree)>),
}

impl SyntaxTree {
    /// What kind of thing it is, for a message: `an integer`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a real",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Tagged(..) => "a tagged value",
        }
    }

    /// Whether `is` accepts any tag in it.
    pub fn any_tag(&self, is: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Tagged(tagged) => is(&tagged.0) || tagged.1.any_tag(is),
            Self::List(nodes) => nodes.iter().any(|node| node.any_tag(is)),
            Self::Map(pairs) => pairs.iter().any(|(_, node)| node.any_tag(is)),
            _ => false,
        }
    }

    /// Replaces the ids that stand for types which the dialect does not have; `None` where one has no other.
    pub fn replace_ids(&mut self, new: &impl Fn(u32) -> Option<u32>) -> Option<()> {
        match self {
            Self::Tagged(tagged) => Arc::make_mut(tagged).1.replace_ids(new)?,
            Self::List(nodes) => nodes.iter_mut().try_for_each(|node| node.replace_ids(new))?,
            Self::Map(pairs) => {
                let is_typed = is_typed(pairs);
                for (key, node) in pairs {
                    match node {
                        Self::Int(id) if is_typed && is_type(key) => *id = new(u32::try_from(*id).ok()?)?.into(),
                        node => node.replace_ids(new)?,
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The tag and what it tags, whether written as a tag or as a map with one key; `None` for anything else.
    pub fn tagged(&self) -> Option<(&str, &SyntaxTree)> {
        match self {
            Self::Tagged(tagged) => Some((&tagged.0, &tagged.1)),
            Self::Map(pairs) => match pairs.as_slice() {
                [(tag, body)] => Some((tag, body)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether it is a container that may say of what type its elements, keys or values are.
fn is_typed(pairs: &[(String, SyntaxTree)]) -> bool {
    pairs.iter().any(|(key, _)| matches!(key.as_str(), "items" | "entries"))
}

/// Whether that is said under this key.
fn is_type(key: &str) -> bool {
    matches!(key, "of" | "key" | "value")
}

impl<'de> Deserialize<'de> for SyntaxTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SyntaxTreeVisitor)
    }
}

struct SyntaxTreeVisitor;

impl<'de> Visitor<'de> for SyntaxTreeVisitor {
    type Value = SyntaxTree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<SyntaxTree, E> {
        Ok(SyntaxTree::Null)
    }

    fn visit_bool<E: Error>(self, bool: bool) -> Result<SyntaxTree, E> {
        Ok(SyntaxTree::Bool(bool))
    }

    fn visit_i64<E: Error>(self, int: i64) -> Result<SyntaxTree, E> {
        Ok(SyntaxTree::Int(int.into()))
    }

    fn visit_u64<E: Error>(self, int: u64) -> Result<SyntaxTree, E> {
        Ok(SyntaxTree::Int(int.into()))
    }

    fn visit_f64<E: Error>(self, real: f64) -> Result<SyntaxTree, E> {
        Ok(SyntaxTree::Real(real))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<SyntaxTree, E> {
        Ok(SyntaxTree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<SyntaxTree, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(SyntaxTree::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SyntaxTree, A::Error> {
        let mut pairs = Vec::with_capacity(1);
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(SyntaxTree::Map(pairs))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<SyntaxTree, A::Error> {
        let (tag, body) = tagged.variant::<String>()?;
        Ok(SyntaxTree::Tagged(Arc::new((tag.trim_start_matches('!').to_owned(), body.newtype_variant()?))))
    }
}
