//! The three levels of rarity, and the tags that give one to a case.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::Class;
use crate::test::Rule;

/// How rare a test is. The order is that in which failures matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Rarity {
    /// What ordinary programs exchange.
    #[default]
    Everyday,
    /// Legal, and seldom: signed zeros, NaN bits, extremes, odd header bits, depth.
    Rare,
    /// What must be refused, or survived.
    Hostile,
}

/// A tag of `tags.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tag {
    /// How rare a test of a case with it is, at least.
    pub rarity: Rarity,
    /// What it means.
    pub means: String,
}

impl Rarity {
    /// The word in files and reports: `everyday`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn of_class(class: Class) -> Self {
        match class {
            Class::Canonical => Self::Everyday,
            Class::Readable => Self::Rare,
            Class::Invalid | Class::Undecided => Self::Hostile,
        }
    }

    pub(super) fn of_rule(rule: Rule) -> Self {
        match rule {
            Rule::InArray | Rule::InDictionary | Rule::SentOn | Rule::AskedAgain | Rule::Alone => Self::Everyday,
            Rule::FollowedByBytes | Rule::PaddingFf | Rule::Flag | Rule::Depth | Rule::Exit => Self::Rare,
            Rule::TruncatedAt | Rule::Count | Rule::Id | Rule::Grown => Self::Hostile,
        }
    }
}
